"""A made-up vocabulary in the file of a Fish tokenizer: bytes, chosen words as single tokens, the control tokens at their ids."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.engines.qwen3_vocabulary import N_QWEN3, qwen3_control_tokens, write_qwen3_tokenizer

__all__ = ["N_BEFORE_SEMANTIC", "control_tokens", "write_tokenizer"]

# Behind Qwen3's own 26, from <|endoftext|> to </think>; those of codes follow (released ids: 151669 to 151677, then 151678 to 155773).
_FISH = ("<|pad|>", "<|phoneme_start|>", "<|phoneme_end|>", "<|text|>", "<|voice|>", "<|interleave|>")
_AUDIO = ("<|audio_start|>", "<|audio_end|>", "<|audio_pad|>")
N_BEFORE_SEMANTIC = N_QWEN3 + len(_FISH) + len(_AUDIO)
WORDS = ("system", "user", "assistant", "the", "voice", "text", "speech", "speaker")


def control_tokens(config: Mapping) -> dict[str, int]:
    """token -> id, by config.json's semantic_start_token_id and semantic_end_token_id, at the released distances."""
    start, end = config["semantic_start_token_id"], config["semantic_end_token_id"]
    codes = (f"<|semantic:{code}|>" for code in range(end - start + 1))
    return qwen3_control_tokens(start - N_BEFORE_SEMANTIC, (*_FISH, *_AUDIO, *codes))


def write_tokenizer(folder: Path, config: Mapping, words: Sequence[str] = WORDS) -> None:
    """tokenizer.json, see write_qwen3_tokenizer."""
    write_qwen3_tokenizer(folder, control_tokens(config), words)
