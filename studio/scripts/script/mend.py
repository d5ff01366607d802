"""LineMend: what is to be said otherwise in a take of a line, while all else of its sound stays."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from engines.contract.editing import EditOperation
from studio.scripts.script.line import MOST_LINE_CHARACTERS
from studio.speech.body import Text
from studio.speech.editing.edit_body import OperationBody

__all__ = ["LineMend", "LineMendBody", "MendWish"]


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


class LineMendBody(BaseModel):
    """Which words of a take are made anew."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": []})  # that need no script to be sent to

    text: Text | None = Field(
        None,
        max_length=MOST_LINE_CHARACTERS,
        description="The line's text afterwards: where its words differ from those of the take, they are said anew. That of the line where "
        "absent, or what comes of `operations`.",
    )
    take: Text | None = Field(None, max_length=64, description="Id of the take; the chosen one where absent.")
    engine: Text | None = Field(None, max_length=200, description="One with `edits`; the first that is here where absent.")
    operations: tuple[OperationBody, ...] = Field(
        (),
        description="Other changes, such as a pause. Places are characters of the take's text, which `words` of the take has.",
    )
    seed: int | None = Field(None, ge=0, le=2**63 - 1, description="Any where absent.")

    @property
    def wish(self) -> MendWish:
        operations = tuple(one.operation() for one in self.operations)
        return MendWish(self.text, self.take or None, self.engine or None, operations, self.seed)


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
