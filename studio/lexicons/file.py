"""The file of a workspace's dictionary: a line of JSON that says whose it is and when it changed, and a line with its entries."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from engines.plain_json import read_json
from studio.errors import LexiconEntryInvalid, LexiconFull
from studio.reading.lexicon.entry import LexiconEntry
from studio.reading.lexicon.lexicon import Lexicon

__all__ = ["SUFFIX", "LexiconFileBad", "StoredLexicon", "file_bytes", "file_name", "read_head", "read_stored"]

SUFFIX = ".lexicon"
_FORMAT = 1
_MOST_HEAD_BYTES = 1_000


class LexiconFileBad(Exception):
    """The file is none, or damaged. Its text says how."""


@dataclass(frozen=True)
class StoredLexicon:
    """at: seconds since 1970 when it was changed."""

    workspace: str
    at: float
    lexicon: Lexicon


def file_name(workspace: str) -> str:
    """Of a workspace, whose own name may be no name of a file."""
    return hashlib.sha256(workspace.encode()).hexdigest()[:32] + SUFFIX


def file_bytes(workspace: str, at: float, entries: Iterable[LexiconEntry]) -> bytes:
    """The content of the file."""
    head = json.dumps({"format": _FORMAT, "workspace": workspace, "at": at})
    return f"{head}\n{json.dumps([asdict(entry) for entry in entries], ensure_ascii=False)}\n".encode()


def read_head(path: Path) -> tuple[str, float]:
    """(workspace, seconds since 1970 when it was changed). Raises LexiconFileBad, OSError."""
    with path.open("rb") as file:
        return _head(file.readline(_MOST_HEAD_BYTES))


def read_stored(path: Path) -> StoredLexicon:
    """Raises LexiconFileBad, OSError."""
    head, _, rest = path.read_bytes().partition(b"\n")
    workspace, at = _head(head)
    if path.name != file_name(workspace):
        raise LexiconFileBad("it is another workspace's")
    try:
        return StoredLexicon(workspace, at, Lexicon(LexiconEntry(**entry).checked() for entry in read_json(rest)))
    except (ValueError, TypeError, AttributeError, LexiconEntryInvalid, LexiconFull) as error:
        raise LexiconFileBad(f"its entries cannot be read: {error}") from error


def _head(line: bytes) -> tuple[str, float]:
    try:
        head = read_json(line)
        if head["format"] == _FORMAT:
            return str(head["workspace"]), float(head["at"])
    except (ValueError, TypeError, KeyError) as error:
        raise LexiconFileBad(f"its first line cannot be read: {error}") from error
    raise LexiconFileBad("it was written by another version")
