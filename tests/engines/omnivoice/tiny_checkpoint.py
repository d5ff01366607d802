"""OmniVoice checkpoints of toy size in the official layout, of random numbers, written in a blink without the official package."""

from pathlib import Path

from tests.engines.omnivoice.codec.random_codec import write_codec
from tests.engines.omnivoice.random_checkpoint import RandomCheckpoint, write_backbone

__all__ = ["SHAPES", "tiny", "write_tiny_checkpoint"]

SHAPES = ("usual", "sparse")
FIRST_CONTROL = 1000  # id of <|endoftext|>; those of words are below
# Codes are looked up among the rows of text too, by the official code, so that it needs as many as a codebook has.
VOCAB_SIZE = FIRST_CONTROL + 33


def tiny(shape: str = "usual", *, seed: int = 0, max_position_embeddings: int = 40960) -> RandomCheckpoint:
    """Every structure of the released model at the least width, in one of SHAPES.

    usual: two heads of queries for one of keys, as released, all together as wide as the model.
    sparse: one key head; heads together wider than the model, as released; another base of the rotation and another epsilon.
    """
    llm = _LLM | {"usual": _USUAL, "sparse": _SPARSE}[shape]
    llm |= {"vocab_size": VOCAB_SIZE, "max_position_embeddings": max_position_embeddings}
    llm |= {"bos_token_id": FIRST_CONTROL, "eos_token_id": FIRST_CONTROL + 2}
    llm |= {"layer_types": ["full_attention"] * llm["num_hidden_layers"], "max_window_layers": llm["num_hidden_layers"]}
    config = _MODEL | {"llm_config": llm, "eos_token_id": FIRST_CONTROL + 2, "pad_token_id": FIRST_CONTROL}
    return RandomCheckpoint(config, seed)


def write_tiny_checkpoint(folder: Path, shape: str = "usual", **given) -> Path:
    """Write it into `folder`; returns the folder. given: of `tiny`."""
    folder = write_backbone(Path(folder), tiny(shape, **given))
    write_codec(folder)
    return folder


_USUAL = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2}
_USUAL |= {"head_dim": 8}
_SPARSE = {"hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 1, "num_attention_heads": 3, "num_key_value_heads": 1}
_SPARSE |= {"head_dim": 16, "rms_norm_eps": 1e-05, "rope_parameters": {"rope_theta": 10000, "rope_type": "default"}}

# Keys of the released file that are the same at any size.
_MODEL = {
    "architectures": ["OmniVoice"],
    "audio_codebook_weights": [8, 8, 6, 6, 4, 4, 2, 2],
    "audio_mask_id": 1024,
    "audio_vocab_size": 1025,
    "bos_token_id": None,
    "dtype": "float32",
    "model_type": "omnivoice",
    "num_audio_codebook": 8,
    "transformers_version": "5.3.0",
}
_LLM = {
    "_name_or_path": "",
    "architectures": ["Qwen3ForCausalLM"],
    "attention_bias": False,
    "attention_dropout": 0.0,
    "chunk_size_feed_forward": 0,
    "dtype": "float32",
    "hidden_act": "silu",
    "id2label": {"0": "LABEL_0", "1": "LABEL_1"},
    "initializer_range": 0.02,
    "is_encoder_decoder": False,
    "label2id": {"LABEL_0": 0, "LABEL_1": 1},
    "model_type": "qwen3",
    "output_attentions": False,
    "output_hidden_states": False,
    "pad_token_id": None,
    "problem_type": None,
    "return_dict": True,
    "rms_norm_eps": 1e-06,
    "rope_parameters": {"rope_theta": 1000000, "rope_type": "default"},
    "sliding_window": None,
    "tie_word_embeddings": True,
    "use_cache": True,
    "use_sliding_window": False,
}
