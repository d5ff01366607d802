"""Recordings that tools are handed: a file in base64, as a data: URL, or by an address, within the bounds of the other doors."""

import io
import re

from starlette.datastructures import UploadFile

from studio.reference.reference_audio import bytes_of_url
from studio.service import Studio

__all__ = ["sent_recording"]

SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,15}:")
BLANKS = re.compile(r"\s+")  # that programs break base64 into lines with


def sent_recording(recording: str, studio: Studio) -> UploadFile:
    """As a form would bring it. Blocks: it decodes, reads and fetches. Raises what bytes_of_url does."""
    url = recording.strip()
    if not SCHEME.match(url):
        url = f"data:;base64,{BLANKS.sub('', url)}"
    data = bytes_of_url(url, studio.settings, studio.remote_audio.fetch)
    return UploadFile(io.BytesIO(data), size=len(data), filename="")
