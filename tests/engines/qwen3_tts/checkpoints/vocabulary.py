"""A made-up vocabulary in the files of a Qwen tokenizer: bytes, chosen words as single tokens, the special tokens at their ids."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, product
from pathlib import Path

__all__ = ["byte_symbols", "special_tokens", "write_tokenizer"]

# As in the released tokenizer_config.json: the tokens of the text and vision models, then those of audio. Ids count on from the first.
_SPECIAL = (
    *("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|object_ref_start|>", "<|object_ref_end|>", "<|box_start|>", "<|box_end|>"),
    *("<|quad_start|>", "<|quad_end|>", "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>", "<|image_pad|>", "<|video_pad|>"),
    *("<tool_call>", "</tool_call>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|fim_pad|>", "<|repo_name|>", "<|file_sep|>"),
    *("<tool_response>", "</tool_response>", "<think>", "</think>", "<|audio_start|>", "<|audio_end|>"),
    *("<tts_pad>", "<tts_text_bos>", "<tts_text_eod>", "<tts_text_bos_single>", "<|audio_pad|>"),
)


def special_tokens(config: Mapping) -> dict[str, int]:
    """token -> id."""
    first = config["im_start_token_id"] - 1
    return {token: first + i for i, token in enumerate(_SPECIAL)}


def byte_symbols() -> list[str]:
    """The printable character that stands for each byte in byte-level BPE (GPT-2's table, encoder.py of openai/gpt-2)."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    moved = {byte: 256 + i for i, byte in enumerate(byte for byte in range(256) if byte not in plain)}
    return [chr(moved.get(byte, byte)) for byte in range(256)]


def write_tokenizer(folder: Path, config: Mapping, words: Sequence[str] = ()) -> None:
    """vocab.json, merges.txt and tokenizer_config.json.

    words: become single tokens, with and without a space before; "assistant" always is one, as the prompt templates need it.
    The vocabulary is filled up to the first special token by merges of bytes that no English text has.
    """
    special = special_tokens(config)
    vocabulary, merges = _vocabulary(special["<|endoftext|>"], tuple(words))
    (folder / "vocab.json").write_text(vocabulary, encoding="utf-8")
    (folder / "merges.txt").write_text(merges, encoding="utf-8")
    added = {str(i): {"content": token, "lstrip": False, "normalized": False, "rstrip": False, "single_word": False, "special": True}
             for token, i in special.items()}  # fmt: skip
    tokenizer = {
        "add_bos_token": False,
        "add_prefix_space": False,
        "added_tokens_decoder": added,
        "bos_token": None,
        "clean_up_tokenization_spaces": False,
        "eos_token": "<|im_end|>",
        "errors": "replace",
        "model_max_length": 131072,
        "pad_token": "<|endoftext|>",
        "processor_class": "Qwen3TTSProcessor",
        "split_special_tokens": False,
        "tokenizer_class": "Qwen2Tokenizer",
        "unk_token": None,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer, indent=1), encoding="utf-8")


@cache
def _vocabulary(n_tokens: int, words: tuple[str, ...]) -> tuple[str, str]:
    """The content of vocab.json and of merges.txt. n_tokens: without the special ones."""
    symbols = byte_symbols()
    vocabulary = {symbol: i for i, symbol in enumerate(symbols)}
    merges: list[str] = []
    for left, right in chain(_chains(["assistant", *words], symbols), _fillers(symbols)):
        if len(vocabulary) == n_tokens:
            break
        if left + right not in vocabulary:
            vocabulary[left + right] = len(vocabulary)
            merges.append(f"{left} {right}")
    if len(vocabulary) < n_tokens:
        raise ValueError(f"{len(vocabulary)} tokens do not reach the first special token, {n_tokens}")
    return json.dumps(vocabulary, ensure_ascii=False), "#version: 0.2\n" + "\n".join(merges) + "\n"


def _chains(words: Sequence[str], symbols: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Merges that build each word from the left, letter by letter."""
    for word in words:
        spelled = [symbols[byte] for byte in word.encode()]
        for start in ([], [symbols[ord(" ")]]):
            letters = [*start, *spelled]
            yield from (("".join(letters[:i]), letters[i]) for i in range(1, len(letters)))


def _fillers(symbols: Sequence[str]) -> Iterator[tuple[str, str]]:
    """More than 200,000 merges of two, then three symbols of bytes from 0x80 on."""
    high = symbols[128:192]
    yield from product(high, high)
    yield from product(("".join(pair) for pair in product(high, high)), high)
