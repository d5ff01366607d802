"""LineMend: what is to be said otherwise in a take of a line, while all else of its sound stays."""

from collections.abc import Sequence
from dataclasses import dataclass

from engines.contract.editing import EditOperation

__all__ = ["LineMend", "MendWish", "MendedFrom"]


@dataclass(frozen=True)
class MendedFrom:
    """Of which take another one was made: its id, and the engine that said it."""

    take: str
    engine: str


@dataclass(frozen=True)
class MendWish:
    """What is asked for. text: that the line is to have; None for the one that it has, or that comes of the operations.

    take: the id of the take; None for the one that is heard. engine: by whatever name; None for the first that can. operations: beside
    those by which the words of the take become the text; their places are in the words of the take. seed: None for any.
    """

    text: str | None = None
    take: str | None = None
    engine: str | None = None
    operations: Sequence[EditOperation] = ()
    seed: int | None = None


@dataclass(frozen=True)
class LineMend:
    """What comes of a wish, and waits in the queue.

    take: the id of the take. words: its text, in which the places of the operations are. text: that of the line afterwards.
    line_text: that of the line when it was asked for; a line that was written anew since keeps what is written. engine: that makes it, by
    id. voice: the stored voice of the take, None where who speaks is learned of the take itself. language: a code.
    key: of the take that comes of it; "" where it is stale all the same, since more than the words of the line is another by now.
    """

    take: str
    words: str
    text: str
    line_text: str
    engine: str
    operations: tuple[EditOperation, ...]
    voice: str | None = None
    language: str | None = None
    key: str = ""
