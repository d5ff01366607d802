"""verdict_of: the sentence or two that say which system is better, of what is beyond chance alone."""

from collections.abc import Sequence

from studio.evaluations.statistics.findings import Line
from studio.evaluations.statistics.lines import Standing

__all__ = ["verdict_of"]

MOST_NAMED = 4  # systems in a verdict, each with a sentence


def verdict_of(standing: Standing) -> tuple[Line, ...]:
    """Of two systems what each is better in; of more who is ahead of all others, and who is behind them."""
    if not standing.means:
        return (Line("verdict_nothing"),)
    if len(standing.compared) == 1:
        return (Line("verdict_alone", {"name": standing.label(standing.compared[0])}),)
    if not any(pair.low_all is not None for pair in standing.pairs):
        return (Line("verdict_too_few"),)
    if not any(pair.better for pair in standing.pairs):
        return (Line("verdict_alike", {"names": [standing.label(name) for name in standing.compared], "n": len(standing.compared)}),)
    return _of_two(standing, *standing.compared) if len(standing.compared) == 2 else _of_several(standing)


def _of_two(standing: Standing, one: str, other: str) -> tuple[Line, ...]:
    ahead = {name: [pair.figure for pair in standing.pairs if pair.better == name] for name in (one, other)}
    if all(ahead.values()):
        names = {"name": standing.label(one), "other": standing.label(other)}
        return (Line("verdict_mixed", {**names, "ahead": ahead[one], "other_ahead": ahead[other]}),)
    winner, loser = (one, other) if ahead[one] else (other, one)
    return (Line("verdict_better", {"name": standing.label(winner), "other": standing.label(loser), "ahead": ahead[winner]}),)


def _of_several(standing: Standing) -> tuple[Line, ...]:
    lines = [*_extremes(standing, "verdict_leads", "ahead", "better"), *_extremes(standing, "verdict_last", "behind", "worse")]
    if lines and lines[0].key == "verdict_leads":
        return tuple(lines)
    unbeaten = [name for name in standing.compared if not any(pair.worse == name for pair in standing.pairs)]
    first = Line("verdict_unbeaten", {"names": [standing.label(name) for name in unbeaten], "n": len(unbeaten)})
    return (first if unbeaten else Line("verdict_none_leads"), *lines)


def _extremes(standing: Standing, key: str, place: str, which: str) -> Sequence[Line]:
    """Systems that are better, or worse, than each other one in some figure."""
    found = []
    for name in standing.compared:
        figures = [
            figure
            for figure in standing.judged
            if sum(getattr(pair, which) == name for pair in standing.pairs if pair.figure == figure) == len(standing.compared) - 1
        ]
        if figures:
            found.append(Line(key, {"name": standing.label(name), place: figures}))
    return sorted(found, key=lambda line: -len(line.values[place]))[:MOST_NAMED]
