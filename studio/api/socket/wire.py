"""Wire: sends the server's messages through one WebSocket. It waits for a client that reads slowly.

The connection cuts off a client that reads nothing.
"""

import json

from starlette.types import Message
from starlette.websockets import WebSocket, WebSocketDisconnect

from studio.errors.clean import clean

__all__ = ["Wire"]


class Wire:
    """Every method that sends raises WebSocketDisconnect once the client is gone, and waits while its socket is full."""

    def __init__(self, websocket: WebSocket):
        self._websocket = websocket

    async def accept(self) -> None:
        await self._websocket.accept()

    async def receive(self) -> Message:
        """The next `websocket.receive` event."""
        message = await self._websocket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1006))
        return message

    async def tell(self, kind: str, **members: object) -> None:
        text = json.dumps({"type": kind} | members, ensure_ascii=False, separators=(",", ":"))
        await self._send({"type": "websocket.send", "text": text})

    async def error(self, message: str, **members: object) -> None:
        await self.tell("error", message=clean(message), **members)

    async def audio(self, data: bytes) -> None:
        await self._send({"type": "websocket.send", "bytes": data})

    async def close(self, code: int) -> None:
        await self._send({"type": "websocket.close", "code": code})

    async def _send(self, message: Message) -> None:
        try:
            await self._websocket.send(message)
        except RuntimeError as error:  # the server has closed the socket
            raise WebSocketDisconnect(1006) from error
