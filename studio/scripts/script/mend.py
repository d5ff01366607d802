"""LineMend: what is to be said otherwise in a take of a line, while all else of its sound stays."""

from dataclasses import dataclass

from engines.contract.editing import EditOperation

__all__ = ["LineMend", "MendedFrom"]


@dataclass(frozen=True)
class MendedFrom:
    """Of which take another one was made: its id, and the engine that said it."""

    take: str
    engine: str


@dataclass(frozen=True)
class LineMend:
    """take: the id of the take. words: its text, in which the places of the operations are. text: that of the line afterwards.

    line_text: that of the line when it was asked for; a line that was written anew since keeps what is written. engine: that makes it, by
    id. voice: the stored voice of the take, None where who speaks is learned of the take itself. key: of the take that comes of it.
    """

    take: str
    words: str
    text: str
    line_text: str
    engine: str
    operations: tuple[EditOperation, ...]
    voice: str | None = None
    key: str = ""
