"""Whether what somebody brought is a text at all, and whether it says anything."""

import re

from studio.errors import ScriptFileUnusable

__all__ = ["check_no_other_kind", "has_words"]

_WORD = re.compile(r"[^\W_]")
# Where a file of another kind begins, and how people call it.
_MAGIC = (
    (0, b"%PDF", "PDF"),
    (0, b"{\\rtf", "RTF"),
    (0, b"\xd0\xcf\x11\xe0", "DOC"),
    (60, b"BOOKMOBI", "MOBI"),
    (60, b"TEXtREAd", "PDB"),
    (0, b"ITSF", "CHM"),
    (0, b"AT&TFORM", "DJVU"),
)
_BINARY = (
    b"ID3",
    b"RIFF",
    b"OggS",
    b"fLaC",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"\x1f\x8b",
    b"7z\xbc\xaf",
    b"Rar!",
    b"\x7fELF",
    b"\x1aE\xdf\xa3",
    b"MZ\x90",
)


def check_no_other_kind(data: bytes) -> None:
    """Raises ScriptFileUnusable for what people bring and no text is: PDF, Word, pictures, sounds."""
    for at, mark, kind in _MAGIC:
        if data[at : at + len(mark)] == mark:
            raise ScriptFileUnusable(sentence="script_file_document", kind=kind)
    if data.startswith(_BINARY) or data[4:8] == b"ftyp":
        raise ScriptFileUnusable(sentence="script_file_binary")


def has_words(text: str) -> bool:
    """Whether there is a letter or a digit."""
    return _WORD.search(text) is not None
