"""compare_runs: what is other than in an earlier evaluation, over the sounds that both have."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log2

from studio.crossed.together import Family
from studio.evaluations.plan.evaluation import EvaluationData
from studio.evaluations.plan.figures import figure_kind
from studio.evaluations.statistics.cell_table import OF_WORDS, CellTable, CellValue, Place
from studio.evaluations.statistics.comparisons import comparison
from studio.evaluations.statistics.estimates import FigureEstimate, estimated_difference
from studio.evaluations.statistics.findings import PairComparison
from studio.evaluations.statistics.joint import joint
from studio.words.line import Line

__all__ = ["NOW", "THEN", "RunChange", "RunComparison", "compare_runs"]

NOW, THEN = "now", "then"
# Of a machine, what times depend on; versions of programs do not make it another one.
OF_MACHINE = ("processor", "cores", "memory_bytes", "gpu")
# By which the times of two runs of one machine differ anyway, with what else it does: only more is called a change.
LEAST_FACTOR = 1.1


@dataclass(frozen=True)
class RunChange:
    """A figure of a system, now less then, or now over then: `change` is a comparison of the "systems" NOW and THEN."""

    system: str
    label: str
    change: PairComparison

    @property
    def is_better(self) -> bool:
        """Beyond chance."""
        return self.change.better == NOW

    @property
    def is_worse(self) -> bool:
        """Beyond chance."""
        return self.change.better == THEN


@dataclass(frozen=True)
class RunComparison:
    """systems: ids that both have, but for those with random weights; new, gone: labels of those that only one has. n_cells: that both
    have, of a voice and a text; n_new, n_gone: that one has alone. refused: system -> how many sounds are refused now that were there then.

    compares_speed, compares_words: whether the machine, and the recognizer, is the same one. lines: `evaluations.<key>`.
    """

    systems: tuple[str, ...]
    new: tuple[str, ...]
    gone: tuple[str, ...]
    n_cells: int
    n_new: int
    n_gone: int
    changes: tuple[RunChange, ...]
    refused: Mapping[str, int]
    compares_speed: bool
    compares_words: bool
    lines: tuple[Line, ...]


def compare_runs(now: EvaluationData, then: EvaluationData) -> RunComparison:
    """A system is the same where its id is; a voice where its id, name and recording are; a text where its id and words are."""
    table, earlier = CellTable(now), CellTable(then)
    labels = {system.id: system.label for system in now.evaluation.plan.systems}
    toys = {run.system for run in now.systems if run.is_toy}
    shared = tuple(name for name in table.systems if name in earlier.systems and (name not in toys or len(toys) == len(labels)))
    gone = tuple(system.label for system in then.evaluation.plan.systems if system.id not in labels)
    new = tuple(label for name, label in labels.items() if name not in earlier.systems)
    same = _Same(now, then)
    places, before = _places(table, shared), _places(earlier, shared)
    n_cells = sum(same.is_shared(place) for place in places & before)
    is_machine = all(now.evaluation.machine.get(name) == then.evaluation.machine.get(name) for name in OF_MACHINE)
    is_recognizer = now.recognizer == then.recognizer
    figures = [
        figure
        for figure in table.figures
        if figure in earlier.figures
        and figure_kind(figure).is_judged
        and (is_machine or figure_kind(figure).family != "speed")
        and (is_recognizer or figure != OF_WORDS)
    ]
    changes = tuple(_changes(table, earlier, same, [(name, labels[name]) for name in shared], figures))
    refused = {labels[name]: n for name in shared if (n := _newly_refused(table, earlier, same, name))}
    n_new, n_gone = len(places) - n_cells, len(before) - n_cells
    lines = tuple(_lines(changes, labels, refused, (is_machine, is_recognizer), n_cells))
    beside = [Line(f"since_{which}", {"names": names, "n": len(names)}) for which, names in (("new", new), ("gone", gone)) if names]
    return RunComparison(shared, new, gone, n_cells, n_new, n_gone, changes, refused, is_machine, is_recognizer, (*lines, *beside))


class _Same:
    """What is the same voice, and the same text, in both."""

    def __init__(self, now: EvaluationData, then: EvaluationData):
        plans = (now.evaluation.plan, then.evaluation.plan)
        texts = [{text.id: text.text for text in plan.texts} for plan in plans]
        voices = [{voice.id: (voice.name, voice.clip) for voice in plan.voices} for plan in plans]
        self._texts = {one for one, words in texts[0].items() if texts[1].get(one) == words}
        self._voices = {one for one, known in voices[0].items() if voices[1].get(one) == known}

    def is_shared(self, place: Place) -> bool:
        """Whether both have it."""
        return place[0] in self._voices and place[1] in self._texts

    def of(self, cells: Sequence[CellValue]) -> list[CellValue]:
        return [cell for cell in cells if self.is_shared((cell.voice, cell.text))]


def _places(table: CellTable, systems: Sequence[str]) -> set[Place]:
    return {(cell.key.voice, cell.key.text) for name in systems for cell in table.evaluated(name)}


def _changes(
    table: CellTable, earlier: CellTable, same: _Same, systems: Sequence[tuple[str, str]], figures: Sequence[str]
) -> Iterator[RunChange]:
    """Figure by figure, all counted together."""
    found: dict[str, list[tuple[str, str, FigureEstimate]]] = {figure: [] for figure in figures}
    for figure in figures:
        for name, label in systems:
            now, then = (same.of(one.cells(name, figure)) for one in (table, earlier))
            one = estimated_difference(now, then, figure_kind(figure))
            if one and one.found:
                found[figure].append((name, label, one))
    counted = joint({figure: [_p(one) for _, _, one in ones] for figure, ones in found.items()}, Family(len(systems)))
    for figure, ones in found.items():
        for (name, label, one), told in zip(ones, counted[figure], strict=True):
            yield RunChange(name, label, comparison((NOW, THEN), figure, one, told))


def _p(one: FigureEstimate) -> float:
    """Of no change; of times, of one within LEAST_FACTOR."""
    from scipy.special import stdtr

    if not one.kind.is_ratio or one.found is None:
        return one.p
    beyond = abs(one.value) - log2(LEAST_FACTOR)
    return float(2 * stdtr(one.found.df, -beyond / one.found.error)) if beyond > 0 else 1.0


def _newly_refused(table: CellTable, earlier: CellTable, same: _Same, name: str) -> int:
    was_said = {cell.key for cell in earlier.evaluated(name) if cell.said.sound is not None}
    return sum(
        cell.said.refused is not None and cell.key in was_said and same.is_shared((cell.key.voice, cell.key.text))
        for cell in table.evaluated(name)
    )


def _lines(
    changes: Sequence[RunChange],
    labels: Mapping[str, str],
    refused: Mapping[str, int],
    compares: tuple[bool, bool],
    n_cells: int,
) -> Iterator[Line]:
    if not n_cells:
        yield Line("since_nothing_shared")
        return
    for label in labels.values():
        worse = [one.change.figure for one in changes if one.label == label and one.is_worse]
        better = [one.change.figure for one in changes if one.label == label and one.is_better]
        if worse:
            yield Line("since_worse", {"name": label, "behind": worse})
        if better:
            yield Line("since_better", {"name": label, "ahead": better})
    if changes and not any(one.is_worse or one.is_better for one in changes):
        yield Line("since_alike", {"n": n_cells})
    yield from (Line("since_refused", {"name": label, "n": n}) for label, n in refused.items())
    if not compares[0]:
        yield Line("since_machine")
    if not compares[1]:
        yield Line("since_recognizer")
