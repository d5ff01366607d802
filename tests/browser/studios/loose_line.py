"""LooseLine: a TCP line to a server that can be cut in the midst of everything, as a kill -9 does, and led to another server later."""

import socket
import struct
import threading
from contextlib import suppress
from urllib.parse import urlsplit

__all__ = ["LooseLine"]

PIECE_BYTES = 65_536
RESET = struct.pack("ii", 1, 0)  # SO_LINGER: closing throws away what was not sent


class LooseLine:
    """address: stays the same. Between `cut` and `lead_to` nobody listens there."""

    def __init__(self, url: str):
        self._port = 0
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self.lead_to(url)
        self.address = f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> "LooseLine":
        return self

    def __exit__(self, *raised: object) -> None:
        self.cut()

    def lead_to(self, url: str) -> None:
        """Listen, and pass everything on to that server."""
        target = urlsplit(url)
        self._listener = socket.create_server(("127.0.0.1", self._port))
        self._port = self._listener.getsockname()[1]
        threading.Thread(target=self._listen, args=(self._listener, (target.hostname, target.port)), daemon=True).start()

    def cut(self) -> None:
        """End every connection without a word, and take no new one."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # or the thread that waits for a connection would keep it open
        with self._lock:
            self._listener.close()
            ends, self._open = self._open, set()
        for end in ends:
            with suppress(OSError):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _listen(self, listener: socket.socket, target: tuple[str, int]) -> None:
        """Until the listener is closed; a connection that was being accepted then is closed, too."""
        while True:
            try:
                near = listener.accept()[0]
            except OSError:
                return
            try:
                far = socket.create_connection(target)
            except OSError:
                near.close()
                continue
            with self._lock:
                is_cut = listener.fileno() < 0
                self._open |= set() if is_cut else {near, far}
            if is_cut:
                near.close()
                far.close()
                return
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=_pour, args=(one, other), daemon=True).start()


def _pour(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while piece := one.recv(PIECE_BYTES):
            other.sendall(piece)
    with suppress(OSError):
        other.shutdown(socket.SHUT_WR)
    one.close()
