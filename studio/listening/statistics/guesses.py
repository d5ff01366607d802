"""Guesses: findings of ABX: right answers against chance, for each pair."""

import math

from studio.listening.statistics.ballot import Ballot, MethodFindings
from studio.listening.statistics.findings import Line, VotedPair
from studio.listening.statistics.permutation import holm
from studio.listening.statistics.power import CLEAR, abx_power
from studio.listening.statistics.proportions import ALPHA, clopper_pearson, critical_one_sided, one_sided

__all__ = ["abx_findings", "percent"]

OPEN = 0.2  # p below which guessing does not explain it well, though not badly enough
MOST_NAMED = 3  # pairs in a sentence
LEAST_QUESTIONS = 5  # 5 of 5 is the first that chance reaches less than 1 in 20 times


def abx_findings(ballot: Ballot) -> MethodFindings:
    """Nothing is called equal: what was not heard has a share of right answers that it may still have."""
    ballot = ballot.turned()
    counts = {}
    for pair in ballot.pairs():
        right = [vote.score > 0.5 for vote in ballot.votes if (vote.system, vote.other) == pair]
        counts[pair] = sum(right), len(right)
    ps = [one_sided(right, n) for right, n in counts.values()]
    pairs = []
    for ((system, other), (right, n)), p, p_holm in zip(counts.items(), ps, holm(ps), strict=True):
        low, high = clopper_pearson(right, n)
        pairs.append(VotedPair(system, other, n, "binomial", p, p_holm, wins=right, share=right / n, share_low=low, share_high=high))
    systems = tuple(map(ballot.finding, ballot.systems))
    verdict = _verdict(pairs[0]) if len(pairs) == 1 else _verdict_of_several(pairs, ballot)
    return MethodFindings(systems, tuple(pairs), verdict, _notes(pairs))


def percent(share: float, *, least: int = 0, most: int = 100) -> int:
    """Rounded, for a sentence."""
    return min(max(round(100 * share), least), most)


def _verdict(pair: VotedPair) -> tuple[Line, ...]:
    right, n = int(pair.wins), pair.n
    values: dict[str, object] = {"right": right, "n": n}
    if n < LEAST_QUESTIONS:
        return (Line("verdict_abx_too_few", values),)
    if pair.p < ALPHA:
        chance = max(math.ceil(1000 * pair.p) / 10, 0.1)
        values |= {"low": percent(pair.share_low), "high": percent(pair.share_high), "chance": chance}
        return (Line("verdict_abx_heard", values),)
    if _is_below_chance(pair):
        return (Line("verdict_abx_below", values),)
    values["power"] = percent(abx_power(n, CLEAR), least=1, most=99)
    if pair.p < OPEN:
        return (Line("verdict_abx_open", {**values, "needed": critical_one_sided(n)}),)
    return (Line("verdict_abx_unheard", values),)


def _verdict_of_several(pairs: list[VotedPair], ballot: Ballot) -> tuple[Line, ...]:
    heard = [pair for pair in pairs if pair.p_holm < ALPHA]
    if not heard:
        return (Line("verdict_abx_several_none", {"n": len(pairs)}),)
    shown = heard if len(heard) <= MOST_NAMED else sorted(heard, key=lambda pair: pair.p)[:MOST_NAMED]
    names = [f"{ballot.label(pair.system)} / {ballot.label(pair.other)}" for pair in shown]
    values = {"heard": len(heard), "n": len(pairs), "names": names}
    if len(shown) == len(heard):
        return (Line("verdict_abx_several", values),)
    return (Line("verdict_abx_several_more", {**values, "more": len(heard) - len(shown)}),)


def _notes(pairs: list[VotedPair]) -> tuple[Line, ...]:
    unheard = [pair for pair in pairs if pair.p_holm >= ALPHA]
    notes = []
    if unheard:
        notes.append(Line("note_not_equal", {"high": percent(max(pair.share_high for pair in unheard))}))
    for pair in pairs:
        if _is_below_chance(pair):
            notes.append(Line("note_abx_below", {"right": int(pair.wins), "n": pair.n}))
    return (*notes, Line("note_ranges_votes"))


def _is_below_chance(pair: VotedPair) -> bool:
    """Whether so few are right that guessing hardly explains it."""
    return 1 - one_sided(int(pair.wins) + 1, pair.n) < ALPHA / 2
