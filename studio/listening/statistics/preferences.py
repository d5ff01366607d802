"""Preferences: findings of AB: each pair by the crossed model, and strengths by Bradley and Terry."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from studio.crossed.crossed_model import Contrast
from studio.crossed.ranges import Judgment, judged_share
from studio.crossed.together import Family
from studio.listening.model.judged_votes import ComparedSystems
from studio.listening.statistics.ballot import Ballot, MethodFindings, family_of
from studio.listening.statistics.findings import PairFinding, SystemFinding
from studio.listening.statistics.guesses import percent
from studio.listening.statistics.proportions import two_sided
from studio.listening.statistics.ranking import Ranking, ahead_of
from studio.listening.statistics.strengths import STEADY_VOTES, Strengths, are_linked, bradley_terry
from studio.listening.vote.vote import Vote
from studio.words.line import Line

if TYPE_CHECKING:
    import numpy as np

__all__ = ["ab_findings", "first_slot_notes", "sized"]

SMALL, LARGE = 2 / 3, 0.8  # shares of votes: below it a difference is small, from it on large
SLOT_ALPHA = 0.01  # of a liking for the first slot
MOST_UNEVEN = 0.2  # between the counts of both orders, as a share of all


def ab_findings(ballot: Ballot) -> MethodFindings:
    """A tie counts half for each. Of several systems a pair's share is by way of the others too."""
    ballot = ballot.turned()
    names = ballot.pairs()
    rows = [(vote.listener, vote.text, vote.system, vote.other, vote.score - 0.5) for vote in ballot.votes]
    compared = ComparedSystems(rows, ballot.systems, partial(_judged, margin=ballot.margin))
    judged = compared.pairs(names, family_of(names, ballot.systems))
    pairs = tuple(_pair(pair, found, ballot) for pair, found in judged.items())
    wins = _wins(ballot)
    strengths = bradley_terry(wins, ballot.rng())
    ahead = ahead_of({pair: replace(found, estimate=(found.estimate or 0.5) - 0.5) for pair, found in judged.items()})
    standing = Ranking(dict(zip(ballot.systems, map(float, strengths.points), strict=True)), ahead)
    verdict = _verdict(ballot, pairs[0]) if len(ballot.systems) == 2 else standing.lines("ab", ballot.label)
    notes = _notes(ballot, pairs, wins, standing)
    return MethodFindings(_systems(ballot, strengths, standing), pairs, verdict, notes, compared.components)


def first_slot_notes(votes: Iterable[Vote], tie: float) -> tuple[Line, ...]:
    """Where the first of two slots was chosen so much more often (or seldom) than the other that it is no chance.

    tie: the score that says neither. Nothing is said unless both orders were heard about as often: a favorite may have been the first.
    """
    decided = [vote for vote in votes if vote.score != tie]
    n, system_first = len(decided), sum(vote.first for vote in decided)
    chosen = sum((vote.score > tie) == vote.first for vote in decided)
    is_even = abs(2 * system_first - n) <= MOST_UNEVEN * n
    return (Line("note_first_slot", {"wins": chosen, "n": n}),) if is_even and two_sided(chosen, n) < SLOT_ALPHA else ()


def sized(gap: float, small: float, large: float) -> Line:
    """How large a clear difference is."""
    return Line(f"verdict_{'small' if gap < small else 'large' if gap >= large else 'medium'}")


def _judged(found: Contrast, family: Family, n_votes: int, *, margin: float | None) -> Judgment:
    return judged_share(replace(found, estimate=found.estimate + 0.5), family, n_votes, margin=margin)


def _pair(pair: tuple[str, str], found: Judgment, ballot: Ballot) -> PairFinding:
    scores = [vote.score for vote in ballot.votes if (vote.system, vote.other) == pair]
    if found.low is None and scores:
        found = replace(found, estimate=sum(scores) / len(scores))
    return PairFinding.of_votes(pair, len(scores), found, sum(scores), scores.count(0.5))


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


def _verdict(ballot: Ballot, pair: PairFinding) -> tuple[Line, ...]:
    """Of two systems."""
    share, wins = pair.share or 0.0, pair.wins or 0.0
    if pair.ties == pair.n:
        return (Line("verdict_ab_all_ties", {"n": pair.n}),)
    is_first = share >= 0.5
    winner, wins = (pair.system, wins) if is_first else (pair.other, pair.n - wins)
    ends = [percent(end) for end in (pair.share_low_all, pair.share_high_all)]
    low, high = ends if is_first else (100 - ends[1], 100 - ends[0])
    values = {"winner": ballot.label(winner), "wins": wins if wins % 1 else int(wins), "n": pair.n, "low": low, "high": high}
    if not pair.is_clear:
        equal = (Line("verdict_equal_shares", {"margin": percent(ballot.margin)}),) if pair.is_equal else ()
        return (Line("verdict_ab_none", values), *equal)
    return Line("verdict_ab_preferred", values), sized(max(share, 1 - share), SMALL, LARGE)


def _notes(ballot: Ballot, pairs: tuple[PairFinding, ...], wins: np.ndarray, standing: Ranking[str]) -> tuple[Line, ...]:
    notes = []
    if ties := sum(pair.ties for pair in pairs):
        notes.append(Line("note_ties", {"n": ties}))
    if len(ballot.systems) > 2:
        fewest = min(pair.n for pair in pairs)
        if fewest < STEADY_VOTES:
            notes.append(Line("note_votes_per_pair", {"n": fewest, "least": STEADY_VOTES}))
        if not are_linked(wins.sum(axis=0)):
            notes.append(Line("note_unlinked"))
        if standing.is_shared:
            notes.append(Line("note_tied"))
        notes.append(Line("note_strengths"))
    return (*notes, *first_slot_notes(ballot.votes, tie=0.5), Line("note_ranges_votes"))
