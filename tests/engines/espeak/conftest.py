"""One opened engine, a vocoded speaker's clip and its prompts, and a way to speak, for all tests of the embedded engine."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engines.catalog import open_engine
from engines.clips.clip import Clip, Transcript
from engines.contract.contract import Engine
from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.espeak.prior.prior import Prior
from tests.stand_ins.vocoded_speaker import VOCODED_WORDS, vocoded_speaker

TEXTS = Path(__file__).parents[3] / "assets" / "texts"


@pytest.fixture(scope="session")
def engine() -> Engine:
    return open_engine("espeak")


@pytest.fixture(scope="session")
def prior(engine) -> Prior:
    """The one that the engine has opened."""
    return engine._prior


@pytest.fixture(scope="session")
def vocoded() -> Clip:
    return vocoded_speaker()


@pytest.fixture(scope="session")
def vocoded_words() -> Transcript:
    return VOCODED_WORDS


@pytest.fixture(scope="session")
def prompt(engine, vocoded) -> SpeakerPrompt:
    return engine.extract(vocoded)


@pytest.fixture(scope="session")
def learned(engine, vocoded, vocoded_words, prompt) -> dict[str, SpeakerPrompt]:
    """That clip's prompts, by how they were learned."""
    return {"with the transcript": engine.extract(vocoded, vocoded_words), "without a transcript": prompt}


@pytest.fixture(scope="session")
def say(engine) -> Callable[..., np.ndarray]:
    """say(prompt, text, **options) -> all samples."""

    def whole(prompt: SpeakerPrompt, text: str, **options) -> np.ndarray:
        return np.concatenate(list(engine.stream(text, prompt, resolve_options(engine.info.options, options))))

    return whole


@pytest.fixture(scope="session")
def texts() -> Callable[[str], list[str]]:
    """texts(language) -> the sentences in assets/texts."""
    return lambda language: (TEXTS / f"{language}.txt").read_text(encoding="utf-8").splitlines()
