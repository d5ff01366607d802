"""pieces: cuts a text into what is spoken at once. The first piece is short, so people hear it while the rest is computed.

All frames of a piece come at the same moment, so that the first piece sets how long nothing is heard, and each later one has the time in
which those before it are heard. Upstream cuts nothing below 30 s and then pieces of 15 s (OmniVoice._generate_chunked).
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from engines.errors import TextUnspeakable
from engines.omnivoice.text.input_text import MARKUP, in_one_line
from engines.text.text_splitter import ZERO_WIDTH_SPACE, is_inside_character, split_text

__all__ = ["EARLY_FRAMES", "FIRST_FRAMES", "MOST_FRAMES", "Piece", "pieces"]

FIRST_FRAMES, MOST_FRAMES = 75, 375  # 3 s and, as upstream (audio_chunk_duration), 15 s
EARLY_FRAMES = 25  # 1 s of words, at the voice's pace
GROWTH = 3  # a piece has at most so many times the frames that went before it: a GPU computes it in a fiftieth of its length, or less
LEAST_FRAMES = 50  # below it an estimate is a guess (duration.py), and a pause is heard soon after the last
LEAST_SHARE = 2 / 3  # of the most: what a piece has at least, where less than LEAST_FRAMES
FAIR_SHARE, SHORT_SHARE = 0.8, 0.5  # of the least: enough, where a clause ends there, and where a word does, rather than to divide words
FAR = 4  # parts of a clause that are looked at; of a longer one they are as long as they may be
MOST_OVER = 2  # times the most frames: what a piece may have that cannot be cut
MOST_SHOWN_CHARACTERS = 40

_WORD = re.compile(r"[^\W_]")
# Never cut, even among ideographs: marks, numbers, and what is in Latin letters, such as pinyin with its tone (ZHONG4).
_UNCUT = re.compile("|".join((*MARKUP, r"[A-Za-z\u00c0-\u024f\d]{1,20}(?:[.,:]\d{1,10}){0,4}")))
_WORD_END = re.compile(rf"(?<=[\s{ZERO_WIDTH_SPACE}])(?=\S)")


@dataclass(frozen=True)
class Piece:
    """text: in one line, without blanks around it. n_frames: how long it is to be."""

    text: str
    n_frames: int


def pieces(
    text: str,
    frames_of: Callable[[str], int],
    first_frames: int = FIRST_FRAMES,
    most_frames: int = MOST_FRAMES,
    *,
    paced_frames_of: Callable[[str], int] | None = None,
) -> tuple[Piece, ...]:
    """The whole text, cut behind sentences, else clauses, else words.

    frames_of: of a text, never fewer for a longer one. first_frames: at most so many in the first piece; 0: as many as in any.
    most_frames: in any, at least 1. paced_frames_of: frames of a text at the voice's pace, also of a short one. Where it is given, the
    first piece is a clause of EARLY_FRAMES by it, or where none ends so soon, a longer one.
    Longer is only a piece of a single mark or word, or of one letter among other signs.
    Raises TextUnspeakable for one that is far longer (a row of a thousand signs), and for a text without letter and digit.
    """
    if _WORD.search(text) is None:
        raise TextUnspeakable(sentence="text_without_letters")
    input_text, cut, gone = _Manuscript(text, frames_of), [], 0
    start = 0
    while start < input_text.end:
        most = most_frames if not first_frames else min(most_frames, GROWTH * gone if cut else first_frames)
        if not cut and paced_frames_of:
            end = _Manuscript(text, paced_frames_of).early_cut(EARLY_FRAMES)
        else:
            end = input_text.next_cut(start, most, is_first=not cut)
        said = in_one_line(text[start:end])
        n_frames = frames_of(said)
        if n_frames > MOST_OVER * most_frames:
            raise _indivisible(said)
        cut.append(Piece(said, n_frames))
        start, gone = end, gone + n_frames
    return tuple(cut)


class _Manuscript:
    """A text and where it may be cut. Positions are of characters; a cut at one lies before it."""

    def __init__(self, text: str, frames_of: Callable[[str], int]):
        self._text, self._frames_of = text, frames_of
        self.end = len(text)
        self._last_word = next(at for at in reversed(range(len(text))) if _WORD.match(text, at))
        self._marks = [mark.span() for mark in _UNCUT.finditer(text)]
        self._sentences = self._allowed(_ends(text, split_text(text, "sentence")))
        self._clauses = self._allowed(_ends(text, split_text(text, "clause")))
        self._words = self._allowed(match.start() for match in _WORD_END.finditer(text))

    @cached_property
    def _characters(self) -> list[int]:
        """Wanted only where words are longer than a piece may be, or stand together."""
        return self._allowed(at for at in range(1, len(self._text)) if not is_inside_character(self._text, at))

    def next_cut(self, start: int, most: int, *, is_first: bool) -> int:
        """Where the piece that begins at `start` ends, with at most so many frames if that can be."""
        reach = self._reach(start, most)
        if reach == self.end:
            return reach
        word = _WORD.search(self._text, start)
        assert word is not None  # nothing is cut behind the last one
        spoken = word.end()  # no piece ends before its first letter or digit
        least = min(LEAST_FRAMES, int(LEAST_SHARE * most))
        long, fair, short = (max(spoken, self._reach(start, int(share * least) - 1) + 1) for share in (1, FAIR_SHARE, SHORT_SHARE))
        for low in (long, fair):
            for cuts in (self._sentences, self._clauses):
                if (cut := _last(cuts, low, reach)) is not None:
                    return cut
        if not is_first and (cut := _last(self._sentences, spoken, reach)) is not None:
            return cut
        part = self._reach(start, max(least, self._part_frames(start, reach, most)))
        if (cut := _last(self._words, short, part)) is not None:
            return cut
        if (cut := _last(self._characters, spoken, part)) is not None:
            return cut
        index = bisect_left(self._characters, spoken)
        return self._characters[index] if index < len(self._characters) else self.end

    def early_cut(self, most: int) -> int:
        """Where a first piece of at most so many frames ends: where a pause is no seam, or else behind a word.

        That is behind the last sentence or clause in it, else behind the first one within FIRST_FRAMES. A text without either has a seam
        in its first seconds anyway, so that it may as well come early.
        """
        word = _WORD.search(self._text)
        assert word is not None
        low = max(word.end(), self._reach(0, int(FAIR_SHARE * LEAST_SHARE * most) - 1) + 1)
        ends = sorted({*self._sentences, *self._clauses, self.end})
        if (cut := _last(ends, low, self._reach(0, most))) is not None:
            return cut
        first = bisect_left(ends, low)
        return ends[first] if ends[first] <= self._reach(0, FIRST_FRAMES) else self.next_cut(0, most, is_first=True)

    def _part_frames(self, start: int, reach: int, most: int) -> int:
        """Of a clause that is too long, in parts of about the same length, so that its last is not a word alone."""
        following = bisect_right(self._clauses, reach)
        end = self._clauses[following] if following < len(self._clauses) else self.end
        n_frames = self._n_frames(start, min(end, start + FAR * (reach - start + 1)))
        return -(-n_frames // -(-n_frames // most))

    def _allowed(self, cuts: Iterable[int]) -> list[int]:
        """Those that are in no mark and have a letter or a digit behind them."""
        allowed = []
        for cut in cuts:
            mark = bisect_left(self._marks, (cut, 0)) - 1
            if cut <= self._last_word and (mark < 0 or cut >= self._marks[mark][1]):
                allowed.append(cut)
        return allowed

    def _n_frames(self, start: int, end: int) -> int:
        return self._frames_of(in_one_line(self._text[start:end]))

    def _reach(self, start: int, most: int) -> int:
        """The last position up to which there are at most so many frames; `start` where one character has more."""
        step = 1
        while start + step < self.end and self._n_frames(start, start + step) <= most:
            step *= 2
        tried = range(start + step // 2, min(start + step, self.end) + 1)
        return max(start, tried.start + bisect_right(tried, most, key=lambda end: self._n_frames(start, end)) - 1)


def _indivisible(said: str) -> TextUnspeakable:
    shown, n = said[:MOST_SHOWN_CHARACTERS], len(said)
    return TextUnspeakable(sentence="text_indivisible", n=n, part=shown)


def _ends(text: str, units: Iterable[str]) -> Iterator[int]:
    """Where the units of a text end."""
    at = 0
    for unit in units:
        at = text.index(unit, at) + len(unit)
        yield at


def _last(cuts: list[int], low: int, high: int) -> int | None:
    """The last of the cuts in [low, high]."""
    index = bisect_right(cuts, high) - 1
    return cuts[index] if index >= 0 and cuts[index] >= low else None
