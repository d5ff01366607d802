"""figure_means: every figure of every system: mean and range, spread, half and 95 of 100, by language and kind of text."""

from collections.abc import Iterator, Sequence

from studio.evaluations.plan.figures import FigureKind, figure_kind
from studio.evaluations.statistics.cell_table import CellTable, CellValue, scores
from studio.evaluations.statistics.estimates import FigureEstimate, estimated_mean
from studio.evaluations.statistics.findings import FigureMean, PartMean

__all__ = ["figure_means", "quantile"]


def figure_means(table: CellTable) -> tuple[FigureMean, ...]:
    """System by system, figure by figure."""
    return tuple(_mean(table, system, figure) for system in table.systems for figure in table.figures if table.cells(system, figure))


def quantile(values: Sequence[float], share: float) -> float:
    """Of one value at least; between two neighbors, as NumPy's usual one."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def _mean(table: CellTable, system: str, figure: str) -> FigureMean:
    import numpy as np

    kind, cells = figure_kind(figure), table.cells(system, figure)
    values = [value for _, value in table.seeds(system, figure)]
    shown = [2.0**cell.value if kind.is_ratio else cell.value for cell in cells]
    found = estimated_mean(cells, kind)
    whole = _part(found)
    return FigureMean(
        system,
        figure,
        len(cells),
        whole.mean,
        float(np.std(shown, ddof=1)) if len(shown) > 1 else 0.0,
        quantile(values, 0.5),
        quantile(values, 0.95),
        whole.low,
        whole.high,
        dict(_by_language(table, cells, kind)),
        dict(_by_kind(table, cells, kind)),
    )


def _by_language(table: CellTable, cells: Sequence[CellValue], kind: FigureKind) -> Iterator[tuple[str, PartMean]]:
    """Of each language that has any cell, where there are several."""
    for language in table.languages if len(table.languages) > 1 else ():
        own = [cell for cell in cells if cell.language == language]
        if own:
            yield language, _part(estimated_mean(own, kind))


def _by_kind(table: CellTable, cells: Sequence[CellValue], kind: FigureKind) -> Iterator[tuple[str, PartMean]]:
    """Of each kind of text that has any cell; without ranges."""
    for name in table.kinds:
        own = [cell for cell in cells if table.texts[cell.text].kind == name]
        if own:
            mean = sum(scores(own)) / len(own)
            yield name, PartMean(2.0**mean if kind.is_ratio else mean, len(own))


def _part(found: FigureEstimate) -> PartMean:
    mean = 2.0**found.value if found.kind.is_ratio else found.value
    return PartMean(mean, found.n, *found.around())
