"""Comparisons: every two systems by every judged figure, over all texts and by language, with all of them counted together."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from studio.crossed.together import ALPHA, Family
from studio.evaluations.plan.figures import figure_kind
from studio.evaluations.statistics.cell_table import CellTable
from studio.evaluations.statistics.crossed_mean import FEWEST_VOICES
from studio.evaluations.statistics.estimates import FigureEstimate, estimated_difference
from studio.evaluations.statistics.findings import PairComparison
from studio.evaluations.statistics.joint import Counted, joint

__all__ = ["Comparisons", "compared", "comparison"]

OF_LANGUAGES = 0.2  # of the 5 of 100, what comparisons by language may spend, where there are several
Pair = tuple[str, str]
Group = tuple[str, str]  # figure; language, "" for all


class Comparisons(NamedTuple):
    """Over all texts; by language, empty where there is one; and, where voices are enough to tell of others, in these voices alone."""

    whole: tuple[PairComparison, ...]
    of_languages: tuple[PairComparison, ...]
    of_voices: tuple[PairComparison, ...]


def compared(table: CellTable, systems: Sequence[str]) -> Comparisons:
    """All pairs of these systems."""
    judged = [figure for figure in table.figures if figure_kind(figure).is_judged]
    pairs = list(combinations(systems, 2))
    whole = {(figure, ""): _estimates(table, pairs, figure) for figure in judged}
    parts: dict[Group, dict[Pair, FigureEstimate]] = {}
    if len(table.languages) > 1:
        parts = {
            (figure, language): _estimates(table, pairs, figure, language) for figure in judged for language in table.languages if language
        }
    parts = {group: found for group, found in parts.items() if any(one.found for one in found.values())}
    family = Family.of_all(len(systems))
    places = {(cell.key.voice, cell.key.text) for cell in table.data.cells}
    # Where each text has a voice of its own, what voices are like cannot be told from what texts are.
    tells_voices = len({voice for voice, _ in places}) >= FEWEST_VOICES and len(places) > len({text for _, text in places})
    here = {(figure, ""): _estimates(table, pairs, figure, of_these_voices=True) for figure in judged} if tells_voices else {}
    return Comparisons(
        _counted(whole, family, 1 - OF_LANGUAGES if parts else 1.0), _counted(parts, family, OF_LANGUAGES), _counted(here, family, 1.0)
    )


def comparison(pair: Pair, figure: str, found: FigureEstimate, counted: Counted, language: str = "") -> PairComparison:
    """As findings have it."""
    is_ratio = found.kind.is_ratio
    low, high = found.around(ALPHA)
    low_all, high_all = found.around(min(counted.level, ALPHA))
    return PairComparison(
        *pair,
        figure,
        found.n,
        None if is_ratio else found.value,
        2.0**found.value if is_ratio else None,
        low,
        high,
        found.p,
        low_all,
        high_all,
        counted.p_all,
        language,
    )


def _estimates(
    table: CellTable, pairs: Sequence[Pair], figure: str, language: str = "", *, of_these_voices: bool = False
) -> dict[Pair, FigureEstimate]:
    """Of pairs that have cells in common."""
    kind = figure_kind(figure)
    own = {
        system: [cell for cell in table.cells(system, figure) if not language or cell.language == language]
        for system in {name for pair in pairs for name in pair}
    }
    found = {pair: estimated_difference(own[pair[0]], own[pair[1]], kind, of_these_voices=of_these_voices) for pair in pairs}
    return {pair: one for pair, one in found.items() if one}


def _counted(groups: Mapping[Group, Mapping[Pair, FigureEstimate]], family: Family, share: float) -> tuple[PairComparison, ...]:
    """What has no p counts for nothing, and is told as it is."""
    alone = {f"{figure} {language}": [one.p for one in found.values() if one.found] for (figure, language), found in groups.items()}
    counted = joint(alone, family, share)
    told = []
    for (figure, language), found in groups.items():
        places = iter(counted[f"{figure} {language}"])
        for pair, one in found.items():
            told.append(comparison(pair, figure, one, next(places) if one.found else Counted(1.0, ALPHA), language))
    return tuple(told)
