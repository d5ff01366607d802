"""Judged votes: all systems of a rating test, or of comparisons, by the crossed model: means, and every two of them against each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations

from studio.crossed.crossed_model import Contrast, CrossedModel, LentModel
from studio.crossed.design import CrossedDesign
from studio.crossed.ranges import ROUNDING, Judgment, judged_mean
from studio.crossed.together import Family
from studio.listening.model.designs import Row, compared_design, groups_of, rated_design

__all__ = ["ComparedSystems", "Pair", "RatedSystems", "floored"]

Pair = tuple[str, str]
Judge = Callable[[Contrast, Family, int], Judgment]  # of a difference of two worths, the family, and the votes that it is of
# Systems times the smaller of listeners and texts, beyond which some systems alone tell the variances, and every two are compared with
# these: a fit of all would take seconds, and the cube of it.
MOST_TOGETHER = 800


@dataclass(frozen=True)
class RatedSystems:
    """rows: one for each cell of listener, text and system. systems: that are compared. ends: of the scale. step: of its points.

    margin: below which a difference is called none.
    """

    rows: Sequence[Row]
    systems: tuple[str, ...]
    ends: tuple[float, float]
    step: float = 1.0
    margin: float | None = None
    _fits: dict[tuple[str, ...], CrossedModel | None] = field(default_factory=dict, repr=False, compare=False)

    def mean(self, system: str) -> Judgment:
        """Of one system, which may be none of those that are compared, such as a reference. Its p is of no use."""
        group = self._together if system in self._together else (system,)
        found = self._contrast(group, {system: 1.0})
        if found is None:
            return Judgment(self._plain_mean(system))
        return judged_mean(floored(found, ROUNDING * self.step**2 / self._counts[system]), Family(1), self.ends)

    def pairs(self) -> dict[Pair, Judgment]:
        """Every two that are compared, the first less the second."""
        family = Family.of_all(len(self.systems))
        return {pair: self._pair(pair, family) for pair in combinations(self.systems, 2)}

    @property
    def components(self) -> Mapping[str, float]:
        """Variances of the model of all systems, or of as many as there is room for; empty where there is none."""
        model = self._fit(self._told_by)
        return model.components if model else {}

    def _pair(self, pair: Pair, family: Family) -> Judgment:
        one, other = pair
        width = self.ends[1] - self.ends[0]
        found = self._contrast(self._together or pair, {one: 1.0, other: -1.0})
        if found is None:
            return Judgment(self._plain_mean(one) - self._plain_mean(other))
        floor = ROUNDING * self.step**2 * sum(1 / self._counts[name] for name in pair)
        return judged_mean(floored(found, floor), family, (-width, width), self.margin)

    @cached_property
    def _counts(self) -> Counter[str]:
        """Cells of each system."""
        return Counter(row[2] for row in self.rows)

    def _plain_mean(self, system: str) -> float:
        return sum(row[4] for row in self.rows if row[2] == system) / self._counts[system]

    @cached_property
    def _together(self) -> tuple[str, ...]:
        """Systems of one model."""
        return self._told_by if len(self._told_by) == len(self.systems) else ()

    @cached_property
    def _told_by(self) -> tuple[str, ...]:
        """Systems that tell the variances: all, or those with most votes."""
        levels = min(len({row[place] for row in self.rows}) for place in (0, 1)) if self.rows else 1
        kept = sorted(self.systems, key=lambda name: -self._counts[name])[: max(2, MOST_TOGETHER // levels)]
        return tuple(name for name in self.systems if name in kept)

    def _contrast(self, group: tuple[str, ...], weights: Mapping[str, float]) -> Contrast | None:
        import numpy as np

        model = self._fit(group)
        return model.contrast(np.array([weights.get(name, 0.0) for name in group])) if model else None

    def _fit(self, group: tuple[str, ...]) -> CrossedModel | None:
        if group not in self._fits:
            rows = [row for row in self.rows if row[2] in group]
            self._fits[group] = self._fitted(rated_design(rows, group), group) if len(rows) > len(group) else None
        return self._fits[group]

    def _fitted(self, design: CrossedDesign, group: tuple[str, ...]) -> CrossedModel:
        lender = self._fit(self._told_by) if len(group) == 2 and group != self._told_by else None
        return LentModel(design, lender) if lender else CrossedModel(design)


@dataclass(frozen=True)
class ComparedSystems:
    """rows: one for each vote, or cell. judge: of one difference."""

    rows: Sequence[Row]
    systems: tuple[str, ...]
    judge: Judge

    @cached_property
    def _models(self) -> list[tuple[list[str], CrossedModel | None]]:
        found = []
        for group in groups_of(self.rows, self.systems):
            rows = [row for row in self.rows if row[2] in group]
            found.append((group, CrossedModel(compared_design(rows, group)) if len(rows) >= len(group) and len(group) > 1 else None))
        return found

    @property
    def components(self) -> Mapping[str, float]:
        """Variances of the first model; empty where there is none."""
        return next((model.components for _, model in self._models if model), {})

    def pairs(self, names: Sequence[Pair], family: Family) -> dict[Pair, Judgment]:
        """Of each pair, the first less the second; by way of others too. Nothing is known of two that no chain of votes links."""
        return {pair: self._pair(pair, family) for pair in names}

    def _pair(self, pair: Pair, family: Family) -> Judgment:
        import numpy as np

        group, model = next(found for found in self._models if pair[0] in found[0])
        if pair[1] not in group:
            return Judgment(None)
        own = [row for row in self.rows if {row[2], row[3]} == set(pair)]
        if model is None:
            signed = [row[4] if row[2] == pair[0] else -row[4] for row in own]
            return Judgment(sum(signed) / len(signed) if signed else None)
        if len(group) == 2:
            weights = np.array([1.0 if pair[0] == group[0] else -1.0])
        else:
            weights = (np.array(group) == pair[0]).astype(float) - (np.array(group) == pair[1])
        return self.judge(model.contrast(weights), family, len(own) if len(group) == 2 else len(model.design.scores))


def floored(found: Contrast, variance: float) -> Contrast:
    """Never surer than the steps of a scale let it be."""
    return found if found.error**2 >= variance else replace(found, error=variance**0.5)
