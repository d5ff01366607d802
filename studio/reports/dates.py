"""Dates of reports."""

from datetime import UTC, datetime

__all__ = ["day"]


def day(seconds: float) -> str:
    """Of a time since 1970, in UTC, as ISO 8601 has it: the same in each language."""
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()
