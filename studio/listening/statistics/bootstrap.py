"""Bootstrap: resamples listeners and texts, each with replacement. So a range allows for other listeners and other texts.

Two-way ("pigeonhole") bootstrap, Owen 2007, "The pigeonhole bootstrap". Its variance counts what neither listener nor text explains three
times over, once for each way and once for both: it errs to the careful side where that is most of it, as with differences in small panels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

__all__ = ["N_RESAMPLES", "percentile_interval", "resampled_means"]

N_RESAMPLES = 2000
LEVEL = 0.95
MOST_NUMBERS = 8_000_000  # float64 held at once


def resampled_means(cells: np.ndarray, rng: np.random.Generator, n_resamples: int = N_RESAMPLES) -> np.ndarray:
    """Means of cells over resampled listeners and texts, the same ones for everything in the first axis.

    cells: (K, L, T) float64 of systems, or of differences of pairs; NaN is missing. returns: (R, K); NaN where a resample met no cell.
    """
    import numpy as np

    n_kinds, n_listeners, n_texts = cells.shape
    known = ~np.isnan(cells)
    # (L, 2 K T): sums and counts of both come from one product with the listeners' weights.
    both = np.concatenate([np.where(known, cells, 0.0), known.astype(float)]).transpose(1, 0, 2).reshape(n_listeners, -1)
    step = max(1, MOST_NUMBERS // both.shape[1])
    means = []
    for start in range(0, n_resamples, step):
        n = min(step, n_resamples - start)
        listeners = rng.multinomial(n_listeners, np.full(n_listeners, 1 / n_listeners), n).astype(float)
        texts = rng.multinomial(n_texts, np.full(n_texts, 1 / n_texts), n).astype(float)
        sums = np.einsum("rkt,rt->rk", (listeners @ both).reshape(n, 2 * n_kinds, n_texts), texts)
        with np.errstate(invalid="ignore"):
            means.append(sums[:, :n_kinds] / sums[:, n_kinds:])
    return np.concatenate(means)


def percentile_interval(resampled: np.ndarray, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
    """Low and high of each column. resampled: (R, K); returns (K,) each, NaN where nothing was resampled."""
    import numpy as np

    tail = (1 - level) / 2
    empty = np.isnan(resampled).all(axis=0)
    low, high = np.nanquantile(np.where(empty, 0.0, resampled), [tail, 1 - tail], axis=0)
    return np.where(empty, np.nan, low), np.where(empty, np.nan, high)
