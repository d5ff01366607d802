"""Pocket TTS checkpoints of toy size in the makers' layout, of random numbers, written in a moment without the official package."""

from collections.abc import Sequence
from pathlib import Path

from tests.engines.pocket_tts.random_checkpoint import RandomCheckpoint, write_checkpoint
from tests.engines.pocket_tts.vocabulary import SIZE

__all__ = ["KINDS", "tiny", "write_tiny_checkpoint"]

KINDS = ("lsd", "pointwise", "drifting")


def tiny(kind: str = "lsd") -> dict:
    """The content of config.yaml: every structure of the released models at small width. Frames are 1920 samples of 24 kHz. What passes a
    nonlinearity is a multiple of 32 wide, as released, so that streams may share a step (see LatentRows).

    lsd: as english, every query head with its own key head, one size of encoder and decoder, tokenizer.json; latents of a voice are wider
    than those that are spoken, as in english_2026-01. pointwise, drifting: as 2m and 7m, few key heads, heads together less wide or wider
    than rows, a table in two factors, narrow rows for the heads, a decoder of its own, tokenizer.model. Windows of the codec: 20 rows.
    """
    return {"lsd": _lsd, "pointwise": _pointwise, "drifting": _drifting}[kind]()


def write_tiny_checkpoint(
    folder: Path,
    kind: str = "lsd",
    *,
    ends_after: float | None = None,
    zero_encoder: bool = False,
    presets: Sequence[str] = (),
    seed: int = 0,
) -> Path:
    """Write it into `folder`; returns the folder. Arguments: see RandomCheckpoint."""
    return write_checkpoint(Path(folder), RandomCheckpoint(tiny(kind), seed, ends_after, zero_encoder, tuple(presets)))


def _lsd() -> dict:
    return {
        "default_temperature": 0.3,
        "replace_characters": {"’": "'", "‘": "'"},
        "flow_lm": {
            "insert_bos_before_voice": True,
            "dtype": "float32",
            "flow": {"depth": 2, "dim": 32},
            "transformer": {"d_model": 32, "hidden_scale": 4, "max_period": 10000, "num_heads": 4, "num_layers": 2},
            "lookup_table": _table(dim=32, tokenizer="tokenizers"),
        },
        "mimi": _mimi(inner=12, latent=8, outer=16),
    }


def _pointwise() -> dict:
    return {
        "default_temperature": 0.3,
        "replace_characters": {"–": ",", "—": ",", "’": "'", "‘": "'"},
        "flow_lm": {
            "insert_bos_before_voice": True,
            "dtype": "float32",
            "flow": {"depth": 2, "dim": 32, "type": "pointwise"},
            "transformer": {
                "d_model": 32,
                "hidden_scale": 1,
                "max_period": 10000,
                "num_heads": 3,
                "num_layers": 2,
                "dim_feedforward": 32,
                "attn_dim": 24,
                "num_kv_heads": 1,
            },
            "lookup_table": _table(dim=32, tokenizer="sentencepiece", rank=12),
            "z_dim": 20,
        },
        "mimi": _mimi(inner=8, latent=8, outer=12) | _own_decoder(dimension=12, n_layers=2),
        "default_eos_threshold": -1.0,
    }


def _drifting() -> dict:
    return {
        "default_temperature": 0.3,
        "replace_characters": {"–": ",", "—": ",", "’": "'", "‘": "'"},
        "flow_lm": {
            "insert_bos_before_voice": True,
            "dtype": "float32",
            "flow": {"depth": 3, "dim": 32, "type": "drifting"},
            "transformer": {
                "d_model": 32,
                "hidden_scale": 1,
                "max_period": 10000,
                "num_heads": 4,
                "num_layers": 3,
                "attn_dim": 48,
                "num_kv_heads": 2,
            },
            "lookup_table": _table(dim=32, tokenizer="sentencepiece", rank=12),
            "z_dim": 20,
        },
        "mimi": _mimi(inner=8, latent=8, outer=20) | _own_decoder(dimension=20, n_layers=3),
        "default_eos_threshold": -1.0,
    }


def _table(**sizes) -> dict:
    return {"n_bins": SIZE, **sizes}


def _mimi(*, inner: int, latent: int, outer: int) -> dict:
    return {
        "dtype": "float32",
        "sample_rate": 24000,
        "inner_dim": inner,
        "outer_dim": outer,
        "channels": 1,
        "frame_rate": 12.5,
        "seanet": _seanet(dimension=16, n_filters=4, kernel_size=7),
        "transformer": _transformer(d_model=16, heads=2, layers=2, inner=32),
        "quantizer": {"dimension": latent, "output_dimension": outer},
    }


def _own_decoder(*, dimension: int, n_layers: int) -> dict:
    return {
        "decoder_seanet": _seanet(dimension=dimension, n_filters=4, kernel_size=3),
        "decoder_transformer": _transformer(d_model=dimension, heads=2, layers=n_layers, inner=24),
    }


def _seanet(*, dimension: int, n_filters: int, kernel_size: int) -> dict:
    return {
        "dimension": dimension,
        "channels": 1,
        "n_filters": n_filters,
        "n_residual_layers": 1,
        "ratios": [6, 5, 4],
        "kernel_size": kernel_size,
        "residual_kernel_size": 3,
        "last_kernel_size": 3,
        "dilation_base": 2,
        "pad_mode": "constant",
        "compress": 2,
    }


def _transformer(*, d_model: int, heads: int, layers: int, inner: int) -> dict:
    return {
        "d_model": d_model,
        "num_heads": heads,
        "num_layers": layers,
        "layer_scale": 0.01,
        "context": 20,
        "dim_feedforward": inner,
        "input_dimension": d_model,
        "output_dimensions": [d_model],
    }
