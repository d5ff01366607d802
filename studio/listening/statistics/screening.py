"""Screening: which listeners do not count, and why. Rules: ITU-R BS.1534-3, 4.1.2 (post-screening), and ITU-T P.808 for attention."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from statistics import median
from typing import get_args

from studio.listening.plan.design import Role
from studio.listening.statistics.findings import Assessor, Exclusion
from studio.listening.vote.answer_check import least_heard
from studio.listening.vote.vote import Vote

__all__ = ["role_of", "screened"]

HIDDEN_REFERENCE_LEAST = 90  # BS.1534-3: an assessor who rates it lower,
MID_ANCHOR_MOST = 90  # or the 7 kHz anchor higher,
MOST_SHARE = 0.15  # in more than this share of the items, is excluded; so is who is too fast or hears too little as often
MOST_MISSED = 1 / 3  # of gold items, and of traps
LEAST_SECONDS = 1.0  # for an answer
ROLES_BY_NAME: tuple[Role, ...] = get_args(Role)


def role_of(system: str, roles: Mapping[str, Role]) -> Role:
    """As was said; else what has the name of a role is that, and all others are systems."""
    return roles.get(system) or (system if system in ROLES_BY_NAME else "system")


def screened(votes: Iterable[Vote], roles: Mapping[str, Role], counted: Mapping[str, bool]) -> tuple[Assessor, ...]:
    """Everybody who voted, in order of name. counted: by hand, which goes before all rules; a reason that did not exclude is a doubt."""
    votes = sorted((vote for vote in votes if vote.kind != "training"), key=lambda vote: vote.listener)
    lengths = _lengths(votes)
    found = []
    for listener, group in groupby(votes, key=lambda vote: vote.listener):
        own = tuple(group)
        judged = _judged(own, roles, lengths)
        by_hand = counted.get(listener)
        counts = not any(excludes for _, excludes in judged) if by_hand is None else by_hand
        reasons = [Exclusion(listener, reason, values) for (reason, values), _ in judged]
        if by_hand is False:
            reasons.insert(0, Exclusion(listener, "by_hand"))
        found.append(Assessor(listener, sum(vote.kind == "item" for vote in own), counts, tuple(reasons)))
    return tuple(found)


def _judged(votes: Sequence[Vote], roles: Mapping[str, Role], lengths: Mapping[str, float]) -> list[tuple[tuple[str, dict], bool]]:
    """((reason, values), whether it excludes) of one listener."""
    items = [vote for vote in votes if vote.kind == "item"]
    references = [v.score for v in items if v.method == "mushra" and role_of(v.system, roles) == "reference"]
    anchors = [v.score for v in items if v.method == "mushra" and role_of(v.system, roles) == "lowpass-7"]
    trials = {vote.trial: vote.seconds for vote in items}
    is_timed = any(trials.values())
    timed = [vote for vote in items if vote.text in lengths]
    rules = (
        ("hidden_reference", [score < HIDDEN_REFERENCE_LEAST for score in references], MOST_SHARE),
        ("mid_anchor", [score > MID_ANCHOR_MOST for score in anchors], MOST_SHARE),
        ("gold", _missed(votes, "gold"), MOST_MISSED),
        ("trap", _missed(votes, "trap"), MOST_MISSED),
        ("too_fast", [seconds < LEAST_SECONDS for seconds in trials.values()] if is_timed else [], MOST_SHARE),
        ("unheard", [v.heard_seconds < least_heard(lengths[v.text]) for v in timed], MOST_SHARE),
    )
    judged = [(("experimenter", {}), True)] if any(vote.experimenter for vote in votes) else []
    for reason, faults, most in rules:
        if n := sum(faults):
            judged.append(((reason, {"n": n, "of": len(faults)}), n / len(faults) > most))
    return judged


def _missed(votes: Sequence[Vote], kind: str) -> list[bool]:
    """Of each trial of that kind, whether it was not as it should be; a trial has as many votes as sounds were rated in it."""
    trials: dict[int, bool] = {}
    for vote in votes:
        if vote.kind == kind:
            trials[vote.trial] = trials.get(vote.trial, False) or vote.passed is False
    return list(trials.values())


def _lengths(votes: Iterable[Vote]) -> dict[str, float]:
    """Text -> seconds that its sounds have, as far as votes tell: what half of them heard in one play. Of a loop that is too much.

    Texts of which nothing is known are left out.
    """
    heard: dict[str, list[float]] = {}
    for vote in votes:
        if vote.heard_seconds > 0:
            heard.setdefault(vote.text, []).append(vote.heard_seconds / max(vote.plays, 1))
    return {text: median(seconds) for text, seconds in heard.items()}
