"""The zip file of a bundle. It is written plainly and read with hard limits. It knows file names and bytes, not their meaning."""

import io
import pickletools
import re
import stat
import zipfile
import zlib
from collections.abc import Mapping

from studio.errors import BundleUnusable

__all__ = ["MOST_BUNDLE_BYTES", "BundlePickled", "pack", "refuse_pickle", "unpack"]

MOST_BUNDLE_BYTES = 25_000_000  # what the page takes in one upload; some 2 minutes of 24-bit, 48 kHz mono
MOST_UNPACKED_BYTES = 64 << 20  # sound and prompts hardly deflate: 25 MB of them stay below this
MOST_MEMBERS = 64  # manifest, recording, prompts of a few dozen engines
MOST_RATIO = 100  # of a member: JSON reaches 10, what only wants to fill the memory 1000
_NAME = re.compile(r"[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,199}")
_END = b"PK\x05\x06"
_END_BYTES = 22
_ZIP64 = b"PK\x06\x07"
_ZIP64_BYTES = 20
_MOST_DIRECTORY_BYTES = MOST_MEMBERS * (46 + 200 + 64)  # a record of 46 bytes, a name, room for extra fields
# What holds, or may hold, a Python pickle. Opening one runs what its maker wants.
_PICKLE_NAMES = (".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".joblib", ".bin", ".npy", ".npz", ".dill")
_LONGEST_PICKLE_LOOK = 1 << 20


class BundlePickled(BundleUnusable):
    """A file that would run what its maker wants, if it were opened. what: of the bundle."""

    code = "bundle_pickle"

    def __init__(self, what: str):
        super().__init__(hint="Ask for a .voice.zip with safetensors.", name=what)


def pack(members: Mapping[str, bytes]) -> bytes:
    """One zip: JSON deflated, sound and prompts, which hardly shrink, stored. Raises BundleUnusable where nobody could take it back."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED if name.endswith(".json") else zipfile.ZIP_STORED)
    if file.tell() > MOST_BUNDLE_BYTES:
        raise BundleUnusable(
            sentence="bundle_would_be_too_large",
            size_bytes=file.tell(),
            most_bytes=MOST_BUNDLE_BYTES,
        )
    return file.getvalue()


def unpack(data: bytes) -> dict[str, bytes]:
    """Name -> content of every member. Nothing is written and nothing executed. Raises BundleUnusable."""
    if len(data) > MOST_BUNDLE_BYTES:
        raise BundleUnusable(sentence="bundle_too_large", size_bytes=len(data), most_bytes=MOST_BUNDLE_BYTES)
    refuse_pickle("the file", data)
    _check_directory(data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            for info in infos:
                _refuse_pickle_name(info.filename)
            _check_members(infos)
            return {info.filename: archive.read(info) for info in infos}
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError, OSError, OverflowError) as error:
        raise BundleUnusable(detail=type(error).__name__, sentence="bundle_damaged") from error


def refuse_pickle(name: str, data: bytes) -> None:
    """Raises BundleUnusable where the content is a pickle, whatever it is called. Reads opcodes, runs none."""
    # PROTO and its argument: all protocols from 2 on. A zero is no opcode, but follows in safetensors, which begin with a length: of
    # 384 bytes, for example, as 80 01 00 00 00 00 00 00.
    starts_as_pickle = len(data) > 1 and data[0] == 0x80 and data[1] <= 5 and data[2:3] != b"\0"
    if starts_as_pickle or _ends_as_pickle(data):
        raise BundlePickled(name)


def _refuse_pickle_name(name: str) -> None:
    suffix = next((suffix for suffix in _PICKLE_NAMES if name.casefold().endswith(suffix)), None)
    if suffix is not None:
        raise BundlePickled(suffix)


def _ends_as_pickle(data: bytes) -> bool:
    """Whether the bytes are opcodes up to a STOP: protocols 0 and 1 have no mark at their beginning."""
    try:
        return any(opcode.name == "STOP" for opcode, _, _ in pickletools.genops(data[:_LONGEST_PICKLE_LOOK]))
    except Exception:  # whatever a parser makes of bytes that are no pickle
        return False


def _check_directory(data: bytes) -> None:
    """Before anything parses it: a directory may list a million members in 25 MB."""
    end = data[-_END_BYTES:]
    if data[:4] != b"PK\x03\x04" or end[:4] != _END:
        raise BundleUnusable(detail="it is no plain zip")
    if data[-_END_BYTES - _ZIP64_BYTES : -_END_BYTES].startswith(_ZIP64):
        raise BundleUnusable(detail="it is a zip64")
    directory_bytes = int.from_bytes(end[12:16], "little")
    if directory_bytes > _MOST_DIRECTORY_BYTES:
        raise BundleUnusable(sentence="bundle_of_many", most=MOST_MEMBERS)


def _check_members(infos: list[zipfile.ZipInfo]) -> None:
    names = [info.filename for info in infos]
    if len(infos) > MOST_MEMBERS:
        raise BundleUnusable(sentence="bundle_of_many", most=MOST_MEMBERS)
    if len({name.casefold() for name in names}) < len(names):
        raise BundleUnusable(detail="it holds two files of one name")
    for info in infos:
        kind = stat.S_IFMT(info.external_attr >> 16)
        if not _NAME.fullmatch(info.filename) or info.is_dir():
            raise _not_ours("paths are not taken", info)
        if kind not in (0, stat.S_IFREG):
            raise _not_ours("it is a link or a device, not a file", info)
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or info.flag_bits & 1:
            raise _not_ours("it is encrypted, or compressed in a way that is not taken", info)
        if info.file_size > MOST_RATIO * max(info.compress_size, 1):
            raise _not_ours(f"it claims to unpack to {info.file_size} bytes from {info.compress_size}", info)
    total_bytes = sum(info.file_size for info in infos)
    if total_bytes > MOST_UNPACKED_BYTES:
        raise BundleUnusable(
            detail="it unpacks to that", sentence="bundle_too_large", size_bytes=total_bytes, most_bytes=MOST_UNPACKED_BYTES
        )


def _not_ours(why: str, info: zipfile.ZipInfo) -> BundleUnusable:
    return BundleUnusable(detail=why, sentence="bundle_with_strange_file", name=info.filename[:80])
