"""Enrolment: what a Recording must be to become a Speaker. Looks at no disk: room and taken names are for the store to know."""

from collections.abc import Collection

import numpy as np

from engines.errors import ClipUnusable, EmbeddingUnusable
from studio.errors import ConsentMissing, NameReserved
from studio.speakers.consent import ConsentRecord
from studio.speakers.file import MOST_EMBEDDING
from studio.speakers.name import check_name
from studio.speakers.speaker import Recording, Speaker, new_generation_id, speaker_key

__all__ = ["enrolled", "free_name"]


def enrolled(recording: Recording, reserved: Collection[str], created_at: int) -> tuple[Speaker, np.ndarray]:
    """The speaker that the recording becomes, and the values (n,) float32 that its file holds.

    reserved: keys of built-in speakers. Raises NameInvalid, NameReserved, ConsentMissing, ClipUnusable, EmbeddingUnusable.
    """
    name = free_name(recording.name, reserved)
    if not recording.consent.strip():
        raise ConsentMissing("A speaker needs the identifier of the consent given.", "State the consent.")
    clip = recording.clip
    if (clip is None) == (recording.embedding is None):
        raise ValueError("a Recording holds a clip or an embedding")
    embedding = None if clip else _checked_embedding(recording.embedding)
    if clip and not len(clip.samples):
        raise ClipUnusable("clip_too_short", "The clip holds no samples.", "Record a few seconds of speech.")
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
        embedding=embedding,
        consent_record=_of_this_clip(recording),
    )
    return speaker, clip.samples if clip else embedding


def free_name(name: str, reserved: Collection[str]) -> str:
    """The name as it is kept. Raises NameInvalid, and NameReserved where a built-in speaker has it."""
    kept = check_name(name)
    if speaker_key(kept) in reserved:
        raise NameReserved(kept)
    return kept


def _of_this_clip(recording: Recording) -> ConsentRecord | None:
    record = recording.consent_record
    if record is not None and (recording.clip is None or record.clip_digest != recording.clip.digest):
        raise ValueError("a consent record is about the clip that it comes with")
    return record


def _checked_embedding(embedding: np.ndarray) -> np.ndarray:
    """A read-only copy, (D,) float32."""
    values = np.array(embedding, np.float32)
    if values.ndim != 1 or not 1 <= len(values) <= MOST_EMBEDDING:
        raise EmbeddingUnusable(f"The speaker embedding has shape {values.shape}; wanted is (D,) with 1 to {MOST_EMBEDDING} elements.")
    if not np.isfinite(values).all():
        raise EmbeddingUnusable("The speaker embedding holds values that are not numbers.")
    values.flags.writeable = False
    return values
