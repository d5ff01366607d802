"""CosyVoice3 checkpoints of toy size in the official layout, of random numbers, written in a blink without the official package."""

from dataclasses import replace
from pathlib import Path

from tests.engines.cosyvoice3.random_checkpoint import RandomCheckpoint, write_checkpoint

__all__ = ["SHAPES", "shallow_vocoder", "tiny", "write_tiny_checkpoint"]

SHAPES = ("usual", "sparse")


def tiny(shape: str = "usual", *, seed: int = 0, ends_after: int | None = None) -> RandomCheckpoint:
    """Every structure of the released model at the least width, in one of SHAPES.

    usual: the released proportions, rates and chunks. sparse: one key head, another base of its rotation, shorter chunks, a flow of one
    layer whose heads are wider together than it is, a vocoder of two blocks per stage.
    ends_after: see RandomCheckpoint.
    """
    file, language = {"usual": _usual, "sparse": _sparse}[shape]()
    widths = {"llm_input_size": language["hidden_size"], "llm_output_size": language["hidden_size"]}
    return RandomCheckpoint(file | widths, language | {"vocab_size": N_ROWS}, seed, ends_after)


def write_tiny_checkpoint(folder: Path, shape: str = "usual", **given) -> Path:
    """Write it into `folder`; returns the folder. given: of `tiny`."""
    return write_checkpoint(Path(folder), tiny(shape, **given))


def shallow_vocoder(checkpoint: RandomCheckpoint) -> RandomCheckpoint:
    """The same with a third of the residual units: of two kernels, one of them of two units whose tails are of one size. What all of the
    released units compute is told by tests of the vocoder itself and of parity.
    """
    units = {"resblock_kernel_sizes": [3, 7], "resblock_dilation_sizes": [[1, 3], [1]], "source_resblock_dilation_sizes": [[1]] * 3}
    return replace(checkpoint, file=checkpoint.file | units)


N_ROWS = 704  # of the table of text: 400 of bytes and words, and those of the special tokens


def _usual() -> tuple[dict, dict]:
    language = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}
    flow = {"channels": 32, "dim": 64, "depth": 2, "heads": 4, "dim_head": 16}
    return flow | {"base_channels": 64, "cond_channels": 32}, language


def _sparse() -> tuple[dict, dict]:
    language = {"hidden_size": 48, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 3, "num_key_value_heads": 1}
    language |= {"rms_norm_eps": 1e-05, "rope_theta": 10_000.0, "max_window_layers": 1}
    flow = {"channels": 24, "chunk_size": 10, "dim": 48, "depth": 1, "heads": 2, "dim_head": 32, "ff_mult": 3, "inference_cfg_rate": 0.5}
    vocoder = {"base_channels": 32, "cond_channels": 24, "resblock_kernel_sizes": [3, 5], "resblock_dilation_sizes": [[1, 3], [1, 2]]}
    return flow | vocoder, language
