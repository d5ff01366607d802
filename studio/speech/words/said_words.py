"""SaidWord: a word as the engine is given it, with its place in what was written."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engines.contract.contract import EngineInfo
from engines.kit.alignment.asked_phones import asked_phones
from studio.reading.parts import Direction, Pause, Reading, Stretch, turns_of

__all__ = ["SaidWord", "fed_words", "is_unspaced", "plain_words", "said_texts", "said_words"]

UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # scripts without blanks, of which each character is a word
# Between blanks; dashes and points part words, too ("don't—stop").
_WORD = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}\u2012-\u2015\u2026]+")
_UNSPACED = re.compile(f"[{UNSPACED}]")


@dataclass(frozen=True)
class SaidWord:
    """part: the number of the text that an engine is given in turn, from 0; text[start:end] of it is the word, with marks. said: without.

    written_start, written_end: where its letters were written; of a replaced one ("$5") all of what was replaced.
    """

    part: int
    start: int
    end: int
    said: str
    written_start: int
    written_end: int


def said_texts(reading: Reading, info: EngineInfo) -> list[str]:
    """All that the engine is given, one after the other."""
    return [turn for piece in reading.pieces for turn in turns_of(piece, info)]


def said_words(reading: Reading, info: EngineInfo) -> tuple[SaidWord, ...]:
    """Those of all parts; directions and marks that the engine obeys are none."""
    found: list[SaidWord] = []
    number = 0
    for piece in reading.pieces:
        unsaid, at = _unsaid(piece, info), 0
        for turn in turns_of(piece, info):
            start = piece.text.index(turn, at)
            at = start + len(turn)
            words = _words(piece.text, start, at, unsaid)
            found += [SaidWord(number, first - start, last - start, said, *_written(piece, first, last)) for first, last, said in words]
            number += 1
    return tuple(found)


def fed_words(reading: Reading, info: EngineInfo) -> tuple[SaidWord, ...]:
    """The same of a text that was spoken while it came, which is one part for the engine, whatever silences are in it."""
    piece = Stretch(tuple(part for part in reading.parts if not isinstance(part, Pause)))
    ahead = piece.n_ahead
    words = _words(piece.text, 0, len(piece.text), _unsaid(piece, info))
    return tuple(SaidWord(0, first + ahead, last + ahead, said, *_written(piece, first, last)) for first, last, said in words)


def plain_words(text: str) -> tuple[SaidWord, ...]:
    """The same of a text that is said as it is written, in one part: the words of a recording."""
    found = []
    for first, last, said in _words(text, 0, len(text), []):
        letters = [place for place in range(first, last) if text[place].isalnum()]
        found.append(SaidWord(0, first, last, said, letters[0], letters[-1] + 1))
    return tuple(found)


def is_unspaced(word: str) -> bool:
    """Whether no blank stands beside it: a character of Chinese or Japanese."""
    return _UNSPACED.match(word) is not None


def _words(text: str, start: int, end: int, unsaid: list[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    """(first, last, said) in text[start:end]. unsaid: see `_unsaid`."""
    at = start
    for first, last, said in [*(span for span in unsaid if start <= span[0] < end), (end, end, "")]:
        for match in _WORD.finditer(text, at, first):
            letters = [place for place in range(*match.span()) if text[place].isalnum()]
            if letters:
                yield *match.span(), text[letters[0] : letters[-1] + 1]
        if said:
            yield first, last, said
        at = last


def _unsaid(piece: Stretch, info: EngineInfo) -> list[tuple[int, int, str]]:
    """What of a piece is no plain word: (start, end, what is said there all the same, as by phones that stand for a word), in order."""
    text, at = piece.text, -piece.n_ahead
    spans: list[tuple[int, int, str]] = []
    for part in piece.parts:
        if isinstance(part, Direction):
            spans.append((max(0, at), at + len(part.text), ""))
        at += len(part.text)
    spans += [(*match.span(), "") for pattern in info.markup for match in re.finditer(pattern, text)]
    phones = {(start, end): said for start, end, said in asked_phones(text)}
    spans = [(start, end, phones.get((start, end), said)) for start, end, said in spans]
    kept: list[tuple[int, int, str]] = []
    for span in sorted(spans):
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


def _written(piece: Stretch, start: int, end: int) -> tuple[int, int]:
    letters = [place for place in range(start, end) if piece.text[place].isalnum()]
    return piece.written(letters[0], letters[-1] + 1)
