"""ToolAnswer: the HTTP answer to a call of a tool. A hang-up ends the call, so that no engine works on for nobody.

A call that is over soon is answered by JSON. One that takes longer, or tells how far it is, becomes a stream of events, the last of which
is the result; where nothing comes for a while, comments keep proxies from closing it.
"""

import asyncio
from contextlib import suppress

from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from studio.api.door.context import unless_hung_up
from studio.api.mcp.tool_run import ToolRun, event_of
from studio.running.ended_tasks import all_ended

__all__ = ["EVENTS", "PING", "QUIET_SECONDS", "ToolAnswer"]

QUIET_SECONDS = 15.0  # proxies close connections that are silent for 30 to 60 s
PING = b": ping\n\n"
EVENTS = {"content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no"}


class ToolAnswer(Response):
    """takes_events: whether the client reads a stream of them."""

    quiet_seconds = QUIET_SECONDS

    def __init__(self, run: ToolRun, *, takes_events: bool):
        super().__init__()
        self._run = run
        self._takes_events = takes_events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await unless_hung_up(receive, self._answer(scope, receive, send))

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        news: asyncio.Queue[dict[str, object] | None] = asyncio.Queue()  # None at the end
        working = asyncio.ensure_future(self._run.message(news.put_nowait))
        working.add_done_callback(lambda _: news.put_nowait(None))
        is_open = False
        try:
            while (event := await self._next(news)) is not None:
                if not self._takes_events:
                    continue
                if not is_open:
                    headers = [(name.encode(), value.encode()) for name, value in EVENTS.items()]
                    await send({"type": "http.response.start", "status": 200, "headers": headers})
                    is_open = True
                await send({"type": "http.response.body", "body": event, "more_body": True})
            if is_open:
                await send({"type": "http.response.body", "body": event_of(await working)})
            else:
                await JSONResponse(await working)(scope, receive, send)
        finally:
            working.cancel()
            await all_ended(working)

    async def _next(self, news: asyncio.Queue[dict[str, object] | None]) -> bytes | None:
        """The next event, a comment where there is none for long, or None when the call is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self.quiet_seconds):
                message = await news.get()
            return None if message is None else event_of(message)
        return PING
