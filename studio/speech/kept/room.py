"""going: which entries make room for newer ones."""

from collections.abc import Sequence

from studio.speech.kept.entry import HistoryEntry

__all__ = ["going"]


def going(entries: Sequence[HistoryEntry], most_entries: int, most_bytes: int) -> list[str]:
    """Ids of the entries that make room, so that the rest is within both bounds; one with a star never does."""
    oldest_first = sorted(entries, key=lambda entry: (entry.starred, entry.at))
    n_bytes, too_many = sum(entry.n_bytes for entry in oldest_first), len(oldest_first) - most_entries
    leaving = []
    for entry in oldest_first:
        if entry.starred or (too_many <= len(leaving) and n_bytes <= most_bytes):
            break
        leaving.append(entry.id)
        n_bytes -= entry.n_bytes
    return leaving
