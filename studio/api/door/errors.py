"""ApiError: an answer that is not a success, and the envelope in which it is sent.

Two vocabularies of `type`, as vLLM-Omni has them: names of error classes for business rules, reason phrases for schema and routing.
"""

from collections.abc import Mapping
from http import HTTPStatus

from engines.errors import EngineError
from studio.errors import AudioUndecodable, SchemaInvalid
from studio.errors.clean import clean, sendable
from studio.speakers.enrollment import EmbeddingMisfit, EmbeddingNotFinite, EmbeddingTooLong
from studio.speech.refusal import PARAMETERS, Refusal, Row, refusal_of
from studio.web.error_body import error_body

__all__ = ["ApiError", "answer_for", "consent_answer_for", "design_answer_for", "phrase", "transcription_answer_for", "upload_answer_for"]

BUSINESS_TYPES = {
    400: "BadRequestError",
    404: "NotFoundError",
    409: "ConflictError",
    422: "UnprocessableEntityError",
    500: "InternalServerError",
    503: "ServiceUnavailableError",
    507: "InsufficientStorageError",
}
# The same error says something else about an uploaded file than about inline reference audio.
UPLOAD_ROWS: dict[type[EngineError], Row] = {
    AudioUndecodable: Row[AudioUndecodable](lambda e: f"Could not decode audio file: {e.reason}"),
    EmbeddingTooLong: Row[EmbeddingTooLong](lambda e: f"'speaker_embedding' exceeds maximum length ({e.most_values} elements)"),
    EmbeddingNotFinite: Row(lambda e: "'speaker_embedding' values must be finite (no NaN or Inf)"),
    EmbeddingMisfit: Row[EmbeddingMisfit](
        lambda e: f"'speaker_embedding' has {e.n_values} dimensions; expected {' or '.join(map(str, e.widths))}"
    ),
}
UPLOAD_PARAMETERS = PARAMETERS | {
    "clip": "audio_sample",
    "speaker": "speaker_embedding",
    "filename": "audio_sample",
    "mime_type": "audio_sample",
    "description": "speaker_description",
}
CONSENT_PARAMETERS: dict[str, str] = dict.fromkeys(("clip", "filename", "mime_type"), "recording")
DESIGN_PARAMETERS = PARAMETERS | {"instructions": "prompt", "text": "script_hint", "clip": "script_hint"}
TRANSCRIPTION_PARAMETERS: dict[str, str] = dict.fromkeys(("clip", "filename", "mime_type"), "file")


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
        self.param = None if param is None else sendable(param)
        self.reason_code = reason_code
        self.hint = clean(hint)
        self.headers: dict[str, str] = {}
        self.extra: dict[str, object] = {}
        self.values: dict[str, object] = {}

    def adding(self, *, headers: Mapping[str, str] | None = None, extra: Mapping[str, object] | None = None) -> "ApiError":
        """This error, answered with further headers and top-level members."""
        self.headers.update(headers or {})
        self.extra.update(extra or {})
        return self

    def body(self) -> dict[str, object]:
        """The envelope, behind what was added to it."""
        return self.extra | error_body(
            self.status,
            self.message,
            kind=self.kind,
            param=self.param,
            hint=self.hint,
            reason_code=self.reason_code,
            values=self.values,
        )


def phrase(status: int) -> str:
    """The reason phrase of a status, e.g. "Not Found"."""
    return HTTPStatus(status).phrase


def answer_for(error: EngineError) -> ApiError:
    """What the studio or an engine raised, as an answer."""
    return _answer(refusal_of(error), phrase(400) if isinstance(error, SchemaInvalid) else "")


def upload_answer_for(error: EngineError) -> ApiError:
    """The same, for POST /v1/audio/voices."""
    return _answer(refusal_of(error, rows=UPLOAD_ROWS, parameters=UPLOAD_PARAMETERS))


def transcription_answer_for(error: EngineError) -> ApiError:
    """The same, for POST /v1/audio/transcriptions."""
    return _answer(refusal_of(error, rows=UPLOAD_ROWS, parameters=TRANSCRIPTION_PARAMETERS))


def consent_answer_for(error: EngineError) -> ApiError:
    """The same, for a recording that is to be a consent."""
    return _answer(refusal_of(error, rows=UPLOAD_ROWS, parameters=CONSENT_PARAMETERS))


def design_answer_for(error: EngineError) -> ApiError:
    """The same, for a voice by description."""
    return _answer(refusal_of(error, parameters=DESIGN_PARAMETERS))


def _answer(refusal: Refusal, kind: str = "") -> ApiError:
    answer = ApiError(refusal.status, refusal.message, param=refusal.parameter, kind=kind, reason_code=refusal.code, hint=refusal.hint)
    answer.values.update(refusal.values)
    return answer.adding(headers=refusal.headers, extra=refusal.extra)
