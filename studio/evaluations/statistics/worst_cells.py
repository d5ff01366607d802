"""worst_cells: sounds in the order of one figure, the worst first: what to listen to."""

from math import log

from studio.evaluations.plan.cell import CellKey
from studio.evaluations.plan.evaluation import EvaluationData
from studio.evaluations.plan.figures import figure_kind
from studio.evaluations.statistics.cell_table import CellTable
from studio.evaluations.statistics.means import quantile

__all__ = ["worst_cells"]

FACTORS = "x"  # the unit of figures of which 1 is as it should be
LEAST_FACTOR = 1e-3


def worst_cells(data: EvaluationData, figure: str, system: str | None = None) -> list[CellKey]:
    """Of one system, or of all, those that have the figure. Of figures of which no better is known the farthest first: of factors from
    1, of others from the middle of all sounds. Raises KeyError for a figure that there is none of."""
    kind = figure_kind(figure)
    table = CellTable(data)
    found = [(cell.key, value) for name in table.systems if system in (None, name) for cell, value in table.seeds(name, figure)]
    if kind.better == "none" and kind.unit == FACTORS:
        return [key for key, value in sorted(found, key=lambda one: -abs(log(max(one[1], LEAST_FACTOR))))]
    if kind.better == "none" and found:
        middle = quantile([value for _, value in found], 0.5)
        return [key for key, value in sorted(found, key=lambda one: -abs(one[1] - middle))]
    sign = 1 if kind.better == "more" else -1
    return [key for key, value in sorted(found, key=lambda one: sign * one[1])]
