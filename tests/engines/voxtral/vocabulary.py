"""A made-up vocabulary in a tekken.json: bytes, chosen words as single tokens, control tokens at their released ids."""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

__all__ = ["CONTROL_TOKENS", "GOLDEN_TOKENIZER", "write_tokenizer"]

N_BYTES = 256
# Of every Tekken vocabulary that is public (mistral_common 1.13.1, data/): words end where case changes, and digits stand alone.
PATTERN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+"
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# Those that stand before a model's own (DEPRECATED_SPECIAL_TOKENS), and those of audio at the ids that the release says.
CONTROL_TOKENS = {
    **{name: i for i, name in enumerate(("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"))},
    **{name: 7 + i for i, name in enumerate(("[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]"))},
    **{name: 13 + i for i, name in enumerate(("[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"))},
    "[TOOL_CONTENT]": 19, "[TRANSCRIBE]": 34, "[AUDIO]": 24, "[BEGIN_AUDIO]": 25, "[REPEAT_AUDIO_TEXT]": 35, "[NEXT_AUDIO_TEXT]": 36,
}  # fmt: skip
N_NAMED = 40
WORDS = ("the", "voice", "voices", "Voice", "straße", "नमस्ते", "مرحبا", "漢字", "ll", "lll", "kept")
GOLDEN_TOKENIZER = {"config": {"vocab_size": 420}, "words": WORDS, "unused": ("keptipt", "two")}  # what goldens are made with


def write_tokenizer(
    folder: Path, config: Mapping, voices: Mapping[str, int] | None = None, words: Sequence[str] = (), *, unused: Sequence[str] = ()
) -> None:
    """tekken.json of a vocabulary of the size that params.json says, all that words leave being control tokens, 40 of them named.

    voices: name -> rows. words: become single tokens, with and without a space before. unused: entries behind those that are used.
    """
    tokens = {bytes([value]): value for value in range(N_BYTES)}
    for token in (*_chains(words), *(word.encode() for word in unused)):
        tokens.setdefault(token, len(tokens))
    n_used = len(tokens) - len(unused)
    n_control = config["vocab_size"] - n_used
    if n_control < N_NAMED:
        raise ValueError(f"{n_used} tokens leave {n_control} of {config['vocab_size']} to control; {N_NAMED} have names")
    names = {rank: name for name, rank in CONTROL_TOKENS.items()}
    content = {
        "config": {
            "pattern": PATTERN,
            "num_vocab_tokens": len(tokens),
            "default_vocab_size": config["vocab_size"],
            "default_num_special_tokens": n_control,
            "version": "v7",
        },
        "vocab": [
            {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": _shown(token)} for token, rank in tokens.items()
        ],
        "special_tokens": [{"rank": i, "token_str": names.get(i, f"<SPECIAL_{i}>"), "is_control": True} for i in range(N_NAMED)],
        "audio": {
            "sampling_rate": 24000,
            "frame_rate": 12.5,
            "audio_encoding_config": {"num_mel_bins": 128, "hop_length": 160, "window_size": 400},
            "voice_num_audio_tokens": dict(voices or {}),
        },
    }
    (folder / "tekken.json").write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def _chains(words: Sequence[str]) -> Iterator[bytes]:
    """What leads to each word byte by byte, and the word with a space before."""
    for word in words:
        spelled = word.encode()
        yield from (spelled[:i] for i in range(2, len(spelled) + 1))
        yield b" " + spelled


def _shown(token: bytes) -> str | None:
    try:
        return token.decode()
    except UnicodeDecodeError:
        return None
