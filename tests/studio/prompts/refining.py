"""A studio with an engine that refines, whose steps are let go one by one, and what is to be seen of its voice Alice."""

from functools import partial

import pytest

from engines.contract.prompt import SpeakerPrompt
from engines.contract.refinement import Refinement, refinement_of
from studio.prompts import refiner
from studio.prompts.refiner import Learning
from studio.prompts.source import from_speaker
from studio.service import Studio
from studio.speakers.speaker import Speaker
from tests.api.door import eventually
from tests.stand_ins.fake_engine import N_STEPS, REFINER, FakeEngine
from tests.stand_ins.held_steps import HeldSteps
from tests.studio.test_service import recording

__all__ = ["DONE", "begun", "comes_to_rest", "in_memory", "key_of", "learning", "on_disk", "open_refining", "steps"]

DONE = Learning(N_STEPS, N_STEPS, 0.0)


@pytest.fixture
def open_refining(open_studio, monkeypatch):
    monkeypatch.setattr(refiner, "SETTLE_SECONDS", 0.0)
    return partial(open_studio, warm_uploads=False)


@pytest.fixture
def steps(open_refining):
    steps = HeldSteps()
    yield steps
    steps.free()  # before the studio is closed, which waits for the step under way


@pytest.fixture
def begun(open_refining, steps) -> tuple[Studio, FakeEngine, Speaker]:
    """A voice that was just learned, with the first step held."""
    engine = FakeEngine(REFINER, before_step=steps)
    studio = open_refining(engine)
    speaker = studio.enroll(recording())
    studio.warm("alice")
    steps.wait_for(1)
    return studio, engine, speaker


def in_memory(studio: Studio, name: str = "alice") -> SpeakerPrompt | None:
    return studio._cache.peek(key_of(studio, name))


def on_disk(studio: Studio, speaker: Speaker) -> list[Refinement]:
    studio.prompts.flush()
    return [refinement_of(prompt) for _, prompt in studio.store.prompts(speaker.generation)]


def key_of(studio: Studio, name: str = "alice"):
    return from_speaker(studio.speaker(name)).key(studio._pool.worker("refiner").extractor)


def learning(studio: Studio, name: str = "alice") -> Learning | None:
    return studio._parts.supply.refiner.learning(key_of(studio, name))


def comes_to_rest(studio: Studio) -> bool:
    return eventually(lambda: not studio._parts.supply.refiner._line)
