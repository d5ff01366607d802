"""ToolRun: one call of a tool, from its arguments to the result that the client reads."""

import base64
import json
from collections.abc import Callable, Mapping, Sequence

from studio.api.mcp.messages import McpRequest, called_tool, progress_of, result_of
from studio.api.mcp.problems import Problem, problem_of
from studio.api.mcp.tool_acts import Told, ToolCall, ToolRefused, act
from studio.api.mcp.tools import Arguments, read
from studio.audio.spoken_sounds import SpokenSound
from studio.errors import SchemaInvalid
from studio.speech.refusal import refusal_of, tellable
from studio.web.faults import INTERNAL_ERROR, LEAST_FAULT, report_fault

__all__ = ["MOST_INLINE_BYTES", "ToolRun", "event_of"]

DOOR = "mcp"  # in the log of faults
MOST_INLINE_BYTES = 512 << 10  # of all sounds of a result: 700 kB in base64. Desktop clients take results of 1 MB
FOR_PEOPLE = {"audience": ["user"]}  # a model that cannot hear need not be given it
PROBLEMS = "studio/problems"  # in the result's `_meta`, for programs


class ToolRun:
    """Raises McpRefused at once for a tool that there is not."""

    def __init__(self, request: McpRequest, call: ToolCall):
        self._request = request
        self._name, self._arguments = called_tool(request)
        self._call = call

    async def message(self, tell: Callable[[dict[str, object]], None]) -> dict[str, object]:
        """The answer. tell: takes the notifications on the way to it.

        What goes wrong in a tool is a result, too, so that the model reads it and mends it.
        """
        return result_of(self._request, await self._result(tell))

    async def _result(self, tell: Callable[[dict[str, object]], None]) -> dict[str, object]:
        def progress(done: float, of: float | None, words: str) -> None:
            if self._request.progress_token is not None:
                tell(progress_of(self._request, done, of, words))

        try:
            told = await act(self._call.reporting(progress), self._read())
            return _succeeded(told, takes_links=self._request.takes_links)
        except ToolRefused as error:
            return _failed(error.problems)
        except Exception as error:
            known = tellable(error)
            if known is None or refusal_of(known).status >= LEAST_FAULT:
                report_fault(DOOR, known.code if known else INTERNAL_ERROR, request_id=self._call.request_id, about=self._name, error=error)
            return _failed((problem_of(self._name, known),))

    def _read(self) -> Arguments:
        """Raises ToolRefused."""
        try:
            return read(self._name, self._arguments)
        except SchemaInvalid as error:
            raise ToolRefused(problem_of(self._name, error, is_own=True)) from None


def event_of(message: Mapping[str, object]) -> bytes:
    """A message as a server-sent event."""
    return f"event: message\ndata: {json.dumps(message, ensure_ascii=False, separators=(',', ':'))}\n\n".encode()


def _succeeded(told: Told, *, takes_links: bool) -> dict[str, object]:
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
