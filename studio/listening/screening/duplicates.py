"""Duplicates: who took part twice, or gave the answers that somebody gave before. The first of them counts."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from studio.listening.screening.assessor import Fault
from studio.listening.vote.conduct import Conduct
from studio.listening.vote.vote import Vote

__all__ = ["duplicates"]

LEAST_ANSWERS = 8
MOST_LIKELY = 1e-4  # that any two of a panel agree in everything by chance; above, the same answers are no sign

Key = tuple[str, str, str, int]  # text, system, other, which time


def duplicates(votes: Sequence[Vote], conducts: Mapping[str, Conduct]) -> dict[str, list[Fault]]:
    """By listener. Whoever came with the same browser from the same address, after the other had left, is a doubt alone: people share
    devices, and many of a class have the same ones."""
    found: dict[str, list[Fault]] = {}
    for reason, copies in (
        ("same_participant", _participants(conducts)),
        ("same_answers", _answers(votes)),
        ("same_device", _devices(conducts)),
    ):
        for listener, other in copies.items():
            found.setdefault(listener, []).append(Fault(reason, {"other": other}, excludes=reason != "same_device"))
    return found


def _participants(conducts: Mapping[str, Conduct]) -> dict[str, str]:
    first: dict[str, str] = {}
    named = [(listener, conduct.participant) for listener, conduct in conducts.items() if conduct.participant]
    return {listener: first[name] for listener, name in named if first.setdefault(name, listener) != listener}


def _devices(conducts: Mapping[str, Conduct]) -> dict[str, str]:
    found, last = {}, {}
    for listener, conduct in conducts.items():
        before = last.get(conduct.browser) if conduct.browser else None
        if before is not None and conducts[before].seen <= conduct.begun:
            found[listener] = before
        last[conduct.browser] = listener
    return found


def _answers(votes: Sequence[Vote]) -> dict[str, str]:
    """Who gave all answers of somebody before, where that is no chance: by how often two of a panel give the same one to a question."""
    given: dict[str, dict[Key, float]] = {}
    for vote in (vote for vote in votes if vote.kind == "item"):
        own = given.setdefault(vote.listener, {})
        turn = next(turn for turn in range(len(own) + 1) if (vote.text, vote.system, vote.other, turn) not in own)
        own[vote.text, vote.system, vote.other, turn] = vote.score
    counts: dict[Key, Counter[float]] = {}
    for own in given.values():
        for key, score in own.items():
            counts.setdefault(key, Counter())[score] += 1
    first: dict[frozenset, str] = {}
    found = {}
    for listener, own in given.items():
        other = first.setdefault(frozenset(own.items()), listener)
        if other != listener and len(own) >= LEAST_ANSWERS and _likelihood(own, counts, len(given)) < MOST_LIKELY:
            found[listener] = other
    return found


def _likelihood(own: Mapping[Key, float], counts: Mapping[Key, Counter[float]], n_listeners: int) -> float:
    """That some two of so many listeners give all these answers alike, if each answered for themselves. The two that do are counted as one,
    and an answer that nobody else gave as given by half a person, so that a small panel proves nothing."""
    logarithm = math.log(max(1.0, n_listeners * (n_listeners - 1) / 2))
    for key in own:
        others = [n - (score == own[key]) for score, n in counts[key].items()]
        total = sum(others)
        logarithm += math.log((sum(n * n for n in others) + 0.5) / (total * total + 1)) if total else 0.0
    return math.exp(min(0.0, logarithm))
