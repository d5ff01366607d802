"""Enrollment rule: what an Enrollment must be to become a Speaker. It looks at no disk: room and taken names are for the store to know.

`enrolled` is what everybody is asked, wherever a recording comes from: a name, a consent, samples that are numbers. A door asks more of
what a stranger sends, before it hands it on: its EnrollmentRule. Doors differ in their rules' fields and in nothing else.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from engines.clips.clip import Clip, check_audible
from engines.clips.clip_quality import ClipQuality, measure_clip
from engines.errors import CallerMistake, EmbeddingUnusable
from studio.audio.decode import MOST_UPLOAD_BYTES, DecodedSound, decode_sound, joined
from studio.errors import (
    ClipTooLong,
    ClipTooShort,
    ConsentMissing,
    NameReserved,
    RecordingsTooLong,
    RecordingUnusable,
    StudioError,
)
from studio.settings import Dialect
from studio.speakers.consent import ConsentRecord
from studio.speakers.file import MOST_EMBEDDING
from studio.speakers.metadata import check_name, checked
from studio.speakers.speaker import Enrollment, Speaker, new_generation_id, speaker_key
from studio.speakers.tensor import SpeakerTensor

__all__ = [
    "API_RULE",
    "LEAST_CLIP_SECONDS",
    "MOST_CLIP_SECONDS",
    "PAGE_RULE",
    "EmbeddingMisfit",
    "EmbeddingNotFinite",
    "EmbeddingTooLong",
    "EnrollmentRule",
    "api_rule",
    "check_embedding",
    "enrolled",
    "free_name",
    "telling_which",
]

# Both inclusive: the least and the most that any engine is given (EngineInfo's own defaults). Each may want more, which it says itself.
LEAST_CLIP_SECONDS, MOST_CLIP_SECONDS = 1.0, 30.0


@dataclass(frozen=True)
class EnrollmentRule:
    """What a door asks of a recording. How good it is beyond that is advice, and keeps nobody out.

    most_file_bytes: of the file that it comes in. most_clipping_percent: of the samples; None where clipping is advised about alone.
    wants_sound: somewhere it reaches -70 dBFS. wants_speech: speech is found in it, so that it also has sound.
    file_types: besides its content, what its sender calls it decides whether it is taken: one of these; () where it does not.
    """

    most_file_bytes: int
    wants_sound: bool = False
    wants_speech: bool = False
    most_clipping_percent: float | None = None
    file_types: tuple[str, ...] = ()
    least_seconds: float = LEAST_CLIP_SECONDS
    most_seconds: float = MOST_CLIP_SECONDS

    def decode(self, data: bytes, *, filename: str = "", mime_type: str = "") -> Clip:
        """The clip alone of `decode_sound`."""
        return self.decode_sound(data, filename=filename, mime_type=mime_type).clip

    def decode_sound(self, data: bytes, *, filename: str = "", mime_type: str = "") -> DecodedSound:
        """The sound of a file that is all to be enrolled; still to be checked. Raises what decode_sound does, as soon as it is known."""
        return decode_sound(data, filename=filename, mime_type=mime_type, most_bytes=self.most_file_bytes, most_seconds=self.most_seconds)

    def check(self, clip: Clip, *, quality: ClipQuality | None = None) -> None:
        """quality: of the clip, where it has been measured already.

        Raises ClipTooShort, ClipTooLong, ClipUnusable (clip_silent, clip_clipped, clip_no_speech).
        """
        if clip.seconds < self.least_seconds:
            raise ClipTooShort(clip.seconds, self.least_seconds)
        if clip.seconds > self.most_seconds:
            raise ClipTooLong(clip.seconds, self.most_seconds)
        if self.wants_sound:
            check_audible(clip)
        if self.wants_speech or self.most_clipping_percent is not None:
            self._check_quality(quality or measure_clip(clip))

    def join(self, clips: Sequence[Clip]) -> Clip:
        """Recordings of one person as one clip. Each is checked, and how long they are together.

        Raises what `check` does, RecordingsTooLong.
        """
        for number, clip in enumerate(clips, 1):
            with telling_which(number, len(clips)):
                self.check(clip)
        if (seconds := sum(clip.seconds for clip in clips)) > self.most_seconds:
            raise RecordingsTooLong(seconds, self.most_seconds)
        return joined(clips)

    def _check_quality(self, quality: ClipQuality) -> None:
        percent, most_percent = quality.clipping_percent, self.most_clipping_percent
        if most_percent is not None and percent > most_percent:
            raise RecordingUnusable("clip_clipped", percent=round(percent), most_percent=most_percent)
        if self.wants_speech and quality.speech_seconds <= 0:
            raise RecordingUnusable("clip_no_speech")


# Programs are taken at their word: they may enroll a tone, or what is clipped, and are told in numbers how good it is. A person is told
# before anything is stored, and may cut a long file first, so that it may be larger.
API_RULE = EnrollmentRule(most_file_bytes=MOST_UPLOAD_BYTES, wants_sound=True)
PAGE_RULE = EnrollmentRule(most_file_bytes=25_000_000, wants_speech=True, most_clipping_percent=50.0)


def api_rule(dialect: Dialect) -> EnrollmentRule:
    """API_RULE, as that dialect has it."""
    return replace(API_RULE, wants_sound=dialect.refuses_silence, file_types=dialect.file_types)


class EmbeddingTooLong(StudioError, EmbeddingUnusable):
    """Longer than a speaker's file may hold."""

    def __init__(self, n_values: int, most_values: int):
        super().__init__(sentence="embedding_too_long", n=n_values, most=most_values)
        self.most_values = most_values


