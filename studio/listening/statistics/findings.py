"""Findings: the result of a test's votes, as figures and as sentences that doors put into words. JSON, plots and pages are made of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from studio.listening.plan.plan import Method
from studio.listening.screening.assessor import Assessor, Exclusion, RuleOutcome

__all__ = ["Assessor", "Everybody", "Exclusion", "Findings", "Line", "PairFinding", "SystemFinding", "VotedPair"]


@dataclass(frozen=True)
class Line:
    """A sentence: `tests.<key>` of assets/words with values."""

    key: str
    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class SystemFinding:
    """Of MOS, SMOS and MUSHRA. low, high: the 95 % interval of the mean. rank: 1 is best; equal where chance could decide (standing.py).

    by_listener: mean per listener who counts. histogram: of MOS and SMOS, votes for 1 to 5.
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
class Everybody:
    """What would be found if all listeners counted whom a rule, or somebody by hand, leaves out. The fields are those of Findings."""

    n_listeners: int
    n_votes: int
    systems: tuple[SystemFinding, ...]
    pairs: tuple[PairFinding, ...]
    verdict: tuple[Line, ...]


@dataclass(frozen=True)
class Findings:
    """seed, n_resamples: of bootstrap and permutations. verdict: the largest thing on the page; notes: what is to be known beside it.

    rules: what each rule of screening did. everybody: the result without them; None where nobody is left out.
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
    rules: tuple[RuleOutcome, ...] = ()
    everybody: Everybody | None = None
