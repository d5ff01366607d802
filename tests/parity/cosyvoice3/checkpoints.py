"""The checkpoint folders of both sides: the toy ones of the engine's tests, with networks of extraction whose weights are drawn here."""

from functools import cache
from pathlib import Path

from tests.engines.cosyvoice3.random_checkpoint import RECIPE as CHECKPOINT_RECIPE
from tests.engines.cosyvoice3.random_checkpoint import RandomCheckpoint, write_checkpoint
from tests.engines.cosyvoice3.reference.onnx_writer import put_campplus, put_speech_tokenizer
from tests.engines.cosyvoice3.tiny_checkpoint import write_tiny_checkpoint
from tests.engines.kit.weights.onnx_file import OnnxFile
from tests.parity.cosyvoice3.extraction_weights import (
    BLOCKS,
    RELEASED_TOKENIZER,
    TOKENIZER,
    TokenizerSize,
    folded,
    speaker_encoder,
    speech_tokenizer,
)
from tests.parity.cosyvoice3.extraction_weights import RECIPE as EXTRACTION_RECIPE

__all__ = ["CAMPPLUS", "EXTRACTION_SEED", "RECIPES", "TOKENIZER_FILE", "write", "write_released_size"]

RECIPES = f"{CHECKPOINT_RECIPE}, {EXTRACTION_RECIPE}"
EXTRACTION_SEED = 3
CAMPPLUS, TOKENIZER_FILE = "campplus.onnx", "speech_tokenizer_v3.onnx"


def write(folder: Path, shape: str, seed: int, ends_after: int | None = None) -> Path:
    """All files of the official layout. The ONNX files hold what a reader of weights looks at, and no runtime runs them."""
    write_tiny_checkpoint(folder, shape, seed=seed, ends_after=ends_after)
    _write_extraction(folder, TOKENIZER)
    return folder


def write_released_size(folder: Path) -> Path:
    """The same of the released sizes; nothing that it says ends by itself."""
    write_checkpoint(folder, RandomCheckpoint())
    _write_extraction(folder, RELEASED_TOKENIZER)
    return folder


def _write_extraction(folder: Path, size: TokenizerSize) -> None:
    for name, file in (_small_files() if size == TOKENIZER else _files(size)).items():
        file.write(folder / name)


@cache
def _small_files() -> dict[str, OnnxFile]:
    return _files(TOKENIZER)


def _files(size: TokenizerSize) -> dict[str, OnnxFile]:
    encoder = put_campplus(folded(speaker_encoder(EXTRACTION_SEED)), tuple(layers for layers, _ in BLOCKS))
    return {TOKENIZER_FILE: put_speech_tokenizer(speech_tokenizer(EXTRACTION_SEED, size)), CAMPPLUS: encoder}
