"""ApiError and the one table from the studio's exceptions to HTTP: status, message, parameter.

Two vocabularies of `type`, as vLLM-Omni has them: names of error classes for business rules, reason phrases for schema and routing.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from engines.errors import (
    CallerMistake,
    CheckpointInvalid,
    EngineError,
    EngineFailed,
    EngineUnavailable,
    TranscriptRequired,
)
from studio.errors import (
    AudioTooLarge,
    AudioTypeUnsupported,
    AudioUndecodable,
    ClipMissing,
    ClipTooLong,
    ClipTooShort,
    EmbeddingMisfit,
    EmbeddingNotFinite,
    EmbeddingTooLong,
    EngineBusy,
    EngineUnknown,
    NameInvalid,
    NameReserved,
    SpeakerExists,
    SpeakerLimitReached,
    SpeakerUnknown,
    SpeechCancelled,
)
from studio.running.memory_check import InsufficientMemory

__all__ = ["ApiError", "answer_for", "clean", "phrase", "upload_answer_for", "voice_hint"]

BUSINESS_TYPES = {
    400: "BadRequestError",
    404: "NotFoundError",
    409: "ConflictError",
    422: "UnprocessableEntityError",
    500: "InternalServerError",
    503: "ServiceUnavailableError",
}
# inside -> at this door
PARAMETERS = {"clip": "ref_audio", "transcript": "ref_text", "text": "input", "speaker": "voice", "engine": "model"}
MEBIBYTE = 1024 * 1024


class ApiError(Exception):
    """An answer that is not success.

    message: the sentence of the contract. kind: `error.type`; the business name of the status when "".
    param: the request's field. hint: the next step. reason_code: stable, for programs.
    """

    def __init__(self, status: int, message: str, *, param: str | None = None, kind: str = "", reason_code: str = "", hint: str = ""):
        super().__init__(message)
        self.status = status
        self.message = clean(message)
        self.kind = kind or BUSINESS_TYPES.get(status, phrase(status))
        self.param = None if param is None else _sendable(param)
        self.reason_code = reason_code
        self.hint = clean(hint)
        self.headers: dict[str, str] = {}
        self.extra: dict[str, object] = {}

    def adding(self, *, headers: Mapping[str, str] | None = None, extra: Mapping[str, object] | None = None) -> "ApiError":
        """This error, answered with further headers and top-level members."""
        self.headers.update(headers or {})
        self.extra.update(extra or {})
        return self

    def body(self) -> dict[str, object]:
        """The envelope; `hint` and `reason_code` are ours and absent where there is nothing to say."""
        error: dict[str, object] = {"message": self.message, "type": self.kind, "param": self.param, "code": self.status}
        if self.hint:
            error["hint"] = self.hint
        if self.reason_code:
            error["reason_code"] = self.reason_code
        return self.extra | {"error": error}


def phrase(status: int) -> str:
    """The reason phrase of a status, e.g. "Not Found"."""
    return HTTPStatus(status).phrase


# An absolute path of two parts or more that is not one of our own routes; between quotes it may hold spaces.
_PATH = re.compile(
    r"(?<=['\"`])(?:/(?!v1/)[^'\"`\n]*/|[A-Za-z]:\\|~/)[^'\"`\n]*(?=['\"`])"
    r"|(?<![\w.:/])(?:/(?!v1/)(?:[^\s/'\"`,;()]+/)+[^\s'\"`,;()]*(?<![.:])|[A-Za-z]:\\[^\s'\"`,;]+|~/[^\s'\"`,;]+)"
)
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}\b")
_TRACEBACK = re.compile(r"\s*Traceback \(most recent call last\).*", re.DOTALL)


def clean(message: str) -> str:
    """The message without paths, memory addresses and tracebacks."""
    return _ADDRESS.sub("<address>", _PATH.sub("<path>", _TRACEBACK.sub("", _sendable(message))))


def _sendable(text: str) -> str:
    """Lone surrogates, which no response can carry, are escaped."""
    return text.encode("utf-8", "backslashreplace").decode()


# --- the table


@dataclass(frozen=True)
class _Row:
    """status, the sentence made of the error, and the field it is about (None: as the error says, in this door's words)."""

    status: int
    say: Callable[[EngineError], str] = lambda error: error.fact
    param: str | None = None
    headers: Callable[[EngineError], Mapping[str, str]] = lambda error: {}
    hint: Callable[[EngineError], str] = lambda error: error.hint
    extra: Mapping[str, object] = field(default_factory=dict)


def _failed(error: EngineError) -> str:
    return f"Speech generation failed: {error.fact}"


def voice_hint(error: EngineError) -> str:
    """The next step of who named a voice that is not there."""
    nearest = getattr(error, "nearest", ())
    return f"Did you mean {', '.join(nearest)}?" if nearest else "GET /v1/audio/voices lists what there is."


TABLE: dict[type[EngineError], _Row] = {
    EngineError: _Row(500, _failed),
    CallerMistake: _Row(400),
    TranscriptRequired: _Row(400, lambda e: "Voice cloning requires 'ref_text' (transcript of the reference audio)"),
    EngineFailed: _Row(500, _failed),
    EngineUnavailable: _Row(503),
    CheckpointInvalid: _Row(503),
    InsufficientMemory: _Row(503),
    SpeechCancelled: _Row(503, headers=lambda e: {"Retry-After": "1"}),
    EngineBusy: _Row(503, headers=lambda e: {"Retry-After": str(e.retry_after_seconds)}),
    EngineUnknown: _Row(404, lambda e: f"The model `{e.name}` does not exist.", hint=lambda e: "GET /v1/models lists what there is."),
    SpeakerUnknown: _Row(404, lambda e: f"Voice '{e.name}' not found", "name", extra={"success": False}, hint=voice_hint),
    ClipMissing: _Row(400, lambda e: f"Audio file for uploaded voice '{e.name}' is missing"),
    ClipTooShort: _Row(
        400,
        lambda e: f"Reference audio too short ({e.seconds:.1f}s). At least {e.least_seconds:g}s of clear speech is required.",
        hint=lambda e: "Record 3-15 s.",
    ),
    ClipTooLong: _Row(
        400, lambda e: f"Reference audio too long ({e.seconds:.1f}s). Maximum {e.most_seconds:.0f}s supported — use a shorter clip."
    ),
    AudioUndecodable: _Row(
        400,
        lambda e: "Invalid or corrupted audio data. Ensure the input is a valid audio or video file (e.g. a complete WAV, MP3, or MP4).",
    ),
    AudioTooLarge: _Row(400, lambda e: f"File size exceeds maximum limit of {e.limit_bytes // MEBIBYTE}MB. Got {e.size_bytes} bytes."),
    AudioTypeUnsupported: _Row(400, lambda e: f"Unsupported MIME type: {e.mime_type}. Allowed: {', '.join(sorted(e.allowed))}"),
    NameInvalid: _Row(400, lambda e: f"Invalid voice name {e.name[:80]!r}: {e.rule}"),
    NameReserved: _Row(400, lambda e: f"Voice name '{e.name}' is reserved by a built-in speaker of this model; choose a different name."),
    SpeakerLimitReached: _Row(
        400,
        lambda e: (
            f"Uploaded voice limit reached ({e.limit}). Delete an existing voice before registering a new one, "
            "or raise the cap via SPEAKER_MAX_UPLOADED."
        ),
    ),
    SpeakerExists: _Row(
        400,
        lambda e: (
            f"Voice '{e.name}' already exists and VLLM_OMNI_SPEAKER_REGISTRATION_POLICY is 'immutable'; "
            f"delete it first via DELETE /v1/audio/voices/{e.name}."
        ),
    ),
}
# The same error says something else about an uploaded file than about inline reference audio.
UPLOAD_TABLE = TABLE | {
    AudioUndecodable: _Row(400, lambda e: f"Could not decode audio file: {e.reason}"),
    EmbeddingTooLong: _Row(400, lambda e: f"'speaker_embedding' exceeds maximum length ({e.most_values} elements)"),
    EmbeddingNotFinite: _Row(400, lambda e: "'speaker_embedding' values must be finite (no NaN or Inf)"),
    EmbeddingMisfit: _Row(400, lambda e: f"'speaker_embedding' has {e.n_values} dimensions; expected {' or '.join(map(str, e.widths))}"),
}
UPLOAD_PARAMETERS = PARAMETERS | {"clip": "audio_sample", "speaker": "speaker_embedding"}


def answer_for(error: EngineError) -> ApiError:
    """What the studio or an engine raised, as an answer."""
    return _answer(error, TABLE, PARAMETERS)


def upload_answer_for(error: EngineError) -> ApiError:
    """The same, for POST /v1/audio/voices."""
    return _answer(error, UPLOAD_TABLE, UPLOAD_PARAMETERS)


def _answer(error: EngineError, table: Mapping[type[EngineError], _Row], parameters: Mapping[str, str]) -> ApiError:
    row = next(table[kind] for kind in type(error).__mro__ if kind in table)
    param = row.param or (parameters.get(error.parameter, error.parameter) if error.parameter else None)
    answer = ApiError(row.status, row.say(error), param=param, reason_code=error.code, hint=row.hint(error))
    return answer.adding(headers=row.headers(error), extra=row.extra)
