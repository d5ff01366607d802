"""A made-up vocabulary in the files of CosyVoice3's tokenizer: bytes, chosen words as single tokens, and where the special tokens begin."""

from collections.abc import Sequence
from pathlib import Path

from tests.engines.qwen3_tts.vocabulary import write_tokenizer as write_qwen_tokenizer
from tests.random_checkpoint import write_json

__all__ = ["N_SPECIAL", "RELEASED_FIRST", "WORDS", "write_tokenizer"]

N_SPECIAL = 281  # three of them in tokenizer_config.json, the others in the official code
RELEASED_FIRST = 151_643  # id of <|endoftext|>, the first of them, in the release
# Pairs that come first are merged first: so ordered that no word takes letters out of another.
WORDS = ("sentence", "the", "then", "helpful", "speech", "assistant", "voice", "text", "and", "are", "You")


def write_tokenizer(folder: Path, first: int = RELEASED_FIRST, words: Sequence[str] = WORDS) -> None:
    """vocab.json, merges.txt and tokenizer_config.json of a Qwen2 tokenizer.

    first: id of the first special token, which is how many the vocabulary has.
    words: become single tokens.
    """
    write_qwen_tokenizer(folder, {"im_start_token_id": first + 1}, words)
    marks = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
    added = {str(first + i): {"content": mark, "lstrip": False, "normalized": False, "rstrip": False, "single_word": False, "special": True}
             for i, mark in enumerate(marks)}  # fmt: skip
    write_json(folder / "tokenizer_config.json", TOKENIZER_CONFIG | {"added_tokens_decoder": added})


# As Qwen2-0.5B-Instruct has it, whose file the release seems to be by its length, but for a template of chats.
TOKENIZER_CONFIG = {
    "add_prefix_space": False,
    "additional_special_tokens": ["<|im_start|>", "<|im_end|>"],
    "bos_token": None,
    "clean_up_tokenization_spaces": False,
    "eos_token": "<|im_end|>",
    "errors": "replace",
    "model_max_length": 32768,
    "pad_token": "<|endoftext|>",
    "split_special_tokens": False,
    "tokenizer_class": "Qwen2Tokenizer",
    "unk_token": None,
}
