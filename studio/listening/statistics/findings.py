"""Findings: the result of a test's votes, as figures and as sentences that doors put into words. JSON, plots and pages are made of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from studio.listening.plan.plan import Method

__all__ = ["Assessor", "Exclusion", "Findings", "Line", "PairFinding", "SystemFinding", "VotedPair"]


@dataclass(frozen=True)
class Line:
    """A sentence: `tests.<key>` of assets/words with values."""

    key: str
    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class SystemFinding:
    """Of MOS, SMOS and MUSHRA. low, high: the 95 % interval of the mean. rank: 1 is best; equal where chance could decide (standing.py).

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
    """What two systems have to do with each other. n: votes. wins: for `system`, a tie counting half; ties: of AB.

    share: wins / n, with its Clopper-Pearson interval; of ABX right answers. difference: mean of `system` - `other`, with its bootstrap
    interval. p: of test (`binomial`, `sign`, `sign-flip`, `wilcoxon`); p_holm: corrected for all pairs of the test. p_wilcoxon: beside it.
    """

    system: str
    other: str
    n: int
    test: str
    p: float
    p_holm: float
    wins: float | None = None
    ties: int = 0
    share: float | None = None
    share_low: float | None = None
    share_high: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p_wilcoxon: float | None = None


@dataclass(frozen=True)
class VotedPair(PairFinding):
    """Of ABX and AB, where votes are counted."""

    wins: float = 0.0
    share: float = 0.0
    share_low: float = 0.0
    share_high: float = 1.0


@dataclass(frozen=True)
class Exclusion:
    """Why a listener does not count, or is in doubt. reason: `hidden_reference`, `mid_anchor`, `gold`, `trap`, `too_fast`, `unheard`,
    `experimenter`, `by_hand`; values: for sentence `tests.left_out_<reason>`."""

    listener: str
    reason: str
    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Assessor:
    """listener: as results call them. n: their votes. counts: whether they are in the figures. exclusions: why not, or why in doubt."""

    listener: str
    n: int
    counts: bool
    exclusions: tuple[Exclusion, ...] = ()


@dataclass(frozen=True)
class Findings:
    """seed, n_resamples: of bootstrap and permutations. verdict: the largest thing on the page; notes: what is to be known beside it.

    scale: what was asked, where the method does not say it. others: of what else was asked of the same sounds; they have none themselves.
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
    scale: str = ""
    others: tuple["Findings", ...] = ()
