"""TimedWord: when a written word is heard."""

from dataclasses import dataclass

__all__ = ["TimedWord"]


@dataclass(frozen=True)
class TimedWord:
    """start_seconds, end_seconds: from the first sample of its sound. written: as the text has it ("$5"). said: as it is read ("five dollars").

    start, end: where it stands in the text, in characters.
    """

    start_seconds: float
    end_seconds: float
    written: str
    said: str
    start: int
    end: int
