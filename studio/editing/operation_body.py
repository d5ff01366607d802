"""OperationBody: one change of what is said in a recording, as JSON sends it."""

from pydantic import BaseModel, ConfigDict, Field

from engines.contract.editing import EditOperation
from engines.contract.options import Value
from studio.speech.body import Text

__all__ = ["MOST_SENT_OPERATIONS", "OperationBody"]

MOST_SENT_OPERATIONS = 1_000  # of one request; how many are done at once the engine's contract says
MOST_OPERATION_CHARACTERS = 5_000


class OperationBody(BaseModel):
    """What a kind takes beside stands in `values`, or flat beside `kind`: {"kind": "pitch", "start": 0, "end": 5, "semitones": 5}."""

    model_config = ConfigDict(extra="allow", frozen=True)

    kind: Text = Field(max_length=40, description="One of the engine's `edits`, as GET /v1/models has them: replace, insert, remove, ...")
    start: int = Field(0, ge=0, description="Where it begins, in characters of the words.")
    end: int | None = Field(None, ge=0, description="Behind its last character; where it begins, of a place between words.")
    text: Text = Field("", max_length=MOST_OPERATION_CHARACTERS, description="The words that are said there instead.")
    values: dict[str, Value] = Field(default_factory=dict, description="Of the kind's options, by name.")

    def operation(self) -> EditOperation:
        """Unchecked: see checked_edit."""
        values = {**(self.__pydantic_extra__ or {}), **self.values}
        return EditOperation(self.kind, self.start, self.start if self.end is None else self.end, self.text, values)
