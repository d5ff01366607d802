"""SpokenUnit: one sentence of a WebSocket session, from its opening to audio.done."""

import asyncio
import base64
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from engines.errors import EngineError
from studio.api.answers.answer import end_members
from studio.api.answers.word_answers import word_times
from studio.api.door.context import ApiContext
from studio.api.socket.session_config import SessionConfig
from studio.api.socket.wire import Wire
from studio.audio.formats import to_pcm16
from studio.errors import WordTimesUnknown
from studio.reading.parts import Reading
from studio.running.delivery import Delivery
from studio.speech.audio_allowance import AudioAllowance
from studio.speech.awaited_speech import AwaitedSpeech
from studio.speech.refusal import refusal_of, tellable
from studio.speech.request import answer_rate
from studio.speech.request_log import RequestEntry
from studio.speech.speech import Speech
from studio.speech.utterance import FedText
from studio.speech.words.asked_words import check_word_times
from studio.timeline import Timeline

__all__ = ["SpokenUnit", "UnitOrder"]


@dataclass(frozen=True, eq=False)
class UnitOrder:
    """request_id: for the log. read: what is said. arrived: time.perf_counter() at the message that made it speakable. feed: the same of a
    text that goes on.
    """

    request_id: str
    utterance_index: int
    sentence_index: int
    read: Reading
    config: SessionConfig
    arrived: float
    feed: FedText | None = None

    @property
    def reading(self) -> Reading:
        """As far as it has come."""
        return self.read if self.feed is None else self.feed.reading

    @property
    def text(self) -> str:
        """What is said; of a text of nothing but marks these."""
        return " ".join(piece.text for piece in self.reading.pieces) or "".join(self.reading.told_marks)

    @property
    def n_characters(self) -> int:
        """As written."""
        return self.reading.n_characters

    @property
    def log_id(self) -> str:
        return f"{self.request_id}-{self.utterance_index}-{self.sentence_index}"

    @property
    def place(self) -> dict[str, int]:
        return {"utterance_index": self.utterance_index, "sentence_index": self.sentence_index}


