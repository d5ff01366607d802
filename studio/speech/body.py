"""SpeechBody: the JSON of POST /v1/audio/speech, with vLLM-Omni's fields, defaults, bounds and messages.

SpeechFields has all of them but the text: what items of a batch and their defaults share with it, and a request to convert recorded speech
(ConversionBody).
"""

from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetPydanticSchema,
    PrivateAttr,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic.config import JsonValue

from studio.audio.formats import MEDIA_TYPES, Format
from studio.settings import OWN_DIALECT, VLLM_OMNI_DIALECT, Dialect
from studio.speech.schema_errors import schema_error

__all__ = [
    "CompatibleFields",
    "CompatibleFormat",
    "CompatibleSpeechBody",
    "ConversionBody",
    "Delivery",
    "Inline",
    "SpeechBody",
    "SpeechFields",
    "SpokenText",
    "fields_of",
    "read_body",
    "read_conversion_body",
]  # fmt: skip

Fields = TypeVar("Fields", bound=BaseModel)
Delivery = Literal["whole", "raw", "sse"]
Inline = Literal["recording", "embedding"] | None  # what of a voice comes with a request
# Those of vLLM-Omni; to who reads a checked body they are formats as all others.
COMPATIBLE_FORMATS = [name for name in MEDIA_TYPES if name not in VLLM_OMNI_DIALECT.unknown_formats]
CompatibleFormat = Annotated[Format, GetPydanticSchema(lambda *_: {"type": "literal", "expected": COMPATIBLE_FORMATS})]

MOST_EMBEDDING = 8192
MOST_FLOAT32 = 3.4028234e38  # what engines compute in; beyond it is infinity
LEAST_INT64, MOST_INT64 = -(2**63), 2**63 - 1
RIVALS = {  # of `references`
    "ref_audio": "'references' and 'ref_audio' are mutually exclusive",
    "ref_text": "'references[0].text' and 'ref_text' conflict; supply only one",
}
UNENCODED = ("pcm", "wav")  # formats that need no encoder; the others need one that works as the sound comes
TWO_INSTRUCTIONS = "'instructions' and 'extra_params.instructions' conflict; supply only one"


