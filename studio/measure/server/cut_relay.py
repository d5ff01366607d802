"""CutRelay: a relay in front of a server that counts what it forwards.

It can cut the connection, as if the server died, or be as slow as a link.
"""

import socket
import threading
import time
from contextlib import suppress
from urllib.parse import urlsplit

__all__ = ["CutRelay"]

PIECE_BYTES = 1 << 16
SPEECH = b"POST /v1/audio/speech"


class CutRelay:
    """url: base address to ask instead of the server's. n_bytes: sent to the server so far, in all connections.

    bytes_per_second: that each connection can send to the server; None for all that it has.
    """

    def __init__(self, url: str, bytes_per_second: float | None = None):
        parts = urlsplit(url)
        self._bytes_per_second = bytes_per_second
        self._server = (parts.hostname, parts.port or 80)
        self.n_bytes = 0
        self.is_armed = False  # the next request for speech cuts it off, before an answer
        self.is_cut = False
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._listen(0)
        self.url = f"http://127.0.0.1:{self._port}"

    def cut(self) -> None:
        """Break all connections and take no more. Idempotent."""
        with self._lock:
            self.is_cut = True
            with suppress(OSError):
                self._door.shutdown(socket.SHUT_RDWR)  # which wakes who waits in accept
            for connection in (self._door, *self._open):
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
                connection.close()
            self._open.clear()

    def mend(self) -> None:
        """Be at the same address again."""
        self.is_armed = self.is_cut = False
        self._listen(self._port)

    def _listen(self, port: int) -> None:
        self._door = socket.create_server(("127.0.0.1", port))
        self._port = self._door.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._door,), daemon=True).start()

    def _accept(self, door: socket.socket) -> None:
        while True:
            try:
                client, _ = door.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self._server)
            except OSError:
                client.close()
                continue
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self._open |= {client, server}
            threading.Thread(target=self._pass_on, args=(client, server, True), daemon=True).start()
            threading.Thread(target=self._pass_on, args=(server, client, False), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, is_asking: bool) -> None:
        with suppress(OSError):
            while data := source.recv(PIECE_BYTES):
                if is_asking:
                    self._count(data)
                target.sendall(data)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _count(self, data: bytes) -> None:
        """What is about to be sent to the server. Raises OSError where that is the end of it."""
        self.n_bytes += len(data)
        if self.is_armed and data.startswith(SPEECH):
            self.cut()
            raise ConnectionAbortedError
        if self._bytes_per_second:
            time.sleep(len(data) / self._bytes_per_second)
