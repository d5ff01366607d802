"""A made-up vocabulary in the files of CosyVoice3's tokenizer: bytes, chosen words as single tokens, and where the special tokens begin."""

import json
from collections.abc import Sequence
from pathlib import Path

from tests.engines.qwen3_tts.checkpoints.vocabulary import write_tokenizer as write_qwen_tokenizer
from tests.stand_ins.random_checkpoint import write_json

__all__ = ["N_SPECIAL", "RELEASED_FIRST", "WORDS", "write_tokenizer"]

RELEASED = Path(__file__).parents[3] / "released" / "cosyvoice3" / "CosyVoice-BlankEN"
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
    settings = json.loads((RELEASED / "tokenizer_config.json").read_text(encoding="utf-8"))
    settings["added_tokens_decoder"] = {str(first + i): token for i, token in enumerate(settings["added_tokens_decoder"].values())}
    write_json(folder / "tokenizer_config.json", settings)
