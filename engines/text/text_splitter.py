"""split_text, TextSplitter: cut a text at its sentences or clauses, into units that are spoken one at a time. Nothing but whitespace is
ever lost.

In doubt a text is not cut: people hear a pause in the wrong place, but not a missing one. Nobody has to name the language: an abbreviation
of one listed language counts in all.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

from engines.text.sentence_marks import WORD, Before, SentenceMark, sentence_marks

__all__ = ["ZERO_WIDTH_SPACE", "Granularity", "TextSplitter", "is_inside_character", "settled_ends", "split_text"]

Granularity = Literal["none", "sentence", "clause"]

_NOTHING = Before()
ZERO_WIDTH_SPACE, _ZERO_WIDTH_JOINER = "\u200b", "\u200d"
_VIRAMA = 9  # canonical combining class of the sign that joins two consonants of Indic scripts


def split_text(text: str, granularity: Granularity, *, most_characters: int | None = None) -> tuple[str, ...]:
    """The text in units, without the whitespace around them; () where it is blank.

    granularity: "none" keeps the text whole, "sentence" cuts after sentences and at blank lines, "clause" after commas as well.
    most_characters: a longer unit is cut after its last sentence, clause or word that fits, else between two characters as readers see
    them; only a single one that is longer than this is cut inside. Units without letter or digit go with their neighbor.
    Takes time in proportion to the text, whatever it holds.
    """
    return _split(text, granularity, most_characters, _NOTHING)


def settled_ends(text: str, granularity: Granularity, *, is_over: bool = False) -> list[int]:
    """Where units end that no further text can change, as far as TextSplitter would give them out.

    is_over: no more text seems to come, so that the last mark counts where it is an end as far as can be told. "It works. " is one, and
    "See No. " may go on. Without a blank "3." and "www.example." may go on too; "It works." is over all the same: who says nothing behind
    it for a while is between two sentences.
    """
    if granularity == "none":
        return []
    marks = _marks(text, granularity, None, _NOTHING)
    if not (is_over and marks and marks[-1].is_likely):
        marks = _settled(marks)
    return [end for _, end in _spans(text, _wanted(marks, granularity))]


class TextSplitter:
    """split_text for a text that comes in pieces: a unit is given out as soon as nothing that follows can change it.

    Only a rest without letter or digit is dropped at the end, since the unit it would go with has been given out.
    """

    def __init__(self, granularity: Granularity, *, most_characters: int | None = None):
        self._granularity: Granularity = granularity
        self._most_characters = most_characters
        self._begin()

    def feed(self, text: str) -> tuple[str, ...]:
        """The units that this piece completes."""
        self._text += text
        if self._granularity == "none":
            return ()
        marks = _settled(_marks(self._text, self._granularity, self._most_characters, self._before))
        return self._given_out(marks) if marks else ()

    def flush(self) -> tuple[str, ...]:
        """What is left, at the end of the text; the next piece begins another."""
        rest, before, is_first = self._text, self._before, self._is_first
        self._begin()
        if not is_first and WORD.search(rest) is None:
            return ()
        return _split(rest, self._granularity, self._most_characters, before)

    def _given_out(self, marks: tuple[SentenceMark, ...]) -> tuple[str, ...]:
        """The units up to the last of these marks."""
        spans = list(_spans(self._text, _wanted(marks, self._granularity)))
        units = _units(self._text, spans, marks, self._most_characters)
        if spans:
            end = spans[-1][1]
            over = [mark for mark in marks if mark.end <= end]
            sentence_start = max((mark.end for mark in over if mark.is_sentence), default=0)
            self._before = self._before.then(self._text, end, sentence_start, over[-1].item)
            self._text, self._is_first = self._text[end:], False
        return units

    def _begin(self) -> None:
        self._text, self._before, self._is_first = "", _NOTHING, True


def _split(text: str, granularity: Granularity, most_characters: int | None, before: Before) -> tuple[str, ...]:
    if most_characters is not None and most_characters < 1:
        raise ValueError(f"most_characters is {most_characters}; a unit has at least one")
    marks = _marks(text, granularity, most_characters, before)
    spans = list(_spans(text, _wanted(marks, granularity)))
    rest = spans[-1][1] if spans else 0
    if WORD.search(text, rest) or (not spans and text.strip()):
        spans.append((rest, len(text)))
    elif spans:
        spans[-1] = (spans[-1][0], len(text))
    return _units(text, spans, marks, most_characters)


def _marks(text: str, granularity: Granularity, most_characters: int | None, before: Before) -> tuple[SentenceMark, ...]:
    return tuple(sentence_marks(text, before, with_clauses=granularity == "clause" or most_characters is not None))


def _settled(marks: Iterable[SentenceMark]) -> tuple[SentenceMark, ...]:
    return tuple(takewhile(lambda mark: mark.is_settled, marks))


def _wanted(marks: tuple[SentenceMark, ...], granularity: Granularity) -> Iterator[int]:
    return (mark.end for mark in marks if granularity == "clause" or (granularity == "sentence" and mark.is_sentence))


def _spans(text: str, ends: Iterable[int]) -> Iterator[tuple[int, int]]:
    """(start, end) of the units up to the last of `ends`; what has no word goes with what follows."""
    start = searched = 0
    for end in ends:
        if WORD.search(text, searched, end) is None:
            searched = end
            continue
        yield start, end
        start = searched = end


def _units(text: str, spans: Iterable[tuple[int, int]], marks: tuple[SentenceMark, ...], most_characters: int | None) -> tuple[str, ...]:
    if most_characters is None:
        return tuple(text[start:end].strip() for start, end in spans)
    ends = _Ends(tuple(mark.end for mark in marks if mark.is_sentence), tuple(mark.end for mark in marks))
    return tuple(piece.strip() for start, end in spans for piece in _pieces(text, start, end, ends, most_characters))


# --- units that are too long


@dataclass(frozen=True)
class _Ends:
    """Positions after which something ends, ascending. all: sentences and clauses."""

    sentences: tuple[int, ...]
    all: tuple[int, ...]


def _pieces(text: str, start: int, end: int, ends: _Ends, most_characters: int) -> Iterator[str]:
    """text[start:end] in pieces of at most so many characters."""
    while start < end:
        if text[start].isspace():
            start += 1
            continue
        cut = end if end - start <= most_characters else _place(text, start, start + most_characters, ends)
        yield text[start:cut]
        start = cut


def _place(text: str, start: int, limit: int, ends: _Ends) -> int:
    """Where to cut, in (start, limit]."""
    for candidates in (ends.sentences, ends.all):
        index = bisect_right(candidates, limit) - 1
        if index >= 0 and candidates[index] > start:
            return candidates[index]
    for at in range(limit, start, -1):
        if text[at].isspace() or text[at - 1] == ZERO_WIDTH_SPACE:
            return at
    return next((at for at in range(limit, start, -1) if not is_inside_character(text, at)), limit)


def is_inside_character(text: str, at: int) -> bool:
    """Whether a reader sees one character across this position inside of the text: accents, joined emoji, flags, conjuncts, halves of a
    pair.
    """
    before, after = text[at - 1], text[at]
    if unicodedata.category(after)[0] == "M" or after == _ZERO_WIDTH_JOINER or "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    if before == _ZERO_WIDTH_JOINER or unicodedata.combining(before) == _VIRAMA:
        return True
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return True
    return _is_flag_letter(before) and _is_flag_letter(after) and _n_flag_letters(text, at) % 2 == 1


def _n_flag_letters(text: str, at: int) -> int:
    """Of the run that ends before this position; two of them are one flag. A run beyond any text's counts as whole flags."""
    return next((n for n in range(min(at, 64)) if not _is_flag_letter(text[at - 1 - n])), min(at, 64))


def _is_flag_letter(c: str) -> bool:
    return "\U0001f1e6" <= c <= "\U0001f1ff"
