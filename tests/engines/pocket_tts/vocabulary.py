"""A made-up vocabulary of pieces with scores, in the two files that models have: tokenizer.json, and SentencePiece's tokenizer.model."""

import json
import struct
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase

__all__ = ["SIZE", "Piece", "field", "pieces", "write_model", "write_tokenizer"]

SIZE = 480
SPACE = "▁"
WORDS = ("hello", "Hello", "world", "the", "The", "and", "end", "voice", "one", "two", "three")
LETTERS = (SPACE, *ascii_lowercase, *ascii_uppercase, *"0123456789.,;:!?'\"-()…–—’éèàçüöäñ")
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6  # types of pieces, sentencepiece_model.proto

Piece = tuple[str, float, int]  # text, score, type


def pieces(size: int = SIZE) -> list[Piece]:
    """`size` of them: control pieces, a piece per byte, letters, words behind a space, and pairs and threes of letters, "zz" first."""
    listed: list[Piece] = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), ("</s>", 0.0, CONTROL)]
    listed += [(f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256)]
    listed += [(letter, -6.0 - 0.0625 * i, NORMAL) for i, letter in enumerate(LETTERS)]
    listed += [(SPACE + word, -7.0 - 0.125 * i, NORMAL) for i, word in enumerate(WORDS)]
    pairs = ("".join(letters) for length in (2, 3) for letters in product(ascii_lowercase[::-1], repeat=length))
    listed += [(next(pairs), -12.5 - 0.03125 * i, NORMAL) for i in range(size - len(listed))]
    return listed


def write_tokenizer(folder: Path, kind: str = "tokenizers", size: int = SIZE) -> Path:
    """tokenizer.json ("tokenizers") or tokenizer.model ("sentencepiece"): the same ids from both."""
    if kind == "sentencepiece":
        return write_model(folder / "tokenizer.model", pieces(size))
    content = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
        "pre_tokenizer": {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "always", "split": False},
        "post_processor": None,
        "decoder": {"type": "Sequence", "decoders": _decoders()},
        "model": {
            "type": "Unigram",
            "unk_id": 0,
            "vocab": [[text, score] for text, score, _ in pieces(size)],
            "byte_fallback": True,
        },
    }
    file = folder / "tokenizer.json"
    file.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return file


def write_model(file: Path, listed: Sequence[Piece], trainer: Iterable[bytes] = (), normalizer: Iterable[bytes] = ()) -> Path:
    """A ModelProto: pieces (field 1), trainer_spec (2), normalizer_spec (3). trainer, normalizer: more fields; the last one counts."""
    body = b"".join(field(1, field(1, text.encode()) + field(2, score) + field(3, kind)) for text, score, kind in listed)
    usual = field(3, 1) + field(4, len(listed)) + field(35, 1)  # model_type unigram, vocab_size, byte_fallback
    body += field(2, usual + b"".join(trainer))
    body += field(3, field(1, b"identity") + b"".join(normalizer))
    file.write_bytes(body)
    return file


def field(number: int, value: bytes | float) -> bytes:
    """One field of a protobuf message: bytes (length before), a float (32 bits) or a whole number (variable length)."""
    if isinstance(value, bytes):
        return _varint(number << 3 | 2) + _varint(len(value)) + value
    if isinstance(value, float):
        return _varint(number << 3 | 5) + struct.pack("<f", value)
    return _varint(number << 3) + _varint(value)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def _decoders() -> list[dict]:
    return [
        {"type": "Replace", "pattern": {"String": SPACE}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0},
    ]
