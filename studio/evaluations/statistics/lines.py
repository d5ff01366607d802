"""further_lines: what was found figure by figure, with ranges; by language where it differs; and how steady systems are over seeds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from studio.evaluations.plan.figures import figure_kind
from studio.evaluations.statistics.cell_table import CellTable
from studio.evaluations.statistics.comparisons import Comparisons
from studio.evaluations.statistics.findings import FigureMean, PairComparison, SystemSteadiness, SystemSummary
from studio.words.line import Line

__all__ = ["Evidence", "further_lines"]

MOST_PAIRED = 4  # systems of which every clear pair has a sentence; of more only who is ahead
# Figures with sentences of their own; others say their name.
TOLD = ("wrong_words", "likeness", "second_likeness", "dnsmos", "distillmos", "pitch_distance", "ttfp_ms", "rtf")


@dataclass(frozen=True)
class Evidence:
    """All that sentences are made of. compared: systems that are, by id."""

    table: CellTable
    systems: Sequence[SystemSummary]
    compared: Sequence[str]
    means: Sequence[FigureMean]
    found: Comparisons

    @property
    def pairs(self) -> Sequence[PairComparison]:
        """Over all texts."""
        return self.found.whole

    @property
    def language_pairs(self) -> Sequence[PairComparison]:
        """By language."""
        return self.found.of_languages

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """By id."""
        return {system.system: system.label for system in self.systems}

    @cached_property
    def judged(self) -> tuple[str, ...]:
        """Figures by which systems are compared."""
        return tuple(dict.fromkeys(pair.figure for pair in self.pairs))

    @cached_property
    def n_voices(self) -> int:
        """That said anything, or were refused it."""
        return len({cell.key.voice for cell in self.table.data.cells})

    def label(self, system: str) -> str:
        """As reports call it."""
        return self.labels[system]

    def words_of(self, languages: Sequence[str]) -> str:
        """What is counted in texts of these languages: "words", "characters", or "both"."""
        of_characters = {language in self.table.character_languages for language in languages}
        return "both" if len(of_characters) > 1 else "characters" if True in of_characters else "words"


def further_lines(evidence: Evidence, steady: Sequence[SystemSteadiness]) -> tuple[Line, ...]:
    """Figure by figure, then languages, then seeds."""
    return (*_of_figures(evidence), *_of_voices(evidence), *_of_languages(evidence), *_of_seeds(evidence, steady))


def _of_figures(evidence: Evidence) -> Iterator[Line]:
    if len(evidence.compared) == 1:
        yield from (_alone(evidence, mean) for mean in evidence.means if mean.system in evidence.compared and mean.figure in TOLD)
    for figure in evidence.judged:
        pairs = [pair for pair in evidence.pairs if pair.figure == figure and pair.low_all is not None]
        clear = [pair for pair in pairs if pair.better]
        if len(evidence.compared) <= MOST_PAIRED:
            yield from (_pair_line(evidence, pair) for pair in clear)
        elif clear:
            ahead = [name for name in evidence.compared if not any(pair.worse == name for pair in clear)]
            behind = [name for name in evidence.compared if name not in ahead]
            names = {"names": list(map(evidence.label, ahead)), "behind": list(map(evidence.label, behind))}
            yield Line("found_ahead", {"figure": figure, **names})
        if len(evidence.compared) == 2:
            yield from (_unclear_line(evidence, pair) for pair in pairs if not pair.better)
        elif pairs and not clear:
            yield Line("found_alike", {"figure": figure})


def _alone(evidence: Evidence, mean: FigureMean) -> Line:
    kind = figure_kind(mean.figure)
    values = {"name": evidence.label(mean.system), "figure": mean.figure, "mean": round(mean.mean, kind.decimals)}
    if mean.low is None or mean.high is None:
        return Line("found_mean_bare", values)
    return Line("found_mean", {**values, **_rounded(mean.low, mean.high, kind.decimals)})


def _pair_line(evidence: Evidence, pair: PairComparison) -> Line:
    """The better one first, and how far ahead it is."""
    kind = figure_kind(pair.figure)
    assert pair.better is not None and pair.low_all is not None and pair.high_all is not None
    low, high = pair.low_all, pair.high_all
    if kind.is_ratio:
        # How many times as much the worse one has.
        low, high = (low, high) if pair.is_more else (1 / max(high, 1e-12), 1 / max(low, 1e-12))
    elif not pair.is_more:
        low, high = -high, -low
    key = f"found_{pair.figure}" if pair.figure in TOLD else "found_better"
    if pair.figure == "wrong_words":
        key = f"found_wrong_{evidence.words_of(evidence.table.languages)}"
    values = {"name": evidence.label(pair.better), "other": evidence.label(pair.worse or "")}
    if key == "found_better":
        values["figure"] = pair.figure
    return Line(key, {**values, **(_factors(low, high) if kind.is_ratio else _rounded(low, high, kind.decimals))})


def _unclear_line(evidence: Evidence, pair: PairComparison) -> Line:
    kind = figure_kind(pair.figure)
    assert pair.low_all is not None and pair.high_all is not None
    values = {"figure": pair.figure, "name": evidence.label(pair.system), "other": evidence.label(pair.other)}
    if kind.is_ratio:
        return Line("found_none_ratio", {**values, **_factors(pair.low_all, pair.high_all)})
    return Line("found_none", {**values, **_rounded(pair.low_all, pair.high_all, kind.decimals)})


def _of_voices(evidence: Evidence) -> Iterator[Line]:
    """What is beyond chance in these voices, and not for others."""
    whole = {(pair.system, pair.other, pair.figure): pair.better for pair in evidence.pairs}
    told: dict[tuple[str, str], list[str]] = {}
    for pair in evidence.found.of_voices if len(evidence.compared) <= MOST_PAIRED else ():
        if pair.better and pair.better != whole.get((pair.system, pair.other, pair.figure)):
            told.setdefault((pair.better, pair.worse or ""), []).append(pair.figure)
    for (better, worse), figures in told.items():
        values = {"name": evidence.label(better), "other": evidence.label(worse), "ahead": figures, "n": evidence.n_voices}
        yield Line("found_in_voices", values)


def _of_languages(evidence: Evidence) -> Iterator[Line]:
    """Where a language says something else than all together."""
    whole = {(pair.system, pair.other, pair.figure): pair.better for pair in evidence.pairs}
    told: dict[tuple[str, str, str], list[str]] = {}
    for pair in evidence.language_pairs if len(evidence.compared) <= MOST_PAIRED else ():
        if pair.better and pair.better != whole.get((pair.system, pair.other, pair.figure)):
            told.setdefault((pair.better, pair.worse or "", pair.figure), []).append(pair.language)
    for (better, worse, figure), languages in told.items():
        yield Line(
            "found_in_languages", {"codes": languages, "name": evidence.label(better), "other": evidence.label(worse), "ahead": [figure]}
        )


def _of_seeds(evidence: Evidence, steady: Sequence[SystemSteadiness]) -> Iterator[Line]:
    for found in steady:
        if found.is_same:
            yield Line("steady_same", {"name": evidence.label(found.system)})
        elif found.n_words:
            key = "steady_words" if evidence.n_voices == 1 else "steady_words_voices"
            yield Line(key, {"name": evidence.label(found.system), "n": found.n_unsteady, "all": found.n_words})


def _rounded(low: float, high: float, decimals: int) -> dict[str, object]:
    """Ends of a range, with a decimal more where both would be the same."""
    if round(low, decimals) == round(high, decimals):
        decimals += 1
    return {"low": round(low, decimals) + 0.0, "high": round(high, decimals) + 0.0}


def _factors(low: float, high: float) -> dict[str, object]:
    """Of ratios: three digits below 2, two below 10."""
    return {name: round(value, 2 if value < 2 else 1 if value < 10 else 0) for name, value in (("low", low), ("high", high))}
