"""uploaded_clip: reads a recording from a field of a form, by the API's enrollment rule. For worker threads: it reads and decodes."""

from starlette.datastructures import UploadFile

from engines.clips.clip import Clip
from studio.audio.decode import DecodedSound, check_mime
from studio.errors import AudioTooLarge
from studio.speakers.enrollment import EnrollmentRule

__all__ = ["uploaded_clip", "uploaded_label", "uploaded_sound"]


def uploaded_clip(upload: UploadFile, rule: EnrollmentRule) -> Clip:
    """The clip alone of `uploaded_sound`."""
    return uploaded_sound(upload, rule).clip


def uploaded_sound(upload: UploadFile, rule: EnrollmentRule) -> DecodedSound:
    """Raises AudioTooLarge, AudioTypeUnsupported and what decoding raises."""
    if upload.size > rule.most_file_bytes:
        raise AudioTooLarge(upload.size, rule.most_file_bytes)
    _, filename = uploaded_label(upload)
    return rule.decode_sound(upload.file.read(), filename=filename, mime_type=upload.content_type or "")


def uploaded_label(upload: UploadFile) -> tuple[str, str]:
    """(type as stored, file name). Raises AudioTypeUnsupported."""
    filename = upload.filename or ""
    return check_mime(upload.content_type or "", filename), filename
