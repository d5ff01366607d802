"""refuse: sends an answer in place of the requested one, over HTTP or WebSocket."""

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

__all__ = ["refuse"]


async def refuse(answer: Response, scope: Scope, receive: Receive, send: Send) -> None:
    """A socket is refused before its upgrade: with the answer where the server can send one, else with a close, which is a 403."""
    if scope["type"] == "websocket" and "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1008})
        return
    await answer(scope, receive, send)
