"""EvaluationFindings: what an evaluation found, as figures and as sentences that doors put into words."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from studio.crossed.together import ALPHA
from studio.evaluations.plan.figures import figure_kind
from studio.words.line import Line

__all__ = ["EvaluationFindings", "FigureMean", "Line", "PairComparison", "PartMean", "SystemSteadiness", "SystemSummary"]


@dataclass(frozen=True)
class PartMean:
    """A mean over n cells, and its 95 % range; None where one cell is all there is. Of figures that are compared by factors the geometric
    mean."""

    mean: float
    n: int
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class FigureMean:
    """A figure of a system, in the figure's unit. A cell is a voice that says a text, its seeds averaged; n: of cells.

    mean: of wrong words their number in a hundred of all that should be heard, of each language by itself and then over the texts; of
    figures that are compared by factors (`is_ratio`) the geometric mean. low, high: its 95 % range for other texts, and other voices
    where there are several; None where nothing is known of it. spread: standard deviation over cells. p50, p95: half, and 95 of 100,
    of the sounds have at most this. by_language, by_kind: of texts; of kinds ranges are not known.
    """

    system: str
    figure: str
    n: int
    mean: float
    spread: float
    p50: float
    p95: float
    low: float | None = None
    high: float | None = None
    by_language: Mapping[str, PartMean] = field(default_factory=dict)
    by_kind: Mapping[str, PartMean] = field(default_factory=dict)


@dataclass(frozen=True)
class PairComparison:
    """Two systems by one figure, over the n cells that both have. language: of these cells, "" for all.

    difference: of `system` less `other`, in the figure's unit; ratio: of one over the other, of figures with `is_ratio`. The other one is
    None. low, high: its 95 % range, for other texts and voices, p: of no difference, of this pair alone; low_all, high_all, p_all: with all
    pairs and all figures of the evaluation counted; they decide. Ranges are None where one cell is all there is.
    better: the id of the one that is better beyond chance; None where chance could make the difference, or where of the figure no better is
    known.
    """

    system: str
    other: str
    figure: str
    n: int
    difference: float | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    p: float = 1.0
    low_all: float | None = None
    high_all: float | None = None
    p_all: float = 1.0
    language: str = ""

    @property
    def is_clear(self) -> bool:
        """Whether it is beyond chance, with all comparisons counted."""
        return self.low_all is not None and self.p_all < ALPHA

    @property
    def is_more(self) -> bool:
        """Whether `system` has more of it."""
        return (self.difference or 0.0) > 0 if self.ratio is None else self.ratio > 1

    @property
    def better(self) -> str | None:
        """Beyond chance."""
        wanted = figure_kind(self.figure).better
        if not self.is_clear or wanted == "none":
            return None
        return self.system if self.is_more == (wanted == "more") else self.other

    @property
    def worse(self) -> str | None:
        """Beyond chance."""
        better = self.better
        return better and (self.other if better == self.system else self.system)


@dataclass(frozen=True)
class SystemSteadiness:
    """How alike a system says one text in one voice with several seeds. n: such cells. deviations: figure -> standard deviation over seeds.

    n_unsteady: cells whose words are right with one seed and wrong with another, of n_words that have words. unsteady: the first of them,
    (voice, text). is_same: whether all seeds gave the same sounds.
    """

    system: str
    n: int
    deviations: Mapping[str, float]
    n_unsteady: int = 0
    n_words: int = 0
    unsteady: tuple[tuple[str, str], ...] = ()
    is_same: bool = False


@dataclass(frozen=True)
class SystemSummary:
    """n: sounds that are there. refusals: reason_code -> how many; n_refused: of all. n_warned: sounds of which something is to be known.

    cold_p50_ms, cold_p95_ms: of the first sound in a voice that nobody knew, over n_cold voices; learn_seconds: the median of the work
    until a voice was known. memory_bytes: that the process took more. None where nothing was timed, or nobody can tell.
    """

    system: str
    label: str
    n: int
    is_toy: bool = False
    n_refused: int = 0
    refusals: Mapping[str, int] = field(default_factory=dict)
    n_warned: int = 0
    cold_p50_ms: float | None = None
    cold_p95_ms: float | None = None
    n_cold: int = 0
    learn_seconds: float | None = None
    memory_bytes: int | None = None


@dataclass(frozen=True)
class EvaluationFindings:
    """figures: names of those that were measured, in the order of FIGURES. languages, kinds: of texts; "" where nobody says.

    pairs: every two systems that are no toys by every figure that is judged; language_pairs: the same of each language, where there are
    several. voice_pairs: the same in these voices, whatever others may say, counted by themselves; empty where voices are so few that
    `pairs` are for these alone. verdict: the largest thing on the page, a sentence or two, of `pairs` alone; lines: what else was found,
    figure by figure; notes: what is to be known beside it. Lines: `evaluations.<key>`; systems stand in them by their labels; see
    sentences.py for values that are named by keys.
    """

    figures: tuple[str, ...]
    languages: tuple[str, ...]
    kinds: tuple[str, ...]
    systems: tuple[SystemSummary, ...]
    means: tuple[FigureMean, ...]
    pairs: tuple[PairComparison, ...]
    language_pairs: tuple[PairComparison, ...]
    steadiness: tuple[SystemSteadiness, ...]
    verdict: tuple[Line, ...]
    lines: tuple[Line, ...]
    notes: tuple[Line, ...]
    voice_pairs: tuple[PairComparison, ...] = ()

    def mean(self, system: str, figure: str) -> FigureMean | None:
        """None where it was not measured."""
        return next((mean for mean in self.means if (mean.system, mean.figure) == (system, figure)), None)

    def pair(self, system: str, other: str, figure: str) -> PairComparison | None:
        """As it stands in pairs: `system` before `other` in the plan."""
        return next((pair for pair in self.pairs if (pair.system, pair.other, pair.figure) == (system, other, figure)), None)
