"""Clients that read nothing, over real sockets: the engine stops, and nothing of the connection stays."""

import json
import os
import socket
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from websockets.sync.client import connect

from studio.web.connection import HttpConnection, WebSocketConnection
from tests.api.door import Door, eventually, served
from tests.api.socket.socket_client import PCM
from tests.stand_ins.fake_engine import FakeEngine

SMALL_BUFFER = 4096
TEXT = "x" * 400  # 20 s, of which a megabyte is sent


@pytest.fixture
def impatient(monkeypatch):
    for kind in (HttpConnection, WebSocketConnection):
        monkeypatch.setattr(kind, "stall_seconds", 0.05)
    make = socket.socket.accept

    def accept(listener):  # the kernel would take megabytes for a client that reads nothing
        connection, address = make(listener)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SMALL_BUFFER)
        return connection, address

    monkeypatch.setattr(socket.socket, "accept", accept)


def plugged(url: str) -> socket.socket:
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BUFFER)
    client.connect((urlsplit(url).hostname, urlsplit(url).port))
    return client


def unread(url: str, path: str, body: dict) -> socket.socket:
    """A client that has asked, and reads nothing."""
    parts, data, client = urlsplit(url), json.dumps(body).encode(), plugged(url)
    head = f"POST {path} HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
    client.sendall(head.encode() + data)
    return client


def read_all(client: socket.socket) -> None:
    while client.recv(1 << 16):
        pass


def n_sockets() -> int:
    """Of this process, the server's among them."""
    found = 0
    for file in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            found += os.readlink(file).startswith("socket:")
    return found


@pytest.mark.parametrize("asked", [{"stream": True, "response_format": "pcm"}, {"stream_format": "sse"}, {"response_format": "wav"}])
def test_a_client_that_reads_nothing_is_given_up(tmp_path, impatient, asked):
    door = Door(tmp_path, FakeEngine())
    with served(door) as url:
        before = n_sockets()
        with unread(url, "/v1/audio/speech", {"input": TEXT} | asked) as client:
            assert eventually(lambda: door.engine.chunks_made > 0)
            assert eventually(lambda: door.engine.streams_closed == 1)
            assert eventually(lambda: n_sockets() == before + 1)  # that of the client
            with pytest.raises(ConnectionResetError):
                read_all(client)
    door.close()


def test_a_socket_that_reads_nothing_is_given_up(tmp_path, impatient):
    door = Door(tmp_path, FakeEngine())
    with served(door) as url:
        address = url.replace("http", "ws") + "/v1/audio/speech/stream"
        with connect(address, sock=plugged(url), proxy=None, max_queue=1, close_timeout=0.01) as client:
            connected = n_sockets()
            for message in ({"type": "session.config"} | PCM, {"type": "input.text", "text": TEXT}, {"type": "input.done"}):
                client.send(json.dumps(message))
            assert eventually(lambda: door.engine.chunks_made > 0)
            assert eventually(lambda: door.engine.streams_closed == 1)
            assert eventually(lambda: n_sockets() == connected - 1)
    door.close()
