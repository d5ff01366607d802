"""SocketClient: a client of WebSocket /v1/audio/speech/stream, for tests."""

import contextlib
import json

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.api.door import served

__all__ = ["PCM", "SocketClient", "connected", "conversing"]

PCM = {"stream_audio": True, "response_format": "pcm"}
SECONDS = 60


class SocketClient:
    """Says messages and hears answers: dicts, and bytes for binary frames."""

    def __init__(self, connection: ClientConnection):
        self.connection = connection

    def say(self, kind: str, **members: object) -> None:
        self.connection.send(json.dumps({"type": kind} | members))

    def say_text(self, *texts: str) -> None:
        """An utterance."""
        for text in texts:
            self.say("input.text", text=text)
        self.say("input.done")

    def hear(self) -> dict | bytes:
        message = self.connection.recv(SECONDS)
        return message if isinstance(message, bytes) else json.loads(message)

    def hear_until(self, kind: str) -> list[dict | bytes]:
        """Messages up to and with the first of this kind."""
        heard = [self.hear()]
        while isinstance(heard[-1], bytes) or heard[-1]["type"] != kind:
            heard.append(self.hear())
        return heard

    def hear_utterance(self) -> list[dict | bytes]:
        return self.hear_until("session.done")

    def hear_error(self) -> str:
        heard = self.hear()
        assert heard["type"] == "error", heard
        return heard["message"]

    def hear_end(self) -> tuple[list[dict | bytes], int]:
        """(the last messages, the close code)."""
        heard = []
        with contextlib.suppress(ConnectionClosed):
            while True:
                heard.append(self.hear())
        return heard, self.connection.close_code


@contextlib.contextmanager
def connected(url: str, headers: dict[str, str] | None = None):
    """A client before its session.config. url: of a served door."""
    address = url.replace("http://", "ws://") + "/v1/audio/speech/stream"
    with connect(address, max_size=None, proxy=None, open_timeout=SECONDS, additional_headers=headers) as connection:
        yield SocketClient(connection)


@contextlib.contextmanager
def conversing(door, **config):
    """A client of a door, configured."""
    with served(door) as url, connected(url) as client:
        client.say("session.config", **config)
        yield client
