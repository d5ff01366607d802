"""CrossedModel: fits a crossed design by restricted maximum likelihood, and tells how sure any contrast of its systems is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING

from studio.crossed.design import CrossedDesign
from studio.crossed.likelihood import Likelihood, Ratios, likelihood_of

if TYPE_CHECKING:
    import numpy as np

__all__ = ["OF_GUESSES", "Contrast", "CrossedModel", "LentModel", "Pooling"]

MOST_RATIO = 1e7
START = 0.1
STEP = 1e-3  # relative, of differences of gradients
LEAST_RATIO = 1e-7  # below, a variance is zero
NAMES = tuple(field.name for field in fields(Ratios))


@dataclass(frozen=True)
class Pooling:
    """When an interaction is pooled with the rest. least: twice the log likelihood that its variance must win to stay, as of many levels;
    fewer: by what of it less is enough, over the root of its degrees of freedom, so that it is the F test of whole panels to 0.02."""

    least: float
    fewer: float

    def needed(self, df: int) -> float:
        """Of an interaction with so many degrees of freedom."""
        return max(self.least * (1 - self.fewer / df**0.5), 0.0)


# p = 0.25, where half of all estimates are zero: Bancroft 1964 advises it for pooling. Of guesses, which have no tastes, p = 0.05.
USUAL, OF_GUESSES = Pooling(0.4549, 1.1), Pooling(2.7055, 0.41)


@dataclass(frozen=True)
class Contrast:
    """estimate, error: its standard error. df: Satterthwaite's degrees of freedom."""

    estimate: float
    error: float
    df: float


