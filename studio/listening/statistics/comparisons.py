"""Comparisons: findings of CMOS: how much better one of two systems is, and what follows for all systems."""

from functools import partial

from studio.crossed.crossed_model import Contrast
from studio.crossed.ranges import ROUNDING, Judgment, judged_mean
from studio.crossed.together import Family
from studio.listening.model.designs import cell_means
from studio.listening.model.judged_votes import ComparedSystems, Pair, floored
from studio.listening.statistics.ballot import Ballot, MethodFindings, family_of
from studio.listening.statistics.findings import PairFinding
from studio.listening.statistics.preferences import first_slot_notes, sized
from studio.listening.statistics.ranking import Ranking, ahead_of, gap_line
from studio.words.line import Line

__all__ = ["cmos_findings"]

MOST = 3.0  # of the scale -3 to 3
MOST_GRADES, GRADE_STEP = 4.0, 0.1  # between two grades of 1.0 to 5.0
SMALL, LARGE = 0.5, 1.0  # half of "slightly better"; "slightly better" itself


def cmos_findings(ballot: Ballot) -> MethodFindings:
    """A system's place among several goes by the mean of its differences from the others."""
    ballot = ballot.turned()
    names = ballot.pairs()
    most, rounding = (MOST_GRADES, 2 * ROUNDING * GRADE_STEP**2) if ballot.method == "bs1116" else (MOST, ROUNDING)
    compared = ComparedSystems(
        cell_means(ballot.votes), ballot.systems, partial(_judged, most=most, rounding=rounding, margin=ballot.margin)
    )
    judged = compared.pairs(names, family_of(names, ballot.systems))
    pairs = tuple(PairFinding.of_points(pair, ballot.n_votes(pair), found) for pair, found in judged.items())
    standing = Ranking({name: _net(name, judged) for name in ballot.systems}, ahead_of(judged))
    systems = tuple(ballot.finding(name, rank=standing.ranks[name]) for name in ballot.systems)
    is_single = len(names) == 1
    verdict = _verdict(ballot, names[0], judged[names[0]]) if is_single else standing.lines("cmos", ballot.label)
    if ballot.method == "bs1116":
        verdict = tuple(_grade_line(ballot, pair) for pair in pairs if ballot.role(pair.system) == "system") or verdict
    notes = first_slot_notes(ballot.votes, tie=0)
    if standing.is_shared and not is_single:
        notes = (*notes, Line("note_tied"))
    has_ranges = all(found.low is not None for found in judged.values())
    told = (*notes, Line("note_ranges_rated" if has_ranges else "note_no_range"))
    return MethodFindings(systems, pairs, verdict, told, compared.components)


def _judged(found: Contrast, family: Family, n_cells: int, *, most: float, rounding: float, margin: float | None) -> Judgment:
    return judged_mean(floored(found, rounding / n_cells), family, (-most, most), margin)


def _grade_line(ballot: Ballot, pair: PairFinding) -> Line:
    """The mean difference grade of a system, 0 where nobody hears it (BS.1116-3, 8)."""
    values = {"system": ballot.label(pair.system), "grade": round(pair.difference or 0.0, 2)}
    if pair.low_all is None or pair.high_all is None:
        return Line("verdict_bs1116_bare", values)
    key = "verdict_bs1116_heard" if pair.is_clear else "verdict_bs1116_none"
    return Line(key, {**values, "low": round(pair.low_all, 2), "high": round(pair.high_all, 2)})


def _net(name: str, judged: dict[Pair, Judgment]) -> float:
    """Of what is known: two that no votes link have no difference."""
    known = ((pair, found.estimate) for pair, found in judged.items() if name in pair)
    signed = [estimate if name == pair[0] else -estimate for pair, estimate in known if estimate is not None]
    return sum(signed) / len(signed) if signed else 0.0


def _verdict(ballot: Ballot, pair: Pair, found: Judgment) -> tuple[Line, ...]:
    labels = {"system": ballot.label(pair[0]), "other": ballot.label(pair[1])}
    if found.low is None or found.high is None:
        return (Line("verdict_cmos_bare", {**labels, "difference": found.estimate}),)
    if not found.is_clear:
        return Line("verdict_cmos_none", labels), *gap_line(found, (labels["system"], labels["other"]), 3, ballot.margin)
    is_first = found.known > 0
    winner, other = pair if is_first else pair[::-1]
    low, high = (found.low, found.high) if is_first else (-found.high, -found.low)
    gap = abs(found.known)
    values = {"winner": ballot.label(winner), "other": ballot.label(other), "difference": round(gap, 2)}
    better = Line("verdict_cmos_better", {**values, "low": round(low, 2), "high": round(high, 2)})
    return better, sized(gap, SMALL, LARGE)
