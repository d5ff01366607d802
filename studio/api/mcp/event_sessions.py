"""EventSessions: MCP as it was until 2024-11-05, by a stream of events beside which a client posts its messages. Gradio has it at mcp/sse.

New clients do without. A session is one open stream: its end ends what it asked for.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from studio.api.door.context import unless_hung_up
from studio.api.mcp.tool_answer import EVENTS, PING, QUIET_SECONDS
from studio.api.mcp.tool_run import event_of
from studio.running.ended_tasks import all_ended

__all__ = ["EventSessions", "EventStream"]

MOST_CALLS = 4  # of a session at a time
Tell = Callable[[dict[str, object]], None]


class EventSessions:
    """By their ids, 128 random bits each. There are as many as streams are open. Of one event loop."""

    def __init__(self):
        self._sessions: dict[str, EventStream] = {}

    def open(self, address: str) -> "EventStream":
        """address: where messages are posted, to which the session's id is added."""
        return EventStream(self._sessions, address)

    def get(self, session: str) -> "EventStream | None":
        return self._sessions.get(session)


class EventStream(Response):
    """The answer that the messages come by."""

    def __init__(self, sessions: "dict[str, EventStream]", address: str):
        super().__init__()
        self._sessions = sessions
        self._address = address
        self._news: asyncio.Queue[dict[str, object]] = asyncio.Queue()
        self._tasks: set[asyncio.Task[None]] = set()
        self._room = asyncio.Semaphore(MOST_CALLS)

    def tell(self, message: dict[str, object]) -> None:
        """Send it."""
        self._news.put_nowait(message)

    async def begin(self, work: Callable[[Tell], Awaitable[dict[str, object]]]) -> None:
        """Do the work, and send the message that it gives; wait for its turn, so that who posts it holds a connection for it."""
        await self._room.acquire()
        task = asyncio.create_task(self._done(work))
        self._tasks.add(task)
        task.add_done_callback(self._over)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = secrets.token_hex(16)
        self._sessions[session] = self
        try:
            await unless_hung_up(receive, self._send(f"{self._address}{session}", send))
        finally:
            del self._sessions[session]
            tasks = tuple(self._tasks)
            for task in tasks:
                task.cancel()
            await all_ended(*tasks)

    async def _send(self, address: str, send: Send) -> None:
        headers = [(name.encode(), value.encode()) for name, value in EVENTS.items()]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        event = f"event: endpoint\ndata: {address}\n\n".encode()
        while True:
            await send({"type": "http.response.body", "body": event, "more_body": True})
            event = PING
            with suppress(TimeoutError):
                async with asyncio.timeout(QUIET_SECONDS):
                    event = event_of(await self._news.get())

    def _over(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._room.release()

    async def _done(self, work: Callable[[Tell], Awaitable[dict[str, object]]]) -> None:
        self.tell(await work(self.tell))
