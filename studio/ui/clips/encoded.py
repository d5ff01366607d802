"""Encoded sound: turns the sound of the page's player into a format that browsers do not write. Nothing of it is kept."""

from typing import cast

import numpy as np

from studio.audio.encode import encode
from studio.audio.formats import MEDIA_TYPES, Format
from studio.errors import RequestInvalid
from studio.ui.clips.clip_intake import TURNS

__all__ = ["ENCODED", "MOST_SOUND_BYTES", "SOUND_PATH", "SOUND_TYPE", "encoded_sound"]

SOUND_PATH = "/studio/encoded"
SOUND_TYPE = "audio/pcm"  # 16-bit little endian, mono; no form of another site can send it without being asked first
ENCODED = {name: MEDIA_TYPES[name] for name in ("flac", "mp3", "opus")}
MOST_SOUND_BYTES = 64 << 20  # 23 minutes at 24 kHz: the longest text, spoken slowly
LEAST_RATE_HZ, MOST_RATE_HZ = 8_000, 192_000
PCM_STEP = np.float32(1 / 32768)


def encoded_sound(pcm: bytes, rate: str, format: str) -> bytes:
    """A file of the page's samples. rate: Hz, as it stands in the address. Raises RequestInvalid."""
    if format not in ENCODED:
        raise RequestInvalid("sound_unwritten", f"Sound is written as {', '.join(ENCODED)} here.", "format")
    if not (rate.isdecimal() and len(rate) < 7 and LEAST_RATE_HZ <= int(rate) <= MOST_RATE_HZ):
        raise RequestInvalid("sound_unwritten", f"The rate is {LEAST_RATE_HZ} to {MOST_RATE_HZ} Hz.", "rate")
    if not pcm or len(pcm) % 2:
        raise RequestInvalid("sound_unwritten", "The sound did not arrive whole.", "sound")
    with TURNS:
        return encode(np.frombuffer(pcm, "<i2").astype(np.float32) * PCM_STEP, int(rate), cast(Format, format))
