"""Comparisons: findings of CMOS: how much better one of two systems is, and what follows for all systems."""

from studio.listening.statistics.ballot import Ballot, MethodFindings
from studio.listening.statistics.cells import Cells
from studio.listening.statistics.differences import Pair, ahead_of, compared_pairs
from studio.listening.statistics.findings import Line, PairFinding
from studio.listening.statistics.preferences import first_slot_notes
from studio.listening.statistics.ranges import MeanRange
from studio.listening.statistics.ranking import Ranking, bound

__all__ = ["cmos_findings"]

MOST = {"bs1116": 4.0}  # a difference of grades of 1 to 5; of the others of the scale -3 to 3:
MOST_COMPARED = 3.0
SMALL, LARGE = 0.5, 1.0  # half of "slightly better"; "slightly better" itself


def cmos_findings(ballot: Ballot) -> MethodFindings:
    """A system's place among several goes by the mean of its differences from the others."""
    ballot = ballot.turned()
    names = ballot.pairs()
    cells = Cells.of(ballot.votes, names)
    pairs, ranges = compared_pairs({pair: cells.of_system(pair) for pair in names}, ballot, MOST.get(ballot.method, MOST_COMPARED))
    standing = Ranking({name: _net(name, ranges) for name in ballot.systems}, ahead_of(ranges))
    systems = tuple(ballot.finding(name, rank=standing.ranks[name]) for name in ballot.systems)
    is_single = len(names) == 1
    verdict = _verdict(ballot, names[0], ranges[names[0]], standing) if is_single else standing.lines("cmos", ballot.label)
    if ballot.method == "bs1116":
        verdict = tuple(_grade_line(ballot, pair, standing) for pair in pairs if ballot.role(pair.system) == "system") or verdict
    notes = first_slot_notes(ballot.votes, tie=0)
    if standing.is_shared and not is_single:
        notes = (*notes, Line("note_tied"))
    has_ranges = all(found.low is not None for found in ranges.values())
    return MethodFindings(systems, pairs, verdict, (*notes, Line("note_ranges_rated" if has_ranges else "note_no_range")))


def _net(name: str, ranges: dict[Pair, MeanRange]) -> float:
    signed = [found.known_mean if name == pair[0] else -found.known_mean for pair, found in ranges.items() if name in pair]
    return sum(signed) / len(signed)


def _grade_line(ballot: Ballot, pair: PairFinding, standing: Ranking[str]) -> Line:
    """The mean difference grade of a system, 0 where nobody hears it (BS.1116-3, 8)."""
    assert pair.difference is not None
    values = {"system": ballot.label(pair.system), "grade": round(pair.difference, 2)}
    if pair.low is None or pair.high is None:
        return Line("verdict_bs1116_bare", values)
    is_apart = {(pair.system, pair.other), (pair.other, pair.system)} & standing.ahead
    return Line(
        "verdict_bs1116_heard" if is_apart else "verdict_bs1116_none", {**values, "low": round(pair.low, 2), "high": round(pair.high, 2)}
    )


def _verdict(ballot: Ballot, pair: Pair, found: MeanRange, standing: Ranking[str]) -> tuple[Line, ...]:
    if found.low is None or found.high is None:
        return (Line("verdict_cmos_bare", {"system": ballot.label(pair[0]), "other": ballot.label(pair[1]), "difference": found.mean}),)
    if not standing.ahead:
        values = {"system": ballot.label(pair[0]), "other": ballot.label(pair[1]), "most": bound(found.farthest, 3)}
        return (Line("verdict_cmos_none", values),)
    ((winner, other),) = standing.ahead
    low, high = (found.low, found.high) if winner == pair[0] else (-found.high, -found.low)
    gap = abs(found.known_mean)
    values = {"winner": ballot.label(winner), "other": ballot.label(other), "difference": round(gap, 2)}
    size = "small" if gap < SMALL else "large" if gap >= LARGE else "medium"
    return Line("verdict_cmos_better", {**values, "low": round(low, 2), "high": round(high, 2)}), Line(f"verdict_{size}")
