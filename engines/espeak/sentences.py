"""A text in pieces that are spoken one at a time: sentences, and long sentences at their commas. No word is ever lost.

So a long text starts as fast as a short one and needs no more memory. Where in doubt, a text is not cut.
"""

import re
import unicodedata
from collections.abc import Iterator

from engines.errors import TextUnspeakable

__all__ = ["pieces", "speakable"]

LONG_CHARACTERS = 220  # a sentence longer than this is cut at a clause
_CONTROL = {"Cc", "Cf", "Co", "Cs"}  # eSpeak takes U+0001 for the start of an embedded command
_FULL_STOPS = ".!?…"
_WIDE_STOPS = "。！？"  # need no space after them
_CLOSING = "\"'”’»)]}」』"
_SENTENCE_END = re.compile(rf"[{_WIDE_STOPS}]+[{re.escape(_CLOSING)}]*\s*|[{_FULL_STOPS}]+[{re.escape(_CLOSING)}]*\s+|\n\s*\n\s*")
_CLAUSE_END = re.compile(r"[,;:—][\"'”’»)]*\s+|\s[-–]\s+|[，、；：]+")
_ABBREVIATIONS = frozenset(  # after which a capital or a number may follow: English, German, Spanish, French
    """mr mrs ms dr prof st sr jr rev gen col capt lt sgt hon messrs mt ft vs etc eg ie cf al inc ltd co corp dept
    est approx jan feb mar apr jun jul aug sep sept oct nov dec
    hr fr bzw usw evtl ggf ca sra srta ud uds dra mme mlle mm""".split()  # noqa: SIM905 a list is longer
)
_BEFORE_NUMBERS = frozenset(("no", "nos", "nr", "vol", "fig", "pp", "p", "pág", "art", "abs", "tel", "ed", "bd"))
_INITIALS = re.compile(r"(?:^|[\s(.])[^\W\d_]$")  # one letter before the stop: "J. K.", "U.S.", "z. B."


def speakable(text: str) -> str:
    """The text without control characters, in NFC. Raises TextUnspeakable where no letter, digit or sign with a name remains."""
    text = unicodedata.normalize("NFC", text)
    if not text.replace("\n", " ").isprintable():  # most texts are, and long ones are not to wait for the slow way
        text = "".join(" " if unicodedata.category(c) in _CONTROL and c not in "\n\u200d\u200c" else c for c in text)
    if not any(c.isalnum() for c in text):
        raise TextUnspeakable("The text holds no letter and no digit, so there is nothing to say.", "Type a word or a number.")
    return text


def pieces(text: str) -> Iterator[tuple[str, bool]]:
    """(piece, whether it ends with punctuation) in order; pieces without letter or digit are joined to what follows or dropped."""
    for sentence in _sentences(text):
        yield from _clauses(sentence)


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if not _ends_sentence(text, start, match):
            continue
        piece = text[start : match.end()].strip()
        if any(c.isalnum() for c in piece):
            start = match.end()
            yield piece
    rest = text[start:].strip()
    if any(c.isalnum() for c in rest):
        yield rest


def _ends_sentence(text: str, start: int, match: re.Match) -> bool:
    """Whether the full stop at match ends a sentence: not after abbreviations, initials or list numbers, not before a small letter."""
    if not match.group().startswith("."):
        return True
    before, after = text[start : match.start()], text[match.end() : match.end() + 1]
    word = before.split()[-1] if before.split() else ""
    bare = word.strip("([{\"'“‘«").replace(".", "").lower()
    if bare in _ABBREVIATIONS or _INITIALS.search(before) or (bare in _BEFORE_NUMBERS and after.isdigit()):
        return False
    if bare.isdigit() and len(bare) <= 2:  # "1. First", "am 3. Mai"
        return False
    return not after.islower()


def _clauses(sentence: str) -> Iterator[tuple[str, bool]]:
    while len(sentence) > LONG_CHARACTERS:
        cut = _cut(sentence)
        piece, sentence = sentence[:cut].strip(), sentence[cut:].strip()
        if any(c.isalnum() for c in piece):
            yield piece, not piece[-1].isalnum()
    if any(c.isalnum() for c in sentence):
        yield sentence, True


def _cut(sentence: str) -> int:
    """Where to cut a long sentence: after the last clause that fits, else at the last space that fits, else between letters."""
    ends = [m.end() for m in _CLAUSE_END.finditer(sentence, LONG_CHARACTERS // 4, LONG_CHARACTERS)]
    if ends:
        return ends[-1]
    space = sentence.rfind(" ", LONG_CHARACTERS // 4, LONG_CHARACTERS)
    if space > 0:
        return space
    later = sentence.find(" ", LONG_CHARACTERS)
    unspaced = unicodedata.east_asian_width(sentence[LONG_CHARACTERS // 2]) == "W"  # a script without spaces may be cut anywhere
    return LONG_CHARACTERS if unspaced else later if 0 < later < 4 * LONG_CHARACTERS else min(len(sentence), 4 * LONG_CHARACTERS)
