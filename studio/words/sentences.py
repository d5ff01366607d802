"""Sentences: every sentence of the page in one language, from assets/words/, and how they are told to its scripts. It knows no visitor."""

import functools
import json
import re
from collections.abc import Iterator

from engines.sentence_catalog import FOLDER, LANGUAGES, Sentence, SentenceCatalog, catalog_in

__all__ = ["FOLDER", "LANGUAGES", "MARK", "OWNERS_ERRORS", "OWNERS_HINT", "Sentences", "sentences_in"]

MARK = re.compile(r"@@(?:([a-z_]+)\.([a-z0-9_]+)|language)@@")  # of markup: @@section.key@@, and @@language@@ for the language's code

# Errors whose next step is the owner's of the studio alone. Their visitors are told so in its place.
OWNERS_ERRORS = (
    "weights_absent",
    "weights_lacking",
    "weights_incomplete",
    "weights_gated",
    "weights_gated_no_token",
    "weights_gated_not_accepted",
    "weights_not_downloaded",
    "weights_not_fetched",
    "checkpoint_invalid",
    "licence_not_accepted",
    "engine_not_opened",
    "no_room_beside",
    "option_without_library",
)
OWNERS_HINT = "engines.ask_owner"


class Sentences(SentenceCatalog):
    """A catalog with what pages ask of it."""

    def sentences(self) -> Iterator[tuple[str, Sentence]]:
        """(key, sentence) of all, in the order of the file."""
        for section, entries in self.sections.items():
            for key, entry in entries.items():
                parts = [(f"{key}.{part}", entry[part]) for part in entry] if section == "errors" else [(key, entry)]
                yield from ((f"{section}.{name}", sentence) for name, sentence in parts)

    def module(self) -> bytes:
        """As an ES module, for assets/web/words/words.js."""
        has_errors = "errors" in self.sections  # of which a page of listeners tells none
        known = vars(self) | {"owners": {"errors": OWNERS_ERRORS if has_errors else (), "hint": OWNERS_HINT if has_errors else ""}}
        shown = (f"export const {name} = {json.dumps(value, ensure_ascii=False)};" for name, value in known.items())
        return "\n".join(shown).replace("const sections", "const catalog", 1).encode()

    def section_alone(self, name: str) -> "Sentences":
        """The same language without its other sections. Raises KeyError."""
        return Sentences(self.language, {name: self.sections[name]})

    def without(self, *names: str) -> "Sentences":
        """The same language without these sections."""
        return Sentences(self.language, {name: section for name, section in self.sections.items() if name not in names})

    def later_module(self, *names: str) -> bytes:
        """An ES module that adds these sections to those of `module`, which it imports."""
        sections = {name: self.sections.get(name, {}) for name in names}
        return f'import {{ catalog }} from "./catalog.js";\nObject.assign(catalog, {json.dumps(sections, ensure_ascii=False)});'.encode()

    def marked(self, text: str) -> str:
        """Markup with the words of its marks; a mark of no sentence stays, since it may be part of what a visitor wrote."""

        def said(mark: re.Match) -> str:
            if mark[1] is None:
                return self.language
            sentence = self.sections.get(mark[1], {}).get(mark[2])
            return sentence if isinstance(sentence, str) else mark[0]

        return MARK.sub(said, text)


@functools.cache
def sentences_in(language: str) -> Sentences:
    """Raises OSError for a language without a file."""
    return Sentences(language, catalog_in(language).sections)
