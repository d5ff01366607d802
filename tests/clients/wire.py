"""The wire between a client and the studio: a relay that passes bytes on as they are, and tells which requests and answers they were."""

import json
import re
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

__all__ = ["Exchange", "Wire"]

PIECE_BYTES = 1 << 16
REQUEST = re.compile(rb"(GET|HEAD|POST|DELETE|PATCH|PUT|OPTIONS) (\S+) HTTP/1\.1\r\n((?:[^\r\n]+\r\n)*)\r\n")
ANSWER = re.compile(rb"HTTP/1\.1 (\d{3})[^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n")


@dataclass(frozen=True)
class Exchange:
    """A request and its answer. body: of JSON, else {}. status: 0 where none came. headers: the answer's, in small letters."""

    method: str
    path: str
    body: dict
    status: int
    headers: dict[str, str]


@dataclass
class _Connection:
    sent: bytearray = field(default_factory=bytearray)
    came: bytearray = field(default_factory=bytearray)
    n_told: int = 0


class Wire:
    """url: the address to ask instead of the studio's."""

    def __init__(self, url: str):
        parts = urlsplit(url)
        self._studio = (parts.hostname, parts.port)
        self._connections: list[_Connection] = []
        self._door = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._door.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        with suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()

    def exchanges(self) -> list[Exchange]:
        """Those that began since this was asked before. A client may keep its connection for more."""
        return [exchange for connection in list(self._connections) for exchange in _untold(connection)]

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._door.accept()
                studio = socket.create_connection(self._studio)
            except OSError:
                return
            connection = _Connection()
            self._connections.append(connection)
            for end in (client, studio):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=_relay, args=(client, studio, connection), daemon=True).start()


def _relay(client: socket.socket, studio: socket.socket, connection: _Connection) -> None:
    """Both ways, until one end hangs up."""
    with client, studio:
        back = threading.Thread(target=_pass_on, args=(studio, client, connection.came), daemon=True)
        back.start()
        _pass_on(client, studio, connection.sent)
        back.join()


def _pass_on(source: socket.socket, target: socket.socket, kept: bytearray) -> None:
    with suppress(OSError):
        while data := source.recv(PIECE_BYTES):
            kept += data
            target.sendall(data)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


def _untold(connection: _Connection) -> list[Exchange]:
    told = _exchanges(connection)
    n_before, connection.n_told = connection.n_told, len(told)
    return told[n_before:]


def _exchanges(connection: _Connection) -> list[Exchange]:
    sent, answers = bytes(connection.sent), list(ANSWER.finditer(connection.came))
    told = []
    for number, found in enumerate(REQUEST.finditer(sent)):
        headers = _headers(found[3])
        size = int(headers.get("content-length", 0))
        answer = answers[number] if number < len(answers) else None
        body = _json(sent[found.end() : found.end() + size])
        status, came = (int(answer[1]), _headers(answer[2])) if answer else (0, {})
        told.append(Exchange(found[1].decode(), found[2].decode(), body, status, came))
    return told


def _headers(block: bytes) -> dict[str, str]:
    lines = [line.partition(":") for line in block.decode("latin-1").splitlines()]
    return {name.lower(): value.strip() for name, _, value in lines}


def _json(data: bytes) -> dict:
    with suppress(ValueError):
        told = json.loads(data)
        return told if isinstance(told, dict) else {}
    return {}
