"""Panel: listeners who will judge, simulated: how sure they will be of a difference, and which one they notice.

What is imitated is the rule of findings: crossed effects fitted by REML, Satterthwaite's degrees of freedom, two-sided 5 %, with Holm's
correction over all pairs. Of a balanced panel that model needs the mean squares of listener x system, of text x system and of the rest
alone, so these are drawn, as chi-squares, and no votes. Variances below 0 are none: mean squares that are below that of the rest are pooled
with it, which is what REML does. The same plan has the same draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from studio.listening.planning.tastes import Tastes

if TYPE_CHECKING:
    import numpy as np

__all__ = ["ALPHA", "WANTED", "Panel", "SimulatedPanels"]

ALPHA = 0.05
WANTED = 0.8  # of panels that notice a gap
N_PANELS = 2000
HALVINGS = 40
GRID = 512  # degrees of freedom of which Student's quantile is reckoned; between them it is interpolated


@dataclass(frozen=True)
class Panel:
    """votes: of each listener, on each system (of pairs: on the pair); no whole number where each is asked a part. Of pairs each is judged
    alone, so n_systems is 1. n_subjects: systems, anchors and references that a listener's single questions are of, where they are."""

    listeners: int
    texts: int
    votes: float
    n_systems: int
    n_pairs: int = 1
    n_subjects: int = 1

    @property
    def n(self) -> float:
        """Votes on each system (or pair)."""
        return self.listeners * self.votes


@dataclass(frozen=True, eq=False)
class SimulatedPanels:
    """deviation: SD of an estimated difference. errors, dfs: (N_PANELS,) float64, how large each panel takes that SD to be, and how surely.

    n_pairs: that are corrected for.
    """

    deviation: float
    errors: np.ndarray
    dfs: np.ndarray
    n_pairs: int = 1

    @classmethod
    def of(cls, panel: Panel, tastes: Tastes) -> SimulatedPanels | None:
        """None where there are too few votes to tell anything. What one listener alone favors, or one text, is no chance: it is judged."""
        import numpy as np

        means, dfs, deviation = _expected(panel, tastes)
        if sum(dfs) < 1:
            return None
        rng = np.random.default_rng(0)
        drawn = [mean * rng.chisquare(df, N_PANELS) / df if df else np.zeros(N_PANELS) for mean, df in zip(means, dfs, strict=True)]
        variances, found_dfs = _variances(drawn, dfs)
        scale = deviation**2 / (means[0] + means[1] - means[2])
        return cls(deviation, (scale * variances) ** 0.5, np.maximum(found_dfs, 1.0), panel.n_pairs)

    def power(self, gap: float) -> float:
        """How often a difference is noticed, in its own direction. That of the largest of several: all others have to be less clear."""
        return float(_normal((gap - self._needed) / self.deviation).mean())

    def noticed(self) -> float:
        """The difference that is noticed WANTED of the time."""
        low, high = 0.0, float(self._needed.max()) + 9 * self.deviation
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if self.power(middle) >= WANTED else (middle, high)
        return high

    def half_width(self) -> float:
        """Of the 95 % range of one difference, over all panels."""
        return float((_student(self.dfs, ALPHA / 2) * self.errors).mean())

    def equal(self, margin: float) -> float:
        """How often two one-sided tests of 5 % each say that a difference is within +-margin, where there is none."""
        import numpy as np

        room = (margin - _student(self.dfs, ALPHA) * self.errors) / self.deviation
        return float(np.maximum(2 * _normal(room) - 1, 0.0).mean())

    def below(self, margin: float) -> float:
        """How often one such test says that a difference is below the margin, where there is none."""
        return float(_normal((margin - _student(self.dfs, ALPHA) * self.errors) / self.deviation).mean())

    @cached_property
    def _needed(self) -> np.ndarray:
        return _student(self.dfs, ALPHA / 2 / self.n_pairs) * self.errors


