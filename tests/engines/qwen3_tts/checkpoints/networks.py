"""A tiny talker and code predictor, opened from a checkpoint that the tests make."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch

from engines.kit.weights.checkpoint import Checkpoint
from engines.qwen3_tts.config import Qwen3Config
from engines.qwen3_tts.input_sequence import QwenInputSequence
from engines.qwen3_tts.talker import CodePredictor, Talker
from engines.qwen3_tts.tokenizer import TextTokenizer
from tests.engines.qwen3_tts.checkpoints.tiny_checkpoint import RELEASED_CODEBOOKS, write_tiny_checkpoint
from tests.stand_ins.kept_folder import kept_folder

__all__ = ["Networks", "tiny_folder", "tiny_networks"]


@dataclass(frozen=True)
class Networks:
    """In float64, so that equal means equal."""

    config: Qwen3Config
    talker: Talker
    predictor: CodePredictor
    rows: QwenInputSequence
    tokenizer: TextTokenizer


@cache
def tiny_folder(*, projection: bool = True, ends_with_text: bool = False, n_codebooks: int = RELEASED_CODEBOOKS) -> Path:
    """A checkpoint folder, written once per process and only read."""
    return write_tiny_checkpoint(kept_folder(), projection=projection, ends_with_text=ends_with_text, n_codebooks=n_codebooks)


@cache
def tiny_networks(*, projection: bool = True) -> Networks:
    """The networks of `tiny_folder`, opened once per process."""
    folder = tiny_folder(projection=projection)
    config, tokenizer = Qwen3Config.read(folder), TextTokenizer(folder)
    with torch.device("meta"):
        talker, predictor = Talker(config.talker).double(), CodePredictor(config.predictor, config.talker).double()
    with Checkpoint(folder) as checkpoint:
        talker.load(checkpoint, "cpu")
        predictor.load(checkpoint, "cpu")
    talker.requires_grad_(False)
    predictor.requires_grad_(False)
    rows = QwenInputSequence(config, talker, predictor, tokenizer.header(config.im_start_token_id))
    return Networks(config, talker, predictor, rows, tokenizer)
