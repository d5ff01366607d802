"""Claims about what people write from right to left: the page's markup and scripts let it say its own direction."""

import re

from studio.ui.gradio import web

FIELD = re.compile(r"<(?:input|textarea)\b[^>]*>")
MADE = re.compile(r"""make\("(?:input|textarea)",\s*\{.*?\}\)""", re.DOTALL)
# Nothing is written there that has a direction: figures, files, keys, sounds of speech, links.
OF_NO_DIRECTION = re.compile(
    r"""type(?:="|: ")(?:checkbox|radio|file|range|number|password)|name="ipa"|readonly|readOnly|visually-hidden|"select"""
)


def test_every_field_for_words_follows_the_direction_of_what_is_written():
    fields = [(path.name, field) for path in web.FOLDER.rglob("*.html") for field in FIELD.findall(path.read_text(encoding="utf-8"))]
    fields += [(path.name, field) for path in web.FOLDER.rglob("*.js") for field in MADE.findall(path.read_text(encoding="utf-8"))]
    asked = [(name, field) for name, field in fields if not OF_NO_DIRECTION.search(field) and name != "sign_in.html"]
    assert len(asked) > 20
    assert [(name, field) for name, field in asked if not re.search(r"""dir(?:="|: ")auto""", field)] == []
