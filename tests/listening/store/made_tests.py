"""Listening tests whose sounds are a few bytes each, and listeners who answer them."""

import hashlib
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

from studio.listening.keep.test import ListeningTest
from studio.listening.listening import Listening
from studio.listening.plan.design import Answer, Item, Trial
from studio.listening.plan.plan import Plan, System
from studio.listening.plan.render_steps import sounds_of
from studio.listening.vote.sessions import ListenerSession
from studio.workspace import EVERYBODY

__all__ = ["PLAN", "Maker", "answer_of", "finish", "heard", "made_items", "opened", "render"]

PLAN = Plan(
    name="Fast or slow",
    method="ab",
    systems=(System(id="fast", speaker="Ann"), System(id="slow", speaker="Bob")),
    texts=("One.", "Two."),
    training=False,
    headphones=False,
)


class Maker:
    """Stands for the studio of somebody who makes tests: no more of it is asked here."""

    def __init__(self, workspace: str = EVERYBODY):
        self.workspace = workspace
        self.transcriber = SimpleNamespace(is_here=False)


def made_items(plan: Plan, folder: Path, says: str = "") -> tuple[Item, ...]:
    """Written to `folder`: all sounds of a plan, of 2 s as they say. says: before their names."""
    folder.mkdir(parents=True, exist_ok=True)
    items = []
    for key in sounds_of(plan):
        name, data = f"{says and says + '-'}{key.system}{key.text}", f"{key.system} says {plan.texts[key.text]}".encode()
        (folder / f"{name}.wav").write_bytes(data)
        items.append(Item(name, key.system, key.role, key.text, hashlib.sha256(data).hexdigest(), 2.0, 2.0, 0.0, -23.0, 12_000.0))
    return tuple(items)


def render(listening: Listening, test: ListeningTest) -> ListeningTest:
    """As rendering leaves a draft."""
    listening._store.write_items(test.id, test.plan, made_items(test.plan, listening.folder(test.id)))
    return listening.test(test.id)


def opened(listening: Listening, plan: Plan = PLAN) -> ListeningTest:
    return listening.freeze(render(listening, listening.create(plan)).id)


def heard(listening: Listening, test_id: str, trial: Trial) -> None:
    """The page asks for the sounds of a trial."""
    for slot in trial.slots:
        listening.sound(test_id, slot.sound)


def answer_of(trial: Trial, value="A", **other) -> Answer:
    """By somebody who heard every sound to its end."""
    labels = [slot.label for slot in trial.slots]
    return replace(Answer(trial.number, value, dict.fromkeys(labels, 1), dict.fromkeys(labels, 2.0), 4.0), **other)


def finish(listening: Listening, test_id: str, session: ListenerSession, value="A") -> int:
    """Answer all that is left."""
    n = len(session.answered)
    for trial in session.trials[n:]:
        heard(listening, test_id, trial)
        n = listening.answer(test_id, session.token, answer_of(trial, value))
    return n
