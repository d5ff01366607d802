"""The engine on the tiny checkpoint, and short ways to speak with it."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import torch

from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.kit.decode.batched_decoder import BatchedDecoder
from engines.kit.decode.cuda_graphs import Graphs
from engines.voxtral import PACKAGE
from engines.voxtral.batched_decoder import VoxtralRows
from engines.voxtral.engine import VoxtralEngine
from engines.voxtral.networks import VoxtralNetworks, read_networks
from tests.engines.clips.made_clip import made_clip
from tests.engines.toys.shallow import shallow_checkpoint
from tests.engines.voxtral import tiny_checkpoint
from tests.engines.voxtral.random_checkpoint import write_checkpoint
from tests.stand_ins.kept_folder import kept_folder

__all__ = ["FRAME", "FRAMES", "TEXT", "learned", "opened", "reference", "say", "spoken", "tiny", "tiny_folder"]

FRAMES, FRAME = 12, 1920  # of a speech unless more are asked for; samples of one
TEXT = "The sentence and then the voice."
VOICES = ("neutral_female", "de_male")


@cache
def tiny_folder(ends_after: int | None = None, *, encoder: bool = True) -> Path:
    """A checkpoint folder, written once per process and only read. ends_after: frames that every speech has; None: as many as are asked.

    encoder: with what learns a voice, which the release does not have.
    """
    return write_checkpoint(kept_folder(), shallow_checkpoint(tiny_checkpoint.tiny(ends_after=ends_after, encoder=encoder)))


@cache
def tiny(ends_after: int | None = None, *, encoder: bool = True) -> VoxtralNetworks:
    """Loaded once per process, read-only."""
    return read_networks(tiny_folder(ends_after, encoder=encoder), torch.device("cpu"), torch.float32)


def opened(
    *,
    fixed_shapes: bool = False,
    host_lag_frames: int = 0,
    graphs: Graphs | None = None,
    networks: VoxtralNetworks | None = None,
    **settings,
) -> VoxtralEngine:
    """An engine of its own over shared weights. fixed_shapes: padded as on a GPU; only the capture itself is left out."""
    networks = networks or tiny()
    engine = VoxtralEngine(PACKAGE.info, networks, **settings)
    if fixed_shapes or host_lag_frames:
        graphs = graphs or Graphs(torch.device("cpu"))
        engine._batched_decoder = BatchedDecoder(
            VoxtralRows(networks, graphs, width=engine.width, fixed_shapes=fixed_shapes, host_lag_frames=host_lag_frames)
        )
    return engine


@cache
def learned(number: int = 0) -> SpeakerPrompt:
    """A prompt of a clip (0) or of a built-in voice."""
    return opened().extract(made_clip(1.1)) if number == 0 else opened().preset(VOICES[number - 1])


def spoken(engine: VoxtralEngine, text: str, prompt: SpeakerPrompt, **given) -> Iterator[np.ndarray]:
    """A stream, of few frames per piece of text."""
    return engine.stream(text, prompt, resolve_options(engine.info.options, {"max_new_tokens": FRAMES} | given))


def say(engine: VoxtralEngine, text: str, prompt: SpeakerPrompt, **given) -> np.ndarray:
    """All of it, (T,)."""
    return np.concatenate(list(spoken(engine, text, prompt, **given)))


@cache
def reference(text: str = TEXT, *, seed_of_voice: int = 0, **given) -> np.ndarray:
    """What one engine says, which speaks nothing but this, (T,): once per process for the same text, voice and options. Read-only."""
    samples = say(opened(), text, learned(seed_of_voice), **given)
    samples.flags.writeable = False
    return samples
