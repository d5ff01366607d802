"""WyomingDoor: takes connections beside those of HTTP, counts among them, and closes with them."""

import asyncio
import logging
import socket
from contextlib import suppress
from pathlib import Path

from uvicorn.server import ServerState

from studio.service import Studio
from studio.web.body_limit import BodyBudget
from studio.web.closing import connections_of
from studio.web.connection import FULL_CODE, FULL_MESSAGE, REFUSED, bound_unsent
from studio.wyoming.context import WyomingContext
from studio.wyoming.events import MOST_LINE_BYTES, EventReader, EventWriter
from studio.wyoming.session import WyomingSession

__all__ = ["WyomingDoor"]

LINGER_SECONDS = 5.0  # for a client to hear why its connection ends

log = logging.getLogger("studio.wyoming")


class _Connection:
    """A Connection as the server asks them; `shutdown` is uvicorn's word to it."""

    app: object = None  # of those that speak HTTP

    def __init__(self, session: WyomingSession, transport: asyncio.WriteTransport):
        self._session = session
        self.transport = transport

    @property
    def is_answering(self) -> bool:
        return self._session.is_answering

    def shutdown(self) -> None:
        self.transport.abort()


class WyomingDoor:
    """Of one event loop. bodies: what is received, together with what other doors receive. path: of a Unix socket."""

    def __init__(self, studio: Studio, bodies: BodyBudget, listener: socket.socket, path: Path | None = None):
        self._context = WyomingContext.of(studio, bodies)
        self._most_connections = studio.settings.most_connections
        self._listener, self._path = listener, path
        self._server: asyncio.Server | None = None

    async def open(self, state: ServerState, closing: asyncio.Event) -> None:
        """Beside a server that has started. state: its connections. closing: set when it ends."""

        async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self._serve(reader, writer, state, closing)

        start = asyncio.start_server if self._path is None else asyncio.start_unix_server
        self._server = await start(take, sock=self._listener, limit=MOST_LINE_BYTES)
        log.info("wyoming at %s", self.address)

    @property
    def address(self) -> str:
        """As clients are told."""
        if self._path is not None:
            return f"unix://{self._path}"
        host, port = self._listener.getsockname()[:2]
        return f"tcp://{f'[{host}]' if ':' in host else host}:{port}"

    def close(self) -> None:
        """Take no more connections; those that there are end with the server's. Idempotent."""
        if self._server is not None:
            self._server.close()
        self._listener.close()
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, state: ServerState, closing: asyncio.Event) -> None:
        """One connection, to its end."""
        bound_unsent(writer.transport)
        events, answers = EventReader(reader, self._context.bodies), EventWriter(writer)
        session = WyomingSession(self._context, events, answers, closing)
        connection, connections, task = _Connection(session, writer.transport), connections_of(state), asyncio.current_task()
        assert task is not None  # who runs a coroutine is a task
        try:
            if len(connections) >= self._most_connections:
                REFUSED.inc()
                await answers.error(FULL_MESSAGE, FULL_CODE)
            else:
                connections.add(connection)
                state.tasks.add(task)
                await session.run()
            answers.end()
            async with asyncio.timeout(LINGER_SECONDS):
                await events.to_the_end()
        except (ConnectionError, TimeoutError):
            pass
        finally:
            connections.discard(connection)
            state.tasks.discard(task)
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
