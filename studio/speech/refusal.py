"""Refusal: how every door reports an error: status, the contract's sentence, field and next step. It is the one table of them.

The sentences are vLLM-Omni's where it has one; elsewhere the error's own fact.
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
    ConsentInUse,
    ConsentsFull,
    ConsentUnknown,
    DiskFailed,
    DiskFull,
    DiskReadOnly,
    EngineBusy,
    EngineUnknown,
    EntryUnknown,
    FetchesBusy,
    FileInUse,
    LearningUnfinished,
    LexiconEntryUnknown,
    LexiconFull,
    LexiconOwnerUnknown,
    ListenerUnknown,
    NameInvalid,
    NameReserved,
    OwnerOnly,
    PairOwnerUnknown,
    PairUnheard,
    PairUnknown,
    PairVoted,
    PartFull,
    PartUnknown,
    RenderFailed,
    ResultsHidden,
    SpeakerExists,
    SpeakerLimitReached,
    SpeakerNotYours,
    SpeakerShadowed,
    SpeakersUnreachable,
    SpeakerUnknown,
    SpeechCancelled,
    TakeSpeakerGone,
    TakeUnparted,
    TestClosed,
    TestDamaged,
    TestFrozen,
    TestFull,
    TestLimitReached,
    TestNotOpen,
    TestNotReady,
    TestOwnerUnknown,
    TestRendering,
    TestsNewer,
    TestsUnreadable,
    TestUnknown,
    TextMissing,
    TranscriberBusy,
    TranscriberFailed,
    TranscriberMissing,
    WordsMissing,
    WorkspaceRequired,
    disk_error,
)
from studio.errors.clean import clean, sendable
from studio.running.offer.memory_check import InsufficientMemory
from studio.running.zero_gpu.zero_gpu_errors import GpuBusy, GpuQuotaExceeded, GpuRefused

__all__ = ["PARAMETERS", "ROWS", "Refusal", "Row", "nearest_hint", "refusal_of", "row", "tellable", "told_values"]

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
    """status, the sentence made of the error, and the field it is about (None: as the error says, in the request's words)."""

    status: int
    say: Callable[[Raised], str] = lambda error: error.fact
    parameter: str | None = None
    headers: Callable[[Raised], Mapping[str, str]] = lambda error: {}
    hint: Callable[[Raised], str] = lambda error: error.hint
    extra: Mapping[str, object] = field(default_factory=dict)


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
        told.status,
        clean(f"Recording {error.values['recording']}: {utterance}" if "recording" in error.values else utterance),
        None if parameter is None else sendable(parameter),
        error.code,
        clean(told.hint(error)),
        told.headers(error),
        told.extra,
        told_values(error),
    )


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
    if error.built_in:
        return f"Voice name '{error.name}' is reserved by a built-in speaker of this model; choose a different name."
    return f"Voice name '{error.name}' is that of a voice which everybody has; choose a different name."