def _unicode(text: str) -> str:
    """JSON can spell half a character (a lone surrogate), which no file, log or engine can write down."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("must be valid Unicode text") from None
    return text


def _voice_id(voice: object) -> object:
    """`{"id": "x"}` means "x"."""
    if not isinstance(voice, dict):
        return voice
    if voice.get("id") is None:
        raise ValueError("voice dict must contain 'id'")
    return voice["id"]


def _some_audio(ref_audio: object) -> object:
    if ref_audio == []:
        raise ValueError("'ref_audio' list cannot be empty")
    return ref_audio


def _finite_embedding(embedding: object) -> object:
    """Bounds that would otherwise be checked item by item, with thousands of messages."""
    rows = embedding if isinstance(embedding, list) and embedding and isinstance(embedding[0], list) else [embedding]
    for row in rows:
        if not isinstance(row, list):
            continue
        if not row:
            raise ValueError("'speaker_embedding' must be a non-empty list of floats")
        if len(row) > MOST_EMBEDDING:
            raise ValueError(f"'speaker_embedding' exceeds maximum length ({MOST_EMBEDDING} elements)")
        if not all(isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MOST_FLOAT32 for value in row):
            raise ValueError("'speaker_embedding' values must be finite (no NaN or Inf)")
    return embedding


VOICE_SCHEMA = {
    "anyOf": [
        {"type": "string"},
        {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
        {"type": "null"},
    ],
    "title": "Voice",
}
REF_AUDIO_SCHEMA = {
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}, {"type": "null"}],
    "title": "Ref Audio",
}
Text = Annotated[str, AfterValidator(_unicode)]
Voice = Annotated[Text | None, BeforeValidator(_voice_id), WithJsonSchema(VOICE_SCHEMA)]
Embedding = Annotated[list[float] | list[list[float]] | None, BeforeValidator(_finite_embedding)]

EXAMPLES: list[JsonValue] = [
    {"input": "Good morning. This is the voice of the engine; name one that you uploaded, and it is yours.", "voice": "default"},
    {"input": "Streamed as it is made.", "voice": "default", "stream_format": "audio", "response_format": "pcm"},
    {"input": "Guten Morgen.", "voice": "default", "language": "German", "seed": 7, "response_format": "mp3"},
]
ENCODED_EXAMPLE: JsonValue = {"input": "MP3 as it is made.", "voice": "default", "stream_format": "audio", "response_format": "mp3"}


class SpokenText(BaseModel):
    """What is said. As the last base of a body it comes first in documents and in errors."""

    input: Text = Field(description="The text to speak.")


class SpeechFields(BaseModel):
    """Who speaks, and how."""

    model_config = ConfigDict(extra="ignore")
    dialect: ClassVar[Dialect] = OWN_DIALECT  # whose fields and formats these are
    keeps_dialect: ClassVar[bool] = False  # whether what they ask for is judged by it as well, whatever the studio's dialect is
    most_instruction_characters: ClassVar[int] = 500  # as vLLM-Omni has it
    _alias: str = PrivateAttr("")

    model: Text | None = Field(None, description="Engine, as listed by GET /v1/models, or its `root`; the default engine when absent.")
    voice: Voice = Field(
        None,
        description='An uploaded voice, a built-in one, or "default"; of an engine with `blends_voices` also a blend of up to eight '
        'built-in ones, each with its weight: `af_heart:0.6+af_bella:0.4`, `af_heart(2)+af_bella`. `{"id": "alice"}` is taken as well.',
    )
    speaker: Voice = Field(None, description="Another name of `voice`; `voice` wins.")
    instructions: Text | None = Field(None, description="How to speak, or who, for engines that have the option.")
    response_format: Format = Field("wav", description="pcm is 16-bit little-endian mono.")
    sample_rate: int | None = Field(
        None, gt=0, description="Hz of the answer; resampled. When absent, 24000 for pcm, which cannot tell it, else the engine's own."
    )
    speed: float | None = Field(1.0, ge=0.25, le=4.0, description="Speaking rate.")
    stream_format: Literal["sse", "audio"] | None = Field(
        None, description="Either value turns streaming on. A stream of mp3 or aac may have a higher rate than a file, in X-Sample-Rate."
    )
    stream: bool = Field(False, description='Stream: server-sent events, or raw bytes with `stream_format: "audio"`.')
    task_type: Literal["CustomVoice", "VoiceDesign", "Base"] | None = Field(
        None, description="Inferred. VoiceDesign: the voice that `instructions` describe, of engines with a `designed_voice`."
    )
    language: Text | None = Field(None, description='Of the text: a code ("de"), a name ("German") or "Auto".')
    ref_audio: Annotated[Any, BeforeValidator(_some_audio), WithJsonSchema(REF_AUDIO_SCHEMA)] = Field(
        None,
        description="Recording of the voice for this request: a base64 data URL, or an http(s) or file URL where the server allows it. "
        "Wins over `voice`. A list of several for engines with `most_recordings` above 1.",
    )
    ref_text: Text | None = Field(
        None,
        description="What is said in the recording; of several, a line for each. For engines that want it, a studio with a transcriber "
        "writes it down where it is absent.",
    )
    ref_audio_2: str | None = Field(None, description="Second speaker, for dialogue models.")
    ambient_sound: str | None = None
    duration_seconds: float | None = Field(None, ge=0, description="Of the speech, for engines that have the option `duration`.")
    x_vector_only_mode: bool | None = Field(None, description="Speaker embedding only, for engines that have the choice.")
    speaker_embedding: Embedding = Field(None, description="Speaker embedding for this request, instead of a recording.")
    max_new_tokens: int | None = Field(None, ge=1, le=2**63 - 1)
    seed: int | None = Field(
        None,
        ge=LEAST_INT64,
        le=MOST_INT64,
        description="The same seed and request give the same audio, where the engine is `deterministic`.",
    )
    initial_codec_chunk_frames: int | None = Field(None, ge=0, le=2**63 - 1)
    non_streaming_mode: bool | None = None
    extra_params: dict[str, Any] | None = Field(None, description="Options of the engine, by name (see GET /v1/models).")
    word_timestamps: bool = Field(
        False, description="Tell when each word is heard: X-Word-Timestamps of whole files, `word_timestamps` of the last event of streams."
    )
    directions: bool | None = Field(
        None, description="false: say as words what the engine would take for a direction ([whisper] of Fish Audio, (softly) of VoxCPM2)."
    )

    @property
    def delivery(self) -> Delivery:
        if self.stream_format == "audio":
            return "raw"
        return "sse" if self.stream or self.stream_format == "sse" else "whole"

    @property
    def inline(self) -> Inline:
        if self.ref_audio is not None:
            return "recording"
        return "embedding" if self.speaker_embedding is not None else None

    @property
    def alias(self) -> str:
        """The name that was asked for, where `voice` is what it stands for; else ""."""
        return self._alias

    def meaning(self, voice: str | None) -> Self:
        """The same, of whose voice the name is an alias. voice: what it stands for."""
        meant = self.model_copy(update={"voice": voice})
        meant._alias = self.voice or ""
        return meant

    @model_validator(mode="before")
    @classmethod
    def _take_other_names(cls, data: Any) -> Any:
        """`speaker` is another name of `voice`, `references` (one entry) another form of ref_audio and ref_text."""
        if not isinstance(data, dict):
            return data
        data = dict(data)
        if data.get("voice") is not None and "speaker" in data:
            data["speaker"] = None
        if data.get("references") is not None:
            for name, value in _of_reference(data.pop("references")).items():
                if data.get(name) not in (None, "", [], value):
                    raise ValueError(RIVALS[name])
                data[name] = value
        return data

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        if self.speaker is not None:  # was checked under its own name, and is the voice
            self.voice, self.speaker = self.speaker, None
        if self.delivery != "whole" and self.response_format not in UNENCODED and not self.dialect.streams_encoded:
            raise ValueError(
                "Streaming (stream=true, stream_format='audio', or stream_format='sse') requires response_format='pcm' or 'wav'. "
                f"Got response_format='{self.response_format}'."
            )
        if self.ref_audio is not None and self.speaker_embedding is not None:
            raise ValueError("'speaker_embedding' and 'ref_audio' are mutually exclusive")
        other = (self.extra_params or {}).get("instructions")
        if None not in (self.instructions, other) and other != self.instructions:
            raise ValueError(TWO_INSTRUCTIONS)
        return self


class SpeechBody(SpeechFields, SpokenText):
    """Unknown fields are ignored. What an engine has beyond these fields is set through `extra_params` (see GET /v1/models)."""

    model_config = ConfigDict(json_schema_extra={"examples": [*EXAMPLES, ENCODED_EXAMPLE]})


def _without_text_fields(schema: dict[str, Any]) -> None:
    for name in ConversionBody.of_text:
        schema["properties"].pop(name, None)


class ConversionBody(SpeechFields):
    """What is asked of recorded speech that is to be said again in another voice. The recording comes beside it."""

    model_config = ConfigDict(json_schema_extra=_without_text_fields)
    of_text: ClassVar[tuple[str, ...]] = (  # fields of how a text is spoken, which change nothing here: the answer names them
        "instructions", "task_type", "language", "ref_audio_2", "ambient_sound", "duration_seconds", "max_new_tokens",
        "initial_codec_chunk_frames", "non_streaming_mode", "word_timestamps", "directions",
    )  # fmt: skip

    model: Text | None = Field(
        None, description="Engine whose `converts` is true in GET /v1/models; when absent, the first that has or can learn the voice."
    )

    @property
    def unheeded(self) -> tuple[str, ...]:
        return tuple(name for name in self.of_text if getattr(self, name) not in (None, False))


class CompatibleFields(BaseModel):
    """As the first base of a body or a config: what it may ask for in vLLM-Omni's dialect."""

    dialect: ClassVar[Dialect] = VLLM_OMNI_DIALECT
    response_format: CompatibleFormat = Field("wav", description="pcm is 16-bit little-endian mono.")


