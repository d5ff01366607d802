"""Local reference audio: reads the file behind a file:// URL.

The file must lie below the folder that the operator of the server opened for it.
"""

import os
import re
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote_to_bytes

from studio.audio.decode import MOST_UPLOAD_BYTES
from studio.errors import AudioTooLarge, RequestInvalid

__all__ = ["open_below", "read_local_audio"]

# file:///path, file://localhost/path or file:/path (RFC 8089). No other host, no query, no fragment: a name holds %3F and %23 for ? and #.
_URL = re.compile(r"file:(?://(?:localhost)?)?(/(?!/)[^?#]*)", re.IGNORECASE | re.ASCII | re.DOTALL)
_READ_BYTES = 1 << 20


def read_local_audio(url: str, folder: Path) -> bytes:
    """The bytes of a regular file below folder, at most MOST_UPLOAD_BYTES. Raises RequestInvalid, AudioTooLarge."""
    base, real = os.path.realpath(folder), os.path.realpath(_path(url))
    if not Path(real).is_relative_to(base):
        raise _refusal(
            "The file path <path> must be a subpath of `--allowed-local-media-path <path>`.",
            "local_audio_outside",
            "Name a file below the folder that the server allows; links that lead out of it are not followed.",
        )
    try:
        descriptor = open_below(base, Path(real).relative_to(base).parts)
        try:
            return _read(descriptor)
        finally:
            os.close(descriptor)
    except OSError:  # one answer for all causes, which are the server's own affair
        hint = "It must exist below the folder that the server allows, be a plain file, and be readable by the server."
        raise _refusal("The local reference audio file could not be read.", "local_audio_unreadable", hint) from None


def open_below(folder: str, parts: Sequence[str]) -> int:
    """A descriptor of the file folder/parts[0]/parts[1]/..., reached without following any link. Raises OSError.

    Each part is opened relative to the one before, which is held open: whatever is swapped for a link between the check of the path and
    this makes it fail. A pipe does not hold it up. Windows opens nothing relative to a folder: the settings refuse such a folder there.
    """
    if sys.platform == "win32":
        raise OSError("Windows opens no file relative to a folder.")
    parent = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    for index, part in enumerate(parts):
        kind = os.O_DIRECTORY if index < len(parts) - 1 else os.O_NONBLOCK | os.O_NOCTTY
        try:
            child = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | kind, dir_fd=parent)
        finally:
            os.close(parent)
        parent = child
    return parent


def _path(url: str) -> str:
    match = _URL.fullmatch(url)
    try:
        path = os.fsdecode(unquote_to_bytes(match[1])) if match else ""
    except UnicodeEncodeError:  # half a character
        path = ""
    if not path or "\0" in path:
        message = "ref_audio must be a URL (http/https), base64 data URL (data:...), or file URI (file://...)"
        raise _refusal(message, "local_audio_url_invalid", "A file URI is file:///folder/file.wav, percent-encoded, without another host.")
    return path


def _read(descriptor: int) -> bytes:
    facts = os.fstat(descriptor)
    if not stat.S_ISREG(facts.st_mode):
        raise OSError("not a regular file")
    if facts.st_size > MOST_UPLOAD_BYTES:
        raise AudioTooLarge(facts.st_size, MOST_UPLOAD_BYTES)
    data = bytearray()
    while part := os.read(descriptor, _READ_BYTES):
        data += part
        if len(data) > MOST_UPLOAD_BYTES:  # it has grown, or says nothing true about its size
            raise AudioTooLarge(len(data), MOST_UPLOAD_BYTES)
    return bytes(data)


def _refusal(message: str, code: str, hint: str) -> RequestInvalid:
    return RequestInvalid(code, message, "ref_audio", hint)
