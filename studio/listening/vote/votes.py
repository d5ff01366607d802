"""Votes: turns the answers of a listener into votes, for statistics and files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from studio.listening.plan.design import Answer, Item, Role, Slot, Trial
from studio.listening.plan.plan import PAGES, SINGLE, Plan
from studio.listening.plan.questions import OPEN
from studio.listening.vote.vote import Vote

__all__ = ["votes_of"]

MOST_SCORE_OF_GOLD = 2  # of 1 to 5, for a sound that is obviously bad
MOST_FADER_OF_TRAP = {"bs1116": 1.2}  # of 1.0 to 5.0, for the fader that is to be put to its end; of 0 to 100:
MOST_SCORE_OF_TRAP = 5.0
GOLD_SCALE = "overall"  # of P.835, by which an obviously bad sound is bad


def votes_of(
    plan: Plan, trials: Sequence[Trial], answers: Iterable[Answer], listener: str, experimenter: bool = False, *, items: Iterable[Item]
) -> tuple[Vote, ...]:
    """In the order of the answers; the last answer to a trial counts. items: of the test. listener: as results call them ("L01").

    Of training there are no votes. A page of MUSHRA gives a vote for each signal, the open reference left out; of several scales each
    gives one.
    """
    voter = _Voter(plan, {item.id: item for item in items}, listener, experimenter)
    asked = {trial.number: trial for trial in trials if trial.kind != "training"}
    given = {answer.trial: answer for answer in answers if answer.trial in asked}
    return tuple(vote for number, answer in given.items() for vote in voter.votes(asked[number], answer))


class _Voter:
    def __init__(self, plan: Plan, items: Mapping[str, Item], listener: str, experimenter: bool):
        self._plan, self._items = plan, items
        self._listener, self._experimenter = listener, experimenter
        self._rank = {system.id: rank for rank, system in enumerate(plan.systems)}

    def votes(self, trial: Trial, answer: Answer) -> list[Vote]:
        slots = [slot for slot in trial.slots if slot.label != OPEN]
        passed = _passed(trial, answer, {slot.label: self._items[slot.item].role for slot in trial.slots})
        if trial.scales and isinstance(answer.value, dict):
            points = answer.value
            return [
                replace(self._vote(trial, answer, slots[0], float(points[scale]), passed), scale=scale) for scale in self._plan.scale_points
            ]
        if trial.method in PAGES and isinstance(answer.value, dict):
            return [
                replace(self._vote(trial, answer, slot, float(answer.value[slot.label]), passed), position=position)
                for position, slot in enumerate(slots)
            ]
        if trial.method in SINGLE:
            return [self._vote(trial, answer, slots[0], float(str(answer.value)), passed)]
        return [self._pair(trial, answer, passed)]

    def _vote(self, trial: Trial, answer: Answer, slot: Slot, score: float, passed: bool | None) -> Vote:
        return Vote(
            trial.method,
            self._listener,
            trial.number,
            trial.kind,
            self._plan.texts[trial.text],
            self._items[slot.item].system,
            other="",
            score=score,
            passed=passed,
            plays=answer.plays.get(slot.label, 0),
            heard_seconds=answer.heard_seconds.get(slot.label, 0.0),
            seconds=answer.seconds,
            experimenter=self._experimenter,
            comment=answer.comment,
        )

    def _pair(self, trial: Trial, answer: Answer, passed: bool | None) -> Vote:
        """As if the systems had been heard in the plan's order; of ABX the system that X was stands first."""
        by_label = {slot.label: slot for slot in trial.slots}
        a, b = (slot for slot in trial.slots if slot.label not in (OPEN, "X"))
        if trial.method == "abx":
            is_a = by_label["X"].item == a.item
            score = float(answer.value == ("A" if is_a else "B"))
        else:
            is_a = self._rank_of(a) <= self._rank_of(b)
            score = _toward_first(trial, answer, a, b) if is_a else _toward_first(trial, answer, b, a)
        system, other = (a, b) if is_a else (b, a)
        return replace(
            self._vote(trial, answer, system, score, passed),
            other=self._items[other.item].system,
            first=is_a,
            position=0 if is_a else 1,
            plays=min(answer.plays.get(label, 0) for label in by_label),
            heard_seconds=min(answer.heard_seconds.get(label, 0.0) for label in by_label),
        )

    def _rank_of(self, slot: Slot) -> int:
        """Systems as the plan has them, anchors behind them, the reference last."""
        item = self._items[slot.item]
        return self._rank.get(item.system, len(self._rank) + (item.role == "reference"))


def _toward_first(trial: Trial, answer: Answer, first: Slot, second: Slot) -> float:
    """By how much the first of two is better; of AB 1 where it is."""
    value = answer.value
    if isinstance(value, dict):
        return round(float(value[first.label]) - float(value[second.label]), 1)
    if trial.method == "ab":
        return {first.label: 1.0, second.label: 0.0}.get(str(value), 0.5)
    return 0.0 + (float(str(value)) if first.label == "B" else -float(str(value)))


def _passed(trial: Trial, answer: Answer, roles: Mapping[str, Role]) -> bool | None:
    """Of gold and traps: whether the answer is what it should be. roles: by slot; of a page anchors may be as bad as gold is."""
    value, right = answer.value, trial.right
    if trial.kind not in ("gold", "trap"):
        return None
    if isinstance(value, dict) and trial.scales:
        return value == right if trial.kind == "trap" else value[GOLD_SCALE] <= MOST_SCORE_OF_GOLD
    if isinstance(value, dict):
        score = float(value[str(right)])
        rest = [float(other) for label, other in value.items() if roles.get(label) in ("system", "reference")]
        most = MOST_FADER_OF_TRAP.get(trial.method, MOST_SCORE_OF_TRAP)
        return score <= most if trial.kind == "trap" else all(score < other for other in rest)
    if trial.kind == "gold" and trial.method in SINGLE:
        return float(value) <= MOST_SCORE_OF_GOLD
    if trial.kind == "gold" and trial.method in ("cmos", "ccr"):
        return isinstance(right, int) and float(value) * right > 0
    return value == right
