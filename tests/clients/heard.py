"""What a case of a client heard, measured by the studio's own decoder: format, rate, length, level, pitch; and what is wrong with it."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import soxr

from engines.clips.clip import Clip, loudest_dbfs
from engines.kit.signal.pitch import track
from engines.kit.signal.spectrum import HOP_SAMPLES, SAMPLE_RATE
from studio.audio.decode import decode_clip
from tests.clients.wire import Exchange

__all__ = ["Heard", "hear"]

SECONDS_PER_WORD = (0.2, 0.8)
LEAST_DBFS = -30
LOW_BELOW_HZ = 160  # between a man's voice and a woman's
CONTAINER_RATES_HZ = (24_000, 48_000)  # Kokoro's own, and opus'
BEGINNINGS = {b"RIFF": "wav", b"ID3": "mp3", b"OggS": "opus", b"fLaC": "flac", b"\xff\xf1": "aac", b"\xff\xf9": "aac", b"\xff": "mp3"}


@dataclass(frozen=True)
class Heard:
    """told: the program's line about the case. format: "" where there was no sound. wrong: sentences, none for a case that went well."""

    told: dict
    exchanges: list[Exchange]
    format: str = ""
    rate_hz: int = 0
    seconds: float = 0.0
    level_dbfs: float = 0.0
    pitch_hz: float = 0.0
    wrong: list[str] = field(default_factory=list)

    @property
    def first_seconds(self) -> float | None:
        return self.told["pieces"][0][0] if self.told["pieces"] else None


def hear(told: dict, exchanges: list[Exchange]) -> Heard:
    if told["error"] or not told["format"]:
        return Heard(told, exchanges, wrong=[told["error"]] if told["error"] else [])
    data = Path(told["file"]).read_bytes()
    found = told["format"] if told["format"] == "pcm" else _format_of(data)
    if not data or found != told["format"]:
        return Heard(told, exchanges, found, wrong=[f"{told['format']} was expected, and {len(data)} bytes of {found or 'nothing'} came"])
    clip = (
        Clip(np.frombuffer(data[: len(data) // 2 * 2], "<i2").astype(np.float32) / 32768, told["rate_hz"])
        if found == "pcm"
        else decode_clip(data)
    )
    level, pitch = float(loudest_dbfs(clip)), _pitch_hz(clip)
    heard = Heard(told, exchanges, found, clip.sample_rate, clip.seconds, level, pitch)
    return Heard(told, exchanges, found, clip.sample_rate, clip.seconds, level, pitch, list(_wrong(heard)))


def _wrong(heard: Heard):
    told = heard.told
    low, high = (bound * len(told["text"].split()) for bound in SECONDS_PER_WORD)
    if not low < heard.seconds < high:
        yield f"{heard.seconds:.2f} s of sound for {len(told['text'].split())} words"
    if heard.rate_hz not in CONTAINER_RATES_HZ:
        yield f"{heard.rate_hz} Hz"
    if heard.level_dbfs < LEAST_DBFS:
        yield f"it is silent: {heard.level_dbfs:.0f} dBFS"
    if told.get("voice") and told["voice"] != ("low" if heard.pitch_hz < LOW_BELOW_HZ else "high"):
        yield f"another voice: {heard.pitch_hz:.0f} Hz, and {told['voice']} was asked for"
    if told.get("streams"):
        yield from _not_streamed(told["pieces"])


def _not_streamed(pieces: list) -> list[str]:
    """It is heard before it ends: of what came, less than half was there at first, and the rest came later."""
    (first, n_first), (last, _), total = pieces[0], pieces[-1], sum(n for _, n in pieces)
    return [] if first < last and n_first < total / 2 else [f"the first of {len(pieces)} pieces has {n_first} of {total} bytes"]


def _format_of(data: bytes) -> str:
    return next((name for beginning, name in BEGINNINGS.items() if data.startswith(beginning)), "")


def _pitch_hz(clip: Clip) -> float:
    """Median of the voiced frames."""
    samples = soxr.resample(clip.samples, clip.sample_rate, SAMPLE_RATE)
    pitch, _ = track(samples, max(len(samples) // HOP_SAMPLES, 1))
    return float(np.median(pitch[pitch > 0])) if (pitch > 0).any() else 0.0
