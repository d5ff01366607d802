"""The engine on the tiny checkpoint, and short ways to speak with it."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import torch

from engines.clips.clip import Clip, Transcript
from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.fish_speech import PACKAGE
from engines.fish_speech.batched_decoder import FishRows
from engines.fish_speech.engine import FishSpeechEngine
from engines.fish_speech.networks import FishNetworks, read_networks
from engines.kit.decode.batched_decoder import BatchedDecoder
from engines.kit.decode.cuda_graphs import Graphs
from tests.engines.clips.made_clip import made_clip
from tests.engines.fish_speech.tiny_checkpoint import FEW_CODEBOOKS, N_SEMANTIC, write_shallow_checkpoint
from tests.stand_ins.kept_folder import kept_folder

__all__ = [
    "BOOKS",
    "FRAME",
    "FRAMES",
    "TEXT",
    "TWO",
    "WORDS",
    "joined",
    "learned",
    "opened",
    "reference",
    "say",
    "spoken",
    "tiny",
    "tiny_folder",
]

BOOKS, FRAME = (
    (N_SEMANTIC, *(FEW_CODEBOOKS - 1) * (32,)),
    2048,
)  # codes in each book, samples in a frame: known before the networks are, since tests are named by them
FRAMES = 12  # of a speech unless more are asked for: one less than the tokens that are drawn
WORDS = Transcript("and then the", "en")
TWO = Transcript("and then the\nthe sentence", "en")
TEXT = "The sentence and then the voice."


@cache
def tiny_folder(ends_after: int | None = None) -> Path:
    """A checkpoint folder, written once per process and only read. ends_after: frames that every speech has; None: as many as are asked."""
    return write_shallow_checkpoint(kept_folder(), ends_after=ends_after, n_codebooks=FEW_CODEBOOKS)


@cache
def tiny(ends_after: int | None = None) -> FishNetworks:
    """Loaded once per process, read-only."""
    networks = read_networks(tiny_folder(ends_after), torch.device("cpu"), torch.float32)
    assert (networks.codec_config.codebook_sizes, networks.decoder.frame_samples) == (BOOKS, FRAME)
    return networks


def opened(
    *, fixed_shapes: bool = False, host_lag_frames: int = 0, graphs: Graphs | None = None, ends_after: int | None = None, **settings
) -> FishSpeechEngine:  # fmt: skip
    """An engine of its own over the shared weights. fixed_shapes: padded as on a GPU; only the capture itself is left out."""
    engine = FishSpeechEngine(PACKAGE.info, tiny(ends_after), **settings)
    if fixed_shapes or host_lag_frames:
        graphs = graphs or Graphs(torch.device("cpu"))
        engine._batched_decoder = BatchedDecoder(
            FishRows(tiny(ends_after), graphs, width=engine.width, fixed_shapes=fixed_shapes, host_lag_frames=host_lag_frames)
        )
    return engine


def joined(*clips: Clip) -> Clip:
    """Recordings of one rate as one clip."""
    ends = np.cumsum([len(clip.samples) for clip in clips])
    return Clip(np.concatenate([clip.samples for clip in clips]), clips[0].sample_rate, tuple(int(end) for end in ends[:-1]))


@cache
def learned(seed: int = 0) -> SpeakerPrompt:
    """A prompt with words, of a clip of 1.1 s."""
    return opened().extract(made_clip(1.1, pitch_hz=110 + 60 * seed, seed=seed), WORDS)


def spoken(engine: FishSpeechEngine, text: str, prompt: SpeakerPrompt, **given) -> Iterator[np.ndarray]:
    """A stream, of few frames per piece of text."""
    return engine.stream(text, prompt, resolve_options(engine.info.options, {"max_new_tokens": FRAMES + 1} | given))


def say(engine: FishSpeechEngine, text: str, prompt: SpeakerPrompt, **given) -> np.ndarray:
    """All of it, (T,)."""
    return np.concatenate(list(spoken(engine, text, prompt, **given)))


@cache
def reference(text: str = TEXT, *, seed_of_voice: int = 0, **given) -> np.ndarray:
    """What one engine says, which speaks nothing but this, (T,): once per process for the same text, voice and options. Read-only."""
    samples = say(opened(), text, learned(seed_of_voice), **given)
    samples.flags.writeable = False
    return samples
