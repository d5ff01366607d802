"""Script: a title, a language, a cast, lines and chapters. It belongs to a workspace. Its lines are read by the page-full."""

from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field

from studio.reading.lexicon.entry import LexiconEntry
from studio.scripts.script.cast import CastMember
from studio.scripts.script.line import LineText, ScriptLine
from studio.scripts.script.take import LineTake

__all__ = ["Chapter", "ReadScript", "ReadTake", "Script", "ScriptHead", "ScriptLines"]


class ScriptHead(BaseModel):
    """What is written of a whole script beside its lines."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str = Field(default="", max_length=200)
    author: str = Field(default="", max_length=200)
    language: str | None = Field(default=None, description="A code; guessed by each engine where absent.")
    year: str = Field(default="", max_length=16)
    description: str = Field(default="", max_length=4000)
    pause_seconds: float = Field(default=0.4, ge=0, le=60, description="Silence behind a line that names none.")
    heading_pause_seconds: float = Field(default=1.2, ge=0, le=60, description="Silence behind a heading that names none, and before it.")
    video_seconds: float | None = Field(
        default=None, ge=0, description="Of the video that its slots are about; None: the end of the last slot."
    )


@dataclass(frozen=True)
class Chapter:
    """first, n_lines: its lines by index, that of the heading included. title: of the heading; "" of what stands before the first."""

    first: int
    n_lines: int
    title: str
    line_id: str


@dataclass(frozen=True)
class Script:
    """One script as it is kept. revision: moves with each edit; token: with each change of anything in it, takes included.

    changed, created: seconds since 1970. can_undo, can_redo: how many steps. has_cover: whether a picture is kept.
    """

    id: str
    workspace: str
    head: ScriptHead
    cast: tuple[CastMember, ...]
    dictionary: tuple[LexiconEntry, ...]
    n_lines: int
    n_characters: int
    revision: int
    token: int
    created: float
    changed: float
    can_undo: int = 0
    can_redo: int = 0
    has_cover: bool = False


@dataclass(frozen=True)
class ReadScript:
    """What was read in, before it is kept. taken_for: the format ("epub", "srt", "dialogue", ...). notes: what a person is told of it: keys
    of `scripts` in assets/words, with values. cover: bytes of a JPEG or PNG, None where there is none.

    takes: sounds that came along: of the script itself, exported with sounds.
    """

    head: ScriptHead
    lines: tuple[LineText, ...]
    cast: tuple[CastMember, ...]
    taken_for: str
    dictionary: tuple[LexiconEntry, ...] = ()
    notes: tuple[tuple[str, dict], ...] = ()
    cover: bytes | None = None
    takes: "tuple[ReadTake, ...]" = field(default=(), repr=False)


@dataclass(frozen=True)
class ReadTake:
    """A take that came along. index: of its line. flac: its file, mono. is_chosen: whether it is the one that is heard."""

    index: int
    take: LineTake
    flac: bytes = field(repr=False)
    is_chosen: bool = False


@dataclass(frozen=True)
class ScriptLines:
    """A stretch of the lines, from index `first`."""

    first: int
    lines: tuple[ScriptLine, ...]
