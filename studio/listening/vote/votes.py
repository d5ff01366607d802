"""Votes: turns the answers of a listener into votes, for statistics and files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from studio.listening.plan.design import Answer, Item, Role, Slot, Trial
from studio.listening.plan.plan import Plan
from studio.listening.plan.questions import OPEN
from studio.listening.vote.vote import Vote

__all__ = ["votes_of"]

MOST_SCORE_OF_GOLD = 2  # of 1 to 5, for a sound that is obviously bad
MOST_FADER_OF_TRAP = 5.0  # of 100, for the fader that is to be put to 0


def votes_of(
    plan: Plan, trials: Sequence[Trial], answers: Iterable[Answer], listener: str, experimenter: bool = False, *, items: Iterable[Item]
) -> tuple[Vote, ...]:
    """In the order of the answers; the last answer to a trial counts. items: of the test. listener: as results call them ("L01").

    Of training there are no votes. A page of MUSHRA gives a vote for each signal, the open reference left out.
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
        if isinstance(answer.value, dict):
            return [
                replace(self._vote(trial, answer, slot, float(answer.value[slot.label]), passed), position=position)
                for position, slot in enumerate(slots)
            ]
        if trial.method in ("mos", "smos"):
            return [self._vote(trial, answer, slots[0], float(answer.value), passed)]
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
        a, b = by_label["A"], by_label["B"]
        if trial.method == "abx":
            is_a = by_label["X"].item == a.item
            score = float(answer.value == ("A" if is_a else "B"))
        else:
            is_a = self._rank_of(a) <= self._rank_of(b)
            toward_a = 0.0 - float(str(answer.value)) if trial.method == "cmos" else {"A": 1.0, "B": 0.0}.get(str(answer.value), 0.5)
            score = toward_a if is_a else 0.0 - toward_a if trial.method == "cmos" else 1.0 - toward_a
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
        return self._rank.get(self._items[slot.item].system, len(self._rank))


def _passed(trial: Trial, answer: Answer, roles: Mapping[str, Role]) -> bool | None:
    """Of gold and traps: whether the answer is what it should be. roles: by slot; of a page anchors may be as bad as gold is."""
    value, right = answer.value, trial.right
    if trial.kind not in ("gold", "trap"):
        return None
    if isinstance(value, dict):
        score = float(value[str(right)])
        rest = [float(other) for label, other in value.items() if roles.get(label) in ("system", "reference")]
        return score <= MOST_FADER_OF_TRAP if trial.kind == "trap" else all(score < other for other in rest)
    if trial.kind == "gold" and trial.method in ("mos", "smos"):
        return float(value) <= MOST_SCORE_OF_GOLD
    if trial.kind == "gold" and trial.method == "cmos":
        return right is not None and float(value) * float(right) > 0
    return value == right
