"""steadiness: how alike a system says one text in one voice, with one seed and another."""

from collections.abc import Iterator
from math import log2

from studio.evaluations.plan.figures import figure_kind
from studio.evaluations.statistics.cell_table import LEAST_RATIO, OF_WORDS, CellTable, Place
from studio.evaluations.statistics.findings import SystemSteadiness

__all__ = ["steadiness"]

MOST_TOLD = 50  # cells of one system


def steadiness(table: CellTable) -> tuple[SystemSteadiness, ...]:
    """Of systems that said a text with two seeds at least."""
    return tuple(found for system in table.systems if (found := _of_system(table, system)))


def _of_system(table: CellTable, system: str) -> SystemSteadiness | None:
    sounds: dict[Place, list[str]] = {}
    for cell in table.evaluated(system):
        if cell.said.sound:
            sounds.setdefault((cell.key.voice, cell.key.text), []).append(cell.said.sound.sha256)
    several = {place: found for place, found in sounds.items() if len(found) > 1}
    if not several:
        return None
    deviations = {figure: spread for figure in table.figures if (spread := _deviation(table, system, figure)) is not None}
    words = dict(_repeated(table, system, OF_WORDS))
    unsteady = tuple(place for place, found in words.items() if min(found) == 0 < max(found))
    is_same = all(len(set(found)) == 1 for found in several.values())
    return SystemSteadiness(system, len(several), deviations, len(unsteady), len(words), unsteady[:MOST_TOLD], is_same)


def _repeated(table: CellTable, system: str, figure: str) -> Iterator[tuple[Place, list[float]]]:
    """Cells with two values at least."""
    found: dict[Place, list[float]] = {}
    for cell, value in table.seeds(system, figure):
        found.setdefault((cell.key.voice, cell.key.text), []).append(value)
    yield from ((place, values) for place, values in found.items() if len(values) > 1)


def _deviation(table: CellTable, system: str, figure: str) -> float | None:
    """Root of the mean variance over seeds; of log2 where a figure is compared by factors."""
    squares = df = 0.0
    is_ratio = figure_kind(figure).is_ratio
    for _, found in _repeated(table, system, figure):
        values = [log2(max(value, LEAST_RATIO)) if is_ratio else value for value in found]
        mean = sum(values) / len(values)
        squares += sum((value - mean) ** 2 for value in values)
        df += len(values) - 1
    return (squares / df) ** 0.5 if df else None
