"""Arena: how votes of many voters are counted, and which pair is asked about next. Pure.

Of one voter the first MOST_A_DAY votes of a day (UTC) count. Those that count weigh together at most MOST_SHARE of all weight, or, where
there are fewer than twenty voters, twice what one of them weighs on average: nobody decides alone by voting often.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import combinations

from studio.listening.pairs.heard_system import HeardSystem
from studio.listening.pairs.pair_votes import PairVote

__all__ = ["MOST_A_DAY", "MOST_SHARE", "counted_votes", "groups_of", "least_known", "most_weight"]

MOST_A_DAY = 30
MOST_SHARE = 0.1
DAY_SECONDS = 24 * 3600

Two = frozenset[HeardSystem]


def counted_votes(votes: Sequence[PairVote]) -> tuple[PairVote, ...]:
    """Those that count, oldest first."""
    of_days: Counter[tuple[str, int]] = Counter()
    counted = []
    for vote in sorted(votes, key=lambda vote: (vote.at, vote.id)):
        day = (vote.voter, int(vote.at // DAY_SECONDS))
        of_days[day] += 1
        if of_days[day] <= MOST_A_DAY:
            counted.append(vote)
    return tuple(counted)


def most_weight(counts: Collection[float]) -> float:
    """As how many votes those of one voter weigh at most. counts: of each voter, above 0.

    The largest m that is no more than its share of all, where each voter weighs their count or m, whichever is less.
    """
    if not counts:
        return 0.0
    share = max(MOST_SHARE, 2 / len(counts))
    below, n_rest = 0.0, len(counts)
    for count in sorted(counts):
        if share * (below + n_rest * count) < count:
            return share * below / (1 - share * n_rest)
        below, n_rest = below + count, n_rest - 1
    return max(counts)


def groups_of(systems: Sequence[HeardSystem], linked: Collection[Two]) -> dict[HeardSystem, int]:
    """The number of the group of each: votes lead from each of a group to each other of it, and to none of another. 0 is of the first."""
    groups: dict[HeardSystem, int] = {}
    for system in systems:
        if system in groups:
            continue
        number, reached = len(set(groups.values())), [system]
        while reached:
            groups[one := reached.pop()] = number
            reached += [other for two in linked if one in two for other in two if other not in groups]
    return groups


def least_known(
    systems: Sequence[HeardSystem], votes: Sequence[PairVote], passed: Collection[Two], draw: Callable[[int], int]
) -> Two | None:
    """Which two are to be heard next: those with the fewest votes between them; of several, two that votes do not link, then those with the
    fewest votes in all, then by chance. None where no pair is left.

    systems: on offer. passed: pairs that are not asked about. draw(n): a whole number below n.
    """
    between = Counter(frozenset((vote.a, vote.b)) for vote in votes if vote.a != vote.b)
    each = Counter(system for two, n in between.items() for system in two for _ in range(n))
    groups = groups_of(systems, between.keys())

    def known(two: Two) -> tuple[int, bool, int]:
        return between[two], len({groups[one] for one in two}) == 1, sum(each[one] for one in two)

    asked = [two for two in map(frozenset, combinations(dict.fromkeys(systems), 2)) if two not in passed]
    fewest = [two for two in asked if known(two) == min(map(known, asked))]
    return fewest[draw(len(fewest))] if fewest else None
