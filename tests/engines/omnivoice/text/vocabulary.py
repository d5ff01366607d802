"""A made-up vocabulary in the file of an OmniVoice tokenizer: bytes, chosen words as single tokens, the control tokens behind."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.engines.qwen3_vocabulary import qwen3_control_tokens, write_qwen3_tokenizer
from tests.stand_ins.random_checkpoint import write_json

__all__ = ["OMNIVOICE", "WORDS", "control_tokens", "write_tokenizer"]

# As `extra_special_tokens` of the released tokenizer_config.json has them, behind Qwen3's (151669 to 151675).
OMNIVOICE = (
    *("<|denoise|>", "<|lang_start|>", "<|lang_end|>", "<|instruct_start|>", "<|instruct_end|>"),
    *("<|text_start|>", "<|text_end|>"),
)
WORDS = ("None", "the", "voice", "text", "speech", "speaker", "sentence", "and", "then", "laughter", "female", "pitch")


def control_tokens(config: Mapping) -> dict[str, int]:
    """token -> id, by config.json's pad_token_id, which is the first of them."""
    return qwen3_control_tokens(config["pad_token_id"], OMNIVOICE)


def write_tokenizer(folder: Path, config: Mapping, words: Sequence[str] = WORDS) -> None:
    """tokenizer.json and tokenizer_config.json, see write_qwen3_tokenizer."""
    write_qwen3_tokenizer(folder, control_tokens(config), words)
    write_json(folder / "tokenizer_config.json", TOKENIZER_CONFIG)


# As released.
TOKENIZER_CONFIG = {
    "add_prefix_space": False,
    "backend": "tokenizers",
    "bos_token": None,
    "clean_up_tokenization_spaces": False,
    "eos_token": "<|im_end|>",
    "errors": "replace",
    "extra_special_tokens": list(OMNIVOICE),
    "is_local": True,
    "model_max_length": 131072,
    "pad_token": "<|endoftext|>",
    "split_special_tokens": False,
    "tokenizer_class": "Qwen2Tokenizer",
    "unk_token": None,
}
