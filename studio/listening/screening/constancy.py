"""Constancy: who gives nearly the same answer to everything, or always to the same slot, while most others do not."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from statistics import median

from studio.listening.screening.assessor import Fault
from studio.listening.vote.vote import Vote

__all__ = ["constants"]

LEAST_ANSWERS = 10  # the same slot ten times of ten is chance for one in five hundred
LEAST_APART = 0.1  # below the limit has to be what half of all listeners have


def constants(votes: Sequence[Vote], most: float) -> dict[str, list[Fault]]:
    """By listener. most: share of a listener's answers that may be the same.

    "No difference" and 0 are no answer for a slot: who hears nothing says so each time. A panel that is as constant is left alone.
    """
    items = sorted((vote for vote in votes if vote.kind == "item"), key=lambda vote: vote.listener)
    by_listener = {listener: list(group) for listener, group in groupby(items, key=lambda vote: vote.listener)}
    scored = {listener: [_scored(vote) for vote in own if vote.method not in ("ab", "abx")] for listener, own in by_listener.items()}
    slotted = {listener: list(filter(None, map(_slot, own))) for listener, own in by_listener.items()}
    found: dict[str, list[Fault]] = {}
    for reason, answers in (("same_answer", scored), ("same_slot", slotted)):
        for listener, values in _over(answers, most).items():
            found.setdefault(listener, []).append(Fault(reason, values | {"most": round(100 * most)}))
    return found


def _over(answers: Mapping[str, Sequence[object]], most: float) -> dict[str, dict[str, object]]:
    counts = {listener: (_commonest(given), len(given)) for listener, given in answers.items() if len(given) >= LEAST_ANSWERS}
    if not counts or median(n / of for n, of in counts.values()) > most - LEAST_APART:
        return {}
    return {listener: {"n": n, "of": of} for listener, (n, of) in counts.items() if n / of > most}


def _commonest(given: Iterable[object]) -> int:
    return max(Counter(given).values())


def _scored(vote: Vote) -> int:
    """As it was answered: of a comparison above 0 for the second slot, whatever was in it."""
    return round(-vote.score if vote.other and vote.first else vote.score)


def _slot(vote: Vote) -> str:
    """Of a pair which slot was ahead; "" for neither, and of ratings."""
    if not vote.other:
        return ""
    ahead = vote.score if vote.method == "cmos" else vote.score - 0.5
    return "" if not ahead else "A" if (ahead > 0) == vote.first else "B"
