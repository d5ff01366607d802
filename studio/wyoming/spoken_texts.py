"""SpokenTexts: speaks the sentences of a connection in their order. Nothing here reads events.

`audio-start` comes with the first sound, and `audio-stop` behind the last of one text, however many sentences it has.
"""

import asyncio
import time
from collections import deque
from dataclasses import dataclass

import numpy as np
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.tts import SynthesizeStopped

from engines.errors import EngineError
from studio.audio.formats import to_pcm16
from studio.reading.parts import Reading
from studio.running.delivery import Delivery
from studio.speech.awaited_speech import AwaitedSpeech
from studio.speech.body import SpeechBody
from studio.speech.refusal import tellable
from studio.speech.request_log import RequestEntry
from studio.timeline import Timeline
from studio.wyoming.context import WyomingContext
from studio.wyoming.events import EventRefused, EventWriter

__all__ = ["DELIVERY", "SpokenTexts"]

DELIVERY = "wyoming"
SAMPLE_BYTES = 2
MOST_CHUNK_SAMPLES = 32_768  # of one event, though an engine may give half a minute at once


@dataclass(frozen=True, eq=False)
class _Sentence:
    """body: what is asked for. reading: of a text that came in pieces, None where `body` has all of it. arrived: time.perf_counter()."""

    log_id: str
    body: SpeechBody
    reading: Reading | None
    arrived: float


@dataclass(frozen=True)
class _TextEnd:
    """All sentences of one text are before it. is_stream: it came in pieces."""

    is_stream: bool


class SpokenTexts:
    """`run` speaks until it is cancelled, or all is spoken after `finish`; the other methods return at once.

    The next sentence goes to the engine when it has made the last one, also while that is still being sent.
    """

    def __init__(self, context: WyomingContext, writer: EventWriter, connection_id: str):
        self._context, self._writer, self._id = context, writer, connection_id
        self._jobs: deque[_Sentence | _TextEnd] = deque()
        self._current: _Sentence | _TextEnd | None = None
        self._begun: dict[_Sentence, AwaitedSpeech] = {}
        self._news = asyncio.Event()
        self._is_finishing, self._last_words = False, None
        self._heard_until: float | None = None  # time.perf_counter(), by the listener
        self._sample_rate: int | None = None  # of the text that is being spoken, once something of it was heard
        self._n_sentences = 0
        self.rested_at = time.perf_counter()  # when the last job was over

    @property
    def is_busy(self) -> bool:
        return self._current is not None or bool(self._jobs)

    @property
    def n_texts(self) -> int:
        """How many wait for their end."""
        return sum(isinstance(job, _TextEnd) for job in self._jobs)

    @property
    def waiting_characters(self) -> int:
        """Of what is not spoken yet."""
        return sum(len(job.body.input) for job in (*self._jobs, self._current) if isinstance(job, _Sentence))

    def add(self, body: SpeechBody, reading: Reading | None, arrived: float) -> None:
        """arrived: time.perf_counter() at what brought it. Behind others its time counts from its turn."""
        self._n_sentences += 1
        self._put(_Sentence(f"{self._id}-{self._n_sentences}", body, reading, 0.0 if self.is_busy else arrived))

    def end_text(self, *, is_stream: bool) -> None:
        """All sentences of one text have been added."""
        self._put(_TextEnd(is_stream))

    def finish(self, last_words: EventRefused | None = None) -> None:
        """Nothing more will be added. last_words: what `run` raises when all is spoken."""
        self._is_finishing, self._last_words = True, last_words
        self._news.set()

    async def run(self) -> None:
        """Raises what speaking raises, EngineError for what can be told, and ConnectionError once the client is gone."""
        try:
            while await self._has_job():
                job = self._current = self._jobs.popleft()
                await (self._speak(job) if isinstance(job, _Sentence) else self._tell_end(job))
                self._current = None
                self.rested_at = time.perf_counter()
        finally:
            for spoken in self._begun.values():
                spoken.end(asyncio.CancelledError())
        if self._last_words is not None:
            raise self._last_words

    async def _has_job(self) -> bool:
        """Waits for one; False where none will come."""
        while not self._jobs and not self._is_finishing:
            self._news.clear()
            await self._news.wait()
        return bool(self._jobs)

    def _begin(self, sentence: _Sentence) -> AwaitedSpeech:
        """Open its speech on a thread, where that has not begun."""
        if sentence not in self._begun:
            studio, timeline = self._context.studio, Timeline(sentence.arrived or time.perf_counter())
            delivery = Delivery(until=self._heard_until)
            entry = RequestEntry(sentence.log_id, DELIVERY, timeline)
            spoken = AwaitedSpeech(
                self._context, lambda: studio.say(sentence.body, timeline, reading=sentence.reading, delivery=delivery), entry
            )
            spoken.begin()
            self._begun[sentence] = spoken
        return self._begun[sentence]

    async def _speak(self, sentence: _Sentence) -> None:
        spoken, heard_before = self._begin(sentence), self._heard_until
        timeline = spoken.entry.timeline
        try:
            speech = await spoken.open()
            while (samples := await spoken.next()) is not None:
                await self._send(samples, speech.sample_rate)
                self._heard_until = spoken.heard_until(heard_before)
                if timeline.since_received("last_audio") is not None and self._jobs and isinstance(self._jobs[0], _Sentence):
                    self._begin(self._jobs[0])
            timeline.mark("done")
            spoken.end()
        except (EngineError, OSError) as error:
            if (known := tellable(error)) is None:
                raise
            spoken.end(known)
            raise known from error
        finally:  # also of a client who has left
            spoken.end(asyncio.CancelledError())
            del self._begun[sentence]

    async def _send(self, samples: np.ndarray, sample_rate: int) -> None:
        sound = {"rate": sample_rate, "width": SAMPLE_BYTES, "channels": 1}
        if self._sample_rate is None:
            self._sample_rate = sample_rate
            await self._writer.tell(AudioStart(**sound))
        for start in range(0, len(samples), MOST_CHUNK_SAMPLES):
            await self._writer.tell(AudioChunk(audio=to_pcm16(samples[start : start + MOST_CHUNK_SAMPLES]), **sound))

    async def _tell_end(self, end: _TextEnd) -> None:
        if self._sample_rate is not None:
            self._sample_rate = None
            await self._writer.tell(AudioStop())
        if end.is_stream:
            await self._writer.tell(SynthesizeStopped())

    def _put(self, job: _Sentence | _TextEnd) -> None:
        self._jobs.append(job)
        self._news.set()
