"""BatchBody: the JSON of POST /v1/audio/speech/batch.

An item inherits the fields that it does not set, and becomes a SpeechBody of its own.
"""

# A field of a subclass takes the place of its base's: pydantic checks it by its last declaration, and nobody assigns one.
# pyright: reportIncompatibleVariableOverride=false

from typing import ClassVar, Literal

from pydantic import ConfigDict, Field, ValidationError
from pydantic.config import JsonValue

from studio.api.door.errors import ApiError
from studio.audio.formats import Format
from studio.settings import VLLM_OMNI_DIALECT, Dialect
from studio.speech.body import CompatibleFormat, Delivery, SpeechBody, SpeechFields, SpokenText
from studio.speech.schema_errors import schema_error

__all__ = ["BatchBody", "CompatibleBatchBody"]

WHO = ("voice", "ref_audio", "speaker_embedding")  # each says who speaks
UNHEEDED = ("stream", "stream_format", "word_timestamps")  # a batch is answered whole, when all of it is spoken
EXAMPLES: list[JsonValue] = [
    {
        "voice": "default",
        "response_format": "flac",
        "items": [
            {"input": "The first line.", "seed": 7},
            {"input": "Die zweite.", "language": "German"},
            {"input": "Third.", "response_format": "mp3"},
        ],
    }
]


class BatchFields(SpeechFields):
    """Defaults and items say the same things; null, or nothing, leaves it to whoever is asked next."""

    response_format: Format | None = Field(None, description="pcm is 16-bit little-endian mono. wav where nobody says.")
    stream: bool | None = Field(None, description="Answered with a warning: a batch is not streamed.")
    stream_format: Literal["sse", "audio"] | None = Field(None, description="Answered with a warning: a batch is not streamed.")
    word_timestamps: bool | None = Field(None, description="Answered with a warning: there are none.")

    @property
    def delivery(self) -> Delivery:
        return "whole"

    def set_fields(self) -> dict[str, object]:
        """Field -> value, of those that were given one."""
        given = self.model_fields_set & set(SpeechFields.model_fields)
        return {name: value for name in given if (value := getattr(self, name)) is not None}


class BatchItem(BatchFields, SpokenText):
    """One text. What it leaves out is taken from the top level; what it says wins."""


class BatchBody(BatchFields):
    """Fields beside `items` are defaults of all items. Every field of POST /v1/audio/speech may stand in either place."""

    model_config = ConfigDict(json_schema_extra={"examples": EXAMPLES})

    items: list[BatchItem] = Field(min_length=1, description="At most 32, unless the server sets another limit.")

    def speech(self, item: BatchItem) -> SpeechBody:
        """The item as a request of its own. Raises SchemaInvalid.

        An item that says who speaks inherits no other voice, nor the words of another recording. Where the dialect says that it does,
        inherited reference audio beats the item's own voice.
        """
        defaults, own = self.set_fields(), item.set_fields()
        if self.dialect.items_choose_speaker and any(name in own for name in WHO):
            inherited = [name for name in WHO if defaults.pop(name, None) is not None]
            if inherited:
                defaults.pop("ref_text", None)
        try:
            return SpeechBody.model_validate({"input": item.input, **_heeded(defaults | own)})
        except ValidationError as error:
            raise schema_error(error.errors()) from error

    def unheeded(self, item: BatchItem) -> tuple[str, ...]:
        """Fields of the item that ask for something that a batch does not give."""
        said = self.set_fields() | item.set_fields()
        return tuple(name for name in UNHEEDED if said.get(name))

    def check_length(self, most_items: int) -> None:
        """Raises ApiError for more than most_items."""
        if len(self.items) > most_items:
            raise ApiError(
                400,
                f"Batch contains {len(self.items)} items, exceeding the maximum of {most_items}.",
                kind="Bad Request",
                param="items",
                reason_code="batch_too_long",
                hint="Send it in parts, or raise STUDIO_MAX_BATCH_ITEMS.",
            )


class CompatibleBatchItem(BatchItem):
    """The same in vLLM-Omni's dialect."""

    response_format: CompatibleFormat | None = None


class CompatibleBatchBody(BatchBody):
    """The same in vLLM-Omni's dialect."""

    dialect: ClassVar[Dialect] = VLLM_OMNI_DIALECT

    response_format: CompatibleFormat = "wav"
    items: list[CompatibleBatchItem] = Field(min_length=1, description="At most 32, unless the server sets another limit.")


def _heeded(said: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in said.items() if name not in UNHEEDED}
