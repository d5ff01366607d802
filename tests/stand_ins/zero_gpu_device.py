"""DeviceService: answers the package `spaces` as ZeroGPU's own service does, and remembers what it was asked."""

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

__all__ = ["DeviceService", "Reply"]


@dataclass(frozen=True)
class Reply:
    """To the next wish for a GPU. body: JSON, or lines of an event stream."""

    status: int = 200
    body: str = json.dumps({"idle": False, "nvidiaIndex": 0, "nvidiaUUID": "GPU-0", "allowToken": "token"})
    kind: str = "application/json"


@dataclass(eq=False)
class DeviceService:
    """asked: (route, its parameters). next: what the next /schedule is told, once."""

    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    next: Reply = Reply()
    released: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def __enter__(self) -> "DeviceService":
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *exc_info) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def of(self, route: str) -> list[dict[str, str]]:
        """Parameters of every call of that route."""
        return [parameters for asked, parameters in self.asked if asked == route]

    def reply(self, path: str) -> Reply:
        address = urlsplit(path)
        self.asked.append((address.path, dict(parse_qsl(address.query))))
        if address.path == "/release":
            self.released.release()
        if address.path != "/schedule":
            return Reply(body="")
        answer, self.next = self.next, Reply()
        return answer

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                reply = service.reply(self.path)
                self.send_response(reply.status)
                self.send_header("Content-Type", reply.kind)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body.encode())

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        return Handler
