"""Word changes: which words of a text are others in another one, as operations on the first; signs between words make no sound.

A word is what stands between blanks and marks. Of scripts without blanks each character is one.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from engines.contract.editing import EditOperation
from studio.speech.timed_words import TimedWord

__all__ = ["INSERT", "REMOVE", "REPLACE", "WrittenWord", "moved_words", "word_changes", "written_words"]

INSERT, REMOVE, REPLACE = "insert", "remove", "replace"  # of EditKind, in all engines
# Signs that are read aloud, beside those of currencies and of arithmetic.
SPOKEN_SIGNS = "%‰&@#§°"
APOSTROPHES = str.maketrans("’ʼ`", "'''")
# Scripts that are written without blanks, as studio/analysis/heard_words.py counts them; Korean has blanks.
UNSPACED = re.compile(r"[\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


@dataclass(frozen=True)
class WrittenWord:
    """text[start:end], in characters. key: alike for words that sound alike however they are written."""

    start: int
    end: int
    key: str


def written_words(text: str) -> tuple[WrittenWord, ...]:
    """In order. Each has a letter or a number: a sign that stands alone belongs to the word behind it, the last one to that before it."""
    spans: list[tuple[int, int]] = []
    lone: int | None = None  # where signs without a word begin
    for start, end in _pieces(text):
        if not any(map(str.isalnum, text[start:end])):
            lone = start if lone is None else lone
            continue
        spans.append((start if lone is None else lone, end))
        lone = None
    if lone is not None and spans:
        spans[-1] = spans[-1][0], len(text.rstrip())
    return tuple(WrittenWord(start, end, _key(text[start:end])) for start, end in spans)


def word_changes(text: str, other: str) -> tuple[EditOperation, ...]:
    """By which `text` becomes `other`, by place, none beside another; none where all words are the same."""
    words, others = written_words(text), written_words(other)
    matcher = SequenceMatcher(None, [word.key for word in words], [word.key for word in others], autojunk=False)
    found = []
    for tag, first, end, other_first, other_end in matcher.get_opcodes():
        new = _slice(other, others[other_first:other_end])
        if tag == "insert":  # difflib's names
            at = words[first].start if first < len(words) else words[-1].end if words else len(text)
            found.append(EditOperation(INSERT, at, at, new))
        elif tag != "equal":
            found.append(EditOperation(REMOVE if tag == "delete" else REPLACE, words[first].start, words[end - 1].end, new))
    return tuple(found)


def moved_words(timed: Sequence[TimedWord], text: str, other: str) -> tuple[TimedWord, ...] | None:
    """The same words where they stand in `other`, which has the words of `text` with other blanks and signs; None where it has not.

    timed: with places in `text`.
    """
    places = _word_places(text, other) or _letter_places(text, other)
    if places is None:
        return None
    ends, starts, moved = [end for _, end, _, _ in places], [start for start, _, _, _ in places], []
    for one in timed:
        first, last = bisect_right(ends, one.start), bisect_right(starts, one.end - 1) - 1
        if first > last:  # a sign that is no word
            continue
        # It keeps its distance from the beginning of its first piece and the end of its last one.
        start = max(0, places[first][2] + one.start - places[first][0])
        end = min(len(other), max(start + 1, places[last][3] + one.end - places[last][1]))
        moved.append(replace(one, written=other[start:end], start=start, end=end))
    return tuple(moved)


def _word_places(text: str, other: str) -> list[tuple[int, int, int, int]] | None:
    """(start, end) of each word in the one and in the other; None where they have others."""
    words, others = written_words(text), written_words(other)
    if [word.key for word in words] != [word.key for word in others]:
        return None
    return [(one.start, one.end, two.start, two.end) for one, two in zip(words, others, strict=True)]


def _letter_places(text: str, other: str) -> list[tuple[int, int, int, int]] | None:
    """The same of each letter and number, for where an engine writes words together that stand apart."""
    letters, others = ([(at, c.casefold()) for at, c in enumerate(whole) if unicodedata.category(c)[0] in "LMN"] for whole in (text, other))
    if [c for _, c in letters] != [c for _, c in others]:
        return None
    return [(at, at + 1, other_at, other_at + 1) for (at, _), (other_at, _) in zip(letters, others, strict=True)]


def _slice(text: str, words: Sequence[WrittenWord]) -> str:
    return text[words[0].start : words[-1].end] if words else ""


def _key(word: str) -> str:
    return unicodedata.normalize("NFC", word.translate(APOSTROPHES)).casefold()


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Stretches of letters, numbers and signs that are read aloud."""
    begin: int | None = None
    for at, letter in enumerate(text):
        if UNSPACED.match(letter) and unicodedata.category(letter)[0] in "LN":
            if begin is not None:
                yield begin, at
            begin = at  # a mark that belongs to the character follows it
        elif begin is not None and UNSPACED.match(text[begin]) and unicodedata.category(letter)[0] != "M":
            yield begin, at
            begin = at if _is_of_a_word(text, at) else None
        elif _is_of_a_word(text, at):
            begin = at if begin is None else begin
        elif begin is not None:
            yield begin, at
            begin = None
    if begin is not None:
        yield begin, len(text)


def _is_of_a_word(text: str, at: int) -> bool:
    letter, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if unicodedata.category(letter)[0] in "LMN" or unicodedata.category(letter) in ("Sc", "Sm") or letter in SPOKEN_SIGNS:
        return True
    if letter.translate(APOSTROPHES) == "'":
        return before.isalpha() and after.isalpha()
    if letter in ".,:":
        return before.isnumeric() and after.isnumeric()
    return letter in "-−" and after.isnumeric() and not before.isalnum()
