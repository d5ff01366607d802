"""Refusal: how every door reports an error: status, the contract's sentence, field and next step.

The classes of studio/errors/ are the table of errors: code, status, parameter, and the key of a sentence in assets/words/. Here are the
rows that only the doors know: vLLM-Omni's own sentences, and the status of errors of engines, which know no HTTP.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from engines.errors import (
    CallerMistake,
    CheckpointInvalid,
    EngineError,
    EngineFailed,
    EngineUnavailable,
    EngineUnreachable,
    TranscriptRequired,
)
from studio.errors import (
    AudioTooLarge,
    AudioTypeUnsupported,
    AudioUndecodable,
    ClipMissing,
    ClipTooLong,
    ClipTooShort,
    EngineUnknown,
    NameInvalid,
    NameReserved,
    NoAudio,
    SpeakerExists,
    SpeakerLimitReached,
    SpeakerUnknown,
    StudioError,
    TextMissing,
    WordsMissing,
    disk_error,
)
from studio.errors.clean import clean, sendable
from studio.running.zero_gpu.zero_gpu_errors import GpuAborted, GpuQuotaExceeded

__all__ = ["PARAMETERS", "ROWS", "Refusal", "Row", "nearest_hint", "refusal_of", "row", "status_of", "tellable", "told_values"]

# inside -> in a request
PARAMETERS = {"clip": "ref_audio", "transcript": "ref_text", "text": "input", "speaker": "voice", "engine": "model", "source": "file"}
Raised = TypeVar("Raised", bound=EngineError)
MEBIBYTE = 1024 * 1024
WORDS_WANTED = "Voice cloning requires 'ref_text' (transcript of the reference audio)"


@dataclass(frozen=True)
class Refusal:
    """status: as HTTP has it. parameter: the field of the request. code: stable, for programs. hint: the next step.

    headers: of an HTTP answer. extra: further members beside its error. values: the error's, for who says it in other words.
    """

    status: int
    message: str
    parameter: str | None = None
    code: str = ""
    hint: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    extra: Mapping[str, object] = field(default_factory=dict)
    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Row(Generic[Raised]):
    """How an error is told: the sentence made of it, and the field it is about (None: as the error says, in the request's words).

    status: of HTTP, of errors that are not the studio's own; None: as the row of what they descend from has it.
    """

    say: Callable[[Raised], str] = lambda error: error.fact
    parameter: str | None = None
    hint: Callable[[Raised], str] = lambda error: error.hint
    extra: Mapping[str, object] = field(default_factory=dict)
    status: int | None = None


def row(kind: type[Raised], told: Row[Raised]) -> tuple[type[EngineError], Row]:
    """A row of a table: how errors of that kind are told."""
    return kind, told


def tellable(error: BaseException) -> EngineError | None:
    """What a door tells of something that was raised: itself, what a disk refuses in our words; None for a defect of ours."""
    return error if isinstance(error, EngineError) else disk_error(error)


def refusal_of(
    error: EngineError, *, rows: Mapping[type[EngineError], Row] | None = None, parameters: Mapping[str, str] = PARAMETERS
) -> Refusal:
    """What the studio or an engine raised, as it is told: without paths of this machine. rows: beside ROWS, and before them."""
    table = {**ROWS, **(rows or {})}
    told = next(table[kind] for kind in type(error).__mro__ if kind in table)
    parameter = told.parameter or (parameters.get(error.parameter, error.parameter) if error.parameter else None)
    utterance = told.say(error)
    return Refusal(
        status_of(type(error)),
        clean(f"Recording {error.values['recording']}: {utterance}" if "recording" in error.values else utterance),
        None if parameter is None else sendable(parameter),
        error.code,
        clean(told.hint(error)),
        _retry_after(error),
        told.extra,
        told_values(error),
    )


def status_of(kind: type[EngineError]) -> int:
    """As the class says, or as all of its kind have."""
    if issubclass(kind, StudioError) and kind.status is not None:
        return kind.status
    return next(stated for above in kind.__mro__ if above in ROWS and (stated := ROWS[above].status))


def _retry_after(error: EngineError) -> dict[str, str]:
    seconds = getattr(error, "retry_after_seconds", None)
    return {} if seconds is None else {"Retry-After": str(seconds)}


def told_values(error: EngineError) -> dict[str, object]:
    """The error's figures and names as JSON has them; of texts what may be sent."""
    return {name: _plain(value) for name, value in error.values.items()}


def _plain(value: object) -> object:
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, bool | int):
        return int(value)
    return float(value) if isinstance(value, float) else clean(str(value))


