"""ToolAnswer: the HTTP answer to a call of a tool. A hang-up ends the call, so that no engine works on for nobody.

A call that is over soon is answered by JSON. One that takes longer, or tells how far it is, becomes a stream of events, the last of which
is the result; where nothing comes for a while, comments keep proxies from closing it.
"""

import asyncio
import base64
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress

from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from studio.api.door.context import unless_hung_up
from studio.api.door.ended_tasks import all_ended
from studio.api.mcp.messages import McpRequest, progress_of, result_of
from studio.api.mcp.problems import Problem, problem_of
from studio.api.mcp.tool_acts import ACTS, Told, ToolCall, ToolRefused
from studio.api.mcp.tools import Arguments, read
from studio.audio.spoken_sounds import SpokenSound
from studio.errors import SchemaInvalid
from studio.speech.refusal import refusal_of, tellable
from studio.web.faults import INTERNAL_ERROR, LEAST_FAULT, report_fault

__all__ = ["MOST_INLINE_BYTES", "ToolAnswer"]

DOOR = "mcp"  # in the log of faults
MOST_INLINE_BYTES = 512 << 10  # of all sounds of a result: 700 kB in base64. Desktop clients take results of 1 MB
FOR_PEOPLE = {"audience": ["user"]}  # a model that cannot hear need not be given it
PROBLEMS = "studio/problems"  # in the result's `_meta`, for programs
PING = b": ping\n\n"
EVENTS = {"content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no"}


class ToolAnswer(Response):
    """name, arguments: of the tool. takes_events: whether the client reads a stream of them."""

    quiet_seconds = 15.0  # proxies close connections that are silent for 30 to 60 s

    def __init__(self, request: McpRequest, name: str, arguments: Mapping[str, object], call: ToolCall, *, takes_events: bool):
        super().__init__()
        self._request = request
        self._name, self._arguments = name, arguments
        self._call = call
        self._takes_events = takes_events
        self._news: asyncio.Queue[dict[str, object] | None] = asyncio.Queue()  # None at the end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await unless_hung_up(receive, self._answer(scope, receive, send))

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        working = asyncio.ensure_future(self._work())
        is_open = False
        try:
            while (news := await self._next()) is not None:
                if not self._takes_events:
                    continue
                if not is_open:
                    headers = [(name.encode(), value.encode()) for name, value in EVENTS.items()]
                    await send({"type": "http.response.start", "status": 200, "headers": headers})
                    is_open = True
                await send({"type": "http.response.body", "body": news, "more_body": True})
            message = result_of(self._request, await working)
            if is_open:
                await send({"type": "http.response.body", "body": _event(message)})
            else:
                await JSONResponse(message)(scope, receive, send)
        finally:
            working.cancel()
            await all_ended(working)

    async def _next(self) -> bytes | None:
        """The next event, a comment where there is none for long, or None when the call is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self.quiet_seconds):
                news = await self._news.get()
                return None if news is None else _event(news)
        return PING

    async def _work(self) -> dict[str, object]:
        """The result. What goes wrong in a tool is one, too, so that the model reads it and mends it."""
        try:
            told = await ACTS[self._name](self._call.reporting(self._report), self._read())
            return _result(told, takes_links=self._request.takes_links)
        except ToolRefused as error:
            return _failed(error.problems)
        except Exception as error:
            known = tellable(error)
            if known is None or refusal_of(known).status >= LEAST_FAULT:
                report_fault(DOOR, known.code if known else INTERNAL_ERROR, request_id=self._call.request_id, about=self._name, error=error)
            return _failed((problem_of(self._name, known),))
        finally:
            self._news.put_nowait(None)

    def _read(self) -> Arguments:
        """Raises ToolRefused."""
        try:
            return read(self._name, self._arguments)
        except SchemaInvalid as error:
            raise ToolRefused(problem_of(self._name, error, is_own=True)) from None

    def _report(self, done: float, of: float | None, words: str) -> None:
        if self._request.progress_token is not None:
            self._news.put_nowait(progress_of(self._request, done, of, words))


def _result(told: Told, *, takes_links: bool) -> dict[str, object]:
    """The values, the same as text for clients that read no other, and each sound: within the bound itself, beyond it its link."""
    content: list[dict[str, object]] = [{"type": "text", "text": json.dumps(told.values, ensure_ascii=False)}]
    left = MOST_INLINE_BYTES
    for number, (url, sound) in enumerate(told.sounds.items(), 1):
        if len(sound.data) <= left:
            left -= len(sound.data)
            audio = base64.b64encode(sound.data).decode()
            content.append({"type": "audio", "data": audio, "mimeType": sound.media_type, "annotations": FOR_PEOPLE})
        elif takes_links:
            content.append(_link(url, sound, number))
    return {"content": content, "structuredContent": told.values, "isError": False}


def _link(url: str, sound: SpokenSound, number: int) -> dict[str, object]:
    about = {"name": f"speech-{number}", "title": "Speech", "mimeType": sound.media_type, "size": len(sound.data)}
    return {"type": "resource_link", "uri": url, "annotations": FOR_PEOPLE} | about


def _failed(problems: Sequence[Problem]) -> dict[str, object]:
    told = [{"tool": one.tool, "argument": one.argument, "code": one.code, "values": dict(one.values)} for one in problems]
    text = "\n".join(problem.text for problem in problems)
    return {"content": [{"type": "text", "text": text}], "isError": True, "_meta": {PROBLEMS: told}}


def _event(message: Mapping[str, object]) -> bytes:
    return f"event: message\ndata: {json.dumps(message, ensure_ascii=False, separators=(',', ':'))}\n\n".encode()
