"""AwaitedSpeech: one speech of this door. It begins with its opening on a thread, and ends with its line in the request log.

How it ended is told in this door's words: why, what was left out of its text, a warning where there is something to know about it.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Self

import numpy as np

from engines.errors import EngineError
from studio.api.door.context import ApiContext, close_result
from studio.audio.file_encoder import EncodedFile, FileEncoder
from studio.audio.formats import Format
from studio.speech.audio_allowance import AudioAllowance
from studio.speech.request_log import RequestEntry
from studio.speech.speech import Speech

__all__ = ["END_HEADERS", "AwaitedSpeech", "end_headers", "end_members", "reading_headers", "spoken_alias"]


class AwaitedSpeech:
    """Opened on a thread, since that may take as long as an extraction; its samples then come without any thread per stream.

    However it ends, the speech is closed and the entry written, once: by `end`, or by the end of an `async with`.
    open_speech: blocks. entry: what is known of it, for the request log.
    """

    def __init__(self, context: ApiContext, open_speech: Callable[[], Speech], entry: RequestEntry):
        self.entry = entry
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
        if self._opening is None:
            self._opening = self._threads.submit(self._open_speech)

    async def open(self) -> Speech:
        """The speech, once it is open. Raises what opening raises; may then be called again."""
        self.begin()
        try:
            speech = await asyncio.wrap_future(self._opening)
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
        while True:
            if self._has_given:  # half a minute may be ready at once; other listeners, and news of a hang-up, come between
                await asyncio.sleep(0)
            self._news.clear()  # before the poll: news that comes after it wakes us
            samples, over = self.entry.speech.poll()
            if samples is not None or over:
                self._has_given = True
                return samples
            await self._news.wait()

    async def file(self, format: Format, allowance: AudioAllowance, on_made: Callable[[], None] = lambda: None) -> EncodedFile:
        """All of it as one file, the caller's to close, encoded on a thread as it comes. Raises AnswerTooLong.

        on_made: called once the engine has made all of it.
        """
        speech = self.entry.speech

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
        sample_rate, parts, n_samples = self.entry.speech.sample_rate, [], 0
        while (samples := await self.next()) is not None:
            allowance.take(len(samples) / sample_rate)
            parts.append(samples)
            n_samples += len(samples)
            if n_samples >= sample_rate:
                yield np.concatenate(parts)
                parts, n_samples = [], 0
        if parts:
            yield np.concatenate(parts)

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


# --- its end


END_HEADERS = ("x-speech-end", "x-speech-warning")


def end_members(speech: Speech) -> dict[str, object]:
    """Members of the last message about a speech; none while it is under way."""
    if speech.end is None:
        return {}
    told = {"warning": speech.warning, "end_values": dict(speech.end.values)}
    return {"end": speech.end.reason} | {name: member for name, member in told.items() if member} | speech.told


def end_headers(speech: Speech) -> dict[str, str]:
    """The same as headers, or as trailers."""
    members = end_members(speech)
    told = {name: members.get(member) for name, member in zip(END_HEADERS, ("end", "warning"), strict=True)}
    return {name: _latin(words) for name, words in told.items() if words}


def reading_headers(speech: Speech) -> dict[str, str]:
    """What of the text is told, as headers, each a JSON array, which spells emoji in ASCII."""
    return {f"x-speech-{name.replace('_', '-')}": json.dumps(marks) for name, marks in speech.told.items()}


def spoken_alias(speech: Speech) -> str:
    """Of a name that stood for another, as a header: "alloy=Ana". "" where the voice was asked for by its own."""
    request = speech.request
    return _latin(f"{request.alias}={request.speaker or speech.engine.default_preset}") if request.alias else ""


def _latin(words: str) -> str:
    """What a header can carry; other characters are escaped."""
    return words.encode("latin-1", "backslashreplace").decode("latin-1")
