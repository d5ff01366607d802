"""LexiconFile: what a file of a dictionary gives, whichever its format, and what such a file may be."""

from collections.abc import Iterable
from dataclasses import dataclass

from studio.errors import LexiconEntryInvalid, LexiconFileInvalid, LexiconFull
from studio.reading.lexicon.entry import LexiconEntry
from studio.reading.lexicon.lexicon import MOST_ENTRIES

__all__ = ["MOST_FILE_BYTES", "LexiconFile", "check_size", "gathered"]

MOST_FILE_BYTES = 10 << 20  # 5,000 entries of ordinary words take half a megabyte


@dataclass(frozen=True)
class LexiconFile:
    """entries: checked, one for a key. passed_over: what of the file is in none of them, each with its line, for people who wrote it."""

    entries: tuple[LexiconEntry, ...]
    passed_over: tuple[str, ...] = ()


def check_size(data: bytes) -> None:
    """Raises LexiconFileInvalid."""
    if len(data) > MOST_FILE_BYTES:
        raise LexiconFileInvalid(1, f"the file has {len(data)} bytes; it may have {MOST_FILE_BYTES}")


def gathered(found: Iterable[tuple[int, LexiconEntry]], passed_over: list[str]) -> LexiconFile:
    """(line, entry) of a file as it should be kept: of several for one form the first counts. passed_over: grows while `found` is read.

    Raises LexiconFileInvalid, LexiconFull.
    """
    entries: dict[tuple[str, str], LexiconEntry] = {}
    for line, written in found:
        try:
            entry = written.checked()
        except LexiconEntryInvalid as error:
            raise LexiconFileInvalid(line, error.fact.rstrip(".")) from error
        if entry.key in entries and entries[entry.key] != entry:
            passed_over.append(f"line {line}: another entry for {entry.written!r}")
        entries.setdefault(entry.key, entry)
        if len(entries) > MOST_ENTRIES:
            raise LexiconFull(len(entries), MOST_ENTRIES)
    return LexiconFile(tuple(entries.values()), tuple(passed_over))
