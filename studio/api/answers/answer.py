"""Answers of POST /v1/audio/speech: whole file, raw stream, server-sent events.

Each is an ASGI response that owns its speech from opening to closing, in one try/finally: Starlette's StreamingResponse leaves a
suspended generator behind when the client hangs up, and then the engine works on for nobody. The first audio is pulled before the status
line, so that an early failure is raised to the exception handlers and becomes a clean 4xx or 5xx.
"""

import asyncio
import base64
import json
from abc import ABC, abstractmethod
from contextlib import closing

import numpy as np
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from engines.errors import CallerMistake, EngineError, EngineUnreachable
from studio.api.answers.whole_file import send_file
from studio.api.answers.word_answers import word_headers, word_members
from studio.api.door.context import ApiContext, unless_hung_up
from studio.api.door.middleware import in_request_log
from studio.audio.formats import MEDIA_TYPES, Format
from studio.audio.stream_encoder import LIGHT_FORMATS, StreamEncoder, open_stream_encoder
from studio.errors import EngineBusy
from studio.errors.clean import clean
from studio.speech.audio_allowance import AudioAllowance
from studio.speech.awaited_speech import AwaitedSpeech
from studio.speech.refusal import told_values
from studio.speech.speech import Speech
from studio.speech.usage import Usage

__all__ = ["RawAnswer", "SpeechAnswer", "SseAnswer", "WholeAnswer", "end_members"]

END_HEADERS = ("x-speech-end", "x-speech-warning")
PING = {"type": "http.response.body", "body": b": ping\n\n", "more_body": True}
TRAILERS = "http.response.trailers"  # of ASGI: the extension's name, and its message's


class SpeechAnswer(Response, ABC):
    """What the three have in common: hang-ups and headers. spoken: not begun; its format is that of the request."""

    def __init__(self, context: ApiContext, spoken: AwaitedSpeech, *, wants_words: bool = False):
        """wants_words: whether it tells when each word is heard."""
        super().__init__()
        self._spoken, self._wants_words = spoken, wants_words
        self._entry = spoken.entry
        assert spoken.entry.format  # which HTTP always says
        self._format: Format = spoken.entry.format
        self._timeline = spoken.entry.timeline
        self._threads = context.threads
        self._dialect = context.studio.settings.dialect
        self._most_audio_seconds = context.studio.settings.most_audio_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        in_request_log(scope)
        self._sends_trailers = TRAILERS in (scope.get("extensions") or {})
        async with self._spoken:
            if not await unless_hung_up(receive, self._speak(send)):
                self._spoken.end(asyncio.CancelledError())

    async def _speak(self, send: Send) -> None:
        await self._deliver(await self._spoken.open(), send)
        self._timeline.mark("done")

    @abstractmethod
    async def _deliver(self, speech: Speech, send: Send) -> None:
        """Status line, headers and body."""

    def _headers(self, speech: Speech, sample_rate: int, content_type: str, more: dict[str, str]) -> list[tuple[bytes, bytes]]:
        headers = {
            "content-type": content_type,
            "x-sample-rate": str(sample_rate),
            "x-request-id": self._entry.request_id,
            "x-speech-engine": speech.engine.id,
            "x-speaker-cache": self._timeline.cache or "bypass",
            "server-timing": self._timeline.server_timing(),
        }
        if alias := spoken_alias(speech):
            headers["x-voice-alias"] = alias
        if speech.request.ignored:
            headers["x-ignored-parameters"] = ", ".join(speech.request.ignored)
        if speech.kept_as:
            headers["x-studio-kept"] = speech.kept_as
        elif speech.keeping_doubt:  # known before the first sound; a whole answer has the full warning in its place
            headers["x-speech-warning"] = speech.keeping_doubt
        return _encoded(headers | reading_headers(speech) | more)


class WholeAnswer(SpeechAnswer):
    """One file with true sizes."""

    async def _deliver(self, speech: Speech, send: Send) -> None:
        with closing(await self._spoken.file(self._format, AudioAllowance(self._most_audio_seconds))) as file:
            more = {"content-length": str(len(file)), "x-audio-duration-ms": str(round(speech.seconds * 1000))}
            more |= end_headers(speech) | Usage.of(speech).headers() | (await word_headers(self._spoken) if self._wants_words else {})
            self._timeline.mark("packet")
            headers = self._headers(speech, speech.sample_rate, MEDIA_TYPES[self._format], more)
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send_file(file, send, self._threads, is_last=True)
            self._entry.n_bytes = len(file)


