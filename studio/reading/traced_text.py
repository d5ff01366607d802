"""TracedText: a text that is changed step by step, and knows of each of its characters where that was written."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cached_property
from itertools import islice
from typing import NamedTuple

__all__ = ["Replacement", "TracedText"]


class Replacement(NamedTuple):
    """said: what stands instead of text[start:end]; "" for nothing."""

    start: int
    end: int
    said: str


class _Origin(NamedTuple):
    """What stands from `at` on, up to the next run: written[start:end]. Where is_same, letter by letter; else all of it for all of that."""

    at: int
    start: int
    end: int
    is_same: bool


class TracedText:
    """text: as it stands now. Of a written text of n characters, offsets are from 0 to n.

    Immutable: `replaced` and `part` give others.
    """

    def __init__(self, text: str, *, runs: tuple[_Origin, ...] | None = None, offset: int = 0):
        """offset: of its first letter in what was written."""
        self.text = text
        self._runs = (_Origin(0, offset, offset + len(text), is_same=True),) if runs is None else runs

    def __len__(self) -> int:
        return len(self.text)

    def written(self, start: int, end: int) -> tuple[int, int]:
        """(start, end) in the written text of what became text[start:end]. Of a part of a replacement: all of what was replaced.

        An empty range is the place where it stands.
        """
        first = self._run_at(start)
        begin = first.start + (start - first.at) if first.is_same else first.start
        if end <= start:
            return begin, begin
        last = self._run_at(end - 1)
        return begin, last.start + (end - last.at) if last.is_same else last.end

    def part(self, start: int, end: int) -> "TracedText":
        """Of text[start:end]."""
        if start >= end:
            place = self.written(start, start)[0] if self.text else self._runs[0].start
            return TracedText("", offset=place)
        runs: list[_Origin] = []
        self._keep(start, end, 0, runs)
        return TracedText(self.text[start:end], runs=tuple(runs))

    def replaced(self, replacements: Iterable[Replacement]) -> "TracedText":
        """With all of them made at once. They are in order and do not overlap."""
        pieces: list[str] = []
        runs: list[_Origin] = []
        at = n_characters = 0
        for start, end, said in replacements:
            if start < at:
                raise ValueError(f"a replacement begins at {start}, inside of the one before, which ends at {at}")
            if at < start:
                self._keep(at, start, n_characters, runs)
                pieces.append(self.text[at:start])
                n_characters += start - at
            if said:
                runs.append(_Origin(n_characters, *self.written(start, end), is_same=False))
                pieces.append(said)
                n_characters += len(said)
            at = end
        if not at and not runs:
            return self
        self._keep(at, len(self.text), n_characters, runs)
        pieces.append(self.text[at:])
        return TracedText("".join(pieces), runs=tuple(runs) or (_Origin(0, *self.written(0, len(self.text)), is_same=False),))

    def _keep(self, start: int, end: int, at: int, runs: list[_Origin]) -> None:
        """Add the runs of text[start:end], which is to stand from `at` on."""
        if start >= end:
            return
        number = self._number_at(start)
        run = self._runs[number]
        runs.append(_Origin(at, run.start + start - run.at if run.is_same else run.start, run.end, run.is_same))
        for run in islice(self._runs, number + 1, bisect_left(self._places, end)):
            runs.append(_Origin(run.at + at - start, run.start, run.end, run.is_same))

    @cached_property
    def _places(self) -> list[int]:
        return [run.at for run in self._runs]

    def _number_at(self, index: int) -> int:
        return max(0, bisect_right(self._places, index) - 1)

    def _run_at(self, index: int) -> _Origin:
        return self._runs[self._number_at(index)]