class SpokenUnit:
    """`begin` hands it to the engine, `speak` sends it, `drop` ends it at any time.

    waits: behind another sentence of the session, so that its TTFP counts from its turn and not from the message that brought it.
    """

    def __init__(self, context: ApiContext, wire: Wire, order: UnitOrder, *, waits: bool):
        self.order = order
        self._context = context
        self._wire = wire
        self._waits = waits
        self._spoken: AwaitedSpeech | None = None
        self._heard_before: float | None = None
        self._n_bytes = self._n_chunks = 0
        self._is_started = False  # audio.start was sent, and audio.done must be
        self.is_over = False  # spoken to its end, or failed
        self.sent_at = 0.0  # time.perf_counter() at the last audio

    @property
    def is_starved(self) -> bool:
        """It waits for text."""
        return self.order.feed is not None and self.order.feed.is_starved

    @property
    def heard_until(self) -> float | None:
        """See `AwaitedSpeech.heard_until`."""
        return self._heard_before if self._spoken is None else self._spoken.heard_until(self._heard_before)

    def begin(self, heard_until: float | None = None) -> None:
        """Open the speech on a thread. Idempotent. heard_until: of the sentence before it."""
        self._begun(heard_until)

    async def speak(self, on_made: Callable[[], None], heard_until: float | None) -> None:
        """Send it. on_made: called once the engine has made all of it. heard_until: see `begin`. What fails here is told, and the session
        goes on."""
        spoken = self._begun(heard_until)
        try:
            speech = await spoken.open()
            await self._start(speech.sample_rate)
            await (self._stream if self.order.config.stream_audio else self._send_file)(spoken, on_made)
            if self.order.config.word_timestamps:
                await self._tell_words(spoken)
            spoken.entry.timeline.mark("done")
            spoken.end()
            await self._end(spoken.entry)
        except (EngineError, OSError) as error:
            if (known := tellable(error)) is None:
                raise
            await self._fail(spoken, known)
        finally:  # also of a client who has left
            self.drop()

    async def tell_cancelled(self) -> None:
        """audio.done of a unit whose `speak` was cancelled, where there was an audio.start."""
        if self._is_started and self._spoken is not None:
            await self._end(self._spoken.entry, cancelled=True)

    def drop(self) -> None:
        """The engine stops within one chunk, also when the speech is only being opened. Idempotent."""
        self.is_over = True
        if self._spoken is not None:
            self._spoken.end(asyncio.CancelledError())

    def _begun(self, heard_until: float | None) -> AwaitedSpeech:
        if self._spoken is not None:
            return self._spoken
        self._heard_before = heard_until
        timeline = Timeline(time.perf_counter() if self._waits else self.order.arrived)
        body, studio = self.order.config.body(self.order.text), self._context.studio
        entry = RequestEntry(self.order.log_id, "websocket", timeline, body.response_format)
        feed, delivery = self.order.feed, Delivery(not self.order.config.stream_audio, heard_until, self.order.feed)
        reading = self.order.read if feed is None else None
        wants_words = self.order.config.word_timestamps

        def say() -> Speech:
            if wants_words:
                info = studio.engine_info(body.model or studio.engine_meant(body, body.input))
                check_word_times(info, studio.settings.dialect.no_aligner_socket)
            return studio.say(body, timeline, reading=reading, delivery=delivery)

        spoken = AwaitedSpeech(self._context, say, entry, wants_words=wants_words)
        spoken.begin()
        self._spoken = spoken
        return spoken

    async def _stream(self, spoken: AwaitedSpeech, on_made: Callable[[], None]) -> None:
        timeline = spoken.entry.timeline
        while (samples := await spoken.next()) is not None:
            await (self._send_chunk if self.order.config.word_timestamps else self._send)(to_pcm16(samples), spoken.entry)
            if timeline.since_received("last_audio") is not None:
                on_made()

    async def _send_file(self, spoken: AwaitedSpeech, on_made: Callable[[], None]) -> None:
        allowance = AudioAllowance(self._context.studio.settings.most_audio_seconds)
        with closing(await spoken.file(self.order.config.response_format, allowance, on_made)) as file:
            data = await self._context.threads.run(file.read)
        await self._send(data, spoken.entry)

    async def _send(self, data: bytes, entry: RequestEntry) -> None:
        entry.timeline.mark("packet")
        await self._wire.audio(data)
        self._n_bytes += len(data)
        entry.n_bytes = self._n_bytes
        self.sent_at = time.perf_counter()

    async def _send_chunk(self, data: bytes, entry: RequestEntry) -> None:
        """As a message that says when it is heard, which vLLM-Omni sends in place of a binary one. Its words are told when it is over."""
        entry.timeline.mark("packet")
        await self._tell_chunk(entry, data, None)
        self._n_bytes += len(data)
        entry.n_bytes = self._n_bytes
        self.sent_at = time.perf_counter()

    async def _tell_words(self, spoken: AwaitedSpeech) -> None:
        """The last chunk, of no sound: a list of words; null where they are not known, and then the error before it says why."""
        try:
            words = word_times(await spoken.words())
        except WordTimesUnknown as error:
            await self._wire.error(error.fact, hint=error.hint, reason_code=error.code)
            words = None
        await self._tell_chunk(spoken.entry, b"", words)

    async def _tell_chunk(self, entry: RequestEntry, data: bytes, words: list | None) -> None:
        sample_rate = entry.opened.sample_rate
        n_before, n_bytes = self._n_bytes, len(data)
        if not self.order.config.stream_audio:  # what came before it is a file
            n_before = 2 * entry.opened.n_samples
        start_ms, end_ms = (round(n / 2 / sample_rate * 1000) for n in (n_before, n_before + n_bytes))
        members = {"chunk_id": self._n_chunks, "chunk_start_ms": start_ms, "chunk_end_ms": end_ms, "sample_rate": sample_rate}
        await self._wire.tell("audio.chunk", **members, audio_b64=base64.b64encode(data).decode(), timestamps=words)
        self._n_chunks += 1

    async def _start(self, sample_rate: int) -> None:
        config = self.order.config
        members = {"sentence_text": self.order.text, "format": config.response_format, "sample_rate": sample_rate}
        members |= {"word_timestamps": True} if config.word_timestamps else {}
        await self._wire.tell("audio.start", **self.order.place, **members)
        self._is_started = True

    async def _end(self, entry: RequestEntry, *, failed: bool = False, cancelled: bool = False) -> None:
        members: dict[str, object] = {"total_bytes": self._n_bytes, "error": failed, **({"cancelled": True} if cancelled else {})}
        if self.order.feed is not None:
            members["sentence_text"] = self.order.text
        if entry.speech is not None:
            members |= {"speaker_cache": entry.timeline.cache or "bypass", "timing": entry.timeline.summary()} | end_members(entry.speech)
            if entry.speech.request.ignored:
                members["ignored_parameters"] = entry.speech.request.ignored
        await self._wire.tell("audio.done", **self.order.place, **members)
        self._is_started = False

    async def _fail(self, spoken: AwaitedSpeech, error: EngineError) -> None:
        """audio.start and audio.done stay a pair; its rate is what the speech would have had."""
        spoken.end(error)
        config, refusal = self.order.config, refusal_of(error)
        if not self._is_started:
            await self._start(answer_rate(config) or self._context.studio.engine_info(config.model or None).sample_rate)
        where = f"utterance {self.order.utterance_index}, sentence {self.order.sentence_index}"
        members = {name: text for name, text in (("hint", refusal.hint), ("reason_code", refusal.code)) if text}
        members |= {"partial_audio": True, "action": "discard"} if self._n_bytes else {}
        fact = error.fact if refusal.status == 500 else refusal.message
        await self._wire.error(f"Generation failed for {where}: {fact}", **members)
        await self._end(spoken.entry, failed=True)