class _StreamedAnswer(SpeechAnswer):
    """Bytes of the format as they get ready. Encoders work on a thread, except those that cost nothing."""

    async def _deliver(self, speech: Speech, send: Send) -> None:
        try:
            first = await self._first()
        except EngineError as error:
            if self._dialect.waits_for_audio or isinstance(error, CallerMistake | EngineBusy | EngineUnreachable):
                raise
            self._entry.break_off(error)
            await self._fail_late(error, speech, send)
            return

        def open_encoder() -> StreamEncoder:
            return open_stream_encoder(self._format, speech.sample_rate, exact=speech.request.sample_rate is not None)

        encoder = open_encoder() if self._format in LIGHT_FORMATS else await self._threads.open(open_encoder)
        try:
            await self._stream(first, encoder, speech, send)
        finally:
            encoder.close()

    async def _first(self) -> np.ndarray | None:
        """The first audio (T,), before which nothing is sent, so that a failure has its status; None where that is not waited for."""
        return await self._spoken.next()

    @abstractmethod
    async def _stream(self, first: np.ndarray | None, encoder: StreamEncoder, speech: Speech, send: Send) -> None:
        """Status line, headers and body; `first` is what `_first` gave."""

    @abstractmethod
    async def _fail_late(self, error: EngineError, speech: Speech, send: Send) -> None:
        """In a dialect in which the status line is sent by the time the engine fails, it says 200."""

    async def _first_packets(self, encoder: StreamEncoder, samples: np.ndarray | None) -> list[bytes]:
        """The encoder's head, and what it makes of the first samples; none is empty. Headers, sent later, tell when they were ready."""
        packets = [packet for packet in (encoder.head, await self._packed(encoder, samples)) if packet]
        if packets:
            self._timeline.mark("packet")
        return packets

    async def _packed(self, encoder: StreamEncoder, samples: np.ndarray | None) -> bytes:
        """What the encoder makes of samples (T,), or of the end. Sometimes b""."""

        def pack() -> bytes:
            return encoder.finish() if samples is None else encoder.push(samples)

        return pack() if self._format in LIGHT_FORMATS else await self._threads.run(pack)


class RawAnswer(_StreamedAnswer):
    """Chunked bytes. A failure on the way leaves the body without its final chunk, so that the client's library notices.

    Why it ended comes behind the body, as trailers, where the server sends such (uvicorn does over HTTP/2, and not over HTTP/1.1).
    """

    async def _stream(self, first: np.ndarray | None, encoder: StreamEncoder, speech: Speech, send: Send) -> None:
        samples, packet = first, b"".join(await self._first_packets(encoder, first))
        await self._open_body(speech, encoder.sample_rate, send)
        try:
            while samples is not None:
                if packet:
                    self._entry.n_bytes += len(packet)
                    await send({"type": "http.response.body", "body": packet, "more_body": True})
                samples = await self._spoken.next()
                packet = await self._packed(encoder, samples)
        except EngineError as error:
            self._entry.break_off(error)
            return
        self._entry.n_bytes += len(packet)
        await send({"type": "http.response.body", "body": packet})
        if self._sends_trailers:
            await send({"type": TRAILERS, "headers": _encoded(end_headers(speech)), "more_trailers": False})

    async def _fail_late(self, error: EngineError, speech: Speech, send: Send) -> None:
        await self._open_body(speech, speech.sample_rate, send)
        await send({"type": "http.response.body", "body": b"", "more_body": True})

    async def _open_body(self, speech: Speech, sample_rate: int, send: Send) -> None:
        announced = {"trailer": ", ".join(END_HEADERS)} if self._sends_trailers else {}
        headers = self._headers(speech, sample_rate, MEDIA_TYPES[self._format], announced)
        await send({"type": "http.response.start", "status": 200, "headers": headers, "trailers": self._sends_trailers})


