"""Preferences: findings of AB: a sign test for each pair, and a ranking by Bradley and Terry. Crossed effects have to confirm either."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from studio.listening.statistics.ballot import Ballot, MethodFindings
from studio.listening.statistics.cells import Cells
from studio.listening.statistics.crossed import mean_error
from studio.listening.statistics.findings import Line, SystemFinding, VotedPair
from studio.listening.statistics.guesses import percent
from studio.listening.statistics.permutation import holm, least_sign_flip, sign_flip
from studio.listening.statistics.power import CLEAR, preference_power
from studio.listening.statistics.proportions import ALPHA, SignTest, clopper_pearson, sign_test, two_sided
from studio.listening.statistics.ranking import Ranking
from studio.listening.statistics.strengths import STEADY_VOTES, Strengths, are_linked, bradley_terry
from studio.listening.vote.vote import Vote

if TYPE_CHECKING:
    import numpy as np

__all__ = ["ab_findings", "first_slot_notes"]

SMALL, LARGE = 2 / 3, 0.8  # shares of votes: below it a difference is small, from it on large
SLOT_ALPHA = 0.01  # of a liking for the first slot
MOST_UNEVEN = 0.2  # between the counts of both orders, as a share of all


def ab_findings(ballot: Ballot) -> MethodFindings:
    """A tie counts half for each in shares and strengths, and is dropped by the test."""
    ballot = ballot.turned()
    tests = {pair: sign_test([vote.score for vote in ballot.votes if (vote.system, vote.other) == pair]) for pair in ballot.pairs()}
    corrected = holm([test.p for test in tests.values()])
    pairs = tuple(_pair(pair, test, p_holm) for (pair, test), p_holm in zip(tests.items(), corrected, strict=True))
    wins = _wins(ballot)
    strengths = bradley_terry(wins, ballot.rng())
    is_single = len(ballot.systems) == 2
    is_clear = is_single and pairs[0].p < ALPHA and _holds_for_others(ballot)
    standing = _standing_of_two(ballot, pairs[0], is_clear) if is_single else _standing(ballot, strengths)
    verdict = _verdict(ballot, pairs[0], is_clear) if is_single else standing.lines("ab", ballot.label)
    return MethodFindings(_systems(ballot, strengths, standing), pairs, verdict, _notes(ballot, pairs, wins, standing))


def first_slot_notes(votes: Iterable[Vote], tie: float) -> tuple[Line, ...]:
    """Where the first of two slots was chosen so much more often (or seldom) than the other that it is no chance.

    tie: the score that says neither. Nothing is said unless both orders were heard about as often: a favorite may have been the first.
    """
    decided = [vote for vote in votes if vote.score != tie]
    n, system_first = len(decided), sum(vote.first for vote in decided)
    chosen = sum((vote.score > tie) == vote.first for vote in decided)
    is_even = abs(2 * system_first - n) <= MOST_UNEVEN * n
    return (Line("note_first_slot", {"wins": chosen, "n": n}),) if is_even and two_sided(chosen, n) < SLOT_ALPHA else ()


def _pair(pair: tuple[str, str], test: SignTest, p_holm: float) -> VotedPair:
    n = test.wins + test.losses + test.ties
    wins = test.wins + test.ties / 2
    low, high = clopper_pearson(wins, n)
    return VotedPair(*pair, n, "sign", test.p, p_holm, wins=wins, ties=test.ties, share=wins / n, share_low=low, share_high=high)


def _wins(ballot: Ballot) -> np.ndarray:
    """(L, S, S) float64: how often each listener preferred the row to the column."""
    import numpy as np

    wins = np.zeros((len(ballot.listeners), len(ballot.systems), len(ballot.systems)))
    listeners = {name: number for number, name in enumerate(ballot.listeners)}
    systems = {name: number for number, name in enumerate(ballot.systems)}
    for vote in ballot.votes:
        listener, system, other = listeners[vote.listener], systems[vote.system], systems[vote.other]
        wins[listener, system, other] += vote.score
        wins[listener, other, system] += 1 - vote.score
    return wins


def _standing(ballot: Ballot, strengths: Strengths) -> Ranking[str]:
    names, apart = ballot.systems, _apart_for_others(ballot)
    ahead = frozenset((names[one], names[other]) for one, other in zip(*strengths.ahead.nonzero(), strict=True))
    return Ranking(dict(zip(names, map(float, strengths.points), strict=True)), ahead & apart)


def _apart_for_others(ballot: Ballot) -> frozenset[tuple[str, str]]:
    """(better, worse) of several systems, where the difference is beyond what listeners and texts differ by, with all pairs counted (Holm).

    A system's score in a cell of listener and text is the mean of what it won (1) and lost (-1) there, against whichever others. Strengths
    alone know no texts: where listeners and texts have tastes as in `_holds_for_others`, they call one of three that are alike better in
    10.7 % of tests (10 x 10); with this beside them in 4.3 %. The votes of a pair alone would find less: of three, at 63 to 37 without
    tastes, strengths find 62 %, with this 55 %, with the pair's own votes 37 %. Both ways round where no cell has both: nothing is known.
    """
    scores = [replace(vote, other="", score=2 * vote.score - 1) for vote in ballot.votes]
    scores += [replace(vote, system=vote.other, other="", score=1 - 2 * vote.score) for vote in ballot.votes]
    cells = Cells.of(scores, ballot.systems)
    found = {pair: mean_error(cells.differences(*pair)) for pair in combinations(ballot.systems, 2)}
    corrected = holm([error.p for error in found.values()])
    apart = set()
    for (pair, error), p in zip(found.items(), corrected, strict=True):
        if error.half_width is None:
            apart |= {pair, pair[::-1]}
        elif p < ALPHA:
            apart.add(pair if error.known_mean > 0 else pair[::-1])
    return frozenset(apart)


def _holds_for_others(ballot: Ballot) -> bool:
    """Whether votes of one pair lean one way beyond what listeners and texts differ by, who are a sample of others.

    A sign test takes each vote for one of its own: where listeners and texts favor one of two systems that are alike over all, each with
    an SD of a third of what votes vary by, it calls a preference in 9 to 21 % of tests; with this beside it in 4 to 5 %. Where they do not,
    35 votes find 75 to 25 in 70 % of tests in place of 87. True where one listener judged one text alone: of others nothing is known.
    """
    votes = [replace(vote, score=2 * vote.score - 1) for vote in ballot.votes if vote.score != 0.5]
    cells = Cells.of(votes, ballot.pairs())
    found = mean_error(cells.values[0])
    return found.half_width is None or found.p < ALPHA


def _standing_of_two(ballot: Ballot, pair: VotedPair, is_clear: bool) -> Ranking[str]:
    better, worse = ballot.systems if pair.share >= 0.5 else ballot.systems[::-1]
    return Ranking({better: 1.0, worse: 0.0}, frozenset({(better, worse)}) if is_clear else frozenset())


def _systems(ballot: Ballot, strengths: Strengths, standing: Ranking[str]) -> tuple[SystemFinding, ...]:
    has_ranges = len(ballot.listeners) > 1
    found = []
    for number, name in enumerate(ballot.systems):
        found.append(
            ballot.finding(
                name,
                rank=standing.ranks[name],
                strength=float(strengths.points[number]),
                strength_low=float(strengths.low[number]) if has_ranges else None,
                strength_high=float(strengths.high[number]) if has_ranges else None,
            )
        )
    return tuple(found)


def _verdict(ballot: Ballot, pair: VotedPair, is_clear: bool) -> tuple[Line, ...]:
    """Of two systems; in votes that preferred one."""
    n = pair.n - pair.ties
    if not n:
        return (Line("verdict_ab_all_ties", {"n": pair.n}),)
    wins = round(pair.wins - pair.ties / 2)
    winner, wins = (pair.system, wins) if 2 * wins >= n else (pair.other, n - wins)
    low, high = clopper_pearson(wins, n)
    values = {"winner": ballot.label(winner), "wins": wins, "n": n, "low": percent(low), "high": percent(high)}
    if pair.p >= ALPHA:
        return (Line("verdict_ab_none", {**values, "power": percent(preference_power(n, CLEAR), most=99)}),)
    if not is_clear:
        return (Line("verdict_ab_open", {"winner": ballot.label(winner), "wins": wins, "n": n}),)
    size = "small" if wins / n < SMALL else "large" if wins / n >= LARGE else "medium"
    return Line("verdict_ab_preferred", values), Line(f"verdict_{size}")


def _notes(ballot: Ballot, pairs: tuple[VotedPair, ...], wins: np.ndarray, standing: Ranking[str]) -> tuple[Line, ...]:
    notes = []
    if ties := sum(pair.ties for pair in pairs):
        notes.append(Line("note_ties", {"n": ties}))
    if len(ballot.systems) == 2:
        p = sign_flip(wins[:, 0, 1] - wins[:, 1, 0], ballot.rng())
        if pairs[0].p < ALPHA <= p and least_sign_flip(len(wins)) < ALPHA:
            notes.append(Line("note_listeners_disagree", {"p": round(p, 3)}))
    else:
        fewest = min(pair.n for pair in pairs)
        if fewest < STEADY_VOTES:
            notes.append(Line("note_votes_per_pair", {"n": fewest, "least": STEADY_VOTES}))
        if not are_linked(wins.sum(axis=0)):
            notes.append(Line("note_unlinked"))
        if standing.is_shared:
            notes.append(Line("note_tied"))
        notes.append(Line("note_strengths"))
    return (*notes, *first_slot_notes(ballot.votes, tie=0.5), Line("note_ranges_votes"))
