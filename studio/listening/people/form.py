"""Form: answers to a questionnaire: which are taken, who is screened out by them, and how often each was given."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from studio.errors import AnswerRefused
from studio.listening.keep.test import FormCount
from studio.listening.plan.panel import FormQuestion

__all__ = ["FormAnswers", "checked_form", "form_counts", "is_screened_out"]

FormAnswers = dict[str, str | float | list[str]]  # by the ids of questions: a choice, choices, a number, a text

MOST_TEXT_CHARACTERS = 1000


def checked_form(questions: Sequence[FormQuestion], told: Mapping[str, object]) -> FormAnswers:
    """In the order of the questions, without those that were left empty. Raises AnswerRefused."""
    if unknown := sorted(set(told) - {question.id for question in questions}):
        raise AnswerRefused(sentence="form_unknown", question=unknown[0][:40])
    answers = {}
    for question in questions:
        answer = told.get(question.id)
        if answer in (None, "", [], ()):
            if question.required:
                raise AnswerRefused(sentence="form_lacking", question=question.text)
        elif not _fits(question, answer):
            raise AnswerRefused(sentence="form_wrong", question=question.text)
        else:
            answers[question.id] = answer
    return answers


def is_screened_out(questions: Iterable[FormQuestion], answers: Mapping[str, object]) -> bool:
    return any(set(question.screens_out) & set(_chosen(answers.get(question.id))) for question in questions)


def form_counts(questions: Iterable[FormQuestion], forms: Sequence[Mapping[str, object]]) -> tuple[FormCount, ...]:
    """How often each choice was taken; of numbers the mean and both ends; of texts how many there are, and nothing of what they say."""
    return tuple(_count(question, [form[question.id] for form in forms if question.id in form]) for question in questions)


def _count(question: FormQuestion, answers: Sequence[object]) -> FormCount:
    chosen = Counter(choice for answer in answers for choice in _chosen(answer))
    numbers = [float(answer) for answer in answers if isinstance(answer, int | float)]
    choices = tuple((choice, chosen[choice]) for choice in question.choices)
    mean = sum(numbers) / len(numbers) if numbers else None
    return FormCount(question.id, question.text, len(answers), choices, mean, min(numbers, default=None), max(numbers, default=None))


def _chosen(answer: object) -> Sequence[str]:
    return [answer] if isinstance(answer, str) else answer if isinstance(answer, list) else []


def _fits(question: FormQuestion, answer: object) -> bool:
    if question.kind == "several":
        return isinstance(answer, list) and len(set(map(str, answer))) == len(answer) and all(one in question.choices for one in answer)
    if question.kind == "number":
        if isinstance(answer, bool) or not isinstance(answer, int | float) or not math.isfinite(answer):
            return False
        return (question.least is None or answer >= question.least) and (question.most is None or answer <= question.most)
    if not isinstance(answer, str):
        return False
    return answer in question.choices if question.kind == "choice" else len(answer) <= MOST_TEXT_CHARACTERS
