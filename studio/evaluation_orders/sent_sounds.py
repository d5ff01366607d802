"""unpacked: the sounds of another system, out of a ZIP that somebody sent. Nothing of it leaves its folder, and none of it is executed."""

import shutil
import stat
import unicodedata
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from studio.errors import EvaluationArchiveUnusable

__all__ = ["unpacked"]

MOST_MEMBERS = 20_000
MOST_DIRECTORY_BYTES = 8 << 20  # some 400 for each of them
MOST_UNPACKED_BYTES = 4 << 30
MOST_MEMBER_BYTES = 256 << 20
MOST_RATIO = 200  # a WAV of a quiet room packs to a tenth, one with half of it digital silence to a twentieth
MOST_DEPTH = 5
SOUNDS = (".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4a")
LISTS = (".csv", ".tsv", ".txt", ".lab", ".json", ".lst")
END, END_BYTES, ZIP64, ZIP64_BYTES = b"PK\x05\x06", 22, b"PK\x06\x07", 20  # APPNOTE 6.3.10, 4.3.16 and 4.3.15
MOST_COMMENT_BYTES = 1 << 16
FORBIDDEN = set('<>:"|?*\\')  # in names, on Windows
BLOCK_BYTES = 1 << 20


def unpacked(file: BinaryIO, folder: Path) -> int:
    """Write its sounds and lists into a folder that is empty; how many. Other kinds of files in it are passed over.

    Raises EvaluationArchiveUnusable, and nothing is to be used of the folder then; OSError.
    """
    try:
        _check_directory(file)
        with zipfile.ZipFile(file) as archive:
            members = [info for info in archive.infolist() if not info.is_dir() and _is_wanted(info.filename)]
            _check_members(members)
            for info in members:
                _write(archive, info, folder)
            return len(members)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError, OverflowError) as error:
        raise EvaluationArchiveUnusable(detail=f"it is damaged ({type(error).__name__})") from error


def _check_directory(file: BinaryIO) -> None:
    """Before anything parses it: a directory may list millions of members."""
    n_bytes = file.seek(0, 2)
    file.seek(max(0, n_bytes - END_BYTES - MOST_COMMENT_BYTES))
    tail = file.read()
    file.seek(0)
    at = tail.rfind(END)
    if at < 0:
        raise EvaluationArchiveUnusable(detail="it is no ZIP")
    if ZIP64 in tail[max(0, at - ZIP64_BYTES) : at]:
        raise EvaluationArchiveUnusable(detail="it is a ZIP64")
    if int.from_bytes(tail[at + 12 : at + 16], "little") > MOST_DIRECTORY_BYTES:
        raise EvaluationArchiveUnusable(detail=f"it has more than {MOST_MEMBERS} files")


def _is_wanted(name: str) -> bool:
    path = PurePosixPath(name)
    hidden = any(part.startswith((".", "__MACOSX")) and part not in (".", "..") for part in path.parts)
    return path.suffix.lower() in (*SOUNDS, *LISTS) and not hidden


def _check_members(members: list[zipfile.ZipInfo]) -> None:
    if len(members) > MOST_MEMBERS:
        raise EvaluationArchiveUnusable(detail=f"it has more than {MOST_MEMBERS} files")
    if len({unicodedata.normalize("NFC", info.filename).casefold() for info in members}) < len(members):
        raise EvaluationArchiveUnusable(detail="it has two files of one name")
    for info in members:
        shown = info.filename[:80]
        if not _is_plain(info.filename):
            raise EvaluationArchiveUnusable(detail=f"the name {shown!r} is not taken")
        if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
            raise EvaluationArchiveUnusable(detail=f"{shown!r} is a link or a device, not a file")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or info.flag_bits & 1:
            raise EvaluationArchiveUnusable(detail=f"{shown!r} is encrypted, or packed in a way that is not taken")
        if info.file_size > MOST_MEMBER_BYTES or info.file_size > MOST_RATIO * max(info.compress_size, 1):
            raise EvaluationArchiveUnusable(detail=f"{shown!r} claims to unpack to {info.file_size} bytes from {info.compress_size}")
    if sum(info.file_size for info in members) > MOST_UNPACKED_BYTES:
        raise EvaluationArchiveUnusable(detail=f"it unpacks to more than {MOST_UNPACKED_BYTES >> 30} GiB")


def _is_plain(name: str) -> bool:
    """A relative path downwards, which every system can write."""
    parts = name.split("/")
    return (
        len(name) < 512
        and len(parts) <= MOST_DEPTH
        and all(part not in ("", ".", "..") and not part.endswith((".", " ")) and len(part.encode()) < 250 for part in parts)
        and not any(letter in FORBIDDEN or not letter.isprintable() for letter in name)
    )


def _write(archive: zipfile.ZipFile, info: zipfile.ZipInfo, folder: Path) -> None:
    """zipfile itself stops at the size that the member claims, and checks its sum."""
    path = folder.joinpath(*info.filename.split("/"))
    if not path.resolve().is_relative_to(folder.resolve()):
        raise EvaluationArchiveUnusable(detail=f"the name {info.filename[:80]!r} is not taken")
    path.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(info) as source, path.open("wb") as target:
        shutil.copyfileobj(source, target, BLOCK_BYTES)
