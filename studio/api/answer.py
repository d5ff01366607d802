"""Answers of POST /v1/audio/speech: whole file, raw stream, server-sent events.

Each is an ASGI response that owns its speech from opening to closing, in one try/finally: Starlette's StreamingResponse leaves a
suspended generator behind when the client hangs up, and then the engine works on for nobody. The first audio is pulled before the status
line, so that an early failure is raised to the exception handlers and becomes a clean 4xx or 5xx.
"""

import asyncio
import base64
import json
from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from engines.errors import CallerMistake, EngineError
from studio.api.arrival import journaled, request_id
from studio.api.desk import Desk
from studio.api.errors import ApiError, answer_for, clean
from studio.api.intake import Utterance
from studio.api.listening import unless_hung_up
from studio.api.request_log import HUNG_UP, Entry
from studio.api.sound import Sound
from studio.api.speech_body import Delivery
from studio.api.usage import Usage
from studio.audio.encode import encode
from studio.audio.formats import MEDIA_TYPES
from studio.audio.stream_encoder import LIGHT_FORMATS, StreamEncoder, open_stream_encoder
from studio.errors import NoAudio
from studio.timeline import Timeline

__all__ = ["RawAnswer", "SpeechAnswer", "SseAnswer", "WholeAnswer"]


class SpeechAnswer(Response, ABC):
    """What the three have in common: opening, closing, hang-ups, headers, the journal.

    delivery: the word for it in journal and metrics.
    open_utterance: blocks; runs on a thread. response_format: as in the request.
    """

    delivery: Delivery

    def __init__(self, desk: Desk, open_utterance: Callable[[], Utterance], timeline: Timeline, response_format: str):
        super().__init__()
        self._threads = desk.threads
        self._journal = desk.journal
        self._strict = desk.studio.settings.strict_compat
        self._open_utterance = open_utterance
        self._timeline = timeline
        self._format = response_format
        self._status = 200
        self._failure = ""  # reason code, for the log
        self._utterance: Utterance | None = None
        self._request_id = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._request_id = request_id(scope)
        journaled(scope)
        try:
            stayed = await unless_hung_up(receive, self._speak(send))
            if not stayed:
                self._status = HUNG_UP
        except ApiError as error:
            self._status, self._failure = error.status, error.reason_code
            raise
        except EngineError as error:
            self._status, self._failure = answer_for(error).status, error.code
            raise
        finally:
            entry = Entry(self._request_id, self.delivery, self._status, self._failure, self._format)
            self._journal.write(entry, self._timeline, self._utterance)

    async def _speak(self, send: Send) -> None:
        self._utterance = utterance = await self._threads.open(self._open_utterance)
        try:
            sound = Sound(utterance)
            try:
                first = await sound.next()
                if first is None:
                    raise NoAudio("The speech is too short to hold a sample at this rate.", "Try a longer text.")
            except EngineError as error:
                if not self._strict or isinstance(error, CallerMistake):
                    raise
                await self._fail_late(error, sound, send)
                return
            await self._deliver(first, sound, send)
            self._timeline.mark("done")
        finally:
            utterance.close()

    async def _fail_late(self, error: EngineError, sound: Sound, send: Send) -> None:
        """Where vLLM-Omni has sent the status line by the time the engine fails, a strictly compatible stream says 200, too."""
        raise error

    @abstractmethod
    async def _deliver(self, first: np.ndarray, sound: Sound, send: Send) -> None:
        """Status line, headers and body; `first` (T,) is the first audio."""

    def _headers(self, sample_rate: int, content_type: str, more: dict[str, str]) -> list[tuple[bytes, bytes]]:
        headers = {
            "content-type": content_type,
            "x-sample-rate": str(sample_rate),
            "x-request-id": self._request_id,
            "x-speaker-cache": self._timeline.cache or "bypass",
            "server-timing": self._timeline.server_timing(),
        }
        if self._utterance.order.ignored:
            headers["x-ignored-parameters"] = ", ".join(self._utterance.order.ignored)
        return [(name.encode(), value.encode("latin-1")) for name, value in (headers | more).items()]

    def _usage(self, sound: Sound) -> Usage:
        order = self._utterance.order
        return Usage.of(order.request.text, order.reference_seconds, sound.seconds)


class WholeAnswer(SpeechAnswer):
    """One file with true sizes."""

    delivery = "whole"

    async def _deliver(self, first: np.ndarray, sound: Sound, send: Send) -> None:
        parts = [first]
        while (samples := await sound.next()) is not None:
            parts.append(samples)
        data = await self._threads.run(lambda: encode(np.concatenate(parts), sound.sample_rate, self._format))
        more = {"content-length": str(len(data)), "x-audio-duration-ms": str(round(sound.seconds * 1000))} | self._usage(sound).headers()
        headers = self._headers(sound.sample_rate, MEDIA_TYPES[self._format], more)
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": data})


