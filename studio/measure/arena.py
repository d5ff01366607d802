"""Trust in what wins in an open arena, simulated: `python -m studio.measure.arena [--arenas 1000] [--seed 1]`.

Voters with tastes vote on systems of which the truth is known, some much more often than others. Printed is how often 95 % ranges hold the
truth (93 to 97 % is wanted), those by resampling whole voters beside those that take each vote for one of its own, and how often one of
systems that are alike is ever ahead, looked at again and again while voters come (5.5 % at most).
"""

import argparse
import time
from dataclasses import dataclass

import numpy as np

from studio.listening.pairs.arena import most_weight
from studio.listening.statistics.strengths import LOOKED_AT_ALPHA, Strengths, bradley_terry, fit_strengths, votes_strengths

__all__ = ["SCENES", "Arena", "Coverage", "coverage"]

N_RESAMPLES = 400
MOST_VOTES = 500  # of a voter
N_TYPICAL = 40_000  # voters whose mean is the truth
N_LOOKS = 40
LEAST_LOOKED_AT = 15  # votes


@dataclass(frozen=True)
class Arena:
    """tastes: SD between voters of each system, logits. gap: between two systems that follow each other, logits. ties: share of votes.

    median, spread: of the votes of a voter, which are log-normal with that SD of the logarithm.
    """

    n_voters: int = 40
    n_systems: int = 5
    tastes: float = 0.5
    gap: float = 0.3
    ties: float = 0.0
    median: float = 25.0
    spread: float = 1.0

    @property
    def worth(self) -> np.ndarray:
        return self.gap * np.arange(self.n_systems)

    def truth(self) -> np.ndarray:
        """(S,) points that a poll of everybody would come to: tastes and ties draw what single votes say to the middle."""
        liked = self.worth + np.random.default_rng(0).normal(0, self.tastes, (N_TYPICAL, self.n_systems))
        won = np.array([[_chance(one - other).mean() for other in liked.T] for one in liked.T])
        return fit_strengths(N_TYPICAL * ((1 - self.ties) * won + self.ties / 2) * (1 - np.eye(self.n_systems)), prior=0)

    def wins(self, rng: np.random.Generator) -> np.ndarray:
        """(V, S, S), of each voter how often the row was preferred to the column."""
        first, second = np.triu_indices(self.n_systems, 1)
        votes = np.clip(np.exp(rng.normal(np.log(self.median), self.spread, self.n_voters)).round(), 1, MOST_VOTES).astype(int)
        liked = self.worth + rng.normal(0, self.tastes, (self.n_voters, self.n_systems))
        asked = np.array([rng.multinomial(n, np.full(len(first), 1 / len(first))) for n in votes])
        tied = rng.binomial(asked, self.ties)
        won = rng.binomial(asked - tied, _chance(liked[:, first] - liked[:, second]))
        wins = np.zeros((self.n_voters, self.n_systems, self.n_systems))
        wins[:, first, second], wins[:, second, first] = won + tied / 2, asked - won - tied / 2
        return wins


@dataclass(frozen=True)
class Coverage:
    """Shares of ranges that hold the truth, by resampling voters and by single votes; and how wide the ranges are on average, points."""

    by_voters: float
    by_votes: float
    voters_width: float
    votes_width: float


SCENES = {
    "40 voters": Arena(),
    "40 voters, alike systems": Arena(gap=0.0),
    "40 voters, a fifth ties": Arena(ties=0.2),
    "40 voters, few of many votes": Arena(median=10.0, spread=1.3),
    "12 voters": Arena(n_voters=12),
    "200 voters": Arena(n_voters=200, median=10.0),
}


def coverage(arena: Arena, n: int, seed: int, n_resamples: int = N_RESAMPLES) -> Coverage:
    """Over n arenas."""
    truth, found = arena.truth(), []
    for number in range(n):
        rng = np.random.default_rng((seed, number))
        wins = arena.wins(rng)
        by_voters, by_votes = _by_voters(wins, rng, n_resamples), votes_strengths(wins.sum(axis=0))
        found.append([_held(by_voters, truth), _held(by_votes, truth), _width(by_voters), _width(by_votes)])
    return Coverage(*map(float, np.mean(found, axis=0)))


def ever_ahead(arena: Arena, n: int, seed: int, n_resamples: int = 150) -> float:
    """The share of n arenas of alike systems in which one is ahead at any look, while voters come and vote."""
    return float(np.mean([_is_ever_ahead(arena, np.random.default_rng((seed, number)), n_resamples) for number in range(n)]))


def _is_ever_ahead(arena: Arena, rng: np.random.Generator, n_resamples: int) -> bool:
    wins = arena.wins(rng)
    voters, won, lost = (part.repeat(wins[wins > 0].astype(int)) for part in wins.nonzero())
    begun = 0.7 * rng.random(arena.n_voters)
    order = np.argsort(begun[voters] + (1 - begun[voters]) * rng.random(len(voters)))
    for n_votes in np.geomspace(LEAST_LOOKED_AT, len(order), N_LOOKS).astype(int):
        until = order[:n_votes]
        looked_at = np.zeros_like(wins)
        np.add.at(looked_at, (voters[until], won[until], lost[until]), 1)
        if _by_voters(looked_at[looked_at.any(axis=(1, 2))], rng, n_resamples).ahead.any():
            return True
    return False


def _by_voters(wins: np.ndarray, rng: np.random.Generator, n_resamples: int) -> Strengths:
    counts = wins.sum(axis=(1, 2))
    weights = np.minimum(1.0, most_weight(counts.tolist()) / counts)
    return bradley_terry(wins * weights[:, None, None], rng, n_resamples, LOOKED_AT_ALPHA)


def _chance(logits: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-logits))


def _held(found: Strengths, truth: np.ndarray) -> float:
    return float(np.mean((found.low <= truth) & (truth <= found.high)))


def _width(found: Strengths) -> float:
    return float(np.mean(found.high - found.low))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--arenas", type=int, default=1000, help="simulated arenas for each figure")
    parser.add_argument("--seed", type=int, default=1)
    asked, began = parser.parse_args(), time.perf_counter()
    print(f"Ranges that hold the truth, and their width in points{'':3}{'by voters':>18}{'by single votes':>20}")
    for name, arena in SCENES.items():
        found = coverage(arena, asked.arenas, asked.seed)
        by_voters, by_votes = (
            f"{held:.1%}  {width:.0f}" for held, width in ((found.by_voters, found.voters_width), (found.by_votes, found.votes_width))
        )
        print(f"{name:56}{by_voters:>18}{by_votes:>20}", flush=True)
    for tastes in (0.5, 0.0):
        share = ever_ahead(Arena(gap=0.0, tastes=tastes, median=50.0), max(1, asked.arenas // 5), asked.seed)
        print(f"Alike systems, tastes {tastes}: one is ever ahead at {N_LOOKS} looks in {share:.1%}", flush=True)
    print(f"seed {asked.seed}; {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
