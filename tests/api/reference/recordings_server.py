"""RecordingsServer: a real HTTP server of this machine under a public name, and the RemoteAudio for which that name leads to it."""

import ssl
import threading
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from studio.reference.public_address import is_public
from studio.reference.remote_audio import RemoteAudio

__all__ = ["CERTIFICATE", "HERE", "NAME", "RecordingsServer", "trusting"]

NAME, HERE = "recordings.example", "127.0.0.1"
# Certificate (self-signed, for NAME alone, until 2120) and key, of no use elsewhere.
CERTIFICATE = Path(__file__).with_name("recordings_example.pem")
ANY_PORT = range(1, 1 << 16)

Answer = Callable[[BaseHTTPRequestHandler], None]


class RecordingsServer:
    """answers: path -> bytes, or a function that answers. asked: (path, headers) of every request. connections: how many were made."""

    def __init__(self, *, encrypted: bool = False):
        self.answers: dict[str, bytes | Answer] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.connections = 0
        self.sent_bytes = 0
        self.over = threading.Event()  # what holds an answer back waits on this
        self._scheme = "https" if encrypted else "http"
        self._server = _Server(self, encrypted)
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    def url(self, path: str = "/a.wav", host: str = NAME) -> str:
        return f"{self._scheme}://{host}:{self.port}{path}"

    def remote_audio(self, resolve: Callable = lambda host, port: (HERE,), **seams) -> RemoteAudio:
        """One for which this machine counts as public, and any port as the web's."""
        seams = {"ports": ANY_PORT, "is_public": lambda address: address == HERE or is_public(address)} | seams
        return RemoteAudio(resolve=resolve, **seams)

    def redirect(self, path: str, location: str, *headers: tuple[str, str]) -> None:
        self.answers[path] = lambda request: _head(request, 302, ("Location", location), *headers)

    def status(self, path: str, status: int, *headers: tuple[str, str]) -> None:
        self.answers[path] = lambda request: _head(request, status, *headers)

    def stream(self, path: str, parts: Iterable[bytes], *headers: tuple[str, str]) -> None:
        """A body in parts, as long as the client takes them; counted in sent_bytes."""

        def answer(request: BaseHTTPRequestHandler) -> None:
            _head(request, 200, *headers)
            for part in parts:
                request.wfile.write(part)
                self.sent_bytes += len(part)

        self.answers[path] = answer

    def hold(self, path: str, promised_bytes: int = 1000) -> None:
        """A head that promises a body, and then nothing until `over`."""

        def answer(request: BaseHTTPRequestHandler) -> None:
            _head(request, 200, ("Content-Length", str(promised_bytes)))
            assert self.over.wait(60)

        self.answers[path] = answer

    def close(self) -> None:
        self.over.set()
        self._server.shutdown()
        self._thread.join(60)
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # so that closing waits for answers under way

    def __init__(self, owner: RecordingsServer, encrypted: bool):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                owner.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
                answer = owner.answers.get(self.path)
                if answer is None:
                    _head(self, 404)
                elif isinstance(answer, bytes):
                    _head(self, 200, ("Content-Length", str(len(answer))), ("Content-Type", "text/plain"))
                    self.wfile.write(answer)
                else:
                    answer(self)

            def log_message(self, *args) -> None:
                pass

        self._owner = owner
        self._tls = None
        if encrypted:
            self._tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            self._tls.load_cert_chain(CERTIFICATE)
        super().__init__((HERE, 0), Handler)

    def get_request(self):
        connection, address = super().get_request()
        self._owner.connections += 1
        return (self._tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False) if self._tls else connection), address

    def handle_error(self, request, client_address) -> None:
        pass  # clients hang up here on purpose


def trusting(certificate: Path = CERTIFICATE) -> ssl.SSLContext:
    """A client that trusts the server's certificate; the name is verified as ever."""
    return ssl.create_default_context(cafile=certificate)


def _head(request: BaseHTTPRequestHandler, status: int, *headers: tuple[str, str]) -> None:
    request.send_response(status)
    for name, value in headers:
        request.send_header(name, value)
    request.end_headers()