class _StreamedAnswer(SpeechAnswer):
    """Bytes of the format as they get ready. Encoders work on a thread, except those that cost nothing."""

    async def _deliver(self, first: np.ndarray, sound: Sound, send: Send) -> None:
        exact = self._utterance.order.sample_rate is not None

        def open_encoder() -> StreamEncoder:
            return open_stream_encoder(self._format, sound.sample_rate, exact=exact)

        encoder = open_encoder() if self._format in LIGHT_FORMATS else await self._threads.open(open_encoder)
        try:
            await self._stream(first, sound, encoder, send)
        finally:
            encoder.close()

    @abstractmethod
    async def _stream(self, first: np.ndarray, sound: Sound, encoder: StreamEncoder, send: Send) -> None:
        """Status line, headers and body."""

    async def _packed(self, encoder: StreamEncoder, samples: np.ndarray | None) -> bytes:
        """What the encoder makes of samples (T,), or of the end. Sometimes b""."""

        def pack() -> bytes:
            return encoder.finish() if samples is None else encoder.push(samples)

        return pack() if self._format in LIGHT_FORMATS else await self._threads.run(pack)


class RawAnswer(_StreamedAnswer):
    """Chunked bytes. A failure on the way leaves the body without its final chunk, so that the client's library notices."""

    delivery = "raw"

    async def _stream(self, first: np.ndarray, sound: Sound, encoder: StreamEncoder, send: Send) -> None:
        await self._open_body(encoder.sample_rate, send)
        samples, head = first, encoder.head
        try:
            while samples is not None:
                packet = head + await self._packed(encoder, samples)
                if packet:
                    await send({"type": "http.response.body", "body": packet, "more_body": True})
                samples, head = await sound.next(), b""
            last = await self._packed(encoder, None)
        except EngineError as error:
            self._failure = error.code
            return
        await send({"type": "http.response.body", "body": last})

    async def _fail_late(self, error: EngineError, sound: Sound, send: Send) -> None:
        self._failure = error.code
        await self._open_body(sound.sample_rate, send)
        await send({"type": "http.response.body", "body": b"", "more_body": True})

    async def _open_body(self, sample_rate: int, send: Send) -> None:
        headers = self._headers(sample_rate, MEDIA_TYPES[self._format], {})
        await send({"type": "http.response.start", "status": 200, "headers": headers})


class SseAnswer(_StreamedAnswer):
    """Events speech.audio.delta, then speech.audio.done or speech.audio.error; a comment where nothing else comes for quiet_seconds."""

    delivery = "sse"

    quiet_seconds = 15.0  # proxies close connections that are silent for 30 to 60 s

    async def _stream(self, first: np.ndarray, sound: Sound, encoder: StreamEncoder, send: Send) -> None:
        await self._open_events(encoder.sample_rate, send)
        index, samples, payloads = 0, first, [encoder.head]  # the header of a WAV is a delta of its own
        try:
            while True:
                payloads.append(await self._packed(encoder, samples))
                for payload in filter(None, payloads):
                    event = self._delta(payload, encoder.sample_rate, index)
                    await send({"type": "http.response.body", "body": event, "more_body": True})
                    index += 1
                if samples is None:
                    break
                samples, payloads = await self._next(sound, send), []
            self._timeline.mark("done")
            last = self._done(sound)
        except EngineError as error:
            self._failure = error.code
            last = _broken(error, partial_audio=True)
        await send({"type": "http.response.body", "body": last})

    async def _fail_late(self, error: EngineError, sound: Sound, send: Send) -> None:
        self._failure = error.code
        await self._open_events(sound.sample_rate, send)
        await send({"type": "http.response.body", "body": _broken(error, partial_audio=False)})

    async def _open_events(self, sample_rate: int, send: Send) -> None:
        headers = self._headers(sample_rate, "text/event-stream; charset=utf-8", {"cache-control": "no-store"})
        await send({"type": "http.response.start", "status": 200, "headers": headers})

    async def _next(self, sound: Sound, send: Send) -> np.ndarray | None:
        while True:
            try:
                async with asyncio.timeout(self.quiet_seconds):
                    return await sound.next()
            except TimeoutError:
                await send({"type": "http.response.body", "body": b": ping\n\n", "more_body": True})

    def _delta(self, payload: bytes, sample_rate: int, index: int) -> bytes:
        audio = base64.b64encode(payload).decode()
        return _event("delta", {"audio": audio, "response_format": self._format, "sample_rate": sample_rate, "index": index})

    def _done(self, sound: Sound) -> bytes:
        ttfp = self._timeline.ttfp_seconds
        members = {"usage": self._usage(sound).members(), "ttfp_ms": None if ttfp is None else round(ttfp * 1000, 3)}
        return _event("done", members | {"timing": self._timeline.summary()})


def _event(kind: str, members: dict[str, object]) -> bytes:
    name = f"speech.audio.{kind}"
    return f"event: {name}\ndata: {json.dumps({'type': name} | members)}\n\n".encode()


def _broken(error: EngineError, *, partial_audio: bool) -> bytes:
    """The error event. A client that has got audio before it is told to throw it away."""
    members = {"message": clean(error.fact), "type": "server_error", "param": None, "code": 500, "reason_code": error.code}
    return _event("error", {"error": members | ({"partial_audio": True, "action": "discard"} if partial_audio else {})})
