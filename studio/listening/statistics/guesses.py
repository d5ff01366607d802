"""Guesses: findings of ABX: right answers against chance, for each pair."""

import math

from studio.crossed.crossed_model import OF_GUESSES, Contrast, CrossedModel
from studio.crossed.ranges import judged_share
from studio.crossed.together import Family
from studio.listening.model.designs import single_design
from studio.listening.statistics.ballot import Ballot, MethodFindings
from studio.listening.statistics.findings import PairFinding
from studio.listening.statistics.power import CLEAR, abx_power
from studio.listening.statistics.proportions import critical_one_sided
from studio.words.line import Line

__all__ = ["abx_findings", "percent"]

OPEN = 0.2  # p below which guessing does not explain it well, though not badly enough
BELOW = 0.975  # p from which on so few are right that guessing hardly explains it
MOST_NAMED = 3  # pairs in a sentence
LEAST_QUESTIONS = 5  # 5 of 5 is the first that chance reaches less than 1 in 20 times


def abx_findings(ballot: Ballot) -> MethodFindings:
    """Nothing is called equal: what was not heard has a share of right answers that it may still have."""
    import numpy as np

    ballot = ballot.turned()
    names = ballot.pairs()
    pairs, components = [], {}
    for pair in names:
        votes = [vote for vote in ballot.votes if (vote.system, vote.other) == pair]
        right = sum(vote.score > 0.5 for vote in votes)
        model = CrossedModel(single_design(votes), OF_GUESSES) if len(votes) > 1 else None
        found = model.contrast(np.ones(1)) if model else Contrast(right / len(votes), 0.0, 1.0)
        components = components or (model.components if model else {})
        judged = judged_share(found, Family(len(names)), len(votes), of_chance=True)
        pairs.append(PairFinding.of_votes(pair, len(votes), judged, right))
    systems = tuple(map(ballot.finding, ballot.systems))
    verdict = _verdict(pairs[0]) if len(pairs) == 1 else _verdict_of_several(pairs, ballot)
    return MethodFindings(systems, tuple(pairs), verdict, _notes(pairs), components)


def percent(share: float | None, *, least: int = 0, most: int = 100) -> int:
    """Rounded, for a sentence."""
    return min(max(round(100 * (share or 0.0)), least), most)


def _verdict(pair: PairFinding) -> tuple[Line, ...]:
    right, n = int(pair.wins or 0), pair.n
    values: dict[str, object] = {"right": right, "n": n}
    if n < LEAST_QUESTIONS:
        return (Line("verdict_abx_too_few", values),)
    if pair.is_clear:
        chance = max(math.ceil(1000 * pair.p) / 10, 0.1)
        values |= {"low": percent(pair.share_low), "high": percent(pair.share_high), "chance": chance}
        return (Line("verdict_abx_heard", values),)
    if pair.p > BELOW:
        return (Line("verdict_abx_below", values),)
    needed = critical_one_sided(n)
    if needed is not None and right >= needed:
        return (Line("verdict_abx_differ", {**values, "low": percent(pair.share_low), "high": percent(pair.share_high)}),)
    values["power"] = percent(abx_power(n, CLEAR), least=1, most=99)
    if pair.p < OPEN:
        return (Line("verdict_abx_open", {**values, "needed": needed}),)
    return (Line("verdict_abx_unheard", values),)


def _verdict_of_several(pairs: list[PairFinding], ballot: Ballot) -> tuple[Line, ...]:
    heard = [pair for pair in pairs if pair.is_clear]
    if not heard:
        return (Line("verdict_abx_several_none", {"n": len(pairs)}),)
    shown = heard if len(heard) <= MOST_NAMED else sorted(heard, key=lambda pair: pair.p)[:MOST_NAMED]
    names = [f"{ballot.label(pair.system)} / {ballot.label(pair.other)}" for pair in shown]
    values = {"heard": len(heard), "n": len(pairs), "names": names}
    if len(shown) == len(heard):
        return (Line("verdict_abx_several", values),)
    return (Line("verdict_abx_several_more", {**values, "more": len(heard) - len(shown)}),)


def _notes(pairs: list[PairFinding]) -> tuple[Line, ...]:
    unheard = [pair for pair in pairs if not pair.is_clear]
    notes = []
    if unheard:
        notes.append(Line("note_not_equal", {"high": percent(max(pair.share_high_all or 1.0 for pair in unheard))}))
    for pair in pairs:
        if pair.p > BELOW:
            notes.append(Line("note_abx_below", {"right": int(pair.wins or 0), "n": pair.n}))
    return (*notes, Line("note_ranges_votes"))
