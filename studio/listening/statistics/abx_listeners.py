"""ABX listeners: who of them heard a difference. A few who do are lost among many who guess, unless each is looked at."""

from collections import Counter
from collections.abc import Iterable

from studio.listening.statistics.findings import HeardBy
from studio.listening.statistics.proportions import holm, one_sided
from studio.listening.vote.vote import Vote

__all__ = ["who_heard"]


def who_heard(votes: Iterable[Vote]) -> tuple[HeardBy, ...]:
    """By name. votes: of an ABX test, by listeners who count; all pairs of systems together."""
    asked: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for vote in votes:
        asked[vote.listener] += 1
        right[vote.listener] += vote.score > 0.5
    listeners = sorted(asked)
    ps = [one_sided(right[listener], asked[listener]) for listener in listeners]
    return tuple(
        HeardBy(listener, right[listener], asked[listener], p, p_all) for listener, p, p_all in zip(listeners, ps, holm(ps), strict=True)
    )
