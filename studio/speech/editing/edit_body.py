"""EditBody: what is asked of a recording in which something else is to be said, as fields of a request. The recording comes beside it."""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from engines.contract.editing import EditOperation
from engines.contract.options import Value
from studio.errors import RequestInvalid
from studio.speech.body import ConversionBody, Text
from studio.speech.schema_errors import schema_error

__all__ = ["EditBody", "OperationBody", "read_edit_body"]

AUTO = "auto"
_OWN = ("kind", "start", "end", "old", "text", "values")


class OperationBody(BaseModel):
    """One change. What its kind wants beside these fields stands beside them, or in `values`: {"kind": "pitch", ..., "semitones": 5}."""

    kind: str = Field(description="One of `edits` of the engine in GET /v1/models.")
    start: int = Field(0, ge=0, description="The character of `words` at which it begins.")
    end: int | None = Field(None, ge=0, description="The one behind it; `start` when absent: a place between words.")
    old: Text = Field("", description="The words that it is about, in place of `start` and `end`: they are there once.")
    text: Text = Field("", description="What is said there instead.")
    values: dict[str, Any] = Field(default_factory=dict, description="Options of the kind, by name.")

    @model_validator(mode="before")
    @classmethod
    def _gather_values(cls, data: Any) -> Any:
        if not isinstance(data, dict) or not isinstance(data.get("values", {}), dict):
            return data
        flat = {name: value for name, value in data.items() if name not in _OWN}
        return {name: value for name, value in data.items() if name in _OWN} | {"values": data.get("values", {}) | flat}

    @property
    def has_place(self) -> bool:
        """In characters."""
        return not self.old and bool({"start", "end"} & self.model_fields_set)

    def operation(self, words: str = "") -> EditOperation:
        """words: of the recording, in which `old` is looked for. Raises RequestInvalid where they are not there just once."""
        values: Mapping[str, Value] = self.values
        if not self.old:
            return EditOperation(self.kind, self.start, self.start if self.end is None else self.end, self.text, values)
        if (n := words.count(self.old)) != 1:
            fact = f"{self.old!r} is {n} times in {words!r}; it must be there once."
            raise RequestInvalid(
                "schema_invalid", fact, "operations", "Name more words around it, or send start and end.", field="operations"
            )
        start = words.index(self.old)
        return EditOperation(self.kind, start, start + len(self.old), self.text, values)


def _shown(schema: dict[str, Any]) -> None:
    for name in (*EditBody.of_text, *EditBody.unsuited):
        schema["properties"].pop(name, None)


class EditBody(ConversionBody):
    """Of the fields of POST /v1/audio/speech those of a voice, of an engine and of the file."""

    model_config = ConfigDict(json_schema_extra=_shown)
    of_text: ClassVar[tuple[str, ...]] = tuple(name for name in ConversionBody.of_text if name != "language")
    unsuited: ClassVar[tuple[str, ...]] = ("speed", "stream", "stream_format")  # they would change more than was asked for

    model: Text | None = Field(None, description="Engine whose `edits` in GET /v1/models has the kinds; when absent, the first that edits.")
    words: Text = Field(AUTO, description='What is said in the recording, word for word; "auto": the studio\'s transcriber writes it down.')
    operations: list[OperationBody] = Field(
        default_factory=list, description="Changes, as a JSON list of {kind, start, end, text, ...}: places are characters of `words`."
    )
    whole: bool = Field(False, description="Take all of the engine's sound, not the changed words alone: then no sample stays.")
    language: Text | None = Field(None, description='Of the words: a code ("de") or a name ("German"); found out when absent.')
    sample_rate: int | None = Field(None, gt=0, description="Hz of the answer; that of the recording when absent, whose samples then stay.")

    @property
    def known_words(self) -> str:
        """ "" where they are to be written down."""
        return "" if self.words.strip().casefold() in ("", AUTO) else self.words

    def check_suited(self) -> None:
        """Raises RequestInvalid for what cannot be had of an edited recording."""
        if self.delivery != "whole":
            fact, hint = "A changed recording is a whole file: it is put together when all of it is there.", "Leave stream out."
            raise RequestInvalid("unsupported", fact, "stream", hint, sentence="edit_not_streamed")
        if self.speed not in (None, 1.0):
            fact, hint = "A recording keeps its pace where it is not changed.", "Leave speed out, or change the pace of some words."
            raise RequestInvalid("unsupported", fact, "speed", hint, sentence="edit_keeps_pace")


def read_edit_body(fields: object) -> EditBody:
    """The body in what somebody gave. Raises SchemaInvalid, in the words in which FastAPI's check of a route's body is told."""
    try:
        return EditBody.model_validate(fields)
    except ValidationError as error:
        raise schema_error([{**one, "loc": ("body", *one["loc"])} for one in error.errors()]) from error
