"""Votes as a linear design: what each vote says of which systems, by whom, of which text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

__all__ = ["CrossedDesign"]

HIDDEN = 1e-6  # of the sum of squares around fixed effects


@dataclass(frozen=True, eq=False)
class CrossedDesign:
    """n votes. regressors: (n, S) float64, of a rating 1 at its system, of a comparison 1 at one system and -1 at the other.

    fixed: (S, P) float64 of full rank over what was voted on: systems' worths are `fixed @ coefficients`. listeners, texts: (n,) int from
    0, none left out. scores: (n,) float64. is_paired: of comparisons, of which what a listener or a text is like on the whole cancels.
    """

    regressors: np.ndarray
    fixed: np.ndarray
    listeners: np.ndarray
    texts: np.ndarray
    scores: np.ndarray
    is_paired: bool = False

    @property
    def n_votes(self) -> int:
        return len(self.scores)

    @cached_property
    def n_listeners(self) -> int:
        return int(self.listeners.max()) + 1

    @cached_property
    def n_texts(self) -> int:
        return int(self.texts.max()) + 1

    @cached_property
    def hidden_squares(self) -> float:
        """What is added to the rest's sum of squares: without any rest, as where all say the same of each text, there would be no fit."""
        import numpy as np

        left = np.linalg.lstsq(self.regressors @ self.fixed, self.scores)[1]
        return max(HIDDEN * float(left.sum()), 1e-12)

    @cached_property
    def is_swapped(self) -> bool:
        """Whether texts are the larger side, which is put into the other one."""
        return self.n_texts > self.n_listeners

    @property
    def sides(self) -> tuple[np.ndarray, np.ndarray]:
        """Levels of the larger side and of the smaller one; (n,) int each."""
        return (self.texts, self.listeners) if self.is_swapped else (self.listeners, self.texts)

    @cached_property
    def products(self) -> Products:
        """Sums of products, which are all that a fit needs."""
        import numpy as np

        (large, small), rows = self.sides, self.regressors
        n_large, n_small, n_systems = int(large.max()) + 1, int(small.max()) + 1, rows.shape[1]
        outer = rows[:, :, None] * rows[:, None, :]
        cube = np.zeros((n_large, n_small, n_systems, n_systems))
        np.add.at(cube, (large, small), outer)
        weighted = rows * self.scores[:, None]
        own = np.zeros((n_large, n_systems, 1))
        np.add.at(own[:, :, 0], large, weighted)
        others = np.zeros((n_small, n_systems, 1))
        np.add.at(others[:, :, 0], small, weighted)
        of_large, of_small = cube.sum(axis=1), cube.sum(axis=0)
        beside = cube.transpose(0, 2, 1, 3).reshape(n_large, n_systems, n_small * n_systems)
        inner = np.zeros((n_small, n_systems, n_small, n_systems))
        inner[np.arange(n_small), :, np.arange(n_small)] = of_small
        both = np.concatenate([rows @ self.fixed, self.scores[:, None]], axis=1)
        return Products(
            of_large,
            np.concatenate([beside, of_large @ self.fixed, own], axis=2),
            inner.reshape(n_small * n_systems, -1),
            np.concatenate([of_small @ self.fixed, others], axis=2).reshape(n_small * n_systems, -1),
            both.T @ both,
        )


@dataclass(frozen=True, eq=False)
class Products:
    """Of the larger side (L levels), the smaller one (T levels), the fixed effects (P) and the scores.

    large: (L, S, S). across: (L, S, T S + P + 1), the larger side with all else. small: (T S, T S). small_across: (T S, P + 1).
    rest: (P + 1, P + 1).
    """

    large: np.ndarray
    across: np.ndarray
    small: np.ndarray
    small_across: np.ndarray
    rest: np.ndarray