def _expected(panel: Panel, tastes: Tastes) -> tuple[tuple[float, ...], tuple[float, ...], float]:
    """Mean squares of listener x system, text x system and rest, their degrees of freedom, and the SD of a difference.

    Who hears each system once at most (or each text of a system once) has tastes that nobody can tell from the rest.
    """
    n_systems, of_text = panel.n_systems, panel.n / panel.texts
    listener = tastes.listener_system if panel.listeners > 1 else 0.0
    text = tastes.text_system if panel.texts > 1 else 0.0
    told_listener, told_text = (min(max(votes - 1.0, 0.0), 1.0) for votes in (panel.votes, of_text))
    hidden = (1 - told_listener) * listener, (1 - told_text) * text
    means = (
        tastes.rest + max(panel.votes, 1.0) * listener + hidden[1],
        tastes.rest + max(of_text, 1.0) * text + hidden[0],
        tastes.rest + sum(hidden),
    )
    contrasts = max(n_systems - 1, 1)
    dfs = told_listener * (panel.listeners - 1) * contrasts, told_text * (panel.texts - 1) * contrasts
    of_main = panel.listeners + panel.texts - 2 if n_systems > 1 else 0
    rest = max(n_systems * (panel.n - 1) - of_main - sum(dfs), 0.0)
    of_difference = 2 if n_systems > 1 else 1
    variance = of_difference * (means[0] + means[1] - means[2]) / panel.n * _lost(panel, tastes)
    return means, (*dfs, rest), variance**0.5


def _lost(panel: Panel, tastes: Tastes) -> float:
    """How much wider it is since no listener hears all: of q of S subjects, S (q - 1) / ((S - 1) q) of what is known of a difference lies
    within listeners (of balanced incomplete blocks; Yates 1940), the rest between them, who differ."""
    q, n_subjects = panel.votes * panel.n_subjects, panel.n_subjects
    if q >= n_subjects or n_subjects == 1:
        return 1.0
    rest = tastes.rest + tastes.listener_system
    within = max(n_subjects * (q - 1) / ((n_subjects - 1) * q), 0.0)
    return 1 / (within + (1 - within) * rest / (rest + q * tastes.listener))


def _variances(drawn: list[np.ndarray], dfs: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """What panels make of their mean squares: that of listeners + that of texts - that of the rest, with its degrees of freedom."""
    import numpy as np

    is_first = drawn[0] <= drawn[1]
    small, large = np.minimum(drawn[0], drawn[1]), np.maximum(drawn[0], drawn[1])
    of_small, of_large = np.where(is_first, dfs[0], dfs[1]), np.where(is_first, dfs[1], dfs[0])
    rest, of_rest = drawn[2], np.full(len(small), dfs[2])
    for factor, df in ((small, of_small), (large, of_large)):
        pooled = factor < rest
        rest = np.where(pooled, (of_rest * rest + df * factor) / np.maximum(of_rest + df, 1e-9), rest)
        of_rest = np.where(pooled, of_rest + df, of_rest)
    small_shows, large_shows = small >= rest, large >= rest
    both = small + large - rest
    spread = small**2 / np.maximum(of_small, 1e-9) + large**2 / np.maximum(of_large, 1e-9) + rest**2 / np.maximum(of_rest, 1e-9)
    variances = np.where(small_shows, both, np.where(large_shows, large, rest))
    return variances, np.where(small_shows, both**2 / spread, np.where(large_shows, of_large, of_rest))


def _normal(z: np.ndarray) -> np.ndarray:
    from scipy.special import ndtr

    return ndtr(z)


def _student(dfs: np.ndarray, tail: float) -> np.ndarray:
    """Student's quantile that leaves so much above it."""
    import numpy as np

    return np.exp(np.interp(1 / dfs, np.linspace(0.0, 1.0, GRID), _student_grid(tail)))


@cache
def _student_grid(tail: float) -> np.ndarray:
    """Logarithms of the quantile at 1 / df from 0 to 1."""
    import numpy as np
    from scipy.special import ndtri, stdtrit

    inverse = np.linspace(0.0, 1.0, GRID)
    return np.log(np.concatenate([[-ndtri(tail)], stdtrit(1 / inverse[1:], 1 - tail)]))