def nearest_hint(error: EngineError) -> str:
    """The next step of who named a voice that is not there."""
    nearest = getattr(error, "nearest", ())
    return f"Did you mean {', '.join(nearest)}?" if nearest else "GET /v1/audio/voices lists what there is."


def _failed(error: EngineError) -> str:
    return f"Speech generation failed: {error.fact}"


def _words_wanted(error: TranscriptRequired) -> str:
    """vLLM-Omni's sentence, but where an engine says more than that it cannot clone without: what of the request needs the words."""
    return error.fact if "sentence" in error.values else WORDS_WANTED


def _words_hint(error: WordsMissing) -> str:
    """Of any request; one to speak can bring them along (studio/speech/request.py)."""
    return (
        f"Upload its recording again as '{error.name}', with 'ref_text': what is said in it, word for word." if error.name else error.hint
    )


def _reserved(error: NameReserved) -> str:
    if not error.built_in:
        return error.fact
    return f"Voice name '{error.name}' is reserved by a built-in speaker of this model; choose a different name."


# What vLLM-Omni says of an error in its own words, and what the API's next step is where a program takes another.
ROWS = dict(
    (
        row(EngineError, Row(_failed, status=500)),
        row(CallerMistake, Row(status=400)),
        row(EngineFailed, Row(_failed, status=500)),
        row(EngineUnavailable, Row(status=503)),
        row(EngineUnreachable, Row(status=503)),
        row(CheckpointInvalid, Row(status=503)),
        row(GpuQuotaExceeded, Row(status=429)),
        row(StudioError, Row()),
        row(GpuAborted, Row(_failed)),
        row(NoAudio, Row(_failed)),
        row(TranscriptRequired, Row(_words_wanted)),
        row(WordsMissing, Row(lambda e: WORDS_WANTED, hint=_words_hint)),
        row(TextMissing, Row(lambda e: "Input text cannot be empty")),
        row(EngineUnknown, Row(lambda e: f"The model `{e.name}` does not exist.", hint=lambda e: "GET /v1/models lists what there is.")),
        row(SpeakerUnknown, Row(lambda e: f"Voice '{e.name}' not found", "name", extra={"success": False}, hint=nearest_hint)),
        row(ClipMissing, Row(lambda e: f"Audio file for uploaded voice '{e.name}' is missing")),
        row(
            ClipTooShort,
            Row(
                lambda e: f"Reference audio too short ({e.seconds:.1f}s). At least {e.least_seconds:g}s of clear speech is required.",
                hint=lambda e: "Record 3-15 s.",
            ),
        ),
        row(
            ClipTooLong,
            Row(lambda e: f"Reference audio too long ({e.seconds:.1f}s). Maximum {e.most_seconds:.0f}s supported — use a shorter clip."),
        ),
        row(
            AudioUndecodable,
            Row(
                lambda e: (
                    "Invalid or corrupted audio data. Ensure the input is a valid audio or video file (e.g. a complete WAV, MP3, or MP4)."
                ),
            ),
        ),
        row(AudioTooLarge, Row(lambda e: f"File size exceeds maximum limit of {e.limit_bytes // MEBIBYTE}MB. Got {e.size_bytes} bytes.")),
        row(AudioTypeUnsupported, Row(lambda e: f"Unsupported MIME type: {e.mime_type}. Allowed: {', '.join(sorted(e.allowed))}")),
        row(NameInvalid, Row(lambda e: f"Invalid voice name {e.name[:80]!r}: {e.rule}")),
        row(NameReserved, Row(_reserved)),
        row(
            SpeakerLimitReached,
            Row(
                lambda e: (
                    f"Uploaded voice limit reached ({e.limit}). Delete an existing voice before registering a new one, "
                    "or raise the cap via SPEAKER_MAX_UPLOADED."
                ),
            ),
        ),
        row(
            SpeakerExists,
            Row(
                lambda e: (
                    f"Voice '{e.name}' already exists and VLLM_OMNI_SPEAKER_REGISTRATION_POLICY is 'immutable'; "
                    f"delete it first via DELETE /v1/audio/voices/{e.name}."
                ),
            ),
        ),
    )
)
