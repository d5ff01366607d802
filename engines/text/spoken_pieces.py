"""Cuts a text into pieces that are spoken one at a time: sentences, and long sentences at their commas. No word is ever lost.

So a long text starts as fast as a short one and needs no more memory. Where in doubt, a text is not cut.
"""

import re
import unicodedata
from collections.abc import Iterator

from engines.errors import TextUnspeakable
from engines.text.text_splitter import TextSplitter

__all__ = ["FIRST_BLOCK_CHARACTERS", "LONG_CHARACTERS", "pieces", "speakable"]

LONG_CHARACTERS = 220  # a sentence longer than this is cut at a clause
FIRST_BLOCK_CHARACTERS = 64
_CONTROL = {"Cc", "Cf", "Co", "Cs"}  # eSpeak takes U+0001 for the start of an embedded command
# Letters that NFC takes apart (Unicode's composition exclusions) and eSpeak's dictionaries of Bengali and Assamese have whole: taken apart
# their dot is read by its name, or their vowel is lost.
_WHOLE_LETTERS = {"\u09a1\u09bc": "\u09dc", "\u09a2\u09bc": "\u09dd", "\u09af\u09bc": "\u09df"}
_CLAUSE_END = re.compile(r"[,;:—][\"'”’»)]*\s+|\s[-–]\s+|[，、；：]+")


def speakable(text: str) -> str:
    """The text without control characters, in NFC. Raises TextUnspeakable where no letter, digit or sign with a name remains."""
    text = unicodedata.normalize("NFC", text)
    if "\u09bc" in text:
        for parts, letter in _WHOLE_LETTERS.items():
            text = text.replace(parts, letter)
    if not text.replace("\n", " ").isprintable():  # most texts are, and long ones are not to wait for the slow way
        text = "".join(" " if unicodedata.category(c) in _CONTROL and c not in "\n\u200d\u200c" else c for c in text)
    if not any(c.isalnum() for c in text):
        raise TextUnspeakable(sentence="text_without_letters")
    return text


def pieces(text: str) -> Iterator[tuple[str, bool]]:
    """(piece, whether it ends with punctuation) in order; pieces without letter or digit are joined to what follows or dropped."""
    for sentence in _sentences(text):
        yield from _clauses(sentence)


def _sentences(text: str) -> Iterator[str]:
    """The splitter's, of blocks that grow, so that the first comes as soon in a long text as in a short one."""
    splitter, at, n_characters = TextSplitter("sentence"), 0, FIRST_BLOCK_CHARACTERS
    while at < len(text):
        yield from splitter.feed(text[at : at + n_characters])
        at, n_characters = at + n_characters, 2 * n_characters
    yield from splitter.flush()


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
