"""A studio's Wyoming door on a free port, and visits to it with the package's own client."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field

import numpy as np
from uvicorn.server import ServerState
from wyoming.audio import AudioChunk
from wyoming.client import AsyncClient
from wyoming.event import Event, Eventable

from studio.server import listen
from studio.web.body_limit import BodyBudget
from studio.wyoming.door import WyomingDoor
from tests.api.door import Door, eventually

__all__ = ["Visit", "visited"]


@dataclass
class Visit:
    """bodies: the bytes that it may receive. state: connections of its server. closing: that this one ends."""

    wyoming: WyomingDoor
    bodies: BodyBudget
    state: ServerState = field(default_factory=ServerState)
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    clients: contextlib.AsyncExitStack = field(default_factory=contextlib.AsyncExitStack)

    async def client(self) -> AsyncClient:
        return await self.clients.enter_async_context(AsyncClient.from_uri(self.wyoming.address, read_timeout=60))

    async def hear(self, *said: Eventable) -> list[Event]:
        """What a client of its own hears that says these, to the end of one text or of the connection."""
        client = await self.client()
        for event in said:
            await client.write_event(event.event())
        return await heard(client, "synthesize-stopped" if said[0].event().type == "synthesize-start" else "audio-stop")


async def heard(client: AsyncClient, last: str) -> list[Event]:
    """Events to one of that type, or to the end of the connection."""
    events = []
    while (event := await client.read_event()) is not None:
        events.append(event)
        if event.type == last:
            break
    return events


def sound_of(events: Sequence[Event]) -> np.ndarray:
    """(T,) of all chunks."""
    data = b"".join(AudioChunk.from_event(event).audio for event in events if event.type == "audio-chunk")
    return np.frombuffer(data, "<i2").astype(np.float32) / 32768


def kinds(events: Sequence[Event]) -> list[str]:
    """Their types, of chunks behind each other one."""
    types = [event.type for event in events]
    return [kind for kind, before in zip(types, [None, *types], strict=False) if kind != before or kind != "audio-chunk"]


def visited(door: Door, visit: Callable[[Visit], Coroutine[None, None, None]], **made) -> None:
    """The visit, to its end; nothing of it is left behind. made: further arguments of WyomingDoor."""
    asyncio.run(_visited(door, visit, made))


async def _visited(door: Door, visit: Callable[[Visit], Coroutine[None, None, None]], made: dict) -> None:
    bodies = BodyBudget()
    wyoming = WyomingDoor(door.studio, bodies, made.pop("listener", None) or listen("127.0.0.1", 0), **made)
    visits = Visit(wyoming, bodies)
    await wyoming.open(visits.state, visits.closing)
    try:
        async with visits.clients:
            await visit(visits)
        assert await asyncio.to_thread(eventually, lambda: not visits.state.connections and not bodies.n_bytes)
    finally:
        wyoming.close()
