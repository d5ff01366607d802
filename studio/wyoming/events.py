"""Events of the Wyoming protocol as they come and go: EventReader bounds what a client may send, EventWriter waits for slow ones.

The package's own reader takes any length that a client states.
"""

import asyncio
from typing import Any

from wyoming.error import Error
from wyoming.event import Event, Eventable, async_write_event

from engines.errors import EngineError
from engines.plain_json import read_json
from studio.audio.decode import MOST_UPLOAD_BYTES
from studio.errors.clean import clean
from studio.web.body_limit import BODY_SECONDS, LEAST_BYTES_PER_SECOND, SMALL_BYTES, BodiesTooMany, BodyBudget
from studio.web.connection import STALL_SECONDS

__all__ = ["MOST_LINE_BYTES", "EventReader", "EventRefused", "EventWriter", "HeldBytes", "shown_error"]

MOST_LINE_BYTES = 64 << 10  # of an event's head; by today's package its data comes behind it
MOST_DATA_BYTES = 1 << 20  # twenty thousand characters, each spelled as \uXXXX\uXXXX, several times over
PIECE_BYTES = 64 << 10


class EventRefused(Exception):
    """What a client is told before its connection ends: the sentence, and a code for programs."""

    def __init__(self, message: str, code: str):
        super().__init__(clean(message))
        self.code = code


class HeldBytes:
    """What one connection holds of what it received, out of the bytes that all bodies may have together."""

    def __init__(self, budget: BodyBudget):
        self._budget = budget
        self._n_bytes = self._n_taken = 0

    def take(self, n_bytes: int) -> None:
        """So many more. Raises EventRefused where there is no room."""
        wanted = max(0, self._n_bytes + n_bytes - SMALL_BYTES) - self._n_taken
        if wanted > 0 and not self._budget.take(wanted):
            full = BodiesTooMany(self._budget.most_bytes)
            raise EventRefused(f"{full.fact} {full.hint}", full.code)
        self._n_bytes += n_bytes
        self._n_taken += max(0, wanted)

    def let_go(self) -> None:
        """All of it."""
        self._budget.give_back(self._n_taken)
        self._n_bytes = self._n_taken = 0


class EventReader:
    """budget: which the connection shares with the bodies of requests."""

    def __init__(self, reader: asyncio.StreamReader, budget: BodyBudget):
        self._reader = reader
        self._held = HeldBytes(budget)

    async def next(self) -> Event | None:
        """The next event, None when the client has hung up. Raises EventRefused."""
        try:
            line = await self._reader.readuntil(b"\n")
        except asyncio.IncompleteReadError as rest:
            return self._broken_off(rest.partial)
        except asyncio.LimitOverrunError:
            raise EventRefused(f"The head of an event is longer than {MOST_LINE_BYTES} bytes.", "event_too_large") from None
        head = _object(line)
        kind, data = head.get("type"), head.get("data") or {}
        if not isinstance(kind, str) or not isinstance(data, dict):
            raise EventRefused("An event is a line of JSON with a `type`, and `data` that is an object.", "event_invalid")
        n_data, n_payload = _length(head, "data_length", MOST_DATA_BYTES), _length(head, "payload_length", MOST_UPLOAD_BYTES)
        try:
            async with asyncio.timeout(BODY_SECONDS + (n_data + n_payload) / LEAST_BYTES_PER_SECOND):
                more = _object(await self._exactly(n_data)) if n_data else {}
                payload = await self._exactly(n_payload) if n_payload else None
        except TimeoutError:
            raise EventRefused("The rest of an event did not arrive in time.", "event_too_slow") from None
        except asyncio.IncompleteReadError:
            return None
        finally:
            self._held.let_go()
        return Event(kind, data | more, payload)

    async def to_the_end(self) -> None:
        """Read whatever still comes, and forget it: a connection that is closed with something unread loses what was sent last."""
        while await self._reader.read(PIECE_BYTES):
            pass

    async def _exactly(self, n_bytes: int) -> bytes:
        """Counted as it comes, not as it is announced."""
        pieces = bytearray()
        while n_left := n_bytes - len(pieces):
            piece = await self._reader.readexactly(min(n_left, PIECE_BYTES))
            self._held.take(len(piece))
            pieces += piece
        return bytes(pieces)

    def _broken_off(self, partial: bytes) -> None:
        if partial.strip():
            raise EventRefused("The connection ended within an event.", "event_invalid")


class EventWriter:
    """Every method raises ConnectionError once the client is gone, or reads nothing."""

    def __init__(self, writer: asyncio.StreamWriter):
        self._writer = writer

    async def tell(self, message: Eventable) -> None:
        try:
            async with asyncio.timeout(STALL_SECONDS):
                await async_write_event(message.event(), self._writer)
        except TimeoutError:
            self._writer.transport.abort()
            raise ConnectionAbortedError from None

    async def error(self, text: str, code: str) -> None:
        await self.tell(Error(text, code))

    def end(self) -> None:
        """Nothing more will be told."""
        if self._writer.can_write_eof() and not self._writer.is_closing():
            self._writer.write_eof()


def shown_error(error: EngineError) -> tuple[str, str]:
    """(sentence, code) of what the studio or an engine raised."""
    return clean(f"{error.fact} {error.hint}".strip()), error.code


def _object(data: bytes) -> dict[str, Any]:
    try:
        value = read_json(data)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise EventRefused("An event is a line of JSON, as the Wyoming protocol has it.", "event_invalid")
    return value


def _length(head: dict[str, Any], name: str, most_bytes: int) -> int:
    n_bytes = head.get(name) or 0
    if not isinstance(n_bytes, int) or isinstance(n_bytes, bool) or n_bytes < 0:
        raise EventRefused(f"`{name}` of an event is a number of bytes.", "event_invalid")
    if n_bytes > most_bytes:
        raise EventRefused(f"An event has {n_bytes} bytes as its `{name}`; the limit is {most_bytes}.", "event_too_large")
    return n_bytes
