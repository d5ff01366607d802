"""Trials: the questions of one listener with their sounds. The names of the sounds give nothing away."""

import hashlib
import hmac
from collections.abc import Iterable, Mapping, Sequence

from studio.listening.plan.design import Item, Slot, Trial
from studio.listening.plan.parts import Asked, counted
from studio.listening.plan.plan import Method, Plan
from studio.listening.plan.questions import NOBODY_ASKED, CellFinder, Question, SoundKey, question_count, questions_of, scale_order

__all__ = ["asked_by", "session_seconds", "slot_name", "trials_of"]

NAME_CHARACTERS = 32  # hexadecimal: 128 bits
# Our estimate of a session: a listener hears each sound of a trial this often, and then thinks.
PLAYS: Mapping[Method, float] = {
    "abx": 1.5, "ab": 1.5, "cmos": 1.5, "ccr": 1.5, "mos": 1.2, "smos": 1.2, "dcr": 1.2, "p835": 1.2, "mushra": 2.5, "mushra-like": 2.5,
    "bs1116": 2.5,
}  # fmt: skip
THINKING_SECONDS = 4.0  # for each thing that is asked
INTRODUCTION_SECONDS = 90.0  # consent, volume, headphones
CHARACTERS_PER_SECOND = 15.0  # of speech, where no sound is made yet


def trials_of(plan: Plan, items: Sequence[Item], listener: int, secret: bytes, asked: Asked = NOBODY_ASKED) -> tuple[Trial, ...]:
    """What one listener is asked, in their order, numbered from 1; training first. The same arguments give the same trials.

    items: all sounds of the plan; their order does not matter. listener: from 1, in the order in which they came, so that neighbors
    balance each other. secret: names the sounds, and may be the test's or that listener's own. Orders and right answers are drawn from the
    ids of the items, which all listeners share and nobody is told. asked: what others are asked (`asked_by`), by which a part is chosen.
    Raises KeyError where a sound is missing.
    """
    key = hashlib.sha256("/".join(sorted(item.id for item in items)).encode()).digest()
    made = {SoundKey(item.role, item.system, item.text): item.id for item in items}
    scales = scale_order(plan, listener, key)
    return tuple(
        Trial(
            number,
            question.kind,
            plan.method,
            question.text,
            _slots(question, made, listener, number, secret),
            question.right,
            question.asked,
            scales,
        )
        for number, question in enumerate(questions_of(plan, listener, key, asked), start=1)
    )


def asked_by(plan: Plan, items: Sequence[Item], trials: Iterable[Trial]) -> Asked:
    """How often these trials ask what; training, gold and traps are left out."""
    sounds = {item.id: SoundKey(item.role, item.system, item.text) for item in items}
    finder = CellFinder(plan)
    return counted(
        finder.cell(Question("item", trial.text, tuple((slot.label, sounds[slot.item]) for slot in trial.slots), trial.right))
        for trial in trials
        if trial.kind == "item"
    )


def slot_name(secret: bytes, listener: int, trial: int, label: str) -> str:
    """What a slot's sound is called for that listener, in that trial, alone: the first 32 hexadecimal digits of an HMAC-SHA256."""
    return hmac.new(secret, f"slot/{listener}/{trial}/{label}".encode(), hashlib.sha256).hexdigest()[:NAME_CHARACTERS]


def session_seconds(plan: Plan, items: Sequence[Item] = ()) -> float:
    """About how long one listener is busy. items: those that are made; of others the length is that of their text."""
    mean = sum(len(text) for text in plan.texts) / CHARACTERS_PER_SECOND / max(1, len(plan.texts))
    if heard := [item.padded_seconds for item in items if item.role != "reference"]:
        mean = sum(heard) / len(heard)
    questions = question_count(plan)
    if not questions:
        return 0.0
    n_sounds = max(len(question.sounds) for question in questions_of(plan.model_copy(update=_ONE_TEXT | {"texts": plan.texts[:1]}), 1, b""))
    return INTRODUCTION_SECONDS + (questions + plan.training) * (
        n_sounds * PLAYS[plan.method] * mean + THINKING_SECONDS * max(1, len(plan.scale_points))
    )


_ONE_TEXT = {"repeats": 1, "questions_per_listener": None, "gold": 0, "traps": 0, "training": False}


def _slots(question: Question, made: Mapping[SoundKey, str], listener: int, number: int, secret: bytes) -> tuple[Slot, ...]:
    return tuple(Slot(label, made[sound], slot_name(secret, listener, number, label)) for label, sound in question.sounds)
