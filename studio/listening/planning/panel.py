"""Panel: listeners who will judge, simulated: how sure they will be of a difference or a share, and which one they notice.

What is imitated is the rule of findings (studio/listening/model/): crossed effects fitted by REML, Satterthwaite's degrees of freedom,
two-sided 5 % over all pairs together. Of a balanced panel that model needs the mean squares of listener x system, of text x system and of
the rest alone, so these are drawn, as chi-squares, and no votes. A mean square that an F test tells from the rest's by no p below 0.25 is
pooled with it, as there. The same plan has the same draws.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING

from studio.crossed.together import ALPHA, Family
from studio.listening.planning.tastes import Tastes

if TYPE_CHECKING:
    import numpy as np

__all__ = ["WANTED", "Panel", "SimulatedPanels", "quantile_of_student"]

WANTED = 0.8  # of panels that notice a gap
N_PANELS = 2000
HALVINGS = 40
GRID = 512  # degrees of freedom of which Student's quantile is reckoned; between them it is interpolated
KEPT = 0.75  # 1 - p of the F test


@dataclass(frozen=True)
class Panel:
    """votes: of each listener, on each system (of pairs: on each pair); no whole number where each is asked a part.

    n_systems: that are judged together. family: of pairs that are counted together. n_subjects: systems, anchors and references that single
    questions of a listener are about; 1 where all are on a page.
    """

    listeners: int
    texts: int
    votes: float
    n_systems: int
    is_paired: bool = False
    n_subjects: int = 1
    family: Family = field(default_factory=lambda: Family(1))

    @property
    def n(self) -> float:
        """Votes on each system (or pair)."""
        return self.listeners * self.votes

    @property
    def weight(self) -> float:
        """Votes that say as much of a difference as one of its pair: of pairs some come by way of the other systems."""
        return self.n_systems / 2 if self.is_paired else 1.0


@dataclass(frozen=True, eq=False)
class SimulatedPanels:
    """deviation: SD of an estimated difference. errors, dfs: (N_PANELS,) float64, how large each panel takes that SD to be, and how surely.

    are_pooled: (N_PANELS,) bool, of those who see no tastes. family: that is corrected for.
    """

    deviation: float
    errors: np.ndarray
    dfs: np.ndarray
    are_pooled: np.ndarray
    family: Family

    @classmethod
    def of(cls, panel: Panel, tastes: Tastes) -> SimulatedPanels | None:
        """None where there are too few votes to tell anything. What one listener alone favors, or one text, is no chance: it is judged."""
        import numpy as np

        means, dfs, deviation = _expected(panel, tastes)
        if sum(dfs) < 1:
            return None
        rng = np.random.default_rng(0)
        drawn = [mean * rng.chisquare(df, N_PANELS) / df if df else np.zeros(N_PANELS) for mean, df in zip(means, dfs, strict=True)]
        variances, found_dfs, are_pooled = _variances(drawn, dfs)
        scale = deviation**2 / (means[0] + means[1] - means[2])
        return cls(deviation, (scale * variances) ** 0.5, np.maximum(found_dfs, 1.0), are_pooled, panel.family)

    def power(self, gap: float) -> float:
        """How often a difference is noticed, in its own direction."""
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
        return float((quantile_of_student(self.dfs, ALPHA / 2) * self.errors).mean())

    def equal(self, margin: float) -> float:
        """How often two one-sided tests say that a difference is within +-margin, where there is none; of 5 % over all pairs."""
        import numpy as np

        room = (margin - quantile_of_student(self.dfs, ALPHA / self.family.n_pairs) * self.errors) / self.deviation
        return float(np.maximum(2 * _normal(room) - 1, 0.0).mean())

    @cached_property
    def _needed(self) -> np.ndarray:
        return quantile_of_student(self.dfs, self.family.alpha / 2) * self.errors


def _expected(panel: Panel, tastes: Tastes) -> tuple[tuple[float, ...], tuple[float, ...], float]:
    """Mean squares of listener x system, text x system and rest, their degrees of freedom, and the SD of a difference.

    Who hears each system once at most (or each text of a system once) has tastes that nobody can tell from the rest.
    """
    n_systems, n = panel.n_systems, panel.weight * panel.n
    of_listener, of_text = n / panel.listeners, n / panel.texts
    listener = tastes.listener_system if panel.listeners > 1 else 0.0
    text = tastes.text_system if panel.texts > 1 else 0.0
    told_listener, told_text = (min(max(votes - 1.0, 0.0), 1.0) for votes in (of_listener, of_text))
    hidden = (1 - told_listener) * listener, (1 - told_text) * text
    means = (
        tastes.rest + max(of_listener, 1.0) * listener + hidden[1],
        tastes.rest + max(of_text, 1.0) * text + hidden[0],
        tastes.rest + sum(hidden),
    )
    contrasts = max(n_systems - 1, 1)
    dfs = told_listener * (panel.listeners - 1) * contrasts, told_text * (panel.texts - 1) * contrasts
    is_difference = n_systems > 1 and not panel.is_paired  # of two means, which listeners and texts are taken away from
    of_all = n_systems * (n - 1) - (panel.listeners + panel.texts - 2) if is_difference else contrasts * (n - 1)
    variance = (1 + is_difference) * (means[0] + means[1] - means[2]) / n * _lost(panel, tastes)
    return means, (*dfs, max(of_all - sum(dfs), 0.0)), variance**0.5


def _lost(panel: Panel, tastes: Tastes) -> float:
    """How much wider it is since no listener hears all: of q of S subjects, S (q - 1) / ((S - 1) q) of what is known of a difference lies
    within listeners (of balanced incomplete blocks; Yates 1940), the rest between them, who differ."""
    q, n_subjects = panel.votes * panel.n_subjects, panel.n_subjects
    if q >= n_subjects or n_subjects == 1:
        return 1.0
    rest = tastes.rest + tastes.listener_system
    within = max(n_subjects * (q - 1) / ((n_subjects - 1) * q), 0.0)
    return 1 / (within + (1 - within) * rest / (rest + q * tastes.listener))


def _variances(drawn: list[np.ndarray], dfs: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What panels make of their mean squares: that of listeners + that of texts - that of the rest; its degrees of freedom; whether they
    pool both. What shows least goes first."""
    import numpy as np
    from scipy.special import fdtri

    def shows(factor: int, rest: np.ndarray, of_rest: float) -> np.ndarray:
        """Above 1 where it stays."""
        return drawn[factor] / np.maximum(rest * fdtri(dfs[factor], of_rest, KEPT), 1e-30) if dfs[factor] and of_rest else 0 * rest

    def pooled(factor: int) -> np.ndarray:
        return (dfs[2] * drawn[2] + dfs[factor] * drawn[factor]) / max(dfs[2] + dfs[factor], 1e-9)

    listeners, texts, rest = drawn
    shown = [shows(factor, rest, dfs[2]) for factor in (0, 1)]
    goes_first = [(shown[0] < 1) & (shown[0] <= shown[1]), (shown[1] < 1) & (shown[1] < shown[0])]
    alone = [goes_first[one] & (shows(1 - one, pooled(one), dfs[2] + dfs[one]) >= 1) for one in (0, 1)]
    are_pooled = (goes_first[0] & ~alone[0]) | (goes_first[1] & ~alone[1])
    of_all = max(sum(dfs), 1e-9)
    whole = sum(df * mean for df, mean in zip(dfs, drawn, strict=True)) / of_all
    both = np.maximum(listeners + texts - rest, 1e-12)
    spread = sum(mean**2 / max(df, 1e-9) for mean, df in zip(drawn, dfs, strict=True))
    cases = [are_pooled, alone[0], alone[1]]
    variances = np.select(cases, [whole, texts, listeners], both)
    return variances, np.select(cases, [of_all, dfs[1], dfs[0]], both**2 / np.maximum(spread, 1e-30)), are_pooled


def _normal(z: np.ndarray) -> np.ndarray:
    from scipy.special import ndtr

    return ndtr(z)


def quantile_of_student(dfs: np.ndarray, tail: float) -> np.ndarray:
    """That leaves so much above it. dfs: float64, 1 at least."""
    import numpy as np

    return np.exp(np.interp(1 / dfs, np.linspace(0.0, 1.0, GRID), _student_grid(tail)))


@cache
def _student_grid(tail: float) -> np.ndarray:
    """Logarithms of the quantile at 1 / df from 0 to 1."""
    import numpy as np
    from scipy.special import ndtri, stdtrit

    inverse = np.linspace(0.0, 1.0, GRID)
    return np.log(np.concatenate([[-ndtri(tail)], stdtrit(1 / inverse[1:], 1 - tail)]))
