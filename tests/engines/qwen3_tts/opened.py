"""The engine on the tiny checkpoint, and short ways to speak with it."""

from collections.abc import Iterator
from functools import cache

import numpy as np
import torch

from engines.clip import Transcript
from engines.options import resolve_options
from engines.prompt import SpeakerPrompt
from engines.qwen3_tts import INFO
from engines.qwen3_tts.engine import Qwen3TtsEngine
from engines.qwen3_tts.networks import Networks, read_networks
from tests.engines.qwen3_tts.made_clip import made_clip
from tests.engines.qwen3_tts.networks import tiny_folder

__all__ = ["FRAME", "LONG", "WORDS", "learned", "opened", "say", "spoken", "tiny"]

FRAME = 1920  # samples
WORDS = Transcript("and then the", "en")
LONG = "the sentence and then the voice of a text with many letters, more than the recording has frames"


@cache
def tiny(*, projection: bool = True) -> Networks:
    """Loaded once per process, read-only."""
    return read_networks(tiny_folder(projection=projection, ends_with_text=True), torch.device("cpu"), torch.float32)


def opened(**settings) -> Qwen3TtsEngine:
    """An engine of its own over the shared weights."""
    return Qwen3TtsEngine(INFO, tiny(), **settings)


@cache
def learned(seed: int = 0) -> SpeakerPrompt:
    """A prompt with words, of a clip of 1.5 s."""
    return opened().extract(made_clip(1.5, pitch_hz=110 + 60 * seed, seed=seed), WORDS)


def spoken(engine: Qwen3TtsEngine, text: str, prompt: SpeakerPrompt, **given) -> Iterator[np.ndarray]:
    """A stream; its length is bounded, since in some modes the tiny model never ends by itself."""
    return engine.stream(text, prompt, resolve_options(engine.info.options, {"max_new_tokens": 24} | given))


def say(engine: Qwen3TtsEngine, text: str, prompt: SpeakerPrompt, **given) -> np.ndarray:
    """All of it, (T,)."""
    return np.concatenate(list(spoken(engine, text, prompt, **given)))
