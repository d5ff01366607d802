"""A made-up vocabulary in the files of a dots.tts tokenizer: bytes, chosen words as single tokens, the marks of audio behind."""

from pathlib import Path

from tests.engines.qwen3_tts.checkpoints.vocabulary import byte_symbols
from tests.engines.qwen3_vocabulary import write_qwen3_tokenizer
from tests.stand_ins.random_checkpoint import write_json

__all__ = ["GEN_START", "N_TOKENS", "RELEASED_ROWS", "write_tokenizer"]

RELEASED_ROWS = 151_672
OF_QWEN = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
AUDIO = (
    "<|audio_comp_start|>", "<|audio_comp_span|>", "<|audio_comp_end|>", "<|audio_gen_start|>", "<|audio_gen_span|>", "<|audio_gen_end|>",
    "<|text_cond_end|>",
)  # fmt: skip
WORDS = ("the", "voice", "sentence", "and", "then", "world", "文本", "语音")


def _n_words() -> int:
    """Tokens that write_qwen3_tokenizer makes of bytes and words."""
    symbols, made = byte_symbols(), set()
    for word in WORDS:
        letters = [symbols[byte] for byte in word.encode()]
        made |= {"".join(letters[:n]) for n in range(2, len(letters) + 1)} | {symbols[ord(" ")] + "".join(letters)}
    return len(symbols) + len(made)


_CONTROL = {token: _n_words() + index for index, token in enumerate((*OF_QWEN, *AUDIO))}
N_TOKENS = len(_CONTROL) + _n_words()
GEN_START = _CONTROL["<|audio_gen_start|>"]


def write_tokenizer(folder: Path) -> None:
    """tokenizer.json and tokenizer_config.json. The marks have the ids behind the words, as released."""
    write_qwen3_tokenizer(folder, _CONTROL, WORDS)
    config = {
        "tokenizer_class": "Qwen2Tokenizer",
        "eos_token": OF_QWEN[0],
        "pad_token": OF_QWEN[0],
        "additional_special_tokens": list(AUDIO),
    }
    write_json(folder / "tokenizer_config.json", config)
