"""TracedText: a text that is changed step by step, and knows of each of its characters where that was written."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["Replacement", "TracedText"]


class Replacement(NamedTuple):
    """said: what stands instead of text[start:end]; "" for nothing."""

    start: int
    end: int
    said: str


@dataclass(frozen=True)
class _Origin:
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
        runs = []
        for number in range(self._number_at(start), self._number_at(end - 1) + 1):
            run = self._runs[number]
            ahead = max(0, start - run.at)
            begin = run.start + ahead if run.is_same else run.start
            runs.append(_Origin(max(0, run.at - start), begin, run.end, run.is_same))
        return TracedText(self.text[start:end], runs=tuple(runs))

    def replaced(self, replacements: Iterable[Replacement]) -> "TracedText":
        """With all of them made at once. They are in order and do not overlap."""
        pieces: list[str] = []
        runs: list[_Origin] = []
        at = n_characters = 0
        for start, end, said in replacements:
            if start < at:
                raise ValueError(f"a replacement begins at {start}, inside of the one before, which ends at {at}")
            n_characters += self._keep(at, start, n_characters, pieces, runs)
            if said:
                runs.append(_Origin(n_characters, *self.written(start, end), is_same=False))
                pieces.append(said)
                n_characters += len(said)
            at = end
        if not at:
            return self
        self._keep(at, len(self.text), n_characters, pieces, runs)
        return TracedText("".join(pieces), runs=tuple(runs) or (_Origin(0, *self.written(0, len(self.text)), is_same=False),))

    def _keep(self, start: int, end: int, at: int, pieces: list[str], runs: list[_Origin]) -> int:
        """text[start:end] as it is, from `at` on. Returns its length."""
        if start >= end:
            return 0
        kept = self.part(start, end)
        pieces.append(kept.text)
        runs += [_Origin(run.at + at, run.start, run.end, run.is_same) for run in kept._runs]
        return len(kept.text)

    def _number_at(self, index: int) -> int:
        return max(0, bisect_right(self._runs, index, key=lambda run: run.at) - 1)

    def _run_at(self, index: int) -> _Origin:
        return self._runs[self._number_at(index)]