class CrossedModel:
    """A fit. Which variances are in it is found by itself: interactions with systems that votes do not show are pooled with the rest."""

    def __init__(self, design: CrossedDesign, pooling: Pooling | None = USUAL):
        """pooling: None for a model with every variance, as other programs fit it."""
        self.design = design
        self._known: dict[tuple[str, ...], tuple[tuple[float, ...], Likelihood]] = {}
        active = tuple(self._possible()) if pooling is None else self._chosen(pooling)
        found, self.likelihood = self._fitted(active)
        self.ratios = dict.fromkeys(NAMES, 0.0) | dict(zip(active, found, strict=True))

    @property
    def rest(self) -> float:
        """The rest's variance."""
        return self.likelihood.squares / self.likelihood.df

    @property
    def most_df(self) -> float:
        """That the rest's variance is known by."""
        return float(self.likelihood.df)

    @property
    def components(self) -> dict[str, float]:
        """Variances in squared points: `listener`, `text`, `listener_system`, `text_system`, `rest`."""
        large, small = ("text", "listener") if self.design.is_swapped else ("listener", "text")
        named = {"large_shared": large, "large_own": f"{large}_system", "small_shared": small, "small_own": f"{small}_system"}
        return {named[name]: ratio * self.rest for name, ratio in self.ratios.items()} | {"rest": self.rest}

    def contrast(self, weights: np.ndarray) -> Contrast:
        """Of systems' worths: weights (S,) float64 that the fixed effects tell, such as 1 for one and -1 for another."""
        import numpy as np

        found, vector = self.likelihood, weights @ self.design.fixed
        unit = float(vector @ found.covariance @ vector)
        active = [number for number, name in enumerate(NAMES) if self.ratios[name]]
        slopes = np.array([float(vector @ found.spreads[number] @ vector) for number in active])
        ratios = np.array([self.ratios[NAMES[number]] for number in active])
        slopes = np.append(slopes, unit - float(ratios @ slopes))
        uncertain = float(slopes @ self._uncertainty @ slopes)
        variance = unit * self.rest
        df = 2 * variance**2 / uncertain if uncertain > 0 else self.most_df
        return Contrast(float(vector @ found.coefficients), variance**0.5, min(max(df, 1.0), self.most_df))

    # --- private

    @cached_property
    def _uncertainty(self) -> np.ndarray:
        """(A + 1, A + 1): covariance of the variances that are not zero and of the rest's, from the curvature of the likelihood."""
        import numpy as np

        active = [name for name in NAMES if self.ratios[name]]
        here = np.array([*(self.ratios[name] * self.rest for name in active), self.rest])
        curvature = np.zeros((len(here), len(here)))
        for number in range(len(here)):
            step = STEP * here[number]
            ahead, behind = (self._slopes(active, here + sign * step * (np.arange(len(here)) == number)) for sign in (1, -1))
            curvature[number] = (ahead - behind) / (2 * step)
        curvature = (curvature + curvature.T) / 2
        return 2 * np.linalg.pinv(curvature, hermitian=True)

    def _slopes(self, active: list[str], variances: np.ndarray) -> np.ndarray:
        """(A + 1,): of -2 log likelihood by each variance, the rest's last."""
        import numpy as np

        rest = variances[-1]
        found = likelihood_of(self.design, Ratios(**dict(zip(active, variances[:-1] / rest, strict=True))))
        places = [NAMES.index(name) for name in active]
        traces, quadratics = found.traces[places] / rest, found.quadratics[places] / rest**2
        # tr(P V) is df, and y' P V P y is y' P y, over all variances together.
        of_rest = (found.df - float(variances[:-1] @ traces)) / rest
        left = (found.squares / rest - float(variances[:-1] @ quadratics)) / rest
        return np.append(traces - quadratics, of_rest - left)

    def _possible(self) -> Iterator[str]:
        """What a design of so many systems, listeners and texts can tell."""
        large, small = self.design.sides
        n_systems = self.design.regressors.shape[1]
        for side, levels in (("large", large), ("small", small)):
            if levels.max() == 0:
                continue
            if n_systems > 1 and not self.design.is_paired:
                yield f"{side}_shared"
            yield f"{side}_own"

    def _chosen(self, pooling: Pooling) -> tuple[str, ...]:
        """Interactions that lose least by going, go one after the other, as long as they lose next to nothing."""
        active = tuple(self._possible())
        may_go = [name for name in active if name.endswith("_own")]
        while may_go:
            deviance = self._fitted(active)[1].deviance
            losses = {name: self._without(active, name)[1].deviance - deviance for name in may_go}
            least = min(may_go, key=lambda name: losses[name])
            if losses[least] >= pooling.needed(self._df_of(least)):
                break
            may_go.remove(least)
            active = tuple(name for name in active if name != least)
        return active

    def _df_of(self, interaction: str) -> int:
        """Its degrees of freedom."""
        levels = int(self.design.sides[interaction.startswith("small")].max())
        return levels * max(self.design.regressors.shape[1] - 1, 1)

    def _without(self, active: tuple[str, ...], gone: str) -> tuple[tuple[float, ...], Likelihood]:
        return self._fitted(tuple(name for name in active if name != gone))

    def _fitted(self, active: tuple[str, ...]) -> tuple[tuple[float, ...], Likelihood]:
        """The ratios of those variances that are most likely."""
        if active not in self._known:
            self._known[active] = self._fit(active)
        return self._known[active]

    def _fit(self, active: tuple[str, ...]) -> tuple[tuple[float, ...], Likelihood]:
        from scipy.optimize import minimize

        if not active:
            return (), likelihood_of(self.design, Ratios())
        places = [NAMES.index(name) for name in active]

        def deviance(ratios: np.ndarray) -> tuple[float, np.ndarray]:
            found = likelihood_of(self.design, Ratios(**dict(zip(active, map(float, ratios), strict=True))))
            return found.deviance, found.gradient[places]

        bigger = [whole for whole in self._known if set(active) < set(whole)]
        start = [START] * len(active)
        if bigger:
            known = dict(zip(bigger[0], self._known[bigger[0]][0], strict=True))
            start = [known[name] for name in active]
        found = minimize(
            deviance,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, MOST_RATIO)] * len(active),
            options={"ftol": 1e-12, "gtol": 1e-7, "maxiter": 200},
        )
        ratios = tuple(0.0 if ratio < LEAST_RATIO else float(ratio) for ratio in found.x)
        return ratios, likelihood_of(self.design, Ratios(**dict(zip(active, ratios, strict=True))))


class LentModel(CrossedModel):
    """With the variances of another fit, of the same kind of votes by the same listeners on the same texts, and as sure of them."""

    def __init__(self, design: CrossedDesign, lender: CrossedModel):
        self.design, self._lender = design, lender
        named = {self._name_of(name): ratio for name, ratio in lender.ratios.items()}
        self.ratios = {name: named[name] for name in NAMES}
        self.likelihood = likelihood_of(design, Ratios(**self.ratios))

    @property
    def rest(self) -> float:
        """The lender's."""
        return self._lender.rest

    @property
    def most_df(self) -> float:
        """The lender's."""
        return self._lender.most_df

    @cached_property
    def _uncertainty(self) -> np.ndarray:
        """The lender's, in the order of these variances."""
        import numpy as np

        lent = [self._name_of(name) for name in NAMES if self._lender.ratios[name]]
        order = [*(lent.index(name) for name in NAMES if self.ratios[name]), len(lent)]
        return self._lender._uncertainty[np.ix_(order, order)]

    def _name_of(self, lent: str) -> str:
        """Of one of the lender's variances."""
        return lent if self.design.is_swapped == self._lender.design.is_swapped else _turned(lent)


def _turned(name: str) -> str:
    """The same variance where the other side is the larger one."""
    side, _, part = name.partition("_")
    return f"{'small' if side == 'large' else 'large'}_{part}"
