"""Edits: what a person does to a script, each of which can be undone."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from studio.reading.lexicon.entry import MOST_FORM_CHARACTERS
from studio.scripts.script.cast import CastMember
from studio.scripts.script.line import LineText
from studio.scripts.script.script import ScriptHead

__all__ = [
    "DeleteLines",
    "Edit",
    "InsertLines",
    "MoveLines",
    "PutLine",
    "RenameMember",
    "SetCast",
    "SetDictionary",
    "SetHead",
    "WrittenEntry",
]


class _EditBody(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PutLine(_EditBody):
    """Write a line anew; its id and its takes stay."""

    op: Literal["put"] = "put"
    line: str
    written: LineText


class InsertLines(_EditBody):
    """New lines behind `after`; at the beginning where that is absent. lines: in their order."""

    op: Literal["insert"] = "insert"
    after: str | None = None
    lines: tuple[LineText, ...] = Field(min_length=1)


class DeleteLines(_EditBody):
    """With their takes, which come back when it is undone."""

    op: Literal["delete"] = "delete"
    lines: tuple[str, ...] = Field(min_length=1)


class MoveLines(_EditBody):
    """Behind `after`; to the beginning where that is absent."""

    op: Literal["move"] = "move"
    lines: tuple[str, ...] = Field(min_length=1)
    after: str | None = None


class SetHead(_EditBody):
    """All that is written of the script beside its lines."""

    op: Literal["head"] = "head"
    head: ScriptHead


class SetCast(_EditBody):
    """All of the cast; who is left out and named by lines speaks as the narrator does."""

    op: Literal["cast"] = "cast"
    cast: tuple[CastMember, ...]


class RenameMember(_EditBody):
    """Lines of `name` become those of `to`. Where the cast has `to` already, that member stays and the other goes. "": the narrator."""

    op: Literal["rename"] = "rename"
    name: str = Field(max_length=64)
    to: str = Field(max_length=64)


class WrittenEntry(_EditBody):
    """An entry of the script's dictionary, which goes before that of the workspace."""

    written: str = Field(max_length=MOST_FORM_CHARACTERS)
    said: str = Field(default="", max_length=MOST_FORM_CHARACTERS)
    ipa: str = Field(default="", max_length=MOST_FORM_CHARACTERS)
    language: str = ""
    case: bool = False
    whole_word: bool = True


class SetDictionary(_EditBody):
    """All entries of the script's dictionary."""

    op: Literal["dictionary"] = "dictionary"
    entries: tuple[WrittenEntry, ...]


Edit = Annotated[
    PutLine | InsertLines | DeleteLines | MoveLines | SetHead | SetCast | RenameMember | SetDictionary, Field(discriminator="op")
]
