"""Checkpoints of the released sizes that both sides read, with the encoder that the release does not have, and as many layers as fit."""

import json
from collections.abc import Iterable
from pathlib import Path

from tests.engines.voxtral.random_checkpoint import RandomCheckpoint, write_checkpoint

__all__ = ["LAYERS", "VOICE", "write_released_size"]

RELEASED = Path(__file__).parents[2] / "released" / "voxtral_4b_tts" / "params.json"
VOICE, VOICE_FRAMES = "casual_male", 146
LAYERS = {"4B": 26, "4B-6-layers": 6, "4B-1-layer": 1}  # of the backbone; all else is as released


def write_released_size(folder: Path, size: str, words: Iterable[str] = (), *, vocab_size: int | None = None) -> Path:
    """One of LAYERS, which never ends by itself. words: get a token each. vocab_size: fewer tokens, whose table is a tenth of all."""
    config = json.loads(RELEASED.read_text()) | {"n_layers": LAYERS[size]}
    if vocab_size:
        config["vocab_size"] = vocab_size
    return write_checkpoint(folder, RandomCheckpoint(config, {VOICE: VOICE_FRAMES}, encoder=True, words=tuple(words)))
