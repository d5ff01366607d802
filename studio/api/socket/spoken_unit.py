"""SpokenUnit: one sentence of a WebSocket session, from its opening to audio.done."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from starlette.websockets import WebSocketDisconnect

from engines.errors import EngineError
from studio.api.desk import Desk
from studio.api.errors import ApiError, answer_for
from studio.api.intake import Utterance, utter
from studio.api.request_log import HUNG_UP, Entry
from studio.api.socket.session_config import SessionConfig
from studio.api.socket.wire import Wire
from studio.api.sound import Sound
from studio.audio.encode import encode
from studio.audio.formats import to_pcm16
from studio.errors import NoAudio
from studio.timeline import Timeline

__all__ = ["SpokenUnit", "UnitOrder"]

ALIGNER_MISSING = (  # the sentence of vLLM-Omni, which clients may look for
    "word_timestamps=true but the server was launched without --forced-aligner; "
    "either restart the server with that flag or set word_timestamps=false in session.config."
)


@dataclass(frozen=True, eq=False)
class UnitOrder:
    """request_id: for the log. arrived: time.perf_counter() at the message that made the text speakable."""

    request_id: str
    utterance_index: int
    sentence_index: int
    text: str
    config: SessionConfig
    arrived: float

    @property
    def place(self) -> dict[str, int]:
        return {"utterance_index": self.utterance_index, "sentence_index": self.sentence_index}


class SpokenUnit:
    """`begin` hands it to the engine, `speak` sends it, `drop` ends it at any time.

    waits: behind another sentence of the session, so that its TTFP counts from its turn and not from the message that brought it.
    """

    def __init__(self, desk: Desk, wire: Wire, order: UnitOrder, *, waits: bool):
        self.order = order
        self._desk = desk
        self._wire = wire
        self._waits = waits
        self._timeline: Timeline | None = None
        self._opening: asyncio.Task[Utterance] | None = None
        self._utterance: Utterance | None = None
        self._n_bytes = 0
        self._is_started = False  # audio.start was sent, and audio.done must be
        self._is_written = False

    def begin(self) -> None:
        """Open the speech on a thread. Idempotent."""
        if self._opening is not None or self.order.config.word_timestamps:
            return
        self._timeline = timeline = Timeline(time.perf_counter() if self._waits else self.order.arrived)
        body, desk = self.order.config.body(self.order.text), self._desk
        self._opening = asyncio.ensure_future(desk.threads.open(lambda: utter(desk.studio, body, timeline, desk.remote_audio)))
        self._opening.add_done_callback(lambda task: task.cancelled() or task.exception())  # seen, though nobody may await it

    async def speak(self, on_made: Callable[[], None]) -> None:
        """Send it. on_made: called once the engine has made all of it. What fails here is told, and the session goes on."""
        if self.order.config.word_timestamps:
            await self._wire.error(ALIGNER_MISSING)
            return
        self.begin()
        try:
            self._utterance = await self._opening
            sound = Sound(self._utterance)
            await self._start(sound.sample_rate)
            await (self._stream if self.order.config.stream_audio else self._send_file)(sound, on_made)
            self._timeline.mark("done")
            self._write()
            await self._end()
        except (ApiError, EngineError) as error:
            await self._fail(error if isinstance(error, ApiError) else answer_for(error), error)
        except (asyncio.CancelledError, WebSocketDisconnect):
            self._write(HUNG_UP)
            raise
        finally:
            self.drop()

    async def tell_cancelled(self) -> None:
        """audio.done of a unit whose `speak` was cancelled, where there was an audio.start."""
        if self._is_started:
            await self._end(cancelled=True)

    def drop(self) -> None:
        """The engine stops within one chunk, also when the speech is only being opened. Idempotent."""
        if self._opening is None:
            return
        self._opening.cancel()
        if self._opening.done() and not self._opening.cancelled() and self._opening.exception() is None:
            self._opening.result().close()
        self._write(HUNG_UP)

    async def _stream(self, sound: Sound, on_made: Callable[[], None]) -> None:
        while (samples := await sound.next()) is not None:
            await self._send(to_pcm16(samples))
            if self._timeline.since_received("last_audio") is not None:
                on_made()
        if not self._n_bytes:
            raise _too_short()

    async def _send_file(self, sound: Sound, on_made: Callable[[], None]) -> None:
        parts = []
        while (samples := await sound.next()) is not None:
            parts.append(samples)
        on_made()
        if not parts:
            raise _too_short()
        audio_format = self.order.config.response_format
        await self._send(await self._desk.threads.run(lambda: encode(np.concatenate(parts), sound.sample_rate, audio_format)))

    async def _send(self, data: bytes) -> None:
        await self._wire.audio(data)
        self._n_bytes += len(data)

    async def _start(self, sample_rate: int) -> None:
        config = self.order.config
        members = {"sentence_text": self.order.text, "format": config.response_format, "sample_rate": sample_rate}
        await self._wire.tell("audio.start", **self.order.place, **members)
        self._is_started = True

    async def _end(self, *, failed: bool = False, cancelled: bool = False) -> None:
        members = {"total_bytes": self._n_bytes, "error": failed} | ({"cancelled": True} if cancelled else {})
        if self._utterance is not None:
            members |= {"speaker_cache": self._timeline.cache or "bypass", "timing": self._timeline.summary()}
            if self._utterance.order.ignored:
                members["ignored_parameters"] = self._utterance.order.ignored
        await self._wire.tell("audio.done", **self.order.place, **members)
        self._is_started = False

    async def _fail(self, answer: ApiError, error: Exception) -> None:
        """audio.start and audio.done stay a pair; its rate is the engine's where the speech has none."""
        self._write(answer.status, getattr(error, "code", "") or answer.reason_code)
        config = self.order.config
        if not self._is_started:
            await self._start(config.sample_rate or self._desk.studio.engine_info(config.model or None).sample_rate)
        where = f"utterance {self.order.utterance_index}, sentence {self.order.sentence_index}"
        members = {name: value for name, value in answer.body()["error"].items() if name in ("hint", "reason_code")}
        members |= {"partial_audio": True, "action": "discard"} if self._n_bytes else {}
        fact = error.fact if isinstance(error, EngineError) and answer.status == 500 else answer.message
        await self._wire.error(f"Generation failed for {where}: {fact}", **members)
        await self._end(failed=True)

    def _write(self, status: int = 200, failure: str = "") -> None:
        """Into the journal, the first time."""
        if self._is_written:
            return
        self._is_written = True
        request_id = f"{self.order.request_id}-{self.order.utterance_index}-{self.order.sentence_index}"
        entry = Entry(request_id, "websocket", status, failure, self.order.config.response_format)
        self._desk.journal.write(entry, self._timeline, self._utterance)


def _too_short() -> NoAudio:
    return NoAudio("The speech is too short to hold a sample at this rate.", "Try a longer text.")
