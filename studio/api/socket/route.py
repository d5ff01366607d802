"""WebSocket /v1/audio/speech/stream: text in, audio out, sentence by sentence, for as many utterances as the client has."""

from contextlib import suppress

from fastapi import FastAPI
from starlette.websockets import WebSocket, WebSocketDisconnect

from studio.api.arrival import request_id
from studio.api.desk import Desk
from studio.api.socket.session import Session
from studio.api.socket.wire import Wire

__all__ = ["SPEECH_SOCKET", "WebSocketRoom"]

SPEECH_SOCKET = "/v1/audio/speech/stream"


class WebSocketRoom:
    """The route of the socket. `open` adds it to an app."""

    def __init__(self, desk: Desk):
        self._desk = desk

    def open(self, app: FastAPI) -> None:
        app.add_api_websocket_route(SPEECH_SOCKET, self.converse)

    async def converse(self, websocket: WebSocket) -> None:
        with suppress(WebSocketDisconnect):
            await Session(self._desk, Wire(websocket), request_id(websocket.scope)).run()
