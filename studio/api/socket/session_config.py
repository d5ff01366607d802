"""SessionConfig: the first message of a WebSocket session. It sets voice and options for all texts after it."""

from typing import Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from engines.text.text_splitter import Granularity
from studio.api.socket.messages import MessageRefused
from studio.settings import Dialect
from studio.speech.body import CompatibleFields, Delivery, SpeechBody, SpeechFields
from studio.speech.schema_errors import schema_error

__all__ = ["SessionConfig"]

UNHEEDED = ("stream", "stream_format")  # of HTTP; here it is stream_audio
OWN_WAY = {*UNHEEDED, "word_timestamps"}


class SessionConfig(SpeechFields):
    """The fields of POST /v1/audio/speech except those that choose how HTTP streams, and what a session has beyond them."""

    stream_audio: bool = Field(False, description="Binary frames as the audio is made, in pcm; else one complete file per sentence.")
    split_granularity: Granularity = Field("none", description="What is spoken at a time, and before input.done.")

    streaming_mode: Literal["sentence_commit", "token_level"] | None = Field(
        None,
        description="sentence_commit: what is spoken at a time, the client says by input.commit. token_level: from the first words, of "
        "engines with `reads_along` in GET /v1/models.",
    )

    @property
    def is_fed(self) -> bool:
        return self.streaming_mode == "token_level"

    @property
    def settles_by(self) -> Granularity:
        """What of a text is read before its end."""
        if self.is_fed:
            return "clause"
        return "none" if self.streaming_mode == "sentence_commit" else self.split_granularity

    @classmethod
    def of(cls, message: dict[str, Any], dialect: Dialect) -> "SessionConfig":
        """Raises MessageRefused."""
        unheeded = UNHEEDED + dialect.unknown_config_fields
        try:
            return CONFIGS[dialect].model_validate({name: value for name, value in message.items() if name not in unheeded})
        except ValidationError as error:
            raise MessageRefused(f"Invalid session config: {schema_error(error.errors()).fact}") from error

    @property
    def delivery(self) -> Delivery:
        return "whole"

    def body(self, text: str) -> SpeechBody:
        """A request for this text, so that HTTP and WebSocket have the same rules."""
        shared = {name: getattr(self, name) for name in SpeechFields.model_fields if name not in OWN_WAY}
        return SpeechBody.model_construct(input=text, **shared)

    @model_validator(mode="after")
    def _check_stream(self) -> Self:
        if self.stream_audio and self.response_format != "pcm":
            raise ValueError(
                "WebSocket streaming audio (stream_audio=true) requires response_format='pcm'. "
                f"Got response_format='{self.response_format}'."
            )
        if self.stream_audio and self.speed not in (None, 1.0) and not self.dialect.streams_speed:
            raise ValueError(
                "WebSocket stream_audio=true currently requires speed=1.0; native speed control is only available through HTTP streaming."
            )
        return self


class CompatibleSessionConfig(CompatibleFields, SessionConfig):
    """The same in vLLM-Omni's dialect."""


CONFIGS = {kind.dialect: kind for kind in (SessionConfig, CompatibleSessionConfig)}
