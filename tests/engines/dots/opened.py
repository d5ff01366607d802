"""The engine on the tiny checkpoint, and short ways to speak with it."""

from collections.abc import Generator
from functools import cache
from pathlib import Path

import numpy as np
import torch

from engines.clips.clip import Transcript
from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.contract.speech_end import SpeechEnd
from engines.dots import PACKAGE
from engines.dots.batched_decoder import DotsRows
from engines.dots.engine import DotsEngine
from engines.dots.networks import DotsNetworks, read_networks
from engines.kit.decode.batched_decoder import BatchedDecoder
from engines.kit.decode.cuda_graphs import Graphs
from tests.engines.clips.made_clip import made_clip
from tests.engines.dots import tiny_checkpoint
from tests.engines.dots.random_checkpoint import write_checkpoint
from tests.engines.toys.shallow import shallow_checkpoint
from tests.stand_ins.kept_folder import kept_folder

__all__ = [
    "HEARD", "PATCH", "PATCHES", "TEXT", "WORDS", "learned", "opened", "reference", "say", "spoken", "tiny", "tiny_folder"
]  # fmt: skip

PATCH = 7680  # samples
HEARD = 6  # patches of the clip that is learned, without its last
PATCHES = 10  # of a speech that goes on from nothing; of one that goes on from the clip, three are sounded
WORDS = Transcript("and then the", "en")
TEXT = "The sentence and then the voice."


@cache
def tiny_folder(kind: str = "mf") -> Path:
    """A checkpoint folder, written once per process and only read."""
    return write_checkpoint(kept_folder(), shallow_checkpoint(tiny_checkpoint.tiny(kind=kind, ends_after=PATCHES)))


@cache
def tiny(kind: str = "mf", *, dtype: torch.dtype = torch.float32) -> DotsNetworks:
    """Loaded once per process, read-only."""
    return read_networks(tiny_folder(kind), torch.device("cpu"), dtype)


def opened(
    kind: str = "mf", *, fixed_shapes: bool = False, host_lag_frames: int = 0, graphs: Graphs | None = None, **settings
) -> DotsEngine:  # fmt: skip
    """An engine of its own over the shared weights. fixed_shapes: padded as on a GPU; only the capture itself is left out."""
    engine = DotsEngine(PACKAGE.info, tiny(kind), **settings)
    if fixed_shapes or host_lag_frames:
        graphs, n_steps = graphs or Graphs(torch.device("cpu")), tiny(kind).config.sampler.n_steps
        shapes = {"width": engine.width, "fixed_shapes": fixed_shapes, "host_lag_frames": host_lag_frames}
        engine._batched_decoder = BatchedDecoder(DotsRows(tiny(kind), graphs, most_steps=n_steps, **shapes))
    return engine


@cache
def learned(seed: int = 0) -> SpeakerPrompt:
    """A prompt with words, of a clip of 1.1 s."""
    return opened().extract(made_clip(1.1, pitch_hz=110 + 60 * seed, seed=seed), WORDS)


def spoken(engine: DotsEngine, text: str, prompt: SpeakerPrompt, **given) -> Generator[np.ndarray, None, SpeechEnd]:
    """A stream."""
    return engine.stream(text, prompt, resolve_options(engine.info.options, given))


def say(engine: DotsEngine, text: str, prompt: SpeakerPrompt, **given) -> np.ndarray:
    """All of it, (T,)."""
    return np.concatenate(list(spoken(engine, text, prompt, **given)))


@cache
def reference(text: str = TEXT, *, seed_of_voice: int = 0, **given) -> np.ndarray:
    """What one engine says, which speaks nothing but this, (T,): once per process for the same text, voice and options. Read-only."""
    samples = say(opened(), text, learned(seed_of_voice), **given)
    samples.flags.writeable = False
    return samples
