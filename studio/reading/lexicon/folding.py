"""FoldedText: a text in the form in which words are compared, with offsets into what it was made of.

Compared are NFC, small letters by Unicode's case folding, one apostrophe, one hyphen, and one blank for a row of them, a line end included;
a blank line is PARAGRAPH. Where a letter becomes several (ß, ﬁ) or several become one (e and its accent), the offsets stay right.
"""

import re
import unicodedata
from collections.abc import Iterator

from studio.reading.traced_text import Replacement, TracedText

__all__ = ["PARAGRAPH", "FoldedText", "folded", "plain"]

PARAGRAPH = "\u2029"
_BLANK_CHARACTERS = (
    "\t\n\x0b\x0c\r\x85\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u202f\u205f\u3000"
)
_SAME = str.maketrans(
    {**dict.fromkeys("’ʼ＇", "'"), **dict.fromkeys("‐‑", "-"), **dict.fromkeys(_BLANK_CHARACTERS, " ")},
)
_BLANKS = re.compile(r"\s{2,}")
_JAMO = re.compile("[\u1160-\u11ff]")  # vowels and last consonants of Hangul, which join what stands before them


class FoldedText:
    """text: what is compared."""

    def __init__(self, text: str):
        self._made_of = text
        traced = TracedText(text)
        if not unicodedata.is_normalized("NFC", text):
            traced = traced.replaced(_composed(text))
        if len(traced.text.casefold()) != len(traced):
            traced = traced.replaced(Replacement(at, at + 1, c.casefold()) for at, c in enumerate(traced.text) if len(c.casefold()) > 1)
        traced = traced.replaced(Replacement(m.start(), m.end(), _blank(m)) for m in _BLANKS.finditer(traced.text))
        self.text = _letters(traced.text)
        self._traced = None if traced.text is text else traced

    def written(self, start: int, end: int) -> tuple[int, int] | None:
        """Where what became text[start:end] stands in the text this was made of; None where that is a part of a letter."""
        if self._traced is None:
            return start, end
        written = self._traced.written(start, end)
        return written if folded(self._made_of[slice(*written)]) == self.text[start:end] else None


def folded(text: str) -> str:
    """The same without offsets, for what is searched for."""
    return _letters(plain(text))


def plain(text: str) -> str:
    """The same with its capitals."""
    return _BLANKS.sub(_blank, unicodedata.normalize("NFC", text)).translate(_SAME)


def _letters(text: str) -> str:
    return text.casefold().translate(_SAME)


def _blank(blanks: re.Match) -> str:
    return PARAGRAPH if blanks.group().count("\n") > 1 else " "


def _composed(text: str) -> Iterator[Replacement]:
    """What NFC changes, letter by letter with its marks."""
    starts = [at for at, c in enumerate(text) if at and not (unicodedata.category(c)[0] == "M" or _JAMO.match(c))]
    for start, end in zip([0, *starts], [*starts, len(text)], strict=True):
        letter = unicodedata.normalize("NFC", text[start:end])
        if letter != text[start:end]:
            yield Replacement(start, end, letter)
