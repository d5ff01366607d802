"""Edited: what an edit, an undo or a redo did. Changes: what has changed since somebody looked."""

from dataclasses import dataclass

__all__ = ["CastCount", "Changes", "Edited", "ScriptCounts"]


@dataclass(frozen=True)
class Edited:
    """revision: of the script now. lines: ids of those that were changed, put in or moved, and are there.

    is_reordered: whether lines came, went or moved, or every line may look different, as where the cast is another.
    """

    revision: int
    lines: tuple[str, ...] = ()
    is_reordered: bool = False


@dataclass(frozen=True)
class Changes:
    """token: what to ask with next time. lines: ids of those that are another, takes included. is_reordered: as of Edited."""

    token: int
    revision: int
    lines: tuple[str, ...]
    is_reordered: bool


@dataclass(frozen=True)
class ScriptCounts:
    """n_said: lines that have a chosen take; n_silent: that have none and are not to be said; n_failed: that failed the last time.
    seconds: of the chosen takes. n_bytes: of all sounds, those included that an undo can bring back."""

    n_said: int
    n_silent: int
    n_failed: int
    seconds: float
    n_bytes: int


@dataclass(frozen=True)
class CastCount:
    """How much a name of the script has: also one without a member of the cast. seconds: of the chosen takes."""

    name: str
    n_lines: int
    n_characters: int
    n_said: int
    seconds: float
