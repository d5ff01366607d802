"""Shares: how often a preference, or right answers, are noticed, and how often equality within a margin, by simulated panels.

What is imitated is the rule of findings (studio/crossed/ranges.py): a binomial test of as many votes as leave a share as unsure.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from studio.crossed.together import ALPHA
from studio.listening.planning.panel import WANTED, Panel, SimulatedPanels, quantile_of_student
from studio.listening.planning.tastes import Tastes

if TYPE_CHECKING:
    import numpy as np

__all__ = ["SharePower", "tastes_at"]

MOST_SHARE = 99  # in 100, of a preference
LEAST_REST = 0.1  # of p (1 - p), whatever the tastes
NODES = 20  # of Gauss and Hermite, for a normal variable
SIZES = 160  # votes of which the share that is needed is reckoned; between them it is interpolated
MOST_VOTES = 1e6
HALVINGS = 45


@dataclass(frozen=True)
class SharePower:
    """Of AB and ABX. is_guessed: asked is whether the share is above one half, as of right answers; else whether it is another."""

    panel: Panel
    tastes: Tastes
    is_guessed: bool = False

    @property
    def alpha(self) -> float:
        """Of the larger side alone."""
        return self.panel.family.alpha if self.is_guessed else self.panel.family.alpha / 2

    @property
    def least(self) -> int:
        """Votes: if all of fewer are for one, chance does that too often."""
        return math.ceil(-math.log2(self.alpha))

    @property
    def step(self) -> float:
        """Of what a share is judged by: how much of its own count is left out; 0.5 of Jeffreys' range, 0 of Clopper and Pearson's."""
        return 0.0 if self.is_guessed else 0.5

    def power(self, share: float) -> float:
        """How often so large a share of all votes is noticed. 0 where there are too few votes."""

        panels = SimulatedPanels.of(self.panel, tastes_at(self.tastes, share))
        if panels is None or self.panel.n < self.least:
            return 0.0
        n, sizes = int(self.panel.n), self._sizes(panels, share)
        # Who sees no tastes counts votes, and a share is of whole ones.
        needed = _shares_needed(sizes, self.alpha, self.step) - 0.5 / n * (1 - panels.are_pooled)
        by_normal = _normal((share - needed) / panels.deviation)
        pooled = float(panels.are_pooled.mean())
        rest = float(by_normal[~panels.are_pooled].mean()) if pooled < 1 else 0.0
        if not pooled:
            return rest
        counted = self._counted(share) if self.panel.n_systems == 2 else float(by_normal[panels.are_pooled].mean())
        return pooled * counted + (1 - pooled) * rest

    def noticed(self) -> int | None:
        """The first share, in 100, that is noticed WANTED of the time; None where not even that of nearly all is."""
        low, high = 50, MOST_SHARE + 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.power(middle / 100) >= WANTED else (middle, high)
        return high if high <= MOST_SHARE else None

    def equal(self, margin: float) -> float:
        """How often a share is told to be less than margin from one half (of right answers: above it), where it is one half."""
        import numpy as np

        tastes = Tastes(0.0, 0.0, 0.0, 0.0, 0.25) if self.is_guessed else tastes_at(self.tastes, 0.5)  # who guesses has none
        panels = SimulatedPanels.of(self.panel, tastes)
        if panels is None:
            return 0.0
        widest = quantile_of_student(panels.dfs, ALPHA / self.panel.family.n_pairs) * panels.errors + (0.5 - self.step) / self.panel.n
        room = (margin - widest) / panels.deviation
        return float((_normal(room) if self.is_guessed else np.maximum(2 * _normal(room) - 1, 0.0)).mean())

    def _sizes(self, panels: SimulatedPanels, share: float) -> np.ndarray:
        """Votes of one's own that leave a share as unsure, with degrees of freedom allowed for."""
        import numpy as np

        n = max(self.panel.n, 2.0)
        ratio = quantile_of_student(np.array([max(n - 1, 1.0)]), ALPHA / 2) / quantile_of_student(panels.dfs, ALPHA / 2)
        return np.maximum(share * (1 - share) / panels.errors**2 * n / (n - 1) * ratio**2, 1.0)

    def _counted(self, share: float) -> float:
        """How often a plain binomial test of all votes notices it, over all who may come."""
        import numpy as np
        from scipy.special import bdtrc, betainc

        n, here = int(self.panel.n), tastes_at(self.tastes, share)
        counts = np.arange(1, n + 1)
        enough = np.flatnonzero(betainc(counts + self.step, n - counts + 1 - self.step, 0.5) <= self.alpha)
        if not len(enough):
            return 0.0
        listeners = here.listener_system / self.panel.listeners if self.panel.listeners > 1 else 0.0
        texts = here.text_system / self.panel.texts if self.panel.texts > 1 else 0.0
        nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
        shares = np.clip(share + (listeners + texts) ** 0.5 * nodes, 0.0, 1.0)
        return float((bdtrc(int(enough[0]), n, shares) * weights).sum() / weights.sum())


def tastes_at(tastes: Tastes, share: float) -> Tastes:
    """Of votes of which that share is for one: tastes are narrower than at one half, and the rest is what is left of a vote's p (1 - p).

    A share is that of a normal variable above 0, and so much of a taste is left in it as the density there is of that in the middle.
    """
    import numpy as np
    from scipy.special import ndtri

    leaning = float(np.exp(-(ndtri(np.clip(share, 0.01, 0.99)) ** 2)))
    listener, text, whole = leaning * tastes.listener_system, leaning * tastes.text_system, share * (1 - share)
    return replace(tastes, listener_system=listener, text_system=text, rest=max(whole - listener - text, LEAST_REST * whole))


def _shares_needed(sizes: np.ndarray, tail: float, step: float) -> np.ndarray:
    """The least share of so many votes that chance reaches in `tail` of all cases."""
    import numpy as np

    grid, shares = _needed_grid(tail, step)
    return np.interp(np.log(sizes), grid, shares)


@cache
def _needed_grid(tail: float, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Logarithms of numbers of votes, and the share of each."""
    import numpy as np
    from scipy.special import betainc

    votes = np.geomspace(1.0, MOST_VOTES, SIZES)
    low, high = np.full(SIZES, 0.5), np.ones(SIZES)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        is_reached = betainc(middle * votes + step, votes * (1 - middle) + 1 - step, 0.5) > tail
        low, high = np.where(is_reached, middle, low), np.where(is_reached, high, middle)
    return np.log(votes), high


def _normal(z: np.ndarray) -> np.ndarray:
    from scipy.special import ndtr

    return ndtr(z)
