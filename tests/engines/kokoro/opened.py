"""Kokoro on the checkpoint of toy size, and with the weights that packages carry; short ways to speak with both."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache

import numpy as np
import pytest
import torch

from engines.catalog import open_engine
from engines.clips.clip import Clip
from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.kokoro import PACKAGE
from engines.kokoro import engine as engine_module
from engines.kokoro.engine import KokoroEngine
from engines.kokoro.learning import learner as learner_module
from engines.kokoro.network.networks import KokoroNetworks
from engines.kokoro.weights.sources import open_weights
from tests.engines.kokoro.random_checkpoint import write_speaking_checkpoint, write_tiny_checkpoint
from tests.stand_ins.kept_folder import kept_folder

__all__ = ["RATE_HZ", "few_steps", "learned", "opened", "packaged", "robot_clip", "say", "spoken", "toy"]

RATE_HZ = 24_000
ROBOT_WORDS = "The engineer measured the width of the bridge."


@cache
def toy(kind: str | None = None) -> KokoroNetworks:
    """In float32, loaded once per process and only read. kind: of random_checkpoint.KINDS; None for the one that engines take."""
    folder = write_tiny_checkpoint(kept_folder(), kind) if kind else write_speaking_checkpoint(kept_folder())
    config, checkpoint = open_weights(folder)
    with checkpoint:
        return KokoroNetworks.read(config, checkpoint, torch.float32)


def opened() -> KokoroEngine:
    """An engine of its own over the toy's networks."""
    return KokoroEngine(PACKAGE.info, toy(), "toy")


@cache
def packaged() -> KokoroEngine:
    """The engine as this machine opens it. For whoever has looked whether the packages are here."""
    return open_engine("kokoro")


@contextmanager
def few_steps(better_after: Sequence[int]) -> Iterator[None]:
    """A refinement has these steps alone: each does what the one before did, and costs at full size a second or two."""
    with pytest.MonkeyPatch.context() as patched:
        for module in (engine_module, learner_module):
            patched.setattr(module, "STEPS", better_after[-1])
        patched.setattr(learner_module, "BETTER_AFTER", tuple(better_after))
        yield


@cache
def robot_clip(preset: str = "rms") -> Clip:
    """2.7 s of the embedded engine: real sounds at a real pitch."""
    espeak = open_engine("espeak")
    blocks = espeak.stream(ROBOT_WORDS, espeak.preset(preset), resolve_options(espeak.info.options, {}))
    return Clip(np.concatenate(list(blocks)), RATE_HZ)


@cache
def learned() -> SpeakerPrompt:
    """What the toy learns of `robot_clip` at once."""
    return opened().extract(robot_clip())


def spoken(engine: KokoroEngine, text: str, prompt: SpeakerPrompt | str, **options: object) -> Iterator[np.ndarray]:
    """A stream. prompt: or the name of a built-in voice."""
    prompt = engine.preset(prompt) if isinstance(prompt, str) else prompt
    return engine.stream(text, prompt, resolve_options(engine.info.options, options))


def say(engine: KokoroEngine, text: str, prompt: SpeakerPrompt | str, **options: object) -> np.ndarray:
    """All of it, (T,)."""
    return np.concatenate(list(spoken(engine, text, prompt, **options)))
