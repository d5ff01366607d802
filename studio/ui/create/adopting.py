"""A voice that other tools made, brought in by a file: what it is, and its name and permission. Asked by assets/web/create/adopting.js."""

from studio.service import Studio
from studio.speakers.consent import MOST_WHO_CHARACTERS, record_consent
from studio.speakers.metadata import MOST_NAME_BYTES
from studio.speakers.speaker import Recording
from studio.speakers.tensor import TENSOR_TYPE, SpeakerTensor
from studio.speakers.tensor_file import MOST_TENSOR_FILE_BYTES, read_tensor_file
from studio.speakers.voiceprint import print_digest
from studio.ui.clips.clip_intake import ClipUpload, read_sent
from studio.ui.gradio.messages import answered

__all__ = ["ADOPTED_LIMITS", "adopt_tensor", "kind_of", "look_at_tensor"]

# What the dialog has to know.
ADOPTED_LIMITS = {"tensor_bytes": MOST_TENSOR_FILE_BYTES, "name_characters": MOST_NAME_BYTES, "who_characters": MOST_WHO_CHARACTERS}


@answered
def look_at_tensor(studio: Studio, asked: dict) -> dict[str, object]:
    """asked: {sent}. {form, frames, engines}: its form, how many frames it has, and the titles of the engines that take it."""
    _, tensor = _read(studio, asked)
    takers = [status.info.title for status in studio.engines() if tensor.suits(status.info)]
    return {"form": tensor.form, "frames": tensor.n_frames, "engines": takers}


@answered
def adopt_tensor(studio: Studio, asked: dict) -> dict[str, object]:
    """Enroll it. Gives {voice, generation, print}, as create_voice does. asked: {sent, name, reason, who, replace}."""
    upload, tensor = _read(studio, asked)
    record = record_consent(asked.get("reason"), str(asked.get("who") or ""), tensor.digest)
    about = {"mime_type": TENSOR_TYPE, "filename": upload.filename}
    recording = Recording(str(asked.get("name") or "").strip(), record.text, tensor=tensor, consent_record=record, **about)
    speaker = studio.library.create(recording, replace=asked.get("replace") is True)
    return {"voice": speaker.name, "generation": speaker.generation_id, "print": print_digest(speaker)}


def kind_of(tensor: SpeakerTensor | None) -> str:
    """What stands for a voice in place of a recording, as a key of words; "" where nothing does."""
    if tensor is None:
        return ""
    return "tools" if tensor.form else "numbers"


def _read(studio: Studio, asked: dict) -> tuple[ClipUpload, SpeakerTensor]:
    """Raises ClipAbsent, AudioTooLarge, TensorFileUnusable."""
    upload = read_sent(asked.get("sent"))
    return upload, read_tensor_file(upload.data, [status.info for status in studio.engines()])
