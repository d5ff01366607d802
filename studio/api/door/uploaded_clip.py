"""uploaded_clip: reads a recording from a field of a form, by the API's enrollment rule. For worker threads: it reads and decodes."""

from starlette.datastructures import UploadFile as AnyUpload  # FastAPI's is one

from engines.clips.clip import Clip
from studio.audio.decode import DecodedSound
from studio.audio.file_type import BEGINNING_BYTES, check_label, check_mime, stored_type
from studio.errors import AudioTooLarge, AudioUndecodable
from studio.speakers.enrollment import EnrollmentRule

__all__ = ["AnyUpload", "uploaded_clip", "uploaded_label", "uploaded_sound"]


def uploaded_clip(upload: AnyUpload, rule: EnrollmentRule) -> Clip:
    """The clip alone of `uploaded_sound`."""
    return uploaded_sound(upload, rule).clip


def uploaded_sound(upload: AnyUpload, rule: EnrollmentRule) -> DecodedSound:
    """The bytes decide what it is. Of what is no recording, a label that promises none is told, since it may be the wrong file.

    Raises AudioTooLarge, AudioTypeUnsupported and what decoding raises.
    """
    if (upload.size or 0) > rule.most_file_bytes:
        raise AudioTooLarge(upload.size or 0, rule.most_file_bytes)
    mime_type, filename = upload.content_type or "", upload.filename or ""
    if rule.file_types:
        check_label(mime_type, filename, rule.file_types)
    try:
        return rule.decode_sound(upload.file.read(), filename=filename, mime_type=mime_type)
    except AudioUndecodable:
        if not mime_type.lower().startswith(("audio/", "video/")):
            check_mime(mime_type, filename)
        raise


def uploaded_label(upload: AnyUpload, rule: EnrollmentRule) -> tuple[str, str]:
    """(type as stored, file name)."""
    mime_type, filename = upload.content_type or "", upload.filename or ""
    if rule.file_types:
        return check_label(mime_type, filename, rule.file_types), filename
    upload.file.seek(0)
    return stored_type(mime_type, filename, upload.file.read(BEGINNING_BYTES)), filename
