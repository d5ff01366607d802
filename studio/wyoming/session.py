"""WyomingSession: one connection, from its first event to its end. It reads events also while speech is made.

A hang-up stops the engine. An `error` is the last thing that a connection says, and then it ends: a client that waits for sound or words
sees that none will come.
"""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from math import inf

from wyoming.event import Event
from wyoming.ping import Pong

from studio.reading.units import SETTLE_SECONDS
from studio.running.ended_tasks import all_ended
from studio.speech.body import SpeechBody, read_body
from studio.speech.refusal import tellable
from studio.web.client_silence import ClientSilence, unless_silent
from studio.web.faults import INTERNAL_ERROR, report_fault
from studio.wyoming.context import WyomingContext
from studio.wyoming.events import EventReader, EventRefused, EventWriter, shown_error
from studio.wyoming.info import PROGRAM, described
from studio.wyoming.received_sound import ReceivedSound
from studio.wyoming.spoken_texts import DELIVERY, SpokenTexts
from studio.wyoming.text_stream import TextStream
from studio.wyoming.voices import voice_fields

__all__ = ["WyomingSession", "studio_closes"]

MOST_WAITING_TEXTS = 256
FAILED = "Something went wrong in the studio; its log has why."


def studio_closes() -> EventRefused:
    return EventRefused("The studio is closing.", "studio_closing")


