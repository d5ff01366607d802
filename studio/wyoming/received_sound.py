"""ReceivedSound: the sound of one `transcribe`, until `audio-stop`, and the words that are in it."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from wyoming.asr import Transcript
from wyoming.event import Event

from engines.clips.clip import Clip
from studio.errors import ClipTooLong
from studio.speakers.enrollment import MOST_CLIP_SECONDS
from studio.wyoming.context import WyomingContext
from studio.wyoming.events import EventRefused, HeldBytes

__all__ = ["ReceivedSound"]

SAMPLE_TYPES = {1: np.dtype("u1"), 2: np.dtype("<i2"), 4: np.dtype("<i4")}  # by bytes of a sample, as WAV has them
LEAST_HZ, MOST_HZ, MOST_CHANNELS = 4_000, 192_000, 8


class ReceivedSound:
    """language: of what will be said, None where nobody says. Nothing of it is kept."""

    def __init__(self, context: WyomingContext, language: str | None):
        self._context = context
        self._language = language
        self._held = HeldBytes(context.bodies)
        self._format: tuple[int, int, int] | None = None  # rate, width, channels
        self._data = bytearray()

    def start(self, data: Mapping[str, Any]) -> None:
        """Of `audio-start`; a chunk says the same. Raises EventRefused."""
        self._format = self._checked(data)

    def take(self, chunk: Event) -> None:
        """Raises EventRefused, ClipTooLong."""
        rate, width, channels = self._format = self._checked(chunk.data)
        self._held.take(len(chunk.payload or b""))
        self._data += chunk.payload or b""
        seconds = len(self._data) / (rate * width * channels)
        if seconds > MOST_CLIP_SECONDS:
            raise ClipTooLong(seconds, MOST_CLIP_SECONDS)

    async def words(self) -> Transcript:
        """Of all that came; of no words the empty text. Raises what the transcriber does."""
        clip = self._clip()
        if clip is None:
            return Transcript("")
        written = await self._context.threads.run(lambda: self._context.studio.transcriber.write(clip, self._language))
        return Transcript("" if written is None else written.text, language=None if written is None else written.language)

    def let_go(self) -> None:
        """Of what it holds."""
        self._held.let_go()
        self._data = bytearray()

    def _checked(self, data: Mapping[str, Any]) -> tuple[int, int, int]:
        rate, width, channels = form = data.get("rate"), data.get("width"), data.get("channels")
        if not (isinstance(rate, int) and isinstance(width, int) and isinstance(channels, int)) or self._format not in (None, form):
            raise EventRefused("Sound has one `rate`, `width` and number of `channels` from its start to its stop.", "audio_invalid")
        if not (LEAST_HZ <= rate <= MOST_HZ and width in SAMPLE_TYPES and 1 <= channels <= MOST_CHANNELS):
            limits = f"{LEAST_HZ} to {MOST_HZ} Hz, samples of 1, 2 or 4 bytes and up to {MOST_CHANNELS} channels"
            raise EventRefused(f"Sound is taken with {limits}; 16000 Hz, 2 bytes and one channel are best.", "audio_invalid")
        return rate, width, channels

    def _clip(self) -> Clip | None:
        """Its channels as one; None of nothing."""
        rate, width, channels = self._format or (0, 1, 1)
        n_whole = len(self._data) - len(self._data) % (width * channels)
        if not n_whole:
            return None
        samples = np.frombuffer(bytes(self._data[:n_whole]), SAMPLE_TYPES[width]).reshape(-1, channels).mean(axis=1, dtype=np.float64)
        middle, full = (128.0, 128.0) if width == 1 else (0.0, float(1 << (8 * width - 1)))
        return Clip(((samples - middle) / full).astype(np.float32), rate)
