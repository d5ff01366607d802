"""Ratings: findings of MOS, SMOS and MUSHRA: means with ranges, and every two systems compared.

Also the results of references and anchors.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from studio.listening.plan.plan import SINGLE
from studio.listening.statistics.ballot import Ballot, MethodFindings
from studio.listening.statistics.cells import Cells
from studio.listening.statistics.differences import ahead_of, compared_pairs
from studio.listening.statistics.findings import Line, SystemFinding
from studio.listening.statistics.permutation import friedman
from studio.listening.statistics.ranges import MeanRange, ranges_of
from studio.listening.statistics.ranking import Ranking, bound, points

if TYPE_CHECKING:
    import numpy as np

__all__ = ["rated_findings"]

MUSHRA_LEAST = 20  # listeners after screening (BS.1534-3, 4.1.3)
LEAST_P = 0.001  # below, only that it is
CEILINGS = ("reference", "recording")  # what ought to be rated best
CLOSE = 0.15  # of a scale: those whose difference may be larger are not called equal, but not clearly different, as CMOS has it
FLOORS = ("lowpass-3.5", "other-voice", "embedded")  # and what worst


def rated_findings(ballot: Ballot) -> MethodFindings:
    """References and anchors have means, but no place, and are in no pair: what they are is known."""
    scale = ballot.rating_scale
    ends = _ends(scale)
    cells = Cells.of(ballot.votes, ballot.systems)
    ranges = dict(zip(ballot.systems, ranges_of(cells.values, ballot.rng(), step=1.0, ends=ends), strict=True))
    names = tuple(combinations(ballot.compared, 2))
    differences = {pair: cells.differences(*pair) for pair in names}
    pairs, of_pairs = compared_pairs(differences, ballot, ends[1] - ends[0])
    standing = Ranking({name: ranges[name].known_mean for name in ballot.compared}, ahead_of(of_pairs))
    systems = tuple(_system(name, ballot, cells, ranges[name], standing) for name in ballot.systems)
    verdict = _verdict(ballot, ranges, of_pairs, standing, scale)
    return MethodFindings(systems, pairs, verdict, _notes(ballot, cells, ranges, standing, scale))


def _ends(scale: int) -> tuple[float, float]:
    """The least and the most score."""
    return (0.0, 100.0) if scale == 100 else (1.0, float(scale))


def _system(name: str, ballot: Ballot, cells: Cells, of_mean: MeanRange, standing: Ranking[str]) -> SystemFinding:
    import numpy as np

    scores = [vote.score for vote in ballot.votes if vote.system == name]
    by_listener = {
        listener: float(np.nanmean(row))
        for listener, row in zip(cells.listeners, cells.of_system(name), strict=True)
        if not np.isnan(row).all()
    }
    grades = range(1, ballot.points + 1) if ballot.method in SINGLE else ()
    histogram = tuple(sum(round(score) == grade for score in scores) for grade in grades)
    return SystemFinding(
        name,
        ballot.label(name),
        ballot.role(name),
        len(scores),
        mean=of_mean.mean,
        low=of_mean.low,
        high=of_mean.high,
        median=float(np.median(scores)),
        rank=standing.ranks.get(name),
        by_listener=by_listener,
        histogram=histogram,
    )


def _verdict(
    ballot: Ballot, ranges: dict[str, MeanRange], of_pairs: dict[tuple[str, str], MeanRange], standing: Ranking[str], scale: int
) -> tuple[Line, ...]:
    compared = ballot.compared
    if len(compared) < 2 or all(found.low is None for found in of_pairs.values()):
        return tuple(_mean_line(ballot.label(name), ranges[name], scale) for name in compared) or (Line("verdict_nothing"),)
    of_first = [found.farthest for pair, found in of_pairs.items() if set(pair) <= set(standing.first)]
    is_close = max(of_first, default=0.0) <= CLOSE * (_ends(scale)[1] - _ends(scale)[0])
    lines = standing.lines(ballot.asked if is_close or len(standing.first) == 1 else "cmos", ballot.label, scale)
    if len(standing.first) == len(compared):
        most = max(found.farthest for found in of_pairs.values())
        lines = (*lines, Line("verdict_gap_bound", {"most": bound(most, scale), "scale": scale}))
    return lines


def _mean_line(label: str, found: MeanRange, scale: int) -> Line:
    values = {"name": label, "mean": points(found.known_mean, scale), "scale": scale}
    if found.low is None or found.high is None:
        return Line("verdict_mean_bare", values)
    return Line("verdict_mean", {**values, "low": points(found.low, scale), "high": points(found.high, scale)})


def _notes(ballot: Ballot, cells: Cells, ranges: dict[str, MeanRange], standing: Ranking[str], scale: int) -> tuple[Line, ...]:
    notes = _reference_notes(ballot, ranges, scale)
    if ballot.method == "mushra" and len(ballot.listeners) < MUSHRA_LEAST:
        notes.append(Line("note_few_for_mushra", {"least": MUSHRA_LEAST, "n": len(ballot.listeners)}))
    has_ranges = all(found.low is not None for found in ranges.values())
    if len(ballot.compared) > 1 and standing.is_shared and has_ranges:
        notes.append(Line("note_tied"))
    if (p := friedman(_listeners_means(cells, ballot.compared))) is not None:
        notes.append(Line("note_friedman_below", {"p": LEAST_P}) if p < LEAST_P else Line("note_friedman", {"p": round(p, 3)}))
    missing = int((cells.values != cells.values).sum())
    if missing:
        notes.append(Line("note_missing", {"n": missing, "all": cells.values.size}))
    return (*notes, Line("note_ranges_rated" if has_ranges else "note_no_range"))


def _listeners_means(cells: Cells, systems: tuple[str, ...]) -> np.ndarray:
    """(S, L) float64: over the texts of which a listener rated all systems; NaN without one."""
    import numpy as np

    values = cells.values[[cells.systems.index(name) for name in systems]]
    whole = ~np.isnan(values).any(axis=0)
    with np.errstate(invalid="ignore"):
        return np.where(whole, np.nan_to_num(values), 0.0).sum(axis=2) / whole.sum(axis=1)


def _reference_notes(ballot: Ballot, ranges: dict[str, MeanRange], scale: int) -> list[Line]:
    notes = []
    means = {name: ranges[name].known_mean for name in ballot.compared}
    for name in ballot.systems:
        mean = ranges[name].known_mean
        values = {"name": ballot.label(name), "mean": points(mean, scale), "scale": scale}
        if ballot.role(name) in CEILINGS:
            as_high = [ballot.label(other) for other in means if means[other] >= mean]
            beaten = Line("note_reference_beaten", {"names": as_high, "reference": ballot.label(name)})
            notes.append(beaten if as_high else Line("note_reference_found", values))
        elif ballot.role(name) in FLOORS:
            others = {other: ranges[other].known_mean for other in ballot.systems if other != name}  # the reference too
            as_low = [ballot.label(other) for other in others if ballot.role(other) not in FLOORS and others[other] <= mean]
            if as_low:
                notes.append(Line("note_anchor_high", {**values, "names": as_low}))
            elif all(mean < other for other in others.values()):
                notes.append(Line("note_anchor_found", values))
    return notes
