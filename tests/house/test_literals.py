"""Words for people are data: no script, no markup and no handler of the page holds a literal that a person reads (assets/words/)."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.words.sentences import MARK
from tests.house.errors.error_sites import error_classes
from tests.house.source_files import ROOT, text_of, tree_of

# Files of screens whose words are still in them. Whoever converts one takes it off; in the end there is none.
UNCONVERTED = frozenset(("assets/web/frame/head.html",))
# What programs read: endpoints and what agents are told, refusals of the page's own routes, the body of a 404.
FOR_PROGRAMS = frozenset(
    ("studio/ui/programs/endpoints.py", "studio/words/tools.py", "studio/ui/frame/page_middleware.py", "studio/ui/gradio/web.py")
)

SENTENCE = re.compile(r"^[“(…]?[A-Z][\w'’]*,? [a-z“A-Z]|[a-z]{2,}[.?!…]$(?<! )(?<=\w[.?!…])")  # "Two words", or an end of a sentence
SHOWN = re.compile(r"[A-Za-z]{2}")
WORDS = re.compile(r"^[A-Za-z’',]+( [A-Za-z’',]+){2,}$")  # three plain words
SCRIPT_TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|`(?:[^`\\]|\\.)*`')
SCRIPT_SHOWN = re.compile(
    r'\b(?:textContent|title|ariaLabel|placeholder|alt|label|innerText)\s*[:=]\s*(["`])(?=[^"`]*[A-Za-z]{2})([^"`]*)\1'
)
COMMENT = re.compile(r"^\s*//[^\n]*|(?<=[;{},]) +//[^\n]*|^\s*/\*[\s\S]*?\*/", re.M)
MARKUP_ATTRIBUTE = re.compile(r'\b(?:title|aria-label|placeholder|alt|label|aria-description)="([^"]*)"')
MARKUP_ASIDE = re.compile(r"<(style|script)\b.*?</\1>|<!--.*?-->|<[^>]*(?:>|$)", re.S)
HANDLER_SHOWN = ("label", "placeholder", "info", "title")
HANDLER_CALLS = {"Button", "Tab", "Message", "Markdown"}


def literals_of_script(text: str) -> Iterator[str]:
    text = COMMENT.sub("", text)
    yield from (found[2] for found in SCRIPT_SHOWN.finditer(text) if SHOWN.search(re.sub(r"\$\{[^}]*\}", "", found[2])))
    for found in SCRIPT_TEXT.finditer(text):
        said = re.sub(r"\$\{[^}]*\}", "0", found[0][1:-1]).strip()
        if (SENTENCE.search(said) and " " in said and "=>" not in said) or (WORDS.match(said) and not said.islower()):
            yield said


def literals_of_markup(text: str) -> Iterator[str]:
    text = MARK.sub("", text)
    for found in MARKUP_ATTRIBUTE.finditer(text):
        if SHOWN.search(re.sub(r"\{\{.*?\}\}|\$\{.*?\}", "", found[1])):
            yield found[1]
    for said in re.sub(r"\{\{.*?\}\}|\$\{.*?\}", "", MARKUP_ASIDE.sub("\n", text)).splitlines():
        if SHOWN.search(re.sub(r"&\w+;", "", said)):
            yield said.strip()


def literals_of_handlers(tree: ast.Module) -> Iterator[str]:
    for node in _shown(tree):
        said = node.value.strip() if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        if said and "<" not in said and "=>" not in said and SENTENCE.search(said) and " " in said:
            yield said
        elif said.startswith("<"):
            yield from literals_of_markup(said)
        elif (isinstance(node, ast.keyword) and node.arg in HANDLER_SHOWN) or isinstance(node, ast.Call):
            yield from _of_call(node)


def _of_call(node: ast.keyword | ast.Call) -> Iterator[str]:
    """A label, or the first words of a button, even if it is one word."""
    if isinstance(node, ast.keyword):
        parts = [node.value]
    else:
        parts = node.args if getattr(node.func, "attr", getattr(node.func, "id", "")) in HANDLER_CALLS else []
    for part in parts:
        said = part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else ""
        if re.match(r"[A-Z]", said) and not MARK.fullmatch(said):
            yield said


def _shown(node: ast.AST) -> Iterator[ast.AST]:
    """Every node but those that nobody sees: docstrings, logs, errors, which have sentences of their own, and what is raised by mistake."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue
        if isinstance(child, ast.Call):
            name = getattr(child.func, "id", getattr(child.func, "attr", ""))
            if name in error_classes() or name.endswith("Error") or name in ("exception", "warning", "info", "getLogger"):
                continue
        yield child
        yield from _shown(child)


def unsaid() -> dict[str, list[str]]:
    """File -> literals that a person reads."""
    found: dict[str, list[str]] = {}
    for file, literals in _files():
        found[str(file.relative_to(ROOT))] = list(literals)
    return {name: literals for name, literals in found.items() if literals and name not in FOR_PROGRAMS}


def _files() -> Iterator[tuple[Path, Iterator[str]]]:
    for file in sorted((ROOT / "assets/web").rglob("*")):
        if file.suffix == ".js":
            yield file, literals_of_script(text_of(file))
        elif file.suffix == ".html":
            yield file, literals_of_markup(text_of(file))
    for file in sorted(file for room in ("studio/ui", "studio/words") for file in (ROOT / room).rglob("*.py")):
        yield file, literals_of_handlers(tree_of(file))


@pytest.mark.slow
def test_no_script_markup_or_handler_holds_words_that_a_person_reads():
    found = unsaid()
    news = {name: literals for name, literals in found.items() if name not in UNCONVERTED}
    assert not news, f"words for people belong into assets/words/: {news}"
    assert not UNCONVERTED - set(found), f"converted, so take them off the list: {sorted(UNCONVERTED - set(found))}"


def test_the_search_for_literals_finds_what_it_is_for():
    script = (
        'button.textContent = "Speak"; say(`Only ${n} s found.`, "No sound arrived."); node.className = "grow cut"; // Says "Some thing"'
    )
    assert list(literals_of_script(script)) == ["Speak", "Only 0 s found.", "No sound arrived."]
    assert list(literals_of_markup('<p title="@@a.b@@" class="big">@@a.c@@ {{value}}</p><b aria-label="Close it">Stop</b>')) == [
        "Close it",
        "Stop",
    ]
    handler = 'gr.Button("Speak")\ngr.Textbox(label="Voice")\nreturn_("The voice is gone.")\nlog.info("It is over.")\nf("sort", key="a b")'
    assert set(literals_of_handlers(ast.parse(handler))) == {"Speak", "Voice", "The voice is gone."}
