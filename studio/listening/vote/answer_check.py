"""Answer check: decides whether an answer is kept. It must be of the current trial, in range, and of somebody who listened."""

import math
from collections.abc import Collection, Mapping, Sequence

from studio.errors import AnswerRefused
from studio.listening.keep.test import ListeningTest
from studio.listening.plan.design import Answer, Trial
from studio.listening.plan.plan import Plan

__all__ = ["LEAST_HEARD_SECONDS", "LEAST_HEARD_SHARE", "WHOLE_SHARE", "check_answer", "check_turn", "least_heard"]

LEAST_HEARD_SHARE, LEAST_HEARD_SECONDS = 0.8, 3.0  # of a sound, whichever is less: minimal play time, after ITU-T P.808
WHOLE_SHARE = 0.95  # of a sound that has to be heard to its end: the silence behind speech is longer than the rest
MOST_COMMENT_CHARACTERS = 2000
MOST_SCORE = 100  # of MUSHRA
RATINGS = {"cmos": (-3, 3), "ccr": (-3, 3), "mos": (1, 5), "smos": (1, 5), "dcr": (1, 5)}
BEST_GRADE = 5.0  # of BS.1116, which one of both sounds has
REFERENCE = "R"


def least_heard(seconds: float, plan: Plan | None = None) -> float:
    """Seconds that have to be heard of a sound that is so long. plan: whose screening may ask for all of it."""
    if plan is not None and plan.screening is not None and plan.screening.hears_whole:
        return WHOLE_SHARE * seconds
    return min(LEAST_HEARD_SHARE * seconds, LEAST_HEARD_SECONDS)


def check_turn(trials: Sequence[Trial], answered: Collection[int], number: int) -> Trial:
    """The trial of that number, which is the first without an answer, or the last with one. Raises AnswerRefused."""
    by_number = {trial.number: trial for trial in trials}
    if number not in by_number:
        raise AnswerRefused(sentence="answer_of_no_trial", trial=number)
    order = list(by_number)
    waiting = next((n for n in order if n not in answered), None)
    position = order.index(number)
    is_last = number in answered and (position + 1 == len(order) or order[position + 1] not in answered)
    if number != waiting and not is_last:
        raise AnswerRefused(sentence="answer_out_of_turn", trial=number)
    return by_number[number]


def check_answer(test: ListeningTest, trial: Trial, answer: Answer, fetched: Collection[str]) -> None:
    """fetched: names of sounds that this listener's page asked for. Raises AnswerRefused."""
    if not _is_in_range(test, trial, answer.value):
        raise AnswerRefused(sentence="answer_out_of_range")
    if len(answer.comment) > MOST_COMMENT_CHARACTERS:
        raise AnswerRefused(sentence="answer_comment_too_long", n=len(answer.comment), most=MOST_COMMENT_CHARACTERS)
    if not math.isfinite(answer.seconds) or answer.seconds < 0:
        raise AnswerRefused(sentence="answer_out_of_range")
    seconds = {item.id: item.seconds for item in test.items}
    for slot in trial.slots:
        least = least_heard(seconds.get(slot.item, 0.0), test.plan)
        is_heard = answer.plays.get(slot.label, 0) > 0 and answer.heard_seconds.get(slot.label, 0.0) >= least
        if not is_heard or slot.sound not in fetched:
            raise AnswerRefused(sentence="answer_unheard", slot=slot.label)


def _is_in_range(test: ListeningTest, trial: Trial, value: object) -> bool:
    if trial.method in ("abx", "ab"):
        return value in ("A", "B") or (value == "none" and trial.method == "ab" and test.plan.no_preference)
    if trial.scales:
        points = test.plan.scale_points
        return isinstance(value, Mapping) and set(value) == set(points) and all(_is_point(value[name], 1, points[name]) for name in points)
    if trial.method in RATINGS:
        return _is_point(value, *RATINGS[trial.method])
    rated = {slot.label for slot in trial.slots} - {REFERENCE}
    if not isinstance(value, Mapping) or set(value) != rated:
        return False
    if trial.method == "bs1116":
        return (
            all(_is_score(grade, 1, BEST_GRADE) and _is_in_tenths(grade) for grade in value.values()) and max(value.values()) == BEST_GRADE
        )
    return all(_is_score(score, 0, MOST_SCORE) for score in value.values())


def _is_point(value: object, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _is_score(value: object, least: float, most: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most


def _is_in_tenths(grade: float) -> bool:
    return math.isclose(10 * grade, round(10 * grade))
