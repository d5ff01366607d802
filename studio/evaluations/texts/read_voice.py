"""ReadVoice: somebody's recording, with what is known of it."""

from dataclasses import dataclass
from pathlib import Path

__all__ = ["ReadVoice"]


@dataclass(frozen=True)
class ReadVoice:
    """path or data: the file of the recording, of which exactly one is there. words: what is said in it, None where nobody wrote it down;
    language: of these words. person: who has the same one is no other person; "" where nobody knows."""

    id: str
    label: str
    path: Path | None = None
    data: bytes | None = None
    words: str | None = None
    language: str | None = None
    person: str = ""