class WyomingSession:
    """closing: set when the server ends: what has been said is spoken.

    idle_seconds: the longest silence of a client while nothing is spoken; a model that thinks about its answer may take some of it.
    """

    idle_seconds = 300.0

    def __init__(self, context: WyomingContext, reader: EventReader, writer: EventWriter, closing: asyncio.Event):
        self._context, self._reader, self._writer, self._closing = context, reader, writer, closing
        self._id = f"{DELIVERY}-{secrets.token_hex(8)}"
        self._speaking = SpokenTexts(context, writer, self._id)
        self._stream: TextStream | None = None
        self._half = ""  # of a character, at the end of the last piece of text
        self._settles_at = inf  # time.perf_counter()
        self._sound: ReceivedSound | None = None
        self._language: str | None = None  # of the sound that will come
        self._program: str | None = None  # engine that was selected
        self._heard_at = time.perf_counter()
        self._silence = ClientSilence(self._seconds_to_settle, self._settle, self._seconds_left, self._late)
        self._handlers: dict[str, Callable[[Event], Awaitable[None]]] = {
            "describe": self._describe,
            "ping": self._answer_ping,
            "select-program": self._select_program,
            "synthesize": self._synthesize,
            "synthesize-start": self._begin_stream,
            "synthesize-chunk": self._take_text,
            "synthesize-stop": self._end_stream,
            "transcribe": self._expect_sound,
            "audio-start": self._begin_sound,
            "audio-chunk": self._take_sound,
            "audio-stop": self._end_sound,
        }

    @property
    def is_answering(self) -> bool:
        """Whether the client waits for something, or says it still."""
        return self._speaking.is_busy or self._stream is not None or self._sound is not None

    async def run(self) -> None:
        """Returns when nothing more will be said."""
        tasks = {asyncio.ensure_future(part) for part in (self._read(), self._speaking.run(), self._leave())}
        try:
            with suppress(ConnectionError):
                await self._first_to_end(tasks)
        finally:
            for task in tasks:
                task.cancel()
            await all_ended(*tasks)
            if self._sound is not None:
                self._sound.let_go()

    async def _first_to_end(self, tasks: set[asyncio.Task[None]]) -> None:
        """Waits for it, and tells what it ended with."""
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        try:
            for task in done:
                task.result()
        except EventRefused as refusal:
            await self._writer.error(str(refusal), refusal.code)
        except ConnectionError:
            raise
        except Exception as error:
            if (known := tellable(error)) is None:
                report_fault(DELIVERY, INTERNAL_ERROR, request_id=self._id, error=error)
            await self._writer.error(*(shown_error(known) if known else (FAILED, INTERNAL_ERROR)))

    async def _leave(self) -> None:
        """What was said whole is spoken; a text or a sound that still comes is not waited for."""
        await self._closing.wait()
        self._speaking.finish(studio_closes() if self._stream or self._sound else None)
        await asyncio.get_running_loop().create_future()

    # --- reading

    async def _read(self) -> None:
        while (event := await self._next()) is not None:
            handler = self._handlers.get(event.type)
            if handler is not None:  # what a server does not know, it drops: the protocol grows that way
                await handler(event)

    async def _next(self) -> Event | None:
        event = await unless_silent(self._reader.next(), self._silence)
        self._heard_at = time.perf_counter()
        return event

    def _late(self) -> EventRefused:
        return EventRefused(f"Nothing was asked for in {self.idle_seconds:.0f} s.", "idle")

    def _settle(self) -> None:
        """Speak the sentence that is over as far as can be told."""
        self._settles_at = inf
        if self._stream is not None:
            self._speak(self._stream.feed("", is_over=True))

    def _seconds_left(self) -> float:
        """Until the client has been silent for too long; all of it while it listens."""
        if self._speaking.is_busy:
            return self.idle_seconds
        return max(self._heard_at, self._speaking.rested_at) + self.idle_seconds - time.perf_counter()

    def _seconds_to_settle(self) -> float:
        return self._settles_at - time.perf_counter()

    # --- what is here

    async def _describe(self, event: Event) -> None:
        await self._writer.tell(await self._context.threads.run(lambda: described(self._context.studio)))

    async def _answer_ping(self, event: Event) -> None:
        await self._writer.tell(Pong(event.data.get("text")))

    async def _select_program(self, event: Event) -> None:
        """The one that `describe` tells, or an engine, which speaks from now on. Raises EngineUnknown."""
        name = _text_of(event, "name")
        self._program = None if name == PROGRAM else self._context.studio.engine_id(name)

    # --- text in, sound out

    async def _synthesize(self, event: Event) -> None:
        """Within a stream it is what came in pieces once more, for servers that know no streams."""
        if self._stream is not None:
            return
        asked = await self._asked(event, _text_of(event, "text"))
        self._check_room(asked.input)
        self._speaking.add(asked, None, self._heard_at)
        self._speaking.end_text(is_stream=False)

    async def _begin_stream(self, event: Event) -> None:
        if self._stream is not None:
            raise EventRefused("synthesize-start within a stream: end that one with synthesize-stop.", "event_unexpected")
        self._stream = TextStream(self._context.studio, await self._asked(event, ""))

    async def _take_text(self, event: Event) -> None:
        text, self._half = _whole_characters(self._half + _text_of(event, "text"))
        self._check_room(text)
        self._speak(self._open_stream(event).feed(text))
        self._settles_at = time.perf_counter() + SETTLE_SECONDS

    async def _end_stream(self, event: Event) -> None:
        stream = self._open_stream(event)
        if self._half:
            self._speak(stream.feed("\ufffd"))  # as decoders show it
        self._speak(stream.rest())
        self._speaking.end_text(is_stream=True)
        self._stream, self._half, self._settles_at = None, "", inf

    def _open_stream(self, event: Event) -> TextStream:
        if self._stream is None:
            raise EventRefused(f"{event.type} without a stream: begin one with synthesize-start.", "event_unexpected")
        return self._stream

    def _speak(self, sentences: list) -> None:
        for body, reading in sentences:
            self._speaking.add(body, reading, self._heard_at)

    async def _asked(self, event: Event, text: str) -> SpeechBody:
        """Raises SchemaInvalid, EngineUnknown, SpeakersUnreachable."""
        if self._closing.is_set():
            raise studio_closes()
        voice = event.data.get("voice") or {}
        if not isinstance(voice, dict) or not all(isinstance(part, str | None) for part in voice.values()):
            raise EventRefused("`voice` is an object of texts: `name`, `language`, `speaker`.", "event_invalid")
        studio, program = self._context.studio, self._program
        fields = await self._context.threads.run(lambda: voice_fields(studio, voice, program))
        return read_body({"input": text} | fields, studio.settings.dialect)

    def _check_room(self, text: str) -> None:
        """What waits to be spoken is bounded as one text is, and as texts of nothing are."""
        held = self._stream.waiting_characters if self._stream is not None else 0
        waiting, limit = self._speaking.waiting_characters + held + len(text), self._context.studio.settings.most_text_characters
        if (waiting > limit and waiting > len(text)) or self._speaking.n_texts >= MOST_WAITING_TEXTS:
            fact = f"With this text {waiting} characters would wait to be spoken; the limit is {limit}, and {MOST_WAITING_TEXTS} texts."
            raise EventRefused(f"{fact} Send it when some of them were heard.", "text_too_long")

    # --- sound in, words out

    async def _expect_sound(self, event: Event) -> None:
        """Raises TranscriberMissing: what is missing is told before anything is sent."""
        if self._closing.is_set():
            raise studio_closes()
        if lacking := self._context.studio.transcriber.lacking():
            raise lacking
        language = event.data.get("language")
        self._language = language if isinstance(language, str) else None

    async def _begin_sound(self, event: Event) -> None:
        (await self._received()).start(event.data)

    async def _take_sound(self, event: Event) -> None:
        (await self._received()).take(event)

    async def _received(self) -> ReceivedSound:
        """The sound that comes, which begins with its first event."""
        if self._sound is None:
            await self._expect_sound(Event("transcribe", {"language": self._language}))
            self._sound = ReceivedSound(self._context, self._language)
        return self._sound

    async def _end_sound(self, event: Event) -> None:
        if self._sound is None:
            raise EventRefused("audio-stop without a sound: begin one with audio-start.", "event_unexpected")
        try:
            await self._writer.tell(await self._sound.words())
        finally:
            self._sound.let_go()
            self._sound = self._language = None


def _text_of(event: Event, name: str) -> str:
    text = event.data.get(name)
    if not isinstance(text, str):
        raise EventRefused(f"{event.type} requires `{name}`, a text.", "event_invalid")
    return text


def _whole_characters(text: str) -> tuple[str, str]:
    """(the text, half a character at its end), of what a client cuts by the units of UTF-16. Raises EventRefused."""
    whole, half = (text[:-1], text[-1]) if "\ud800" <= text[-1:] <= "\udbff" else (text, "")
    try:
        return whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le"), half
    except UnicodeDecodeError:
        raise EventRefused("`text` must be valid Unicode text.", "event_invalid") from None
