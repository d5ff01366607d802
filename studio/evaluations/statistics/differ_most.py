"""differ_most: the texts, each in one voice, in which systems differ most to the ear: what a listening test is made of."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from studio.evaluations.plan.evaluation import EvaluationData
from studio.evaluations.plan.figures import figure_kind
from studio.evaluations.statistics.cell_table import CellTable, Place

__all__ = ["differ_most"]

# Figures that tell much of the same count together as one. Times are not heard.
TOGETHER = (("wrong_words",), ("likeness", "second_likeness"), ("dnsmos", "distillmos"), ("pitch_distance",))
Worths = Mapping[str, float]  # system -> how much better than the others it is there

AMONG = 3  # times as many as are wanted are looked at for a text and a voice that are not there yet


def differ_most(data: EvaluationData, n: int = 20, systems: Sequence[str] | None = None) -> list[Place]:
    """At most n, of those that all these systems said (None: all of the plan). In turn those where one system is ahead, then another, so
    that a test of them prefers nobody; texts and voices come as seldom again as can be. Each figure counts in standard deviations of its
    differences. Fewer than two systems differ in nothing."""
    table = CellTable(data)
    names = [name for name in table.systems if systems is None or name in systems]
    if len(names) < 2 or n < 1:
        return []
    places = _places(table, names)
    scored = {place: dict.fromkeys(names, 0.0) for place in places}
    for together in TOGETHER:
        kinds = [standardized for figure in together if (standardized := _standardized(table, names, figure))]
        known = [(scored[place], of_systems) for found in kinds for place, of_systems in found.items() if place in scored]
        for sums, of_systems in known:
            sums.update({name: sums[name] + worth / len(kinds) for name, worth in of_systems.items()})
    worths = {place: found for place, found in scored.items() if max(found.values()) > min(found.values())}
    return _spread_out(worths, n)


def _places(table: CellTable, names: Sequence[str]) -> list[Place]:
    """That all said, in the plan's order."""
    said = [
        dict.fromkeys((cell.key.voice, cell.key.text) for cell in table.evaluated(name) if cell.said.sound is not None) for name in names
    ]
    return [place for place in said[0] if all(place in other for other in said[1:])]


def _standardized(table: CellTable, names: Sequence[str], figure: str) -> dict[Place, Worths]:
    """By place how much better each system is than their mean there, in standard deviations; of places where all have the figure."""
    if figure not in table.figures:
        return {}
    sign = 1.0 if figure_kind(figure).better == "more" else -1.0
    of_systems = [{(cell.voice, cell.text): sign * cell.value for cell in table.cells(name, figure)} for name in names]
    shared = [place for place in of_systems[0] if all(place in other for other in of_systems[1:])]
    about = {place: [found[place] for found in of_systems] for place in shared}
    about = {place: [value - sum(values) / len(values) for value in values] for place, values in about.items()}
    squares = sum(value**2 for values in about.values() for value in values)
    deviation = (squares / max(1, len(shared) * (len(names) - 1))) ** 0.5
    if not deviation:
        return {}
    return {place: dict(zip(names, (value / deviation for value in values), strict=True)) for place, values in about.items()}


def _spread_out(worths: Mapping[Place, Worths], n: int) -> list[Place]:
    """By turns of who is ahead, the widest gap first, of those whose text and voice were taken least often."""
    gaps = {place: max(found.values()) - min(found.values()) for place, found in worths.items()}
    ahead: dict[str, list[Place]] = {}
    for place in sorted(worths, key=lambda place: (-gaps[place], place)):
        found = worths[place]
        ahead.setdefault(max(found, key=lambda name: found[name]), []).append(place)
    turns = sorted(ahead.values(), key=lambda places: -gaps[places[0]])
    texts: Counter[str] = Counter()
    voices: Counter[str] = Counter()
    taken: list[Place] = []
    for places in _turns(turns):
        if len(taken) == n:
            break
        # min keeps the first, which has the widest gap; far down no gap is worth a listener's time.
        place = min(places[: AMONG * n], key=lambda place: (texts[place[1]], voices[place[0]]))
        places.remove(place)
        taken.append(place)
        voices[place[0]] += 1
        texts[place[1]] += 1
    return taken


def _turns(lists: Sequence[list[Place]]) -> Iterator[list[Place]]:
    """One after the other, as long as any has something."""
    while any(lists):
        yield from (places for places in lists if places)
