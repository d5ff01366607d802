"""Bodies of requests about scripts: the forms of the JSON."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonValue

from studio.cast_tests import CastMethod
from studio.listening.plan.plan import MOST_NAME_CHARACTERS
from studio.scripts.export.order import ExportOrder
from studio.scripts.script.cast import CastMember
from studio.scripts.script.edits import Edit
from studio.scripts.script.line import MOST_TAKES
from studio.speech.body import Text

__all__ = [
    "CastTestBody",
    "ChosenTakeBody",
    "EditsBody",
    "ExportBody",
    "FindBody",
    "LineAgainBody",
    "LinesBody",
    "ReplaceBody",
    "SayBody",
    "ScriptBody",
]

MOST_EDITS = 1_000  # of one request
MOST_FOUND_CHARACTERS = 500
MOST_LINES_NAMED = 5_000  # all of a script
EXAMPLES: list[JsonValue] = [{"text": "# The lighthouse\n\nANNA: Is anybody there?\n\nBEN: Only the wind.", "title": "The lighthouse"}]


class _Body(BaseModel):
    model_config = ConfigDict(
        extra="forbid", populate_by_name=True, json_schema_extra={"examples": []}
    )  # that need no script to be sent to


class ScriptBody(_Body):
    """What is to become a script."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": EXAMPLES})

    text: Text = Field(
        description="Plain text, Markdown, lines such as `ANNA: Hello.`, SRT, VTT, CSV with a header, or a script as JSON; the answer says "
        "what it was taken for."
    )
    filename: Text = Field("", max_length=255, description="Its ending tells the format where the text leaves a doubt.")
    title: Text = Field("", max_length=200, description="In place of the one that the text has.")
    read_as: Text = Field("", max_length=40, description="Its format, where somebody knows it better.")


class EditsBody(_Body):
    """Changes that are one: they are undone together."""

    edits: tuple[Edit, ...] = Field(min_length=1, max_length=MOST_EDITS)
    revision: int | None = Field(
        None,
        description="That of the script which the edits are meant for; where it has moved on, nothing is changed and the answer is 409.",
    )


class FindBody(_Body):
    """What is looked for in the text of lines."""

    text: Text = Field(min_length=1, max_length=MOST_FOUND_CHARACTERS)
    case: bool = Field(False, description="Whether capitals count.")
    whole_word: bool = Field(False, description="Whether it is not meant inside of longer words.")


class ReplaceBody(FindBody):
    """What takes its place, in all lines."""

    by: Text = Field(max_length=MOST_FOUND_CHARACTERS)


class LinesBody(_Body):
    """Which lines; all of them where absent."""

    lines: tuple[Text, ...] | None = Field(None, min_length=1, max_length=MOST_LINES_NAMED, description="Ids.")


class SayBody(LinesBody):
    """What is said, and how often."""

    begin: Text | None = Field(None, alias="from", description="Id of the line from which all are said.")
    only: Literal["stale", "all"] = Field(
        "stale", description="`stale`: what is new, has changed since it was said, or failed; `all`: also what is as it should be."
    )
    takes: int = Field(1, ge=1, le=MOST_TAKES, description="How often each line is said, with other seeds.")
    best: bool = Field(False, description="Whether the best of a line's takes is chosen by the ears.")


class LineAgainBody(_Body):
    """How a line is said again."""

    takes: int = Field(1, ge=1, le=MOST_TAKES, description="How often, with other seeds.")
    seed: int | None = Field(None, ge=0, le=2**63 - 1, description="Of the first; any where absent.")
    best: bool = Field(False, description="Whether the best of all its takes is chosen by the ears.")


class ChosenTakeBody(_Body):
    """Which take of a line is heard."""

    take: Text = Field(description="Its id; empty for none.")


class ExportBody(ExportOrder):
    """What is made of the script."""

    model_config = ConfigDict(json_schema_extra={"examples": []})


class CastTestBody(LinesBody):
    """A blind test: the script as it is cast, and with another cast."""

    cast: tuple[CastMember, ...] = Field(
        min_length=1, max_length=200, description="Who speaks otherwise in the second one; who is not named speaks as in the script."
    )
    method: CastMethod = Field("ab", description="One of those that need no reference.")
    name: Text = Field("", max_length=MOST_NAME_CHARACTERS, description="Of the test; made of the script's title where empty.")
    scenes: bool = Field(
        False, description="Whether lines that follow each other are heard as one sound, up to 50 s, and not line by line."
    )
