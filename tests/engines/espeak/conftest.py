"""One opened engine, the demo clip and its prompts, and a way to speak, for all tests of the embedded engine."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engines.catalog import open_engine
from engines.clip import Clip, Transcript
from engines.contract import Engine
from engines.espeak.prior import Prior
from engines.options import resolve_options
from engines.prompt import SpeakerPrompt

ASSETS = Path(__file__).parents[3] / "assets"


@pytest.fixture(scope="session")
def engine() -> Engine:
    return open_engine("espeak")


@pytest.fixture(scope="session")
def prior(engine) -> Prior:
    """The one that the engine has opened."""
    return engine._prior


@pytest.fixture(scope="session")
def demo() -> Clip:
    return Clip(*soundfile.read(ASSETS / "voices" / "demo.wav", dtype="float32"))


@pytest.fixture(scope="session")
def demo_transcript() -> Transcript:
    facts = json.loads((ASSETS / "voices" / "demo.json").read_text(encoding="utf-8"))
    return Transcript.of(facts["transcript"], facts["language"])


@pytest.fixture(scope="session")
def prompt(engine, demo) -> SpeakerPrompt:
    return engine.extract(demo)


@pytest.fixture(scope="session")
def learned(engine, demo, demo_transcript, prompt) -> dict[str, SpeakerPrompt]:
    """The demo clip's prompts, by how they were learned."""
    return {"with the transcript": engine.extract(demo, demo_transcript), "without a transcript": prompt}


@pytest.fixture(scope="session")
def say(engine) -> Callable[..., np.ndarray]:
    """say(prompt, text, **options) -> all samples."""

    def whole(prompt: SpeakerPrompt, text: str, **options) -> np.ndarray:
        return np.concatenate(list(engine.stream(text, prompt, resolve_options(engine.info.options, options))))

    return whole


@pytest.fixture(scope="session")
def texts() -> Callable[[str], list[str]]:
    """texts(language) -> the sentences in assets/texts."""
    return lambda language: (ASSETS / "texts" / f"{language}.txt").read_text(encoding="utf-8").splitlines()
