"""Fish Audio S2 Pro checkpoints of toy size in the official layout, of random numbers, written in a blink without the official package."""

from dataclasses import replace
from pathlib import Path

from tests.engines.fish_speech.random_checkpoint import RandomCheckpoint, write_language_model
from tests.engines.fish_speech.random_codec import TINY, write_codec
from tests.engines.fish_speech.vocabulary import N_BEFORE_SEMANTIC
from tests.engines.toys.shallow import shallow_checkpoint

__all__ = ["FEW_CODEBOOKS", "N_CODEBOOKS", "N_SEMANTIC", "SHAPES", "tiny", "write_shallow_checkpoint", "write_tiny_checkpoint"]

SHAPES = ("usual", "sparse")
FIRST_CONTROL = 400  # id of <|endoftext|>; those of words are below
N_SEMANTIC, N_CODEBOOKS = 64, 10  # as the toy codec has them; its other books have 32 codes
FEW_CODEBOOKS = 4  # of a frame, where ten would show nothing more: their steps are most of what a tiny frame takes


def tiny(
    shape: str = "usual", *, seed: int = 0, ends_after: int | None = None, max_seq_len: int = 2048, n_codebooks: int = N_CODEBOOKS
) -> RandomCheckpoint:
    """Every structure of the released model at the least width, in one of SHAPES.

    usual: the released proportions: heads of queries and keys normed in the slow transformer alone, heads together wider than the model.
    sparse: one key head, norms of heads in the fast transformer alone, another base of the rotation.
    ends_after: see RandomCheckpoint. max_seq_len: positions that prompt and speech may have together. n_codebooks: of a frame.
    """
    slow, fast = {"usual": _usual, "sparse": _sparse}[shape]()
    start = FIRST_CONTROL + N_BEFORE_SEMANTIC
    text = _COMMON | slow | {"model_type": "fish_qwen3", "tie_word_embeddings": True, "max_seq_len": max_seq_len}
    text["vocab_size"] = start + N_SEMANTIC + 2  # the released table has two rows more than there are tokens, too
    audio = _COMMON | slow | fast | {"model_type": "fish_qwen3_audio_decoder", "tie_word_embeddings": False, "text_dim": slow["dim"]}
    audio |= {"vocab_size": N_SEMANTIC, "num_codebooks": n_codebooks, "max_seq_len": n_codebooks + 1}
    config = {
        "audio_decoder_config": audio,
        "audio_pad_token_id": start - 1,
        "dtype": "bfloat16",
        "eos_token_id": FIRST_CONTROL + 2,
        "model_type": "fish_qwen3_omni",
        "pad_token_id": FIRST_CONTROL + 26,
        "semantic_end_token_id": start + N_SEMANTIC - 1,
        "semantic_start_token_id": start,
        "text_config": text,
    }
    return RandomCheckpoint(config, seed, ends_after)


def write_tiny_checkpoint(folder: Path, shape: str = "usual", *, n_codebooks: int = N_CODEBOOKS, **given) -> Path:
    """Write it into `folder`; returns the folder. given: of `tiny`."""
    folder = write_language_model(Path(folder), tiny(shape, n_codebooks=n_codebooks, **given))
    write_codec(folder, replace(TINY, n_residual_codebooks=n_codebooks - 1))
    return folder


def write_shallow_checkpoint(folder: Path, *, n_codebooks: int = N_CODEBOOKS, **given) -> Path:
    """The same of two layers in every stack, the codec's among them."""
    folder = write_language_model(Path(folder), shallow_checkpoint(tiny(n_codebooks=n_codebooks, **given)))
    stacks = {name: replace(getattr(TINY, name), n_layer=2) for name in ("encoder_transformer", "pre_module", "post_module")}
    write_codec(folder, replace(TINY, n_residual_codebooks=n_codebooks - 1, **stacks))
    return folder


# Keys of the released file that are the same in both sections, and at any size.
_COMMON = {
    "attention_o_bias": False,
    "attention_qkv_bias": False,
    "audio_hidden_dim": 5120,
    "dropout": 0.0,
    "initializer_range": 0.02,
    "norm_eps": 1e-06,
    "rope_base": 1000000,
    "use_gradient_checkpointing": True,
    "use_moe": False,
}


def _usual() -> tuple[dict, dict]:
    """Of the slow transformer, and what is otherwise in the fast one."""
    slow = {"dim": 64, "intermediate_size": 96, "n_layer": 3, "n_head": 4, "n_local_heads": 2, "head_dim": 32, "attention_qk_norm": True}
    return slow, {"n_layer": 2, "attention_qk_norm": False}


def _sparse() -> tuple[dict, dict]:
    slow = {"dim": 48, "intermediate_size": 72, "n_layer": 2, "n_head": 3, "n_local_heads": 1, "head_dim": 16, "attention_qk_norm": False}
    return slow | {"rope_base": 10000}, {"intermediate_size": 40, "n_layer": 1, "attention_qk_norm": True}
