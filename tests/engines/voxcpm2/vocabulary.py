"""A made-up vocabulary in the file of a Llama-style tokenizer: characters, bytes for all others, control tokens, words as single tokens."""

import json
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from string import ascii_lowercase

__all__ = ["CONTROL", "write_tokenizer"]

SPECIAL = ("<unk>", "<s>", "</s>")
CONTROL = ("<|audio_start|>", "<|audio_end|>", "<|audio_prompt_start|>", "<|audio_prompt_end|>")  # made-up names of the ids 101 to 104
FIRST_CONTROL = 101
SPACE = "▁"
LETTERS = [chr(code) for code in range(ord("!"), ord("~") + 1)] + [SPACE, *"你好，"]  # with SPECIAL exactly FIRST_CONTROL
WORDS = ("hello", "world", "the", "voice", "你好", "世界")


def write_tokenizer(folder: Path, size: int = 512, words: Sequence[str] = WORDS) -> None:
    """tokenizer.json and tokenizer_config.json.

    words: become single tokens, with and without a space before. Of the word 声音 there is a token with the space alone. The vocabulary is
    filled up to `size` by pairs of letters, "zz" first.
    """
    tokens = [*SPECIAL, *LETTERS, *CONTROL, *(f"<0x{byte:02X}>" for byte in range(256))]
    vocabulary = {token: index for index, token in enumerate(tokens)}
    merges: list[list[str]] = []
    for left, right in [*_chains(words), *product(ascii_lowercase[::-1], repeat=2)]:
        for token in (left, right, left + right):
            vocabulary.setdefault(token, len(vocabulary))
        if [left, right] not in merges:
            merges.append([left, right])
        if len(vocabulary) >= size:
            break
    if len(vocabulary) != size:
        raise ValueError(f"{len(vocabulary)} tokens, {size} wanted")
    content = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added(token, vocabulary[token], special=True) for token in SPECIAL]
        + [_added(token, vocabulary[token], special=False) for token in CONTROL],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [{"type": "Prepend", "prepend": SPACE}, {"type": "Replace", "pattern": {"String": " "}, "content": SPACE}],
        },
        "pre_tokenizer": None,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}},
        },
        "decoder": None,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": "<unk>",
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": True,
            "byte_fallback": True,
            "ignore_merges": False,
            "vocab": vocabulary,
            "merges": merges,
        },
    }
    (folder / "tokenizer.json").write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    settings = {"tokenizer_class": "LlamaTokenizer", "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "legacy": True}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")


def _added(token: str, index: int, *, special: bool) -> dict:
    return {"id": index, "content": token, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": special}


def _chains(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Merges that build each word from the left, letter by letter."""
    for word in words:
        yield from ((word[:i], word[i]) for i in range(1, len(word)))
        yield SPACE, word
    yield from [(SPACE, "声"), (f"{SPACE}声", "音")]
