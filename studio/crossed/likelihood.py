"""The restricted likelihood of a crossed design, and its gradient, for given variances.

score = fixed effects + listener + listener x system + text + text x system + rest (Patterson & Thompson 1971, "Recovery of inter-block
information when block sizes are unequal"). Effects of one listener over the systems have the covariance `own * 1 + shared * J` (J: all
ones), and so have those of a text. The larger of both sides is put into the smaller one level by level (Woodbury), so that what a crowd
costs grows with its size, and not with the cube of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.crossed.design import CrossedDesign

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Likelihood", "Ratios", "likelihood_of"]


@dataclass(frozen=True)
class Ratios:
    """Variances in units of the rest's. own: of an effect on each system; shared: of one on all systems. Of the larger and smaller side."""

    large_shared: float = 0.0
    large_own: float = 0.0
    small_shared: float = 0.0
    small_own: float = 0.0


@dataclass(frozen=True, eq=False)
class Likelihood:
    """deviance: -2 log likelihood without its constant, the rest's variance profiled out; that is `squares` / `df`. coefficients: (P,).

    covariance: (P, P) of them, in units of the rest's variance. traces, quadratics: (4,) in the order of Ratios: tr(P V_k) and
    y' P V_k P y. spreads: (4, P, P), what one unit of each variance adds to the covariance.
    """

    deviance: float
    squares: float
    df: int
    coefficients: np.ndarray
    covariance: np.ndarray
    traces: np.ndarray
    quadratics: np.ndarray
    spreads: np.ndarray

    @property
    def gradient(self) -> np.ndarray:
        """(4,), of the deviance by the ratios."""
        return self.traces - self.df * self.quadratics / self.squares


def likelihood_of(design: CrossedDesign, ratios: Ratios) -> Likelihood:
    """Raises numpy's LinAlgError where fixed effects cannot be told apart."""
    import numpy as np

    products, n_fixed = design.products, design.fixed.shape[1]
    n_systems, n_small = products.large.shape[1], len(products.small)
    df = design.n_votes - n_fixed
    # The larger side out: (B' R^-1 B) with R = 1 + Z G Z', where B is the smaller side, the fixed effects and the scores.
    covariance = ratios.large_own * np.eye(n_systems) + ratios.large_shared
    inflated = np.eye(n_systems) + products.large @ covariance
    shrunk = covariance @ np.linalg.inv(inflated)  # (L, S, S), symmetric
    pulled = shrunk @ products.across
    flat, pulled_flat = products.across.reshape(-1, products.across.shape[2]), pulled.reshape(-1, pulled.shape[2])
    taken = flat.T @ pulled_flat
    inner = products.small - taken[:n_small, :n_small]
    beside = products.small_across - taken[:n_small, n_small:]
    rest = products.rest - taken[n_small:, n_small:]
    # The smaller side out.
    root = _root(ratios.small_own, ratios.small_shared, n_systems)
    wide = _by_level(inner, root)  # inner @ G^(1/2)
    body = _by_level(wide.T, root)
    body[np.diag_indices(n_small)] += 1.0
    factor = np.linalg.cholesky(body)
    solved = np.linalg.solve(factor, np.concatenate([wide.T, _by_level(beside.T, root).T], axis=1))
    left, right = solved[:, :n_small], solved[:, n_small:]
    rest = rest - right.T @ right
    seen = beside - left.T @ right  # Z' V^-1 [X y] of the smaller side
    fixed_factor = np.linalg.cholesky(rest[:n_fixed, :n_fixed])
    inverse = np.linalg.inv(rest[:n_fixed, :n_fixed])
    coefficients = inverse @ rest[:n_fixed, n_fixed]
    squares = float(rest[n_fixed, n_fixed] - coefficients @ rest[:n_fixed, n_fixed])
    squares += design.hidden_squares
    deviance = (
        float(np.linalg.slogdet(inflated)[1].sum())
        + 2 * float(np.log(np.diag(factor)).sum() + np.log(np.diag(fixed_factor)).sum())
        + df * float(np.log(squares))
    )
    # The same for the larger side: Z' R^-1 B = across - large @ shrunk @ across.
    kept = products.across - products.large @ pulled
    to_small = kept[:, :, :n_small]
    half = np.linalg.solve(factor, _by_level(to_small.reshape(-1, n_small), root).T).reshape(n_small, *to_small.shape[:2])
    large_seen = kept[:, :, n_small:] - np.einsum("qls,qx->lsx", half, right, optimize=True)
    large_blocks = products.large - products.large @ shrunk @ products.large - np.einsum("qls,qlt->lst", half, half, optimize=True)
    small_seen = seen.reshape(-1, n_systems, n_fixed + 1)
    whole = (inner - left.T @ left).reshape(n_small // n_systems, n_systems, -1, n_systems)
    small_blocks = whole[np.arange(len(whole)), :, np.arange(len(whole))]
    parts = [_derivatives(*side, coefficients, inverse) for side in ((large_blocks, large_seen), (small_blocks, small_seen))]
    traces, quadratics, spreads = (np.concatenate(each) for each in zip(*parts, strict=True))
    return Likelihood(deviance, squares, df, coefficients, inverse, traces, quadratics, spreads)


def _root(own: float, shared: float, n: int) -> np.ndarray:
    """The symmetric root of own * 1 + shared * J; (n, n)."""
    import numpy as np

    least = own**0.5
    return least * np.eye(n) + ((own + n * shared) ** 0.5 - least) / n


def _by_level(rows: np.ndarray, root: np.ndarray) -> np.ndarray:
    """Each level's columns of rows (R, T S) times root (S, S)."""
    return (rows.reshape(len(rows), -1, len(root)) @ root).reshape(rows.shape)


def _derivatives(
    blocks: np.ndarray, seen: np.ndarray, coefficients: np.ndarray, inverse: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of one side, for what is shared and for what is own: traces (2,), quadratics (2,), spreads (2, P, P).

    blocks: (L, S, S), Z' V^-1 Z of each level; seen: (L, S, P + 1), Z' V^-1 [X y].
    """
    import numpy as np

    of_fixed = seen[:, :, :-1]
    left_over = seen[:, :, -1] - of_fixed @ coefficients  # Z' P y
    reached = of_fixed @ inverse
    without = blocks - reached @ of_fixed.transpose(0, 2, 1)
    totals = reached.sum(axis=1)
    return (
        np.array([without.sum(), np.trace(without, axis1=1, axis2=2).sum()]),
        np.array([(left_over.sum(axis=1) ** 2).sum(), (left_over**2).sum()]),
        np.stack([totals.T @ totals, np.einsum("lsp,lsq->pq", reached, reached)]),
    )
