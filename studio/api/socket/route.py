"""WebSocket /v1/audio/speech/stream: text in, audio out, sentence by sentence, for any number of utterances."""

from contextlib import suppress

from fastapi import APIRouter
from starlette.websockets import WebSocket, WebSocketDisconnect

from studio.api.door.context import DeskOf
from studio.api.door.middleware import request_id
from studio.api.socket.session import Session
from studio.api.socket.wire import Wire
from studio.web.closing import CLOSING

__all__ = ["router"]


router = APIRouter()


@router.websocket("/v1/audio/speech/stream")
async def converse(websocket: WebSocket, context: DeskOf) -> None:
    """One connection, to its end."""
    with suppress(WebSocketDisconnect):
        closing = websocket.scope.get("state", {}).get(CLOSING)
        await Session(context, Wire(websocket), request_id(websocket.scope), closing).run()
