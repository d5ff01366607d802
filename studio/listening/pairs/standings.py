"""Standings: what wins in a workspace: each system that was heard in blind pairs, with its strength and range (Bradley and Terry)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from studio.listening.pairs.heard_system import HeardSystem
from studio.listening.pairs.pair_votes import SCORES, PairVote
from studio.listening.statistics.ranking import Ranking

__all__ = ["RankedSystem", "Standings", "standings_of"]

MOST_SYSTEMS = 40  # those that were voted on most; more fit into no table


@dataclass(frozen=True)
class RankedSystem:
    """One system. wins: of its n_votes, ties as halves. points: its strength, as Elo's, where 0 is the mean; low, high: the 95 % range.

    rank: 1 is best; as many stand before it as are clearly ahead of it.
    """

    system: HeardSystem
    n_votes: int
    wins: float
    points: float
    low: float
    high: float
    rank: int


@dataclass(frozen=True)
class Standings:
    """systems: best first. n_votes: that compared two systems. n_within: between two takes of one system, which say nothing of systems.

    verdict: `none` without votes; `unlinked` where votes do not lead from each system to each other; `too_few` where chance could decide
    who is first; `first` where one is clearly ahead of all. n_left_out: systems beyond the bound.
    """

    systems: tuple[RankedSystem, ...]
    n_votes: int
    n_within: int
    verdict: Literal["none", "unlinked", "too_few", "first"]
    n_left_out: int = 0


def standings_of(votes: Sequence[PairVote]) -> Standings:
    """The same votes, in whatever order, give the same standings."""
    import numpy as np

    from studio.listening.statistics.strengths import are_linked, votes_strengths

    between = [vote for vote in votes if vote.a != vote.b]
    n_within = len(votes) - len(between)
    counts = Counter(system for vote in between for system in (vote.a, vote.b))
    names = sorted(counts, key=lambda system: (-counts[system], repr(system)))[:MOST_SYSTEMS]
    if not names:
        return Standings((), 0, n_within, "none")
    index = {system: number for number, system in enumerate(names)}
    counted = [vote for vote in between if vote.a in index and vote.b in index]
    wins = np.zeros((len(names), len(names)))
    for vote in counted:
        a, b, score = index[vote.a], index[vote.b], SCORES[vote.choice]
        wins[a, b] += score
        wins[b, a] += 1 - score
    found = votes_strengths(wins)
    ahead = frozenset((names[one], names[other]) for one, other in zip(*found.ahead.nonzero(), strict=True))
    ranking = Ranking(dict(zip(names, map(float, found.points), strict=True)), ahead)
    ranks, n_games = ranking.ranks, (wins + wins.T).sum(axis=1)
    systems = [
        RankedSystem(
            name,
            int(n_games[i]),
            float(wins[i].sum()),
            float(found.points[i]),
            float(found.low[i]),
            float(found.high[i]),
            ranks[name],
        )
        for i, name in enumerate(names)
    ]
    is_clear = all((ranking.first[0], other) in ahead for other in names if other != ranking.first[0])
    verdict = "unlinked" if not are_linked(wins) else "first" if is_clear else "too_few"
    best_first = tuple(sorted(systems, key=lambda one: (one.rank, -one.points)))
    return Standings(best_first, len(counted), n_within, verdict, len(counts) - len(names))
