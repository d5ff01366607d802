"""LanguageLimit: what an engine reads wrongly in a language, as data. People read it before they hear it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["LanguageLimit", "limits_met"]


@dataclass(frozen=True)
class LanguageLimit:
    """code: of the language, "" for all. misread: what is, in a word or two ("kanji"), for a list. fact: what is heard. hint: what next.

    concerns: pattern (re) of what in a text is misread, searched for. unasked: pattern of a text that the engine itself takes to be in
    this language where none was named; "" where it never does.
    """

    code: str
    misread: str
    fact: str
    hint: str
    concerns: str
    unasked: str = ""

    def is_met(self, text: str, language: str | None) -> bool:
        """Whether the text has what is misread. language: its code, None where the engine decides."""
        is_meant = language == self.code if language else bool(self.unasked) and re.search(self.unasked, text) is not None
        return (is_meant or not self.code) and re.search(self.concerns, text) is not None


def limits_met(limits: Iterable[LanguageLimit], text: str, language: str | None) -> list[LanguageLimit]:
    """Those that this text in this language runs into."""
    return [limit for limit in limits if limit.is_met(text, language)]
