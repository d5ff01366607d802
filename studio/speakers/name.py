"""What may name a speaker, and the file name that follows from it."""

import re
import unicodedata

from studio.errors import NameInvalid
from studio.speakers.speaker import speaker_key

__all__ = ["check_name", "file_name", "hidden_character"]

MOST_NAME_BYTES = 255
PLACEHOLDERS = ("default", "none", "auto")  # what clients send when they name nobody
_TURNS_TEXT = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def check_name(name: str) -> str:
    """The name as it is kept: trimmed, NFC. Raises NameInvalid."""
    kept = unicodedata.normalize("NFC", name.strip())
    if kept in ("", ".", "..") or any(character in kept for character in "/\\\0"):
        rule = "must be non-empty, no path separators or NUL"
        raise NameInvalid(name, rule, sentence="name_invalid" if kept else "name_missing")
    if hidden_character(kept):
        raise NameInvalid(name, "must not contain control characters")
    if len(kept.encode()) > MOST_NAME_BYTES:
        raise NameInvalid(name, f"must not be longer than {MOST_NAME_BYTES} bytes in UTF-8", sentence="name_too_long", most=MOST_NAME_BYTES)
    if speaker_key(kept) in PLACEHOLDERS:
        raise NameInvalid(name, f"{', '.join(PLACEHOLDERS)} stand for no speaker in particular", sentence="name_of_nobody")
    return kept


def hidden_character(line: str) -> str | None:
    """The first that nobody sees in a line: one that controls, ends the line, is half of another, or turns the order of what follows."""
    return next((one for one in line if unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp") or one in _TURNS_TEXT), None)


def file_name(name: str, consent: str, created_at: int) -> str:
    """`{name}_{consent}_{created_at}.safetensors` of ASCII letters, digits, "_", "-" and "."; 255 bytes at most; never hidden."""
    end = f"_{created_at}.safetensors"
    stem = re.sub(r"[^a-zA-Z0-9_.-]", "_", f"{name}_{consent}")
    return re.sub(r"^\.", "_", stem)[: MOST_NAME_BYTES - len(end)] + end
