"""The engine on the tiny checkpoint, and short ways to speak with it."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import torch

from engines.clips.clip import Transcript
from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.kit.decode.cuda_graphs import Graphs
from engines.omnivoice import PACKAGE
from engines.omnivoice.batched_decoder import BatchedSentenceDecoder
from engines.omnivoice.engine import OmniVoiceEngine
from engines.omnivoice.networks import OmniVoiceNetworks, read_networks
from tests.engines.clips.made_clip import made_clip
from tests.engines.omnivoice.tiny_checkpoint import write_tiny_checkpoint
from tests.stand_ins.kept_folder import kept_folder

__all__ = ["FEW", "FRAME", "FRAMES", "TEXT", "WORDS", "learned", "opened", "reference", "say", "spoken", "tiny", "tiny_folder"]

WORDS = Transcript("and then the", "en")
TEXT = "The sentence and then the voice."
FRAME, FRAMES = 960, 12  # samples of a frame; frames of a speech unless its length is given
FEW = {"num_step": 4, "duration": FRAMES / 25, "postprocess_output": False}  # as is, with its fades and the pad behind it
PAD = 2400  # samples


@cache
def tiny_folder() -> Path:
    """A checkpoint folder, written once per process and only read."""
    return write_tiny_checkpoint(kept_folder())


@cache
def tiny() -> OmniVoiceNetworks:
    """Loaded once per process, read-only."""
    return read_networks(tiny_folder(), torch.device("cpu"), torch.float32)


def opened(*, fixed_shapes: bool = False, host_lag_frames: int = 0, graphs: Graphs | None = None, **settings) -> OmniVoiceEngine:
    """An engine of its own over the shared weights. fixed_shapes: padded as on a GPU; only the capture itself is left out."""
    engine = OmniVoiceEngine(PACKAGE.info, tiny(), **settings)
    if fixed_shapes:
        graphs = graphs or Graphs(torch.device("cpu"))
        engine._batched_decoder = BatchedSentenceDecoder(
            tiny(), graphs, width=engine.width, fixed_shapes=True, host_lag_frames=host_lag_frames
        )
    return engine


@cache
def learned(seed: int = 0) -> SpeakerPrompt:
    """A prompt with words, of a clip of 1.1 s."""
    return opened().extract(made_clip(1.1, pitch_hz=110 + 60 * seed, seed=seed), WORDS)


def spoken(engine: OmniVoiceEngine, text: str, prompt: SpeakerPrompt, **given) -> Iterator[np.ndarray]:
    """A stream, short and of few steps."""
    return engine.stream(text, prompt, resolve_options(engine.info.options, FEW | given))


def say(engine: OmniVoiceEngine, text: str, prompt: SpeakerPrompt, **given) -> np.ndarray:
    """All of it, (T,)."""
    return np.concatenate(list(spoken(engine, text, prompt, **given)))


@cache
def reference(text: str = TEXT, *, seed_of_voice: int = 0, **given) -> np.ndarray:
    """What one engine says, which speaks nothing but this, (T,): once per process for the same text, voice and options. Read-only."""
    samples = say(opened(), text, learned(seed_of_voice), **given)
    samples.flags.writeable = False
    return samples
