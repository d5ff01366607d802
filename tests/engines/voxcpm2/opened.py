"""The engine on the tiny checkpoint, and short ways to speak with it."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import torch

from engines.clips.clip import Transcript
from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.kit.decode.batched_decoder import BatchedDecoder
from engines.kit.decode.cuda_graphs import Graphs
from engines.voxcpm2 import PACKAGE
from engines.voxcpm2.batched_decoder import PatchRows
from engines.voxcpm2.engine import VoxCpm2Engine
from engines.voxcpm2.networks import VoxCpm2Networks, read_networks
from tests.engines.clips.made_clip import made_clip
from tests.engines.toys.shallow import shallow_checkpoint
from tests.engines.voxcpm2 import tiny_checkpoint
from tests.engines.voxcpm2.random_checkpoint import write_checkpoint
from tests.stand_ins.kept_folder import kept_folder

__all__ = ["FEW_STEPS", "PATCH", "PATCHES", "TEXT", "WORDS", "learned", "opened", "reference", "say", "spoken", "tiny", "tiny_folder"]

PATCH = 7680  # samples
PATCHES = 7  # of a speech that goes on from nothing
WORDS = Transcript("and then the", "en")
TEXT = "The sentence and then the voice."
FEW_STEPS = {"inference_timesteps": 4}  # three calls of the diffusion instead of nine


@cache
def tiny_folder() -> Path:
    """A checkpoint folder, written once per process and only read."""
    return write_checkpoint(kept_folder(), shallow_checkpoint(tiny_checkpoint.tiny(ends_after=PATCHES)))


@cache
def tiny(*, dtype: torch.dtype = torch.float32) -> VoxCpm2Networks:
    """Loaded once per process, read-only."""
    return read_networks(tiny_folder(), torch.device("cpu"), dtype)


def opened(*, fixed_shapes: bool = False, host_lag_frames: int = 0, graphs: Graphs | None = None, **settings) -> VoxCpm2Engine:
    """An engine of its own over the shared weights. fixed_shapes: padded as on a GPU; only the capture itself is left out."""
    engine = VoxCpm2Engine(PACKAGE.info, tiny(), **settings)
    if fixed_shapes or host_lag_frames:
        graphs = graphs or Graphs(torch.device("cpu"))
        engine._batched_decoder = BatchedDecoder(
            PatchRows(tiny(), graphs, width=engine.width, fixed_shapes=fixed_shapes, host_lag_frames=host_lag_frames)
        )
    return engine


@cache
def learned(seed: int = 0) -> SpeakerPrompt:
    """A prompt with words, of a clip of 1.1 s."""
    return opened().extract(made_clip(1.1, pitch_hz=110 + 60 * seed, seed=seed), WORDS)


def spoken(engine: VoxCpm2Engine, text: str, prompt: SpeakerPrompt, **given) -> Iterator[np.ndarray]:
    """A stream, of few steps."""
    return engine.stream(text, prompt, resolve_options(engine.info.options, FEW_STEPS | given))


def say(engine: VoxCpm2Engine, text: str, prompt: SpeakerPrompt, **given) -> np.ndarray:
    """All of it, (T,)."""
    return np.concatenate(list(spoken(engine, text, prompt, **given)))


@cache
def reference(text: str = TEXT, *, seed_of_voice: int = 0, **given) -> np.ndarray:
    """What one engine says, which speaks nothing but this, (T,): once per process for the same text, voice and options. Read-only."""
    samples = say(opened(), text, learned(seed_of_voice), **given)
    samples.flags.writeable = False
    return samples
