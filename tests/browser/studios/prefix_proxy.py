"""prefix_proxy: a reverse proxy that shows a server below a path, as hosts of several applications do."""

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

PIECE_BYTES = 65_536
ELSEWHERE = b"HTTP/1.1 %s\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


@contextmanager
def prefix_proxy(url: str, prefix: str) -> Iterator[str]:
    """The address below which `url` is shown. prefix: such as "/studio"; it is taken off the paths that are passed on."""
    target = urlsplit(url)

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):
                _pass_on(self.rfile, self.connection, (target.hostname, target.port), prefix.encode())

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}{prefix}"
        server.shutdown()


def _pass_on(reader, browser: socket.socket, target: tuple[str, int], prefix: bytes) -> None:
    """One request per connection, so that its head is all there is to read."""
    words = reader.readline().split(b" ")
    if len(words) != 3:
        return
    fields = [line.rstrip(b"\r\n") for line in iter(reader.readline, b"\r\n")]
    method, path, version = words
    if not path.startswith(prefix + b"/"):
        browser.sendall(ELSEWHERE % (b"204 No Content" if path == b"/favicon.ico" else b"404 Not Found"))  # browsers always ask for an icon
        return
    host = next(field.split(b":", 1)[1].strip() for field in fields if field.lower().startswith(b"host:"))
    kept = [field for field in fields if not field.lower().startswith(b"connection:")]
    added = [b"Connection: close", b"X-Forwarded-Host: " + host, b"X-Forwarded-Proto: http", b"", b""]
    with socket.create_connection(target) as server:
        server.sendall(b" ".join((method, path[len(prefix) :], version)) + b"\r\n".join([*kept, *added]))
        upward = threading.Thread(target=_pour, args=(reader.read1, server), daemon=True)
        upward.start()
        _pour(server.recv, browser)
        with suppress(OSError):
            browser.shutdown(socket.SHUT_RDWR)  # ends the other direction, which waits for the browser
        upward.join()


def _pour(read, to: socket.socket) -> None:
    """Until one side ends; then the other is told."""
    with suppress(OSError):
        while piece := read(PIECE_BYTES):
            to.sendall(piece)
    with suppress(OSError):
        to.shutdown(socket.SHUT_WR)
