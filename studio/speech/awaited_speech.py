"""AwaitedSpeech: one speech of a door that has an event loop.

It begins with its opening on a thread, and ends with its line in the request log.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Protocol, Self

import numpy as np

from engines.errors import EngineError
from studio.audio.file_encoder import EncodedFile, FileEncoder
from studio.audio.formats import Format
from studio.running.threads import Threads, close_result
from studio.speech.audio_allowance import AudioAllowance
from studio.speech.request_log import RequestEntry, RequestLog
from studio.speech.speech import Speech
from studio.speech.timed_words import TimedWord
from studio.speech.words.held_sound import HeldSound

__all__ = ["AwaitedSpeech"]


class _Studio(Protocol):
    @property
    def request_log(self) -> RequestLog: ...

    @property
    def workspace(self) -> str: ...


class _Context(Protocol):
    """Of a door: the studio, and the threads on which its verbs run."""

    @property
    def studio(self) -> _Studio: ...

    @property
    def threads(self) -> Threads: ...


class AwaitedSpeech:
    """Opened on a thread, since that may take as long as an extraction; its samples then come without any thread per stream.

    However it ends, the speech is closed and the entry written, once: by `end`, or by the end of an `async with`.
    open_speech: blocks. entry: what is known of it, for the request log.
    """

    def __init__(self, context: _Context, open_speech: Callable[[], Speech], entry: RequestEntry, *, wants_words: bool = False):
        """wants_words: whether `words` will be asked, for which the sound of most engines is held."""
        self.entry = entry
        self._sound = HeldSound() if wants_words else None
        self._threads = context.threads
        self._request_log = context.studio.request_log
        self._open_speech = open_speech
        self._opening: Future[Speech] | None = None
        self._news = asyncio.Event()
        self._has_given = False
        self._is_ended = False
        entry.workspace = context.studio.workspace
        self._request_log.outcomes.begin(entry)

    def begin(self) -> None:
        """Start opening, where that has not begun, or has failed."""
        self._begun()

    def _begun(self) -> Future[Speech]:
        if self._opening is None:
            self._opening = self._threads.submit(self._open_speech)
        return self._opening

    async def open(self) -> Speech:
        """The speech, once it is open. Raises what opening raises; may then be called again."""
        try:
            speech = await asyncio.wrap_future(self._begun())
        except EngineError:
            self._opening = None
            raise
        self.entry.speech = speech
        loop = asyncio.get_running_loop()

        def wake() -> None:
            with suppress(RuntimeError):  # the loop is closed, nobody listens; the engine's thread must not suffer for it
                loop.call_soon_threadsafe(self._news.set)

        speech.notify(wake)
        return speech

    async def next(self) -> np.ndarray | None:
        """The next samples (T,), T > 0, or None at the end. Raises what the engine raised. May be cancelled without losing any."""
        speech = self.entry.speech
        assert speech is not None  # whoever asks has waited for it
        while True:
            if self._has_given:  # half a minute may be ready at once; other listeners, and news of a hang-up, come between
                await asyncio.sleep(0)
            self._news.clear()  # before the poll: news that comes after it wakes us
            samples, over = speech.poll()
            if samples is not None and self._sound is not None and not speech.engine.marks_words:
                self._sound.add(samples, speech.sample_rate)
            if samples is not None or over:
                self._has_given = True
                return samples
            await self._news.wait()

    async def words(self) -> tuple[TimedWord, ...]:
        """When each word is heard, of a speech that was read to its end; for who said so at first. Raises WordTimesUnknown."""
        speech, sound = self.entry.opened, self._sound or HeldSound()
        return await self._threads.run(lambda: speech.words_in(sound.samples))

    async def file(self, format: Format, allowance: AudioAllowance, on_made: Callable[[], None] = lambda: None) -> EncodedFile:
        """All of it as one file, the caller's to close, encoded on a thread as it comes. Raises AnswerTooLong.

        on_made: called once the engine has made all of it.
        """
        speech = self.entry.opened

        def begin() -> FileEncoder:
            allowance.check(speech)
            return FileEncoder(format, speech.sample_rate)

        encoder = await self._threads.open(begin)
        try:
            async for samples in self._seconds(allowance):
                await self._threads.run(lambda samples=samples: encoder.push(samples))
            on_made()
            return await self._threads.open(encoder.finish)
        except BaseException:
            allowance.give_back(speech.seconds)
            raise
        finally:
            self._threads.submit(encoder.close)  # not here: it waits for a thread that is encoding

    async def _seconds(self, allowance: AudioAllowance) -> AsyncIterator[np.ndarray]:
        """The samples (T,), a second at a time: a thread per chunk would cost more than the encoding."""
        sample_rate, n_samples = self.entry.opened.sample_rate, 0
        parts: list[np.ndarray] = []
        while (samples := await self.next()) is not None:
            allowance.take(len(samples) / sample_rate)
            parts.append(samples)
            n_samples += len(samples)
            if n_samples >= sample_rate:
                yield np.concatenate(parts)
                parts, n_samples = [], 0
        if parts:
            yield np.concatenate(parts)

    def heard_until(self, before: float | None) -> float | None:
        """time.perf_counter() until which its listener hears what was made so far, of it and before it; None before anything was.

        before: the same, of what came before it.
        """
        speech = self.entry.speech
        if speech is None or speech.heard_until is None:
            return before
        if before is None:
            return speech.heard_until
        timeline = self.entry.timeline
        early_seconds = timeline.elapsed(before) - (timeline.since_received("first_audio") or 0.0)
        return speech.heard_until + max(0.0, early_seconds)

    def end(self, error: BaseException | None = None) -> None:
        """error: what ended it, where it was not its own end; CancelledError for a listener who left. Only the first call counts."""
        if self._is_ended:
            return
        self._is_ended = True
        self.entry.end(error)
        if self._opening is not None:
            close_result(self._opening)
        self._request_log.write(self.entry)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.end(error)
