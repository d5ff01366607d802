"""Orders: the order in which a listener hears sounds. Over the panel no order favors anything. Pure, and the same at every call."""

import hashlib
import hmac
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from random import Random

__all__ = ["drawn", "in_blocks", "pair_orders", "spread", "trial_order", "williams"]

MOST_TRIES = 200  # of taking two trials of one text apart, without any success


def drawn(key: bytes, *names: object) -> Random:
    """Chance that nobody can foretell who has not the key, and that is the same for the same names."""
    return Random(hmac.new(key, "/".join(map(str, names)).encode(), hashlib.sha256).digest())


@lru_cache(maxsize=64)
def williams(n: int) -> tuple[tuple[int, ...], ...]:
    """Rows of a balanced Latin square of 0 to n - 1: each stands in each position equally often, and follows each other equally often.

    n rows where n is even, 2 n where it is odd: Williams, "Experimental designs balanced for the estimation of residual effects of
    treatments", Australian Journal of Scientific Research A 2 (1949).
    """
    zigzag = [(i + 1) // 2 if i % 2 else (n - i // 2) % n for i in range(n)]
    rows = [tuple((first + shift) % n for first in zigzag) for shift in range(n)]
    if n % 2 and n > 1:
        rows += [tuple(reversed(row)) for row in rows]
    return tuple(rows)


def trial_order(n_subjects: int, n_texts: int, repeats: int, listener: int, chance: Random) -> list[tuple[int, int]]:
    """(subject, text) of each trial; subjects are what is asked about: systems, or pairs of them. listener: from 1.

    Texts are in an order of chance for each subject, all of them before one is repeated.
    """
    waiting = [[text for _ in range(repeats) for text in chance.sample(range(n_texts), n_texts)] for _ in range(n_subjects)]
    return in_blocks(waiting, listener, chance)


def in_blocks(waiting: Sequence[Sequence[int]], listener: int, chance: Random) -> list[tuple[int, int]]:
    """(subject, text) of each trial. waiting: the texts of each subject, the last one first. listener: from 1.

    In blocks, each with every subject once that has a text left, by a row of the balanced Latin square; the row goes on by one from block
    to block and from listener to listener. The same text does not come twice in a row where that can be had.
    """
    rows, left = williams(len(waiting)), [list(texts) for texts in waiting]
    n_blocks = max(map(len, left), default=0)
    subjects = [one for block in range(n_blocks) for one in rows[(listener + block) % len(rows)] if len(left[one]) > block]
    texts = [left[subject].pop() for subject in subjects]
    if len(set(texts)) > 1:
        _take_apart(texts, subjects, chance)
    return list(zip(subjects, texts, strict=True))


def pair_orders(n: int, chance: Random) -> list[tuple[int, int]]:
    """Of n trials of a pair: (which of the two is A, which slot X repeats), each 0 or 1 in half of them, and so independent of each other
    as n allows."""
    cells = [(0, 0), (1, 1), (0, 1), (1, 0)]  # of the first two, and of the last two, each bit is once 0 and once 1
    if chance.random() < 0.5:
        cells = cells[2:] + cells[:2]
    if chance.random() < 0.5:
        cells = [(1 - first, 1 - x) for first, x in cells]
    orders = (cells * (n // 4 + 1))[:n]
    chance.shuffle(orders)
    return orders


def spread(texts: Sequence[int], extra: Sequence[int], chance: Random) -> list[int]:
    """Where trials of the texts `extra` go among those of `texts`: indices into `texts`, rising, before which they are asked.

    One in each stretch of equal length, at a place of chance, and beside no trial of its own text where that can be had.
    """
    stretch, places = len(texts) / max(1, len(extra)), []
    for index, text in enumerate(extra):
        first, last = int(index * stretch), max(int((index + 1) * stretch), int(index * stretch) + 1)
        choices = [place for place in range(max(1, first), last + 1) if not places or place > places[-1]] or [last]
        good = [place for place in choices if text not in texts[max(0, place - 1) : place + 1]]
        places.append(chance.choice(good or choices))
    return places


def _take_apart(texts: list[int], subjects: list[int], chance: Random) -> None:
    """Swap texts between trials of one subject, in place, until no text follows itself, or nothing more can be won."""
    of_subject: dict[int, list[int]] = {}
    for index, subject in enumerate(subjects):
        of_subject.setdefault(subject, []).append(index)
    tries = 0
    clashes = _clashes(texts)
    while clashes and tries < MOST_TRIES:
        at = chance.choice(clashes) - chance.randrange(2)
        others = of_subject[subjects[at]]
        gains = [(_change(texts, at, other), chance.random(), other) for other in others if texts[other] != texts[at]]
        best = min(gains, default=None)
        tries = 0 if best and best[0] < 0 else tries + 1
        if best and best[0] <= 0:
            texts[at], texts[best[2]] = texts[best[2]], texts[at]
            clashes = _clashes(texts)


def _clashes(texts: list[int]) -> list[int]:
    return [index for index, (before, here) in enumerate(pairwise(texts), start=1) if before == here]


def _change(texts: list[int], at: int, other: int) -> int:
    """How many more clashes there are when these two change places."""
    edges = {edge for index in (at, other) for edge in (index, index + 1) if 0 < edge < len(texts)}
    before = sum(texts[edge] == texts[edge - 1] for edge in edges)
    texts[at], texts[other] = texts[other], texts[at]
    after = sum(texts[edge] == texts[edge - 1] for edge in edges)
    texts[at], texts[other] = texts[other], texts[at]
    return after - before
