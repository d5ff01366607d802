"""What both sides are given: symbols, a style, a speed; by formula. GOLDEN is where the official numbers are."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.engines.kokoro.random_checkpoint import KINDS, RECIPE
from tests.stand_ins.random_checkpoint import uniform

__all__ = ["CASES", "GOLDEN", "Case", "thinned"]

GOLDEN = Path(__file__).parent / "golden"
MOST_NUMBERS = 700  # that a golden keeps of a tensor


@dataclass(frozen=True)
class Case:
    """kind: of the checkpoint. n_symbols: with the zeros before and behind. speed: divides the durations."""

    name: str
    kind: str
    n_symbols: int
    speed: float

    @property
    def symbols(self) -> np.ndarray:
        """(1, N) int64, zeros first and last."""
        drawn = (uniform(RECIPE, self.n_symbols, "symbols", (self.n_symbols - 2,), (0.5, 0.5)) * 177).astype(np.int64) + 1
        return np.array([[0, *drawn, 0]])

    def style(self, width: int) -> np.ndarray:
        """(1, width) float32: as large as voices are."""
        return uniform(RECIPE, self.n_symbols, "style", (1, width), (0.3, 0.0))


CASES = (
    Case("two_stages", KINDS[0], 7, 1.0),
    Case("two_stages_slow", KINDS[0], 4, 0.6),
    Case("one_stage", KINDS[1], 9, 1.0),
    Case("one_stage_fast", KINDS[1], 12, 1.7),
)


def thinned(numbers: np.ndarray) -> np.ndarray:
    """As many as a golden keeps, from the first to the last, the same places each time; one dimension."""
    flat = numbers.reshape(-1)
    return flat[np.linspace(0, flat.size - 1, min(flat.size, MOST_NUMBERS)).round().astype(np.int64)].copy()
