"""The engine on the tiny checkpoint, and short ways to speak with it."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np
import torch

from engines.clips.clip import Clip, Transcript
from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.cosyvoice3 import PACKAGE
from engines.cosyvoice3.batched_decoders import BatchedSpeechDecoders
from engines.cosyvoice3.engine import CosyVoice3Engine
from engines.cosyvoice3.networks import CosyVoice3Networks, read_networks
from engines.cosyvoice3.options import LANGUAGE_MODELS
from engines.kit.decode.cuda_graphs import Graphs
from tests.engines.clips.made_clip import made_clip
from tests.engines.cosyvoice3 import tiny_checkpoint
from tests.engines.cosyvoice3.random_checkpoint import write_checkpoint
from tests.engines.toys.shallow import shallow_checkpoint
from tests.stand_ins.kept_folder import kept_folder

__all__ = [
    "TEXT",
    "TOKEN",
    "TOKENS",
    "WORDS",
    "converted",
    "learned",
    "nothing_shared",
    "opened",
    "reference",
    "said_again",
    "say",
    "source",
    "spoken",
    "tiny",
    "tiny_folder",
]

TOKENS = 40  # of a piece of text unless others are asked for
TOKEN = 960  # samples of each
WORDS = Transcript("and then the", "en")
TEXT = "The sentence and then the voice."


@cache
def tiny_folder(ends_after: int | None = None) -> Path:
    """A checkpoint folder, written once per process and only read. ends_after: tokens that every piece has; None: as many as are asked."""
    toy = tiny_checkpoint.shallow_vocoder(shallow_checkpoint(tiny_checkpoint.tiny(ends_after=ends_after)))
    return write_checkpoint(kept_folder(), toy)


@cache
def tiny(ends_after: int | None = None) -> CosyVoice3Networks:
    """Loaded once per process, read-only."""
    return read_networks(tiny_folder(ends_after), torch.device("cpu"), torch.float32, LANGUAGE_MODELS[0])


def opened(
    *, fixed_shapes: bool = False, host_lag_frames: int = 0, graphs: Graphs | None = None, ends_after: int | None = None, **settings
) -> CosyVoice3Engine:  # fmt: skip
    """An engine of its own over the shared weights. fixed_shapes: padded as on a GPU; only the capture itself is left out."""
    engine = CosyVoice3Engine(PACKAGE.info, tiny(ends_after), **settings)
    if fixed_shapes or host_lag_frames:
        graphs = graphs or Graphs(torch.device("cpu"))
        shapes = {"fixed_shapes": fixed_shapes, "host_lag_frames": host_lag_frames, "flow_rows": settings.get("flow_rows", 0)}
        engine._batched_decoder = BatchedSpeechDecoders(tiny(ends_after), graphs, width=engine.width, **shapes)
    return engine


@cache
def learned(seed: int = 0) -> SpeakerPrompt:
    """A prompt with words, of a clip of 2.2 s: 55 tokens, of which the flow reads a chunk alone, and 15 with what is spoken first."""
    return opened().extract(made_clip(2.2, pitch_hz=110 + 60 * seed, seed=seed), WORDS)


@cache
def source(seconds: float = 1.7, seed: int = 3) -> Clip:
    """Speech to be said again."""
    return made_clip(seconds, pitch_hz=180, seed=seed)


def spoken(engine: CosyVoice3Engine, text: str, prompt: SpeakerPrompt, **given) -> Iterator[np.ndarray]:
    """A stream, of few tokens per piece of text."""
    return engine.stream(text, prompt, resolve_options(engine.info.options, {"max_tokens": TOKENS} | given))


def say(engine: CosyVoice3Engine, text: str, prompt: SpeakerPrompt, **given) -> np.ndarray:
    """All of it, (T,)."""
    return np.concatenate(list(spoken(engine, text, prompt, **given)))


@cache
def reference(text: str = TEXT, *, seed_of_voice: int = 0, **given) -> np.ndarray:
    """What one engine says, which speaks nothing but this, (T,): once per process for the same text, voice and options. Read-only."""
    samples = say(opened(), text, learned(seed_of_voice), **given)
    samples.flags.writeable = False
    return samples


def converted(engine: CosyVoice3Engine, clip: Clip, prompt: SpeakerPrompt) -> Iterator[np.ndarray]:
    return engine.convert(clip, prompt, resolve_options(engine.info.options, {}))


def said_again(engine: CosyVoice3Engine, clip: Clip, prompt: SpeakerPrompt) -> np.ndarray:
    """All of it, (T,)."""
    return np.concatenate(list(converted(engine, clip, prompt)))


@contextmanager
def nothing_shared() -> Iterator[None]:
    """What is made of flows meanwhile is of nobody before and nobody afterwards."""
    made = (tiny, learned, reference)
    for kept in made:
        kept.cache_clear()
    yield
    for kept in made:
        kept.cache_clear()