ROWS = dict(
    (
        row(EngineError, Row(500, _failed)),
        row(CallerMistake, Row(400)),
        row(TranscriptRequired, Row(400, _words_wanted)),
        row(WordsMissing, Row(400, lambda e: WORDS_WANTED, hint=_words_hint)),
        row(TextMissing, Row(400, lambda e: "Input text cannot be empty")),
        row(EngineFailed, Row(500, _failed)),
        row(EngineUnavailable, Row(503)),
        row(DiskFull, Row(507)),
        row(DiskReadOnly, Row(507)),
        row(FileInUse, Row(503, headers=lambda e: {"Retry-After": "1"})),
        row(DiskFailed, Row(500)),
        row(CheckpointInvalid, Row(503)),
        row(InsufficientMemory, Row(503)),
        row(SpeechCancelled, Row(503, headers=lambda e: {"Retry-After": "1"})),
        row(EngineBusy, Row(503, headers=lambda e: {"Retry-After": str(e.retry_after_seconds)})),
        row(EngineUnreachable, Row(503, headers=lambda e: {"Retry-After": str(e.retry_after_seconds)})),
        row(GpuBusy, Row(503, headers=lambda e: {"Retry-After": str(e.retry_after_seconds)})),
        row(GpuQuotaExceeded, Row(429)),
        row(GpuRefused, Row(503)),
        row(FetchesBusy, Row(503, headers=lambda e: {"Retry-After": str(e.retry_after_seconds)})),
        row(LearningUnfinished, Row(503)),
        row(TranscriberMissing, Row(404)),
        row(TranscriberBusy, Row(503, headers=lambda e: {"Retry-After": str(e.retry_after_seconds)})),
        row(TranscriberFailed, Row(500)),
        row(
            EngineUnknown, Row(404, lambda e: f"The model `{e.name}` does not exist.", hint=lambda e: "GET /v1/models lists what there is.")
        ),
        row(SpeakerUnknown, Row(404, lambda e: f"Voice '{e.name}' not found", "name", extra={"success": False}, hint=nearest_hint)),
        row(SpeakerShadowed, Row(409)),
        row(SpeakersUnreachable, Row(503)),
        row(ClipMissing, Row(400, lambda e: f"Audio file for uploaded voice '{e.name}' is missing")),
        row(
            ClipTooShort,
            Row(
                400,
                lambda e: f"Reference audio too short ({e.seconds:.1f}s). At least {e.least_seconds:g}s of clear speech is required.",
                hint=lambda e: "Record 3-15 s.",
            ),
        ),
        row(
            ClipTooLong,
            Row(
                400, lambda e: f"Reference audio too long ({e.seconds:.1f}s). Maximum {e.most_seconds:.0f}s supported — use a shorter clip."
            ),
        ),
        row(
            AudioUndecodable,
            Row(
                400,
                lambda e: (
                    "Invalid or corrupted audio data. Ensure the input is a valid audio or video file (e.g. a complete WAV, MP3, or MP4)."
                ),
            ),
        ),
        row(
            AudioTooLarge,
            Row(400, lambda e: f"File size exceeds maximum limit of {e.limit_bytes // MEBIBYTE}MB. Got {e.size_bytes} bytes."),
        ),
        row(AudioTypeUnsupported, Row(400, lambda e: f"Unsupported MIME type: {e.mime_type}. Allowed: {', '.join(sorted(e.allowed))}")),
        row(NameInvalid, Row(400, lambda e: f"Invalid voice name {e.name[:80]!r}: {e.rule}")),
        row(NameReserved, Row(400, _reserved)),
        row(SpeakerNotYours, Row(403)),
        row(OwnerOnly, Row(403)),
        row(EntryUnknown, Row(404)),
        row(PartUnknown, Row(404)),
        row(PartFull, Row(409)),
        row(TakeUnparted, Row(409)),
        row(TakeSpeakerGone, Row(409)),
        row(WorkspaceRequired, Row(403)),
        row(ConsentUnknown, Row(404)),
        row(ConsentInUse, Row(409)),
        row(ConsentsFull, Row(409)),
        row(LexiconEntryUnknown, Row(404)),
        row(LexiconFull, Row(409)),
        row(LexiconOwnerUnknown, Row(403)),
        row(PairUnknown, Row(404)),
        row(PairOwnerUnknown, Row(403)),
        row(PairUnheard, Row(409)),
        row(PairVoted, Row(409)),
        row(TestUnknown, Row(404)),
        row(ListenerUnknown, Row(404)),
        row(TestOwnerUnknown, Row(403)),
        row(TestLimitReached, Row(409)),
        row(TestFrozen, Row(409)),
        row(TestRendering, Row(409)),
        row(TestNotReady, Row(409)),
        row(TestNotOpen, Row(409)),
        row(TestClosed, Row(409)),
        row(TestFull, Row(409)),
        row(ResultsHidden, Row(409)),
        row(RenderFailed, Row(500)),
        row(TestDamaged, Row(500)),
        row(TestsUnreadable, Row(503)),
        row(TestsNewer, Row(503)),
        row(
            SpeakerLimitReached,
            Row(
                400,
                lambda e: (
                    f"Uploaded voice limit reached ({e.limit}). Delete an existing voice before registering a new one, "
                    "or raise the cap via SPEAKER_MAX_UPLOADED."
                ),
            ),
        ),
        row(
            SpeakerExists,
            Row(
                400,
                lambda e: (
                    f"Voice '{e.name}' already exists and VLLM_OMNI_SPEAKER_REGISTRATION_POLICY is 'immutable'; "
                    f"delete it first via DELETE /v1/audio/voices/{e.name}."
                ),
            ),
        ),
    )
)
