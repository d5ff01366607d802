"""Answers of GET /v1/studio/scripts/{script}/play: a script from a line on, gapless, while it is said: as a WAV, or as events.

Each owns its play from opening to closing. Who hangs up has stopped what is made; takes that were whole by then are kept.
"""

import base64
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from engines.errors import EngineError
from studio.api.answers.told_scripts import told_failure
from studio.api.door.context import unless_hung_up
from studio.audio.formats import MEDIA_TYPES, streaming_wav_header
from studio.running.threads import Threads
from studio.scripts.saying.play import PlayedSound, ScriptPlay

__all__ = ["NDJSON", "EventsPlay", "WavPlay"]

NDJSON = "application/x-ndjson"


class _PlayAnswer(Response, ABC):
    """begin: opens the play; it blocks until the first sound is there, so that what is refused has its status."""

    content_type: str

    def __init__(self, threads: Threads, begin: Callable[[], ScriptPlay]):
        super().__init__()
        self._threads = threads
        self._begin = begin

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await unless_hung_up(receive, self._play(send))

    async def _play(self, send: Send) -> None:
        play = await self._threads.open(self._begin)
        try:
            sounds = iter(play)
            await send({"type": "http.response.start", "status": 200, "headers": self._headers(play)})
            last = await self._deliver(play, sounds, send)
            await self._threads.run(play.close)  # whoever has heard the end finds all takes kept
            if last is not None:
                await send({"type": "http.response.body", "body": last})
        finally:
            self._threads.submit(play.close)  # not here: it may wait for an engine's chunk

    def _headers(self, play: ScriptPlay) -> list[tuple[bytes, bytes]]:
        told = {"content-type": self.content_type, "x-sample-rate": str(play.sample_rate), "cache-control": "no-store"}
        return [(name.encode(), value.encode()) for name, value in told.items()]

    async def _next(self, sounds: Iterator[PlayedSound]) -> PlayedSound | None:
        return await self._threads.run(lambda: next(sounds, None))

    @abstractmethod
    async def _deliver(self, play: ScriptPlay, sounds: Iterator[PlayedSound], send: Send) -> bytes | None:
        """The body but for its end, which is returned; None for one that is left without an end."""


class WavPlay(_PlayAnswer):
    """Chunked; the header says no length. A failure on the way leaves the body without its last chunk, so that clients notice."""

    content_type = MEDIA_TYPES["wav"]

    async def _deliver(self, play: ScriptPlay, sounds: Iterator[PlayedSound], send: Send) -> bytes | None:
        packet = streaming_wav_header(play.sample_rate)
        try:
            while (sound := await self._next(sounds)) is not None:
                await _send(send, packet + sound.samples.astype("<i2").tobytes())
                packet = b""
        except EngineError:
            await _send(send, packet)
            return None
        return packet


class EventsPlay(_PlayAnswer):
    """A JSON object on each line: with sound; a last one, with `end` or `error`."""

    content_type = NDJSON

    async def _deliver(self, play: ScriptPlay, sounds: Iterator[PlayedSound], send: Send) -> bytes | None:
        try:
            while (sound := await self._next(sounds)) is not None:
                await _send(send, _line(_told(sound)))
        except EngineError as error:
            return _line({"error": told_failure(error)})
        return _line({"end": True})


def _told(sound: PlayedSound) -> dict[str, object]:
    ttfp = sound.ttfp_seconds
    told: dict[str, object] = {
        "line": sound.line_id,
        "start_seconds": round(sound.start_seconds, 4),
        "seconds": None if sound.seconds is None else round(sound.seconds, 4),
        "ttfp_ms": None if ttfp is None else round(1000 * ttfp, 1),
        "take": sound.take_id,
        "audio": base64.b64encode(sound.samples.astype("<i2").tobytes()).decode(),
    }
    return told | ({"failure": sound.failure} if sound.failure else {})


def _line(told: dict[str, object]) -> bytes:
    return json.dumps(told, ensure_ascii=False).encode() + b"\n"


async def _send(send: Send, packet: bytes) -> None:
    await send({"type": "http.response.body", "body": packet, "more_body": True})
