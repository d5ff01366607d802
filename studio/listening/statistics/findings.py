"""Findings: the result of a test's votes, as figures and as sentences that doors put into words. JSON, plots and pages are made of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from studio.crossed.ranges import Judgment
from studio.crossed.together import ALPHA
from studio.listening.plan.plan import Method
from studio.listening.screening.assessor import Assessor, Exclusion, RuleOutcome
from studio.words.line import Line

__all__ = ["Assessor", "Everybody", "Exclusion", "Findings", "HeardBy", "PairFinding", "SystemFinding"]


@dataclass(frozen=True)
class SystemFinding:
    """Of MOS, SMOS and MUSHRA. low, high: the 95 % interval of the mean. rank: 1 is best; equal where chance could decide (ranking.py).

    by_listener: mean per listener who counts. histogram: of ratings in a few points, votes for 1 and on.
    strength: of Bradley-Terry (AB), in points of 400 / ln 10, with its interval in strength_low and strength_high.
    """

    system: str
    label: str
    role: str
    n: int
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    median: float | None = None
    rank: int | None = None
    by_listener: dict[str, float] = field(default_factory=dict)
    histogram: tuple[int, ...] = ()
    strength: float | None = None
    strength_low: float | None = None
    strength_high: float | None = None


@dataclass(frozen=True)
class PairFinding:
    """What two systems have to do with each other, by the crossed model. n: votes that compare them, or that rate either.

    difference: of worths, `system` - `other`, in points of the scale; share: of preferences for `system` (a tie counts half), or of right
    answers. Each with its 95 % range and p of no difference, of this pair alone; and both with all pairs counted (`_all`), which decide.
    wins: votes for `system`, or right answers; ties: of AB. p_equal: of a difference beyond the plan's margin, with all pairs counted;
    None without a margin. None also stands where nothing is known.
    """

    system: str
    other: str
    n: int
    p: float
    p_all: float
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    low_all: float | None = None
    high_all: float | None = None
    share: float | None = None
    share_low: float | None = None
    share_high: float | None = None
    share_low_all: float | None = None
    share_high_all: float | None = None
    wins: float | None = None
    ties: int = 0
    p_equal: float | None = None

    @classmethod
    def of_points(cls, pair: tuple[str, str], n: int, found: Judgment) -> Self:
        """Of a scale of points."""
        known = (found.estimate, found.low, found.high, found.low_all, found.high_all)
        return cls(*pair, n, found.p, found.p_all, *known, p_equal=found.p_equal)

    @classmethod
    def of_votes(cls, pair: tuple[str, str], n: int, found: Judgment, wins: float, ties: int = 0) -> Self:
        """Of votes for one of two, or right ones."""
        return cls(
            *pair,
            n,
            found.p,
            found.p_all,
            share=found.estimate,
            share_low=found.low,
            share_high=found.high,
            share_low_all=found.low_all,
            share_high_all=found.high_all,
            wins=wins,
            ties=ties,
            p_equal=found.p_equal,
        )

    @property
    def is_clear(self) -> bool:
        """Whether it is beyond chance, with all pairs counted."""
        return self.p_all < ALPHA

    @property
    def is_equal(self) -> bool:
        """Whether the difference is certainly below the margin."""
        return self.p_equal is not None and self.p_equal < ALPHA


@dataclass(frozen=True)
class Everybody:
    """What would be found if all listeners counted whom a rule, or somebody by hand, leaves out. The fields are those of Findings."""

    n_listeners: int
    n_votes: int
    systems: tuple[SystemFinding, ...]
    pairs: tuple[PairFinding, ...]
    verdict: tuple[Line, ...]


@dataclass(frozen=True)
class HeardBy:
    """One listener of an ABX test. right: answers of n. p: of as many by guessing, one-sided; p_all: with all listeners counted (Holm)."""

    listener: str
    right: int
    n: int
    p: float
    p_all: float

    @property
    def is_clear(self) -> bool:
        """Whether they heard it, beyond chance, with all listeners counted."""
        return self.p_all < ALPHA


@dataclass(frozen=True)
class Findings:
    """seed, n_resamples: of the bootstrap of strengths. verdict: the largest thing on the page; notes: what is to be known beside it.

    components: variances of the crossed model, in squared points or shares: `listener`, `text`, `listener_system`, `text_system`, `rest`.
    margin: the plan's, below which a difference is called none.
    rules: what each rule of screening did. everybody: the result without them; None where nobody is left out.
    scale: what was asked, where the method does not say it. others: of what else was asked of the same sounds; they have none themselves.
    who_heard: of ABX, who can tell.
    """

    method: Method
    n_listeners: int
    n_texts: int
    n_votes: int
    seed: int
    n_resamples: int
    systems: tuple[SystemFinding, ...]
    pairs: tuple[PairFinding, ...]
    listeners: tuple[Assessor, ...]
    verdict: tuple[Line, ...]
    notes: tuple[Line, ...] = ()
    components: Mapping[str, float] = field(default_factory=dict)
    margin: float | None = None
    rules: tuple[RuleOutcome, ...] = ()
    everybody: Everybody | None = None
    scale: str = ""
    others: tuple["Findings", ...] = ()
    who_heard: tuple[HeardBy, ...] = ()
