"""Ratings: findings of MOS, SMOS and MUSHRA: means with ranges, and every two systems compared.

Also the results of references and anchors.
"""

from studio.crossed.ranges import Judgment
from studio.listening.model.designs import cell_means
from studio.listening.model.judged_votes import Pair, RatedSystems
from studio.listening.plan.plan import SINGLE
from studio.listening.statistics.ballot import Ballot, MethodFindings
from studio.listening.statistics.findings import PairFinding, SystemFinding
from studio.listening.statistics.ranking import Ranking, ahead_of, bound, gap_line, points
from studio.words.line import Line

__all__ = ["rated_findings"]

MUSHRA_LEAST = 20  # listeners after screening (BS.1534-3, 4.1.3)
CEILINGS = ("reference", "recording")  # what ought to be rated best
FLOORS = ("lowpass-3.5", "other-voice", "embedded")  # and what worst


def rated_findings(ballot: Ballot) -> MethodFindings:
    """References and anchors have means, but no place, and are in no pair: what they are is known."""
    scale = ballot.rating_scale
    rated = RatedSystems(cell_means(ballot.votes), ballot.compared, _ends(scale), margin=ballot.margin)
    means = {name: rated.mean(name) for name in ballot.systems}
    judged = rated.pairs()
    pairs = tuple(PairFinding.of_points(pair, ballot.n_votes(pair), found) for pair, found in judged.items())
    standing = Ranking({name: means[name].known for name in ballot.compared}, ahead_of(judged))
    systems = tuple(_system(name, ballot, means[name], standing) for name in ballot.systems)
    notes = _notes(ballot, means, standing, scale)
    return MethodFindings(systems, pairs, _verdict(ballot, means, judged, standing, scale), notes, rated.components)


def _ends(scale: int) -> tuple[float, float]:
    """The least and the most score."""
    return (0.0, 100.0) if scale == 100 else (1.0, float(scale))


def _system(name: str, ballot: Ballot, mean: Judgment, standing: Ranking[str]) -> SystemFinding:
    from statistics import fmean, median

    by_text: dict[str, dict[str, list[float]]] = {}
    scores = []
    for vote in ballot.votes:
        if vote.system == name:
            by_text.setdefault(vote.listener, {}).setdefault(vote.text, []).append(vote.score)
            scores.append(vote.score)
    grades = range(1, ballot.points + 1) if ballot.method in SINGLE else ()
    histogram = tuple(sum(round(score) == grade for score in scores) for grade in grades)
    return SystemFinding(
        name,
        ballot.label(name),
        ballot.role(name),
        len(scores),
        mean=mean.estimate,
        low=mean.low,
        high=mean.high,
        median=float(median(scores)),
        rank=standing.ranks.get(name),
        by_listener={listener: fmean(map(fmean, texts.values())) for listener, texts in sorted(by_text.items())},
        histogram=histogram,
    )


def _verdict(
    ballot: Ballot, means: dict[str, Judgment], judged: dict[Pair, Judgment], standing: Ranking[str], scale: int
) -> tuple[Line, ...]:
    compared, first = ballot.compared, standing.first
    if len(compared) < 2 or all(found.low is None for found in judged.values()):
        return tuple(_mean_line(ballot.label(name), means[name], scale) for name in compared) or (Line("verdict_nothing"),)
    of_first = [found for pair, found in judged.items() if set(pair) <= set(first)]
    are_equal = all(found.is_equal for found in of_first)
    lines = standing.lines(ballot.asked if len(first) == 1 or are_equal else "cmos", ballot.label, scale)
    if len(first) == 1:
        return lines
    if are_equal:
        return (*lines, Line("verdict_equal_within", {"margin": ballot.margin, "scale": scale}))
    if len(compared) == 2:
        return (*lines, *gap_line(of_first[0], (ballot.label(compared[0]), ballot.label(compared[1])), scale, ballot.margin))
    if len(first) == len(compared):
        return (*lines, Line("verdict_gap_bound", {"most": bound(max(found.farthest for found in of_first), scale), "scale": scale}))
    return lines


def _mean_line(label: str, found: Judgment, scale: int) -> Line:
    values = {"name": label, "mean": points(found.known, scale), "scale": scale}
    if found.low is None or found.high is None:
        return Line("verdict_mean_bare", values)
    return Line("verdict_mean", {**values, "low": points(found.low, scale), "high": points(found.high, scale)})


def _notes(ballot: Ballot, means: dict[str, Judgment], standing: Ranking[str], scale: int) -> tuple[Line, ...]:
    notes = _reference_notes(ballot, means, scale)
    if ballot.method == "mushra" and len(ballot.listeners) < MUSHRA_LEAST:
        notes.append(Line("note_few_for_mushra", {"least": MUSHRA_LEAST, "n": len(ballot.listeners)}))
    has_ranges = all(found.low is not None for found in means.values())
    if len(ballot.compared) > 1 and standing.is_shared and has_ranges:
        notes.append(Line("note_tied"))
    cells = {(vote.listener, vote.text, vote.system) for vote in ballot.votes}
    n_all = len(ballot.listeners) * len(ballot.texts) * len(ballot.systems)
    if len(cells) < n_all:
        notes.append(Line("note_missing", {"n": n_all - len(cells), "all": n_all}))
    return (*notes, Line("note_ranges_rated" if has_ranges else "note_no_range"))


def _reference_notes(ballot: Ballot, means: dict[str, Judgment], scale: int) -> list[Line]:
    """What ought to be best or worst was it, or was not."""
    notes = []
    known = {name: found.known for name, found in means.items()}
    for name in ballot.systems:
        mean, role = known[name], ballot.role(name)
        values = {"name": ballot.label(name), "mean": points(mean, scale), "scale": scale}
        if role in CEILINGS:
            as_high = [ballot.label(other) for other in ballot.compared if known[other] >= mean]
            beaten = Line("note_reference_beaten", {"names": as_high, "reference": ballot.label(name)})
            notes.append(beaten if as_high else Line("note_reference_found", values))
        elif role in FLOORS:
            others = {other: known[other] for other in ballot.systems if other != name}  # the reference too
            as_low = [ballot.label(other) for other in others if ballot.role(other) not in FLOORS and others[other] <= mean]
            if as_low:
                notes.append(Line("note_anchor_high", {**values, "names": as_low}))
            elif all(mean < other for other in others.values()):
                notes.append(Line("note_anchor_found", values))
    return notes
