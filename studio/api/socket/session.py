"""Session: one WebSocket connection, which reads messages also while speech is made. Its close code says why it ends."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf
from typing import Any

from starlette.types import Message
from starlette.websockets import WebSocketDisconnect

from studio.api.door.context import ApiContext
from studio.api.door.errors import answer_for
from studio.api.socket.feeding import Feeding
from studio.api.socket.messages import BROKEN_RULE, MessageRefused, read_message, read_text, shown
from studio.api.socket.session_config import SessionConfig
from studio.api.socket.speaking import Speaking
from studio.api.socket.spoken_unit import SpokenUnit, UnitOrder
from studio.api.socket.wire import Wire
from studio.errors import EngineUnknown, RequestInvalid
from studio.reading.parts import NOTHING, Reading
from studio.reading.units import SETTLE_SECONDS, UnitReader
from studio.running.ended_tasks import all_ended
from studio.speech.utterance import FedText, check_reads_along
from studio.web.client_silence import ClientSilence, unless_silent
from studio.web.faults import INTERNAL_ERROR, report_fault

__all__ = ["Session"]

NORMAL, INTERNAL_FAILURE, SERVICE_RESTART = 1000, 1011, 1012  # close codes, RFC 6455 section 7.4.1, and IANA's registry of them
MOST_WAITING_UTTERANCES = 256
AFTER_CLOSE = ("input.cancel", "session.close")  # what is still heeded

log = logging.getLogger("studio.api")


class _Ending(Exception):
    """The session is over: a last error for the client, if any, and the close code."""

    def __init__(self, code: int, message: str = ""):
        super().__init__(message)
        self.code = code


class Session:
    """`run` serves the connection to its end. session_id: for the log. closing: set when the server ends: what has been said is spoken.

    config_seconds: within which the first message must come. idle_seconds: the longest silence of a client while nothing is spoken.
    settle_seconds: without more text, after which a sentence is spoken that is over as far as can be told.
    """

    config_seconds = 10.0
    idle_seconds = 30.0
    settle_seconds = SETTLE_SECONDS

    def __init__(self, context: ApiContext, wire: Wire, session_id: str, closing: asyncio.Event | None = None):
        self._context = context
        self._wire = wire
        self._id = session_id
        self._server_closes = closing or asyncio.Event()
        self._speaking = Speaking(wire)
        self._config: SessionConfig | None = None
        self._heard_at = time.perf_counter()
        self._is_closing = False  # session.close was said
        self._utterance_index = 0
        self._begin_utterance()
        self._silence = ClientSilence(self._seconds_to_settle, self._settle, self._seconds_left, self._late)
        self._handlers: dict[str, Callable[[dict[str, Any]], dict[str, Any] | None]] = {
            "input.text": self._take_text,
            "input.commit": self._commit,
            "input.done": self._end_utterance,
            "input.cancel": self._cancel,
            "session.close": self._close,
        }

    async def run(self) -> None:
        await self._wire.accept()
        self._heard_at = time.perf_counter()
        tasks = {asyncio.ensure_future(part) for part in (self._read(), self._speaking.run(), self._leave())}
        try:
            ending = await _first_to_end(tasks)
        finally:
            for task in tasks:
                task.cancel()
            await all_ended(*tasks)
        if ending.code == NORMAL and self._server_closes.is_set():
            ending = _Ending(SERVICE_RESTART, "The studio is closing.")
        if ending.code == INTERNAL_FAILURE:
            report_fault("websocket", INTERNAL_ERROR, request_id=self._id)
        with suppress(WebSocketDisconnect):
            if str(ending):
                await self._wire.error(str(ending))
            await self._wire.close(ending.code)

    async def _leave(self) -> None:
        """Never over: that the session is, `Speaking` tells."""
        await self._server_closes.wait()
        self._close({})
        await asyncio.get_running_loop().create_future()

    # --- reading

    async def _read(self) -> None:
        while True:
            try:
                if answer := self._take(read_message(await self._next_event())):  # the message under no name, or it stays until the next
                    await self._wire.tell(**answer)
            except MessageRefused as refusal:
                if self._config is None:
                    raise _Ending(refusal.close_code, str(refusal)) from refusal
                await self._wire.error(str(refusal))

    async def _next_event(self) -> Message:
        event = await unless_silent(self._wire.receive(), self._silence)
        self._heard_at = time.perf_counter()
        return event

    def _late(self) -> _Ending:
        return _Ending(BROKEN_RULE, "Timeout waiting for session.config" if self._config is None else "Idle timeout: no message received")

    def _seconds_left(self) -> float:
        """Until the client has been silent for too long; all of it while it listens."""
        if self._config is None:
            return self._heard_at + self.config_seconds - time.perf_counter()
        if not self._speaking.is_silent:
            return self.idle_seconds
        return max(self._heard_at, self._speaking.rested_at) + self.idle_seconds - time.perf_counter()

    # --- a sentence that is over as far as can be told

    def _seconds_to_settle(self) -> float:
        return inf if self._settles_at is None else self._settles_at - time.perf_counter()

    def _settle(self) -> None:
        """Speak it."""
        self._settles_at = None
        self._speak_each(self._reader.feed("", is_over=True))

    # --- messages

    def _take(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """The answer, where there is one."""
        kind = message.get("type")
        if self._is_closing and kind not in AFTER_CLOSE:
            raise MessageRefused(f"{shown(kind)} refused: session.close was said. Open another connection to say more.")
        if kind == "session.config":
            self._configure(message)
            return None
        if self._config is None:
            raise MessageRefused(f"Expected session.config, got: {shown(kind)}")
        handler = self._handlers.get(kind) if isinstance(kind, str) else None
        if handler is None or kind in self._context.studio.settings.dialect.unknown_messages:
            raise MessageRefused(f"Unknown message type: {shown(kind)}")
        return handler(message)

    def _configure(self, message: dict[str, Any]) -> None:
        """A config that is refused leaves the one before in force."""
        if self._is_open:
            raise MessageRefused("session.config cannot be applied while an utterance is in progress; send input.done first")
        studio = self._context.studio
        config = SessionConfig.of(message, studio.settings.dialect)
        try:
            info = studio.engine_info(config.model or studio.engine_meant(config))
            if config.is_fed:
                check_reads_along(info, (status.info for status in studio.engines()))
        except (EngineUnknown, RequestInvalid) as error:
            answer = answer_for(error)
            raise MessageRefused(f"{answer.message}. {answer.hint}" if config.is_fed and answer.hint else answer.message) from error
        self._config = config if config.model else config.model_copy(update={"model": info.id})  # it stays, whatever the default becomes
        self._begin_utterance()

    def _take_text(self, message: dict[str, Any]) -> None:
        text, half = read_text(message, self._half)
        limit = self._context.studio.settings.most_text_characters
        waiting = self._speaking.waiting_characters + self._reader.waiting_characters
        if waiting + len(text) > limit:
            raise MessageRefused(
                f"input.text refused: with it {waiting + len(text)} characters would wait to be spoken; the limit is {limit}. "
                "None of it was taken; send it again when sentences are done."
            )
        self._half = half
        self._is_open = self._is_open or bool(text or half)
        self._speak_each(self._reader.feed(text))
        self._settles_at = time.perf_counter() + self.settle_seconds
        if self._context.studio.settings.dialect.blank_ends_sentence and self._reader.ends_with_blank:
            self._settle()

    def _commit(self, message: dict[str, Any]) -> dict[str, Any]:
        """Speak what has come so far; the utterance goes on."""
        before = self._n_sentences
        self._read_rest()
        self._settles_at = None
        segment, self._n_segments = self._n_segments, self._n_segments + 1
        counts = {"segment_sentences": self._n_sentences - before, "total_sentences": self._n_sentences}
        return {"kind": "input.committed", "utterance_index": self._utterance_index, "segment_index": segment} | counts

    def _read_rest(self) -> Reading:
        """Of what has come; half a character as decoders show it. What is in no sentence."""
        self._speak_each(self._reader.rest("\ufffd" if self._half else ""))
        self._half = ""
        return self._reader.end() if isinstance(self._reader, Feeding) else self._reader.untold

    def _end_utterance(self, message: dict[str, Any]) -> None:
        if self._speaking.n_utterances >= MOST_WAITING_UTTERANCES:
            raise MessageRefused(f"input.done refused: {MOST_WAITING_UTTERANCES} utterances wait to be spoken. Send it again later.")
        untold = self._read_rest()
        if untold.left_out and not self._n_sentences:
            self._speak(untold)  # nothing but marks: refused as everywhere, by what they are
            untold = NOTHING
        self._speaking.end_utterance(self._utterance_index, left_out=untold.told_marks)
        self._utterance_index += 1
        self._begin_utterance()

    def _cancel(self, message: dict[str, Any]) -> None:
        """Everything said so far is taken back; with nothing to take back nothing happens."""
        self._speaking.cancel()
        if self._speaking.n_utterances >= MOST_WAITING_UTTERANCES:
            raise _Ending(BROKEN_RULE, f"{MOST_WAITING_UTTERANCES} utterances are over and nobody reads it.")
        if self._is_open:
            self._speaking.end_utterance(self._utterance_index, cancelled=True)
            self._utterance_index += 1
        self._begin_utterance()

    def _close(self, message: dict[str, Any]) -> None:
        """What has been said is spoken before the session ends; text that no input.done has ended is taken back, as in vLLM-Omni."""
        if self._is_open:
            if self._reader.ends_with_blank:
                self._settle()
            if isinstance(self._reader, Feeding):
                self._reader.end()
            self._speaking.end_utterance(self._utterance_index, cancelled=True)
            self._is_open = False
        self._is_closing = True
        self._speaking.finish()

    def _begin_utterance(self) -> None:
        self._half = ""  # of a character, at the end of the last input.text
        self._is_open = False
        self._settles_at: float | None = None  # time.perf_counter(); None while no text waits
        self._n_sentences = self._n_segments = 0
        if (config := self._config) is not None:
            info = self._context.studio.engine_info(config.model or None)
            reader = self._context.studio.readings.reader(config, info, config.settles_by, by_word=config.is_fed)
            if config.is_fed:
                self._reader = Feeding(reader, lambda text: self._speak(NOTHING, text), info.most_text_characters)
            else:
                self._reader = UnitReader(reader, config.split_granularity)

    def _speak_each(self, units: Sequence[Reading]) -> None:
        for unit in units:
            self._speak(unit)

    def _speak(self, read: Reading, feed: FedText | None = None) -> SpokenUnit:
        assert self._config is not None  # nothing is said before it
        order = UnitOrder(self._id, self._utterance_index, self._n_sentences, read, self._config, self._heard_at, feed)
        unit = SpokenUnit(self._context, self._wire, order, waits=self._speaking.is_busy)
        self._speaking.add(unit)
        self._n_sentences += 1
        return unit


async def _first_to_end(tasks: set[asyncio.Task[None]]) -> _Ending:
    """How the first of the tasks ended: normally once all is spoken. Raises WebSocketDisconnect when the client is gone."""
    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    try:
        for task in done:
            task.result()
        return _Ending(NORMAL)
    except _Ending as ending:
        return ending
    except WebSocketDisconnect:
        raise
    except Exception:
        log.exception("a session failed")
    return _Ending(INTERNAL_FAILURE, "Internal error")
