"""Cells: votes as a cube of systems, listeners and texts. A cell without a vote is NaN."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.listening.vote.vote import Vote

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Cells"]


@dataclass(frozen=True, eq=False)
class Cells:
    """values: (S, L, T) float64, the mean of what one listener said of one system (or pair) and text, however often asked; NaN: nothing."""

    systems: tuple
    listeners: tuple[str, ...]
    texts: tuple[str, ...]
    values: np.ndarray

    @classmethod
    def of(cls, votes: Iterable[Vote], systems: Sequence) -> Cells:
        """systems: their order; a tuple (system, other) where votes are of pairs."""
        import numpy as np

        votes = tuple(votes)
        listeners, texts = tuple(sorted({vote.listener for vote in votes})), tuple(sorted({vote.text for vote in votes}))
        index: list[dict[object, int]] = [{name: number for number, name in enumerate(names)} for names in (systems, listeners, texts)]
        total = np.zeros((len(systems), len(listeners), len(texts)))
        count = np.zeros_like(total)
        for vote in votes:
            system = (vote.system, vote.other) if vote.other else vote.system
            place = index[0][system], index[1][vote.listener], index[2][vote.text]
            total[place] += vote.score
            count[place] += 1
        with np.errstate(invalid="ignore"):
            return cls(tuple(systems), listeners, texts, total / count)

    def of_system(self, system: object) -> np.ndarray:
        """(L, T) float64."""
        return self.values[self.systems.index(system)]

    def differences(self, system: str, other: str) -> np.ndarray:
        """(L, T) float64: `system` less `other`, NaN where one of them was not rated."""
        return self.of_system(system) - self.of_system(other)
