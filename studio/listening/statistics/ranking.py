"""Ranking: the order of systems, as places and as sentences. Systems share a place where chance could decide between them."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from studio.crossed.ranges import Judgment
from studio.words.line import Line

__all__ = ["Ranking", "ahead_of", "bound", "gap_line", "points"]


Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class Ranking(Generic[Name]):
    """scores: system -> what its place goes by, higher is better. ahead: (better, worse) of all pairs that are clearly apart."""

    scores: Mapping[Name, float]
    ahead: frozenset[tuple[Name, Name]]

    @property
    def ranks(self) -> dict[Name, int]:
        """1 is best; as many stand before a system as are clearly ahead of it."""
        return {name: 1 + sum((other, name) in self.ahead for other in self.scores) for name in self.scores}

    @property
    def first(self) -> tuple[Name, ...]:
        """All that nothing is clearly ahead of, in the order of the scores' keys."""
        ranks = self.ranks
        return tuple(name for name in self.scores if ranks[name] == 1)

    @property
    def is_shared(self) -> bool:
        """Whether a place is."""
        return len(set(self.ranks.values())) < len(self.scores)

    def lines(self, method: str, label: Callable[[Name], str], scale: int | None = None) -> tuple[Line, ...]:
        """The verdict. method: "scale" of what is asked in its place. scale: what points are of, where scores are points of it."""
        first = self.first
        rest = sorted((name for name in self.scores if name not in first), key=lambda name: -self.scores[name])
        behind = [name for name in rest if all((best, name) in self.ahead for best in first)]
        between = [name for name in rest if name not in behind]
        lines = [_first_line(method, [label(name) for name in first])]
        if between:
            lines.append(Line("verdict_between", {"names": [label(name) for name in between]}))
        if behind:
            lines.append(self._behind_line(behind, label, scale))
        return tuple(lines)

    def _behind_line(self, behind: Sequence[Name], label: Callable[[Name], str], scale: int | None) -> Line:
        names = [label(name) for name in behind]
        if scale is None:
            return Line("verdict_behind_bare", {"names": names})
        best = sum(self.scores[name] for name in self.first) / len(self.first)
        gaps = [points(best - self.scores[name], scale) for name in behind]
        if len(behind) == 1:
            key = "verdict_behind_both" if len(self.first) == 2 else "verdict_behind"
            return Line(key, {"name": names[0], "gap": gaps[0], "scale": scale})
        if min(gaps) == max(gaps):
            return Line("verdict_behind_alike", {"names": names, "gap": gaps[0], "scale": scale})
        return Line("verdict_behind_several", {"names": names, "least": min(gaps), "most": max(gaps), "scale": scale})


def points(value: float, scale: int) -> float:
    """Rounded as a sentence has it: whole ones of 100, else tenths; one decimal more where nothing would be left."""
    decimals = 0 if scale == 100 else 1
    shown = round(value, decimals) or round(value, decimals + 1)
    return int(shown) if shown == int(shown) else shown


def bound(value: float, scale: int) -> float:
    """Rounded up likewise."""
    return math.ceil(value) if scale == 100 else math.ceil(10 * value) / 10


def gap_line(found: Judgment, names: tuple[str, str], scale: int, margin: float | None) -> tuple[Line, ...]:
    """Of two that are not clearly apart: equal within the margin that was chosen beforehand, or between which bounds they may differ.

    names: as results call them, the first less the second.
    """
    if found.low_all is None or found.high_all is None:
        return ()
    if found.is_equal:
        return (Line("verdict_equal_within", {"margin": margin, "scale": scale}),)
    decimals = 0 if scale == 100 else 2
    values = {"name": names[0], "other": names[1], "scale": scale}
    return (Line("verdict_gap_between", values | {"low": round(found.low_all, decimals), "high": round(found.high_all, decimals)}),)


def ahead_of(judged: Mapping[tuple[Name, Name], Judgment]) -> frozenset[tuple[Name, Name]]:
    """(better, worse) of pairs that are clearly apart, with all pairs counted."""
    clear = ((pair, found) for pair, found in judged.items() if found.is_clear)
    return frozenset(pair if found.known > 0 else (pair[1], pair[0]) for pair, found in clear)


def _first_line(method: str, names: Sequence[str]) -> Line:
    known = method.replace("-", "_")
    if len(names) == 1:
        return Line(f"verdict_first_{known}", {"name": names[0]})
    if len(names) == 2:
        return Line(f"verdict_pair_{known}", {"name": names[0], "other": names[1]})
    return Line(f"verdict_several_{known}", {"names": list(names)})