class SseAnswer(_StreamedAnswer):
    """Events speech.audio.delta, then speech.audio.done or speech.audio.error; a comment where nothing else comes for quiet_seconds.

    Also before the first: an engine that has been at work for so long without any sound will hardly refuse the request any more.
    """

    quiet_seconds = 15.0  # proxies close connections that are silent for 30 to 60 s

    async def _first(self) -> np.ndarray | None:
        while True:
            try:
                async with asyncio.timeout(self.quiet_seconds):
                    return await self._spoken.next()
            except TimeoutError:
                if self._timeline.since_received("started") is not None:
                    return None

    async def _stream(self, first: np.ndarray | None, encoder: StreamEncoder, speech: Speech, send: Send) -> None:
        packets = [] if first is None else await self._first_packets(encoder, first)
        await self._open_events(speech, encoder.sample_rate, send)
        index, samples = 0, first
        try:
            if first is None:
                await send(PING)
                samples = await self._next(send)
                packets = await self._first_packets(encoder, samples)
            while True:
                for packet in filter(None, packets):  # the header of a WAV is a delta of its own
                    event = self._delta(packet, encoder.sample_rate, index)
                    await send({"type": "http.response.body", "body": event, "more_body": True})
                    self._entry.n_bytes += len(packet)
                    index += 1
                if samples is None:
                    break
                samples = await self._next(send)
                packets = [await self._packed(encoder, samples)]
            self._timeline.mark("done")
            last = self._done(speech, await word_members(self._spoken) if self._wants_words else {})
        except EngineError as error:
            self._entry.break_off(error)
            last = _broken(error, partial_audio=index > 0)
        await send({"type": "http.response.body", "body": last})

    async def _fail_late(self, error: EngineError, speech: Speech, send: Send) -> None:
        await self._open_events(speech, speech.sample_rate, send)
        await send({"type": "http.response.body", "body": _broken(error, partial_audio=False)})

    async def _open_events(self, speech: Speech, sample_rate: int, send: Send) -> None:
        headers = self._headers(speech, sample_rate, "text/event-stream; charset=utf-8", {"cache-control": "no-store"})
        await send({"type": "http.response.start", "status": 200, "headers": headers})

    async def _next(self, send: Send) -> np.ndarray | None:
        while True:
            try:
                async with asyncio.timeout(self.quiet_seconds):
                    return await self._spoken.next()
            except TimeoutError:
                await send(PING)

    def _delta(self, payload: bytes, sample_rate: int, index: int) -> bytes:
        audio = base64.b64encode(payload).decode()
        return _event("delta", {"audio": audio, "response_format": self._format, "sample_rate": sample_rate, "index": index})

    def _done(self, speech: Speech, more: dict[str, object]) -> bytes:
        ttfp = self._timeline.ttfp_seconds
        members = {"usage": Usage.of(speech).members(), "ttfp_ms": None if ttfp is None else round(ttfp * 1000, 3)}
        return _event("done", members | {"timing": self._timeline.summary()} | end_members(speech) | more)


def _encoded(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]


def _event(kind: str, members: dict[str, object]) -> bytes:
    name = f"speech.audio.{kind}"
    return f"event: {name}\ndata: {json.dumps({'type': name} | members)}\n\n".encode()


def _broken(error: EngineError, *, partial_audio: bool) -> bytes:
    """The error event. A client that has got audio before it is told to throw it away."""
    members: dict[str, object] = {
        "message": clean(error.fact),
        "type": "server_error",
        "param": None,
        "code": 500,
        "reason_code": error.code,
    }
    members |= {"values": told_values(error)} if error.values else {}
    return _event("error", {"error": members | ({"partial_audio": True, "action": "discard"} if partial_audio else {})})


# --- how a speech ended, and what is to be known of it


def end_members(speech: Speech) -> dict[str, object]:
    """Members of the last message about a speech; none while it is under way."""
    if speech.end is None:
        return {}
    told: dict[str, object] = {"warning": speech.warning, "end_values": dict(speech.end.values)}
    return {"end": speech.end.reason, **{name: member for name, member in told.items() if member}, **speech.told}


def end_headers(speech: Speech) -> dict[str, str]:
    """The same as headers, or as trailers."""
    if speech.end is None:
        return {}
    told = dict(zip(END_HEADERS, (speech.end.reason, speech.warning), strict=True))
    return {name: _latin(words) for name, words in told.items() if words}


def reading_headers(speech: Speech) -> dict[str, str]:
    """What `Speech.told` has, as headers, each a JSON array, which spells emoji in ASCII."""
    return {f"x-speech-{name.replace('_', '-')}": json.dumps(marks) for name, marks in speech.told.items()}


def spoken_alias(speech: Speech) -> str:
    """Of a name that stood for another, as a header: "alloy=Ana". "" where the voice was asked for by its own."""
    request = speech.request
    return _latin(f"{request.alias}={request.speaker or speech.engine.default_preset}") if request.alias else ""


def _latin(words: str) -> str:
    """What a header can carry; other characters are escaped."""
    return words.encode("latin-1", "backslashreplace").decode("latin-1")