class CompatibleSpeechBody(CompatibleFields, SpeechBody):
    """The same in vLLM-Omni's dialect."""

    model_config = ConfigDict(json_schema_extra={"examples": EXAMPLES})


BODIES = {kind.dialect: kind for kind in (SpeechBody, CompatibleSpeechBody)}


def fields_of(options: dict[str, Any]) -> dict[str, Any]:
    """Options by name as a request says them: in a field of that name, else for the engine, which refuses what it lacks."""
    own = {name: value for name, value in options.items() if name not in SpeechFields.model_fields}
    fields, more = {name: value for name, value in options.items() if name not in own}, options.get("extra_params")
    return fields | ({"extra_params": (more or {}) | own} if own and isinstance(more, dict | None) else {})


def read_body(fields: object, dialect: Dialect) -> SpeechBody:
    """The body in what JSON gave. Raises SchemaInvalid, in the words in which FastAPI's check of a route's body is told."""
    return _read(BODIES[dialect], fields)


def read_conversion_body(fields: object) -> ConversionBody:
    """The same, of recorded speech that is to be said again."""
    return _read(ConversionBody, fields)


def _read(kind: type[Fields], fields: object) -> Fields:
    try:
        return kind.model_validate(fields, from_attributes=True)
    except ValidationError as error:
        raise schema_error([{**one, "loc": ("body", *one["loc"])} for one in error.errors()]) from error


def _of_reference(references: object) -> dict[str, str]:
    """Field -> value, of the one entry. It has an audio_path: without one, a voice that nobody asked for would speak."""
    if not isinstance(references, list) or not references:
        raise ValueError("'references' must be a non-empty array of {audio_path, text} objects")
    if len(references) > 1:
        raise ValueError("'references' only supports a single reference; multi-shot voice clone is not supported")
    if not isinstance(references[0], dict):
        raise ValueError("'references[0]' must be an object with 'audio_path' and optional 'text'")
    audio, words = references[0].get("audio_path"), references[0].get("text")
    if not isinstance(audio, str) or not audio:
        raise ValueError("'references[0].audio_path' is required and must be a string (URL, data: URI, or file path)")
    return {"ref_audio": audio} | ({"ref_text": words} if isinstance(words, str) and words.strip() else {})