class EmbeddingNotFinite(StudioError, EmbeddingUnusable):
    """It holds NaN or infinity, or what float32 makes infinity of."""

    def __init__(self):
        super().__init__(sentence="embedding_not_finite")


class EmbeddingMisfit(StudioError, EmbeddingUnusable):
    """No engine takes one of this width. widths: those that are taken."""

    def __init__(self, n_values: int, widths: Sequence[int]):
        super().__init__(sentence="embedding_misfit", n=n_values, widths=tuple(widths))
        self.n_values = n_values
        self.widths = tuple(widths)


@contextmanager
def telling_which(number: int, n_recordings: int) -> Iterator[None]:
    """What is refused within is about that one of several recordings, counted from 1: `recording` of the error's values."""
    try:
        yield
    except CallerMistake as error:
        if n_recordings > 1:
            error.values["recording"] = number
        raise


def enrolled(recording: Enrollment, is_reserved: Callable[[str], bool], created_at: int) -> tuple[Speaker, np.ndarray]:
    """The speaker that the recording becomes, and the values that its file holds: samples (T,), or those of its tensor.

    is_reserved: whether a name of that key is a built-in speaker's.
    Raises what `checked` does, NameReserved, ConsentMissing, ClipUnusable, EmbeddingUnusable.
    """
    recording = checked(recording)
    name = free_name(recording.name, is_reserved)
    if not recording.consent.strip():
        raise ConsentMissing(hint="State the consent.", sentence="consent_unstated")
    clip, tensor = recording.clip, recording.tensor
    if clip is not None and tensor is None:
        values = clip.samples
    elif clip is None and tensor is not None:
        values = _checked_values(tensor)
    else:
        raise ValueError("a Recording holds a clip or a tensor")
    if clip and not len(clip.samples):
        raise RecordingUnusable("clip_too_short", sentence="clip_empty")
    speaker = Speaker(
        name=name,
        generation_id=new_generation_id(),
        consent=recording.consent,
        created_at=created_at,
        transcript=recording.transcript,
        description=recording.description,
        tags=recording.tags,
        mime_type=recording.mime_type,
        filename=recording.filename,
        file_bytes=recording.file_bytes,
        clip_digest=clip.digest if clip else None,
        seconds=clip.seconds if clip else None,
        sample_rate=clip.sample_rate if clip else None,
        joints=clip.joints if clip else (),
        tensor=recording.tensor,
        consent_record=_of_this_clip(recording),
        speech_seconds=recording.speech_seconds,
        workspace=recording.workspace,
    )
    return speaker, values


def check_embedding(embedding: np.ndarray, widths: Collection[int] = ()) -> np.ndarray:
    """A read-only copy, (D,) float32, of an uploaded speaker embedding.

    widths: those that engines take; any where there are none. Raises EmbeddingTooLong, EmbeddingNotFinite, EmbeddingMisfit.
    """
    with np.errstate(over="ignore"):  # what float32 cannot hold is not finite
        values = np.array(embedding).astype(np.float32)
    if values.ndim != 1 or not len(values):
        detail = f"their shape is {values.shape}, and wanted is (D,) with 1 to {MOST_EMBEDDING} elements"
        raise EmbeddingUnusable(sentence="embedding_misshapen", detail=detail)
    if len(values) > MOST_EMBEDDING:
        raise EmbeddingTooLong(len(values), MOST_EMBEDDING)
    if not np.isfinite(values).all():
        raise EmbeddingNotFinite
    if widths and len(values) not in widths:
        raise EmbeddingMisfit(len(values), sorted(widths))
    values.flags.writeable = False
    return values


def free_name(name: str, is_reserved: Callable[[str], bool]) -> str:
    """The name as it is kept. Raises NameInvalid, and NameReserved where a built-in speaker has it."""
    kept = check_name(name)
    if is_reserved(speaker_key(kept)):
        raise NameReserved(kept)
    return kept


def _of_this_clip(recording: Enrollment) -> ConsentRecord | None:
    record = recording.consent_record
    if record is not None and record.clip_digest != recording.source_digest:
        raise ValueError("a consent record is about the clip or tensor that it comes with")
    return record


def _checked_values(tensor: SpeakerTensor) -> np.ndarray:
    """Of a prompt what its file must hold; that it has a form of an engine, its reader asked (tensor_file.py), or another studio's."""
    values = tensor.read()
    if not tensor.form:
        return check_embedding(values)
    if values.ndim != 2 or not tensor.n_frames or tensor.n_frames not in values.shape:
        detail = f"its shape is {values.shape}, and wanted is a table with {tensor.n_frames} rows or columns, one for each frame"
        raise EmbeddingUnusable(sentence="tensor_file_damaged", detail=detail)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise EmbeddingNotFinite
    return values
