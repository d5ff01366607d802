"""The engine on the tiny checkpoint, and short ways to speak with it."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import torch

from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.pocket_tts import PACKAGE
from engines.pocket_tts.config_file import read_config
from engines.pocket_tts.engine import PocketEngine
from engines.pocket_tts.networks import PocketNetworks, read_networks
from engines.pocket_tts.weights import PocketFiles
from tests.engines.clips.made_clip import made_clip
from tests.engines.pocket_tts.tiny_checkpoint import write_tiny_checkpoint
from tests.stand_ins.kept_folder import kept_folder

__all__ = ["FRAME", "FRAMES", "TEXT", "files_of", "learned", "opened", "reference", "say", "spoken", "tiny", "tiny_folder"]

FRAME = 1920  # samples
FRAMES = 12  # of a piece of four words at most: its end is said at frame 7, and five more are spoken
TEXT = "The sentence and then."


@cache
def tiny_folder(kind: str = "lsd") -> Path:
    """A checkpoint folder, written once per process and only read."""
    return write_tiny_checkpoint(kept_folder(), kind, ends_after=FRAMES - 5, presets=("alba", "marius"))


def files_of(folder: Path) -> PocketFiles:
    """What is in a checkpoint folder."""
    presets = {file.stem: file for file in sorted((folder / "embeddings").glob("*.safetensors"))}
    tokenizer = next(file for name in ("tokenizer.json", "tokenizer.model") if (file := folder / name).is_file())
    return PocketFiles(folder / "model.safetensors", tokenizer, folder / "config.yaml", presets)


@cache
def tiny(kind: str = "lsd", dtype: torch.dtype = torch.float32) -> PocketNetworks:
    """Loaded once per process, read-only."""
    files = files_of(tiny_folder(kind))
    return read_networks(files, read_config(files.config), dtype)


def opened(kind: str = "lsd", **settings) -> PocketEngine:
    """An engine of its own over the shared weights, of one row unless told otherwise."""
    return PocketEngine(PACKAGE.info, tiny(kind), **{"width": 1} | settings)


@cache
def learned(seed: int = 0, kind: str = "lsd") -> SpeakerPrompt:
    """A prompt of a clip of 1.1 s."""
    return opened(kind).extract(made_clip(1.1, pitch_hz=110 + 60 * seed, seed=seed))


def spoken(engine: PocketEngine, text: str, prompt: SpeakerPrompt, **given) -> Iterator[np.ndarray]:
    """A stream."""
    return engine.stream(text, prompt, resolve_options(engine.info.options, given))


def say(engine: PocketEngine, text: str, prompt: SpeakerPrompt, **given) -> np.ndarray:
    """All of it, (T,)."""
    return np.concatenate(list(spoken(engine, text, prompt, **given)))


@cache
def reference(text: str = TEXT, *, seed_of_voice: int = 0, **given) -> np.ndarray:
    """What one engine says, which speaks nothing but this, (T,): once per process for the same text, voice and options. Read-only."""
    samples = say(opened(), text, learned(seed_of_voice), **given)
    samples.flags.writeable = False
    return samples
