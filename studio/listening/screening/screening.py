"""Screened: all listeners of a test with what each rule says of them, and how many each rule leaves out.

Rules: ITU-R BS.1534-3, 4.1.2 (post-screening), ITU-T P.808 for attention, and those of the plan (studio/listening/plan/screening.py).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from statistics import median
from typing import get_args

from studio.listening.plan.design import Role
from studio.listening.plan.screening import Screening
from studio.listening.screening.agreement import agreements
from studio.listening.screening.assessor import Admission, Assessor, Exclusion, Fault, RuleOutcome
from studio.listening.screening.constancy import constants
from studio.listening.screening.duplicates import duplicates
from studio.listening.vote.answer_check import least_heard
from studio.listening.vote.conduct import Conduct
from studio.listening.vote.vote import Vote

__all__ = ["outcomes_of", "role_of", "screened"]

HIDDEN_REFERENCE_LEAST = 90  # BS.1534-3: an assessor who rates it lower,
MID_ANCHOR_MOST = 90  # or the 7 kHz anchor higher,
MOST_SHARE = 0.15  # in more than this share of the items, is excluded; so is who is too fast or hears too little as often
LEAST_SECONDS = 1.0  # for an answer
EARLY_SECONDS = 0.25  # that an answer may come before its sounds can have been heard: clocks, and the last of a sound
ROLES_BY_NAME: tuple[Role, ...] = get_args(Role)


def role_of(system: str, roles: Mapping[str, Role]) -> Role:
    """As was said; else what has the name of a role is that, and all others are systems."""
    return roles.get(system) or (system if system in ROLES_BY_NAME else "system")


def screened(votes: Iterable[Vote], roles: Mapping[str, Role], admission: Admission) -> tuple[Assessor, ...]:
    """Everybody who voted, in order of name. A reason that did not exclude is a doubt."""
    votes = sorted((vote for vote in votes if vote.kind != "training"), key=lambda vote: vote.listener)
    by_listener = {listener: tuple(group) for listener, group in groupby(votes, key=lambda vote: vote.listener)}
    screener = _Screener(votes, by_listener, roles, admission)
    found = []
    for listener, own in by_listener.items():
        reasons = screener.reasons(listener)
        by_hand, conduct = admission.counted.get(listener), admission.conducts.get(listener, Conduct())
        counts = not any(reason.excludes for reason in reasons) if by_hand is None else by_hand
        if by_hand is False:
            reasons.insert(0, Fault("by_hand"))
        told = tuple(Exclusion(listener, reason.reason, reason.values, reason.excludes) for reason in reasons)
        n = sum(vote.kind == "item" for vote in own)
        agreement = screener.agreements.get(listener)
        conditions = (conduct.device, conduct.place, conduct.check)
        found.append(Assessor(listener, n, counts, told, *conditions, agreement.r if agreement else None))
    return tuple(found)


def outcomes_of(assessors: Iterable[Assessor], rules: Screening, votes: Sequence[Vote]) -> tuple[RuleOutcome, ...]:
    """Of all rules that were asked, in their order; whoever made the test is out of them."""
    reasons = [reason for one in assessors for reason in one.exclusions]
    out = Counter(reason.reason for reason in reasons if reason.excludes)
    doubted = Counter(reason.reason for reason in reasons if not reason.excludes)
    return tuple(RuleOutcome(rule, values, out[rule], doubted[rule]) for rule, values in _asked(rules, {vote.method for vote in votes}))


def _asked(rules: Screening, methods: set[str]) -> Sequence[tuple[str, Mapping[str, object]]]:
    """(rule, its limit for a sentence)."""
    share = round(100 * MOST_SHARE)
    percents = {
        "gold": rules.most_gold_missed, "trap": rules.most_traps_missed, "early": rules.most_early, "same_answer": rules.most_alike,
        "same_slot": rules.most_alike, "few_answered": rules.min_answered or None,
    }  # fmt: skip
    asked: list[tuple[str, Mapping[str, object]]] = []
    asked += [("hidden_reference", {"most": share}), ("mid_anchor", {"most": share})] if "mushra" in methods else []
    asked += [("too_fast", {"most": share}), ("unheard", {"most": share})]
    asked += [(rule, {"limit": round(100 * limit)}) for rule, limit in percents.items() if limit is not None]
    asked += [("headphones", {})] if rules.headphones else []
    asked += [("agreement", {"limit": rules.least_agreement})] if rules.least_agreement is not None else []
    return asked + [(rule, {}) for rule in ("same_participant", "same_answers", "same_device") if rules.duplicates]


class _Screener:
    def __init__(self, votes: Sequence[Vote], by_listener: Mapping[str, Sequence[Vote]], roles: Mapping[str, Role], admission: Admission):
        self._by_listener, self._roles, self._admission = by_listener, roles, admission
        self._lengths = _lengths(votes)
        rules, listened = admission.rules, [vote for vote in votes if not vote.experimenter]
        self.agreements = agreements(listened, rules.least_agreement) if rules.least_agreement is not None else {}
        self._constant = constants(listened, rules.most_alike) if rules.most_alike is not None else {}
        self._twice = duplicates(listened, admission.conducts) if rules.duplicates else {}
        self._most_answered = max((len({vote.trial for vote in own}) for own in by_listener.values()), default=0)

    def reasons(self, listener: str) -> list[Fault]:
        """All that the rules say, in their order."""
        votes = self._by_listener[listener]
        found = [Fault("experimenter")] if any(vote.experimenter for vote in votes) else []
        found += [
            Fault(reason, {"n": sum(faults), "of": len(faults)}, sum(faults) / len(faults) > most)
            for reason, faults, most in self._shares(votes)
            if most is not None and any(faults)
        ]
        found += self._of_conduct(listener, votes)
        agreement = self.agreements.get(listener)
        found += [agreement.reason] if agreement is not None and agreement.reason is not None else []
        return found + self._constant.get(listener, []) + self._twice.get(listener, [])

    def _shares(self, votes: Sequence[Vote]) -> list[tuple[str, list[bool], float | None]]:
        """(reason, whether each thing was at fault, which share of them may be); None for a rule that is not asked."""
        rules, roles, lengths = self._admission.rules, self._roles, self._lengths
        items = [vote for vote in votes if vote.kind == "item"]
        of_mushra = [(role_of(vote.system, roles), vote.score) for vote in items if vote.method == "mushra"]
        trials = {vote.trial: vote.seconds for vote in items}
        early = {vote.trial: vote.early_seconds > EARLY_SECONDS for vote in votes}
        timed = [vote for vote in items if vote.text in lengths]
        return [
            ("hidden_reference", [score < HIDDEN_REFERENCE_LEAST for role, score in of_mushra if role == "reference"], MOST_SHARE),
            ("mid_anchor", [score > MID_ANCHOR_MOST for role, score in of_mushra if role == "lowpass-7"], MOST_SHARE),
            ("gold", _missed(votes, "gold"), rules.most_gold_missed),
            ("trap", _missed(votes, "trap"), rules.most_traps_missed),
            ("too_fast", [seconds < LEAST_SECONDS for seconds in trials.values()] if any(trials.values()) else [], MOST_SHARE),
            ("unheard", [vote.heard_seconds < least_heard(lengths[vote.text]) for vote in timed], MOST_SHARE),
            ("early", list(early.values()), rules.most_early),
        ]

    def _of_conduct(self, listener: str, votes: Sequence[Vote]) -> list[Fault]:
        rules, conduct = self._admission.rules, self._admission.conducts.get(listener)
        found = []
        if rules.headphones and conduct is not None and conduct.check != "passed":
            found.append(Fault("headphones"))
        n, of = len({vote.trial for vote in votes}), conduct.asked if conduct is not None else self._most_answered
        if n < rules.min_answered * of:
            found.append(Fault("few_answered", {"n": n, "of": of}))
        return found


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
