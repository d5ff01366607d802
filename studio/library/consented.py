"""Voices that rest on a recorded consent: which may, what is written down of it, and what becomes of them when it is withdrawn."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from studio.analysis.estimators import Estimators
from studio.audio.decode import decode_clip
from studio.consents.checks import likeness_to_consent
from studio.consents.kept_consents import KeptConsents
from studio.errors import ConsentInUse, ConsentUnknown
from studio.speakers.consent import RECORDED, STATEMENT_VERSION, ConsentRecord
from studio.speakers.speaker import Enrollment, Speaker
from studio.speakers.workspace_speakers import WorkspaceSpeakers

__all__ = ["enroll_consented", "speakers_by_consent", "withdraw_consent"]


def enroll_consented(
    recording: Enrollment,
    consents: KeptConsents,
    estimators: Estimators,
    enroll: Callable[[Enrollment], Speaker],
    forget: Callable[[str], Speaker],
) -> Speaker:
    """Store a speaker whose `consent` is the id of a recorded one.

    Raises ConsentUnknown, also where it is withdrawn meanwhile; ConsentOfAnother; what enrolling does.
    """
    speaker = enroll(replace(recording, consent_record=_record(recording, consents, estimators)))
    try:
        consents.get(recording.consent)
    except ConsentUnknown:
        forget(speaker.name)
        raise
    return speaker


def speakers_by_consent(speakers: WorkspaceSpeakers) -> Mapping[str, tuple[str, ...]]:
    """Id of a recorded consent -> names of the workspace's own voices that rest on it."""
    found: dict[str, tuple[str, ...]] = {}
    for speaker in filter(speakers.owns, speakers.speakers()):
        if speaker.consent_record is not None and speaker.consent_record.recording:
            consent = speaker.consent_record.recording
            found[consent] = (*found.get(consent, ()), speaker.name)
    return found


def withdraw_consent(
    consent_id: str, consents: KeptConsents, speakers: WorkspaceSpeakers, forget: Callable[[str], Speaker], *, with_speakers: bool
) -> tuple[str, ...]:
    """Delete a recorded consent: (names of the voices that went with it).

    with_speakers: voices that rest on it are deleted; else nothing is, where there are any. Raises ConsentUnknown, ConsentInUse, OSError.
    """
    consents.get(consent_id)
    names = speakers_by_consent(speakers).get(consent_id, ())
    if names and not with_speakers:
        raise ConsentInUse(names)
    for name in names:
        forget(name)
    consents.delete(consent_id)
    return names


def _record(recording: Enrollment, consents: KeptConsents, estimators: Estimators) -> ConsentRecord:
    """Raises ConsentUnknown, ConsentOfAnother."""
    consent = consents.get(recording.consent)
    likeness = None
    if recording.clip is not None:
        said = decode_clip(consents.recording(consent.id))
        likeness = likeness_to_consent(estimators, said, recording.clip)
    return ConsentRecord(
        STATEMENT_VERSION,
        RECORDED,
        consent.words.heard,
        consent.name,
        datetime.fromtimestamp(consent.created_at, UTC).isoformat(timespec="seconds"),
        recording.source_digest,
        recording=consent.id,
        words="checked" if consent.words.is_checked else "unchecked",
        likeness="" if likeness is None else f"{likeness:.2f}",
    )
