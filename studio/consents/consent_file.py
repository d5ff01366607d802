"""RecordedConsent and its file: a line of JSON that says what is known of it, then the recording as WAV."""

import hashlib
import json
import re
import secrets
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

from engines.plain_json import read_json

__all__ = ["SUFFIX", "ConsentFileBad", "RecordedConsent", "WordsCheck", "file_bytes", "is_consent_id", "new_consent_id", "read_stored"]

SUFFIX = ".consent"
_FORMAT = 1
_MOST_HEAD_BYTES = 32_000
_ID = re.compile(r"cons_[0-9a-f]{32}")
WHYS = ("", "no_transcriber", "transcriber_failed", "language_unknown")


class ConsentFileBad(Exception):
    """The file is none, or damaged. Its text says how."""


@dataclass(frozen=True)
class WordsCheck:
    """What the transcriber made of a recorded consent. heard: its words; "" where it heard nothing, or did not listen.

    why: of words that are unchecked: there is no transcriber, it failed, or nobody has told how one consents in the language.
    """

    is_checked: bool
    heard: str = ""
    why: Literal["", "no_transcriber", "transcriber_failed", "language_unknown"] = ""


@dataclass(frozen=True)
class RecordedConsent:
    """A recording of the sentence by which a person consents.

    created_at: whole seconds since 1970. name: what whoever sent it calls it. language: its BCP 47 tag, as it was stated.
    """

    id: str
    workspace: str
    created_at: int
    name: str
    language: str
    seconds: float
    words: WordsCheck


def new_consent_id(milliseconds: int) -> str:
    """milliseconds: since 1970. Ids sort by time, so that a place in their list outlives what was there."""
    return f"cons_{milliseconds:012x}{secrets.token_hex(10)}"


def is_consent_id(text: str) -> bool:
    """Whether it is of the form of our ids; there may be none of that name."""
    return _ID.fullmatch(text) is not None


def file_bytes(consent: RecordedConsent, wav: bytes) -> bytes:
    """The content of the file."""
    head = {"format": _FORMAT, "digest": hashlib.sha256(wav).hexdigest(), **asdict(consent)}
    return b"\n".join((json.dumps(head, ensure_ascii=False).encode(), wav))


def read_stored(path: Path, *, with_sound: bool) -> tuple[RecordedConsent, bytes]:
    """The consent and its recording, a WAV; b"" without. Raises ConsentFileBad, OSError."""
    with path.open("rb") as file:
        consent, digest = _head(file.readline(_MOST_HEAD_BYTES))
        wav = file.read() if with_sound else b""
    if with_sound and hashlib.sha256(wav).hexdigest() != digest:
        raise ConsentFileBad("its recording does not match its digest")
    return consent, wav


def _head(line: bytes) -> tuple[RecordedConsent, str]:
    try:
        head = read_json(line)
        if head["format"] != _FORMAT:
            raise ConsentFileBad("it was written by another version")
        words = WordsCheck(**head["words"])
        stated: dict[str, Any] = {field.name: head[field.name] for field in fields(RecordedConsent)} | {"words": words}
        consent = RecordedConsent(**stated)
        kinds = {"id": str, "workspace": str, "created_at": int, "name": str, "language": str, "seconds": float}
        whole = all(type(stated[name]) is kind for name, kind in kinds.items()) and isinstance(words.heard, str)
        if whole and words.is_checked in (True, False) and words.why in WHYS and is_consent_id(consent.id):
            return consent, str(head["digest"])
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ConsentFileBad(f"its first line cannot be read: {error}") from error
    raise ConsentFileBad("its first line says something else than it should")
