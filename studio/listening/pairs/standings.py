"""Standings: what wins in a workspace, or among all voters of an open arena: each system that was heard in blind pairs, with its strength
and range (Bradley and Terry)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from studio.listening.pairs.arena import counted_votes, groups_of, most_weight
from studio.listening.pairs.heard_system import HeardSystem
from studio.listening.pairs.pair_votes import SCORES, PairVote
from studio.listening.statistics.ranking import Ranking

if TYPE_CHECKING:
    import numpy as np

    from studio.listening.statistics.strengths import Strengths

__all__ = ["RankedSystem", "Standings", "arena_standings", "workspace_standings"]

MOST_SYSTEMS = 40  # those that were voted on most; more fit into no table
LEAST_VOTERS = 6  # who all say the same do so by chance in 3 of 100 cases (2 / 2**6); of five it is 6
N_RESAMPLES = 1000


@dataclass(frozen=True)
class RankedSystem:
    """One system. wins: of its n_votes, ties as halves. points: its strength, as Elo's; 0 is the mean of its group. low, high: the 95 %
    range, None while too few voters tell it. rank: 1 is best; as many stand before it as are clearly ahead of it.

    group: votes lead from each system of a group to each other of it; between groups nothing is known. 0 is that of the most votes.
    """

    system: HeardSystem
    n_votes: int
    wins: float
    points: float
    low: float | None
    high: float | None
    rank: int
    group: int = 0


@dataclass(frozen=True)
class Standings:
    """systems: best first, group by group. n_votes: that compared two systems; n_within: between two takes of one system, which say nothing
    of systems; n_uncounted: that an arena's rules leave out. first_at, last_at: of all votes, seconds since 1970.

    verdict: `none` without votes; `unlinked` where votes do not lead from each system to each other; `too_few` where chance could decide
    who is first; `first` where one is clearly ahead of all. n_left_out: systems beyond the bound. n_voters: None of a workspace.
    """

    systems: tuple[RankedSystem, ...]
    n_votes: int
    n_within: int
    verdict: Literal["none", "unlinked", "too_few", "first"]
    n_left_out: int = 0
    n_voters: int | None = None
    n_uncounted: int = 0
    first_at: float | None = None
    last_at: float | None = None


def workspace_standings(votes: Sequence[PairVote]) -> Standings:
    """Each vote counts, and as one of its own. The same votes, in whatever order, give the same standings."""
    return _dated(_standings(votes, _strengths_of_votes), votes)


def arena_standings(votes: Sequence[PairVote]) -> Standings:
    """By the arena's rules, with ranges by resampling whole voters. The same votes, in whatever order, give the same standings."""
    counted = counted_votes(votes)
    found = _dated(_standings(counted, _strengths_of_voters), votes)
    return replace(found, n_voters=len({vote.voter for vote in votes}), n_uncounted=len(votes) - len(counted))


def _dated(found: Standings, votes: Sequence[PairVote]) -> Standings:
    times = [vote.at for vote in votes]
    return replace(found, first_at=min(times, default=None), last_at=max(times, default=None))


def _strengths_of_votes(wins: np.ndarray) -> Strengths:
    """wins: (V, S, S), of each voter how often the row was preferred to the column."""
    from studio.listening.statistics.strengths import votes_strengths

    return votes_strengths(wins.sum(axis=0))


def _strengths_of_voters(wins: np.ndarray) -> Strengths:
    """Nobody is ahead as long as there are fewer than LEAST_VOTERS."""
    import numpy as np

    from studio.listening.statistics.strengths import LOOKED_AT_ALPHA, bradley_terry

    counts = wins.sum(axis=(1, 2))
    weights = np.minimum(1.0, most_weight(counts.tolist()) / counts)
    alpha = LOOKED_AT_ALPHA if len(wins) >= LEAST_VOTERS else 0.0
    return bradley_terry(wins * weights[:, None, None], np.random.default_rng(0), N_RESAMPLES, alpha)


def _standings(votes: Sequence[PairVote], strengths_of: Callable[[np.ndarray], Strengths]) -> Standings:
    """votes: all that count."""
    between = [vote for vote in votes if vote.a != vote.b]
    n_within = len(votes) - len(between)
    counts = Counter(system for vote in between for system in (vote.a, vote.b))
    names = sorted(counts, key=lambda system: (-counts[system], repr(system)))[:MOST_SYSTEMS]
    if not names:
        return Standings((), 0, n_within, "none")
    counted = [vote for vote in between if vote.a in names and vote.b in names]
    groups = groups_of(names, {frozenset((vote.a, vote.b)) for vote in counted})
    ranked = [_ranked(counted, [name for name in names if groups[name] == number], number, strengths_of) for number in set(groups.values())]
    systems = tuple(one for group, _ in ranked for one in group)
    verdict = "unlinked" if len(ranked) > 1 else "first" if ranked[0][1] else "too_few"
    return Standings(systems, len(counted), n_within, verdict, len(counts) - len(names))


def _ranked(
    votes: Sequence[PairVote], names: Sequence[HeardSystem], group: int, strengths_of: Callable[[np.ndarray], Strengths]
) -> tuple[list[RankedSystem], bool]:
    """Those of one group, best first, and whether the first is clearly ahead of all others."""
    wins = _wins([vote for vote in votes if vote.a in names], names)
    found, won = strengths_of(wins), wins.sum(axis=0)
    ahead = frozenset((names[one], names[other]) for one, other in zip(*found.ahead.nonzero(), strict=True))
    ranks = Ranking(dict(zip(names, map(float, found.points), strict=True)), ahead).ranks
    systems = [
        RankedSystem(
            name,
            int((won[i] + won[:, i]).sum()),
            float(won[i].sum()),
            float(found.points[i]),
            _known(found.low[i]),
            _known(found.high[i]),
            ranks[name],
            group,
        )
        for i, name in enumerate(names)
    ]
    best_first = sorted(systems, key=lambda one: (one.rank, -one.points))
    return best_first, all((best_first[0].system, one.system) in ahead for one in best_first[1:])


def _wins(votes: Sequence[PairVote], names: Sequence[HeardSystem]) -> np.ndarray:
    """(V, S, S), of each voter how often the row was preferred to the column; ties count half for each."""
    import numpy as np

    voters = {voter: number for number, voter in enumerate(sorted({vote.voter for vote in votes}))}
    index = {system: number for number, system in enumerate(names)}
    wins = np.zeros((len(voters), len(names), len(names)))
    for vote in votes:
        voter, a, b, score = voters[vote.voter], index[vote.a], index[vote.b], SCORES[vote.choice]
        wins[voter, a, b] += score
        wins[voter, b, a] += 1 - score
    return wins


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
