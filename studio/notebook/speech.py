"""NotebookSpeech: a speech for a Python program: as chunks while they are made, as a whole, or as a file."""

import asyncio
import base64
import weakref
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from os import PathLike
from pathlib import Path

import numpy as np

from engines.contract.speech_end import SpeechEnd
from engines.durable import put_file, sync_directory
from engines.errors import CallerMistake, EngineError
from studio.audio.encode import encode
from studio.audio.formats import MEDIA_TYPES, Format
from studio.errors import RequestInvalid
from studio.speech.speech import Speech

__all__ = ["NotebookSpeech", "telling_all"]

FORMATS: dict[str, Format] = {".wav": "wav", ".mp3": "mp3", ".flac": "flac", ".opus": "opus", ".ogg": "opus"}


class NotebookSpeech:
    """Iterate over it for chunks (T,) float32 in [-1, 1] at `sample_rate`, as the engine makes them; with `async for`, too.

    What was made is kept with it, so that it can be saved, read and iterated over again. Who leaves a loop before the end hangs up: the
    engine stops within one chunk, and the rest is never made. So does `close`, and the end of a `with` over it.
    """

    def __init__(self, speech: Speech, studio: object):
        self._speech = speech
        self._studio = studio  # which is closed when nobody holds it any more
        self._made: list[np.ndarray] = []
        self._hang_up = weakref.finalize(self, speech.close)

    @property
    def sample_rate(self) -> int:
        return self._speech.sample_rate

    @property
    def seconds(self) -> float:
        """Of sound made so far."""
        return self._speech.seconds

    @property
    def ttfp_seconds(self) -> float | None:
        """Time to first packet: from the call of `speak` to the first sound; None while there is none."""
        return self._speech.timeline.ttfp_seconds

    @property
    def timings(self) -> dict[str, object]:
        """All that was measured of it, in milliseconds."""
        return self._speech.timeline.summary()

    @property
    def engine(self) -> str:
        """The id of the engine that speaks."""
        return self._speech.engine.id

    @property
    def end(self) -> SpeechEnd | None:
        """Why it is over; None until then."""
        return self._speech.end

    @property
    def warning(self) -> str:
        """What is to be known of a speech that is over; "" where there is nothing."""
        return self._speech.warning

    def __iter__(self) -> Iterator[np.ndarray]:
        """From its beginning. Raises what the engine raised; SpeechCancelled behind the last chunk of one that was hung up."""
        try:
            for number in count():
                if number == len(self._made) and not self._keep_next():
                    return
                yield self._made[number].copy()
        finally:
            self.close()

    async def __aiter__(self) -> AsyncIterator[np.ndarray]:
        """The same, while the event loop goes on."""
        loop, news = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody listens
                loop.call_soon_threadsafe(news.set)

        self._speech.notify(wake)
        try:
            for number in count():
                if not await self._keep_until(number, news):
                    return
                yield self._made[number].copy()
        finally:
            self.close()

    def read_all(self) -> np.ndarray:
        """The whole speech, (T,) float32. Raises as iterating does."""
        return np.concatenate(list(self))

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the whole speech into a file of the format that the name ends in; one that is there is replaced at once, or not at all.

        Raises RequestInvalid for another ending, OSError, and as iterating does.
        """
        path = Path(path).expanduser()
        audio_format = _format_of(path)  # before all is waited for
        put_file(path, [encode(self.read_all(), self.sample_rate, audio_format)])
        sync_directory(path.parent)
        return path

    def close(self) -> None:
        """Hang up, where it is not over. Idempotent."""
        self._hang_up()

    def __enter__(self) -> "NotebookSpeech":
        return self

    def __exit__(self, *exc_info) -> None:
        self.close()

    def __repr__(self) -> str:
        state = self.end.reason if self.end else "under way"
        return f"<{type(self).__name__} of {self.seconds:.2f} s at {self.sample_rate} Hz by {self.engine}, {state}>"

    def _repr_html_(self) -> str | None:
        """A notebook shows a player of one that was heard to its end."""
        if self.end is None or self.end.reason in ("cancelled", "failed"):
            return None
        wav = base64.b64encode(encode(self.read_all(), self.sample_rate, "wav")).decode()
        return f'<audio controls src="data:{MEDIA_TYPES["wav"]};base64,{wav}"></audio>'

    def _keep_next(self) -> bool:
        """Wait for the next chunk; False where there is none."""
        with telling_all():
            chunk = next(self._speech, None)
        if chunk is not None:
            self._made.append(chunk)
        return chunk is not None

    async def _keep_until(self, number: int, news: asyncio.Event) -> bool:
        """Await the chunk of that number; False where there is none. news: set whenever there is some."""
        while number == len(self._made):
            news.clear()  # before the poll: news that comes after it wakes us
            with telling_all():
                samples, over = self._speech.poll()
            if over:
                return False
            if samples is None:
                await news.wait()
            else:
                self._made.append(samples)
        return True


@contextmanager
def telling_all() -> Iterator[None]:
    """Errors as a program sees them: the studio's own in place of the API's sentence for them, with the next step in their text."""
    try:
        yield
    except EngineError as error:
        said = error.__cause__ if isinstance(error, RequestInvalid) and isinstance(error.__cause__, CallerMistake) else error
        command = getattr(said, "command", "")  # whoever writes Python can run it
        said.args = (f"{said.fact} {f'Run: {command}' if command else said.hint}".strip(),)
        if said is error:
            raise
        raise said from None


def _format_of(path: Path) -> Format:
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        name, value, choices = "path", suffix or path.name, tuple(FORMATS)
        fact = f"A speech is saved as {', '.join(choices)}; {str(path)!r} ends otherwise."
        raise RequestInvalid("option_invalid", fact, name, sentence="option_no_choice", option=name, value=value, choices=choices)
    return FORMATS[suffix]
