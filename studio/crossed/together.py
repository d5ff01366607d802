"""Together: what p and a range come to when several pairs are judged at once, so that the whole test errs in 5 %.

Of all pairs of S systems by the range of S normal values (Tukey 1953, "The problem of multiple comparisons"), which is less strict than
Bonferroni's count since pairs have systems in common; of other families by Sidak 1967. Both work on a p, whatever test it comes from.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

__all__ = ["ALPHA", "Family"]

ALPHA = 0.05
N_NODES, REACH = 200, 8.5  # of the integral over a normal value: its error is below 1e-9


@dataclass(frozen=True)
class Family:
    """n_pairs: that are judged. n_systems: that they are all pairs of, 0 where they are not all."""

    n_pairs: int
    n_systems: int = 0

    @classmethod
    def of_all(cls, n_systems: int) -> Family:
        """All pairs of so many."""
        return cls(n_systems * (n_systems - 1) // 2, n_systems)

    def p(self, alone: float) -> float:
        """Of one pair, with all counted. alone: two-sided, of that pair alone; of Sidak's families it may be one-sided."""
        if self.n_pairs < 2:
            return alone
        return min(1.0, max(alone, _of_range(self.n_systems, alone) if self.n_systems else 1 - (1 - alone) ** self.n_pairs))

    @property
    def alpha(self) -> float:
        """What p of one pair alone has to be below."""
        return _alpha(self)


@cache
def _alpha(family: Family) -> float:
    """By halving: p grows with alone."""
    low, high = 0.0, ALPHA
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if family.p(middle) < ALPHA else (low, middle)
    return low


def _of_range(n_systems: int, alone: float) -> float:
    """P that the range of S standard normal values reaches what p of one difference says: 1 - S int phi(z) (Phi(z) - Phi(z - q))^(S-1)."""
    import numpy as np
    from scipy.special import ndtr, ndtri

    if alone <= 0:
        return 0.0
    gap = -(2**0.5) * float(ndtri(alone / 2))
    nodes, weights = _nodes()
    z = REACH * nodes
    density = np.exp(-(z**2) / 2) / (2 * np.pi) ** 0.5
    below = np.maximum(ndtr(z) - ndtr(z - gap), 0.0)
    return max(0.0, 1 - n_systems * REACH * float(weights @ (density * below ** (n_systems - 1))))


@cache
def _nodes() -> tuple[np.ndarray, np.ndarray]:
    """Of Gauss and Legendre's rule on -1 to 1, and their weights; (N_NODES,) each. To find them takes longer than all else."""
    import numpy as np

    return np.polynomial.legendre.leggauss(N_NODES)
