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
from engines.qwen3_tts import PACKAGE
from engines.qwen3_tts.batched_decoder import QwenRows
from engines.qwen3_tts.engine import Qwen3TtsEngine
from engines.qwen3_tts.networks import Networks, read_networks
from tests.engines.clips.made_clip import made_clip
from tests.engines.qwen3_tts.checkpoints import tiny_checkpoint
from tests.engines.qwen3_tts.checkpoints.random_checkpoint import write_checkpoint
from tests.engines.qwen3_tts.checkpoints.tiny_checkpoint import FEW_CODEBOOKS
from tests.engines.toys.shallow import shallow_checkpoint
from tests.stand_ins.kept_folder import kept_folder

__all__ = ["FRAME", "FRAMES", "LONG", "WORDS", "learned", "opened", "reference", "say", "speaking_folder", "spoken", "tiny"]

FRAME = 1920  # samples
FRAMES = 8  # of a speech, unless a test asks for others
WORDS = Transcript("and then the", "en")
LONG = "the sentence and then the voice of a text with many letters, more than the recording has frames"


@cache
def speaking_folder() -> Path:
    """The checkpoint of `tiny`, only read: its speech ends where the text does, its frames have few codes, and its stacks two layers."""
    return write_checkpoint(kept_folder(), shallow_checkpoint(tiny_checkpoint.tiny(ends_with_text=True, n_codebooks=FEW_CODEBOOKS)))


@cache
def tiny(*, dtype: torch.dtype = torch.float32) -> Networks:
    """Loaded once per process, read-only."""
    return read_networks(speaking_folder(), torch.device("cpu"), dtype)


def opened(*, fixed_shapes: bool = False, **settings) -> Qwen3TtsEngine:
    """An engine of its own over the shared weights. fixed_shapes: padded as on a GPU; only the capture itself is left out."""
    engine = Qwen3TtsEngine(PACKAGE.info, tiny(), **settings)
    if fixed_shapes:
        engine._batched_decoder = BatchedDecoder(QwenRows(tiny(), Graphs(torch.device("cpu")), width=engine.width, fixed_shapes=True))
    return engine


@cache
def learned(seed: int = 0) -> SpeakerPrompt:
    """A prompt with words, of a clip of 1.5 s."""
    return opened().extract(made_clip(1.5, pitch_hz=110 + 60 * seed, seed=seed), WORDS)


def spoken(engine: Qwen3TtsEngine, text: str, prompt: SpeakerPrompt, **given) -> Iterator[np.ndarray]:
    """A stream; its length is bounded, since in some modes the tiny model never ends by itself."""
    return engine.stream(text, prompt, resolve_options(engine.info.options, {"max_new_tokens": FRAMES + 1} | given))


def say(engine: Qwen3TtsEngine, text: str, prompt: SpeakerPrompt, **given) -> np.ndarray:
    """All of it, (T,)."""
    return np.concatenate(list(spoken(engine, text, prompt, **given)))


@cache
def reference(text: str = LONG, *, seed_of_voice: int = 0, fixed_shapes: bool = False, **given) -> np.ndarray:
    """What one engine says, which speaks nothing but this, (T,): once per process for the same text, voice and options. Read-only."""
    samples = say(opened(fixed_shapes=fixed_shapes), text, learned(seed_of_voice), **given)
    samples.flags.writeable = False
    return samples
