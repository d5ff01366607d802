"""The demo speaker: a recording that comes with the studio. With it a visitor can hear a clone before they record anything."""

import json
from pathlib import Path

from engines.clips.clip import Transcript
from studio.audio.decode import decode_clip
from studio.speakers.consent import record_consent
from studio.speakers.speaker import Enrollment

__all__ = ["DEMO_FILE", "DEMO_NAME", "demo_recording"]

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "voices"
DEMO_NAME, DEMO_FILE = "Demo", FOLDER / "demo.flac"


def demo_recording() -> Enrollment:
    """assets/voices/demo.flac with its words; the consent says where it comes from, as demo.json has it. Raises OSError."""
    about = json.loads((FOLDER / "demo.json").read_text(encoding="utf-8"))
    data = DEMO_FILE.read_bytes()
    clip = decode_clip(data, filename="demo.flac")
    record = record_consent("synthetic", about["provenance"], clip.digest)
    return Enrollment(
        DEMO_NAME,
        record.text,
        clip=clip,
        consent_record=record,
        transcript=Transcript.of(about["transcript"], about["language"]),
        description="Comes with the studio; nobody speaks like this.",
        tags=("demo",),
        mime_type="audio/flac",
        filename="demo.flac",
        file_bytes=len(data),
    )
