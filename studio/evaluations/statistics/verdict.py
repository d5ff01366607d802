"""verdict_of: the sentence or two that say which system is better, of what is beyond chance alone."""

from collections.abc import Sequence

from studio.evaluations.statistics.lines import Evidence
from studio.words.line import Line

__all__ = ["verdict_of"]

MOST_NAMED = 4  # systems in a verdict, each with a sentence


def verdict_of(evidence: Evidence) -> tuple[Line, ...]:
    """Of two systems what each is better in; of more who is ahead of all others, and who is behind them."""
    if not evidence.means:
        return (Line("verdict_nothing"),)
    if len(evidence.compared) == 1:
        return (Line("verdict_alone", {"name": evidence.label(evidence.compared[0])}),)
    if not evidence.pairs:
        return (Line("verdict_unshared"),)
    if not any(pair.low_all is not None for pair in evidence.pairs):
        return (Line("verdict_too_few"),)
    if not any(pair.better for pair in evidence.pairs):
        return (Line("verdict_alike", {"names": [evidence.label(name) for name in evidence.compared], "n": len(evidence.compared)}),)
    return _of_two(evidence, *evidence.compared) if len(evidence.compared) == 2 else _of_several(evidence)


def _of_two(evidence: Evidence, one: str, other: str) -> tuple[Line, ...]:
    ahead = {name: [pair.figure for pair in evidence.pairs if pair.better == name] for name in (one, other)}
    if all(ahead.values()):
        names = {"name": evidence.label(one), "other": evidence.label(other)}
        return (Line("verdict_mixed", {**names, "ahead": ahead[one], "other_ahead": ahead[other]}),)
    winner, loser = (one, other) if ahead[one] else (other, one)
    return (Line("verdict_better", {"name": evidence.label(winner), "other": evidence.label(loser), "ahead": ahead[winner]}),)


def _of_several(evidence: Evidence) -> tuple[Line, ...]:
    lines = [*_extremes(evidence, "verdict_leads", "ahead", "better"), *_extremes(evidence, "verdict_last", "behind", "worse")]
    if lines and lines[0].key == "verdict_leads":
        return tuple(lines)
    unbeaten = [name for name in evidence.compared if not any(pair.worse == name for pair in evidence.pairs)]
    first = Line("verdict_unbeaten", {"names": [evidence.label(name) for name in unbeaten], "n": len(unbeaten)})
    return (first if unbeaten else Line("verdict_none_leads"), *lines)


def _extremes(evidence: Evidence, key: str, place: str, which: str) -> Sequence[Line]:
    """Systems that are better, or worse, than each other one in some figure."""
    found = []
    for name in evidence.compared:
        figures = [
            figure
            for figure in evidence.judged
            if sum(getattr(pair, which) == name for pair in evidence.pairs if pair.figure == figure) == len(evidence.compared) - 1
        ]
        if figures:
            found.append(Line(key, {"name": evidence.label(name), place: figures}))
    return sorted(found, key=lambda line: -len(line.values[place]))[:MOST_NAMED]
