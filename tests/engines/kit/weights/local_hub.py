"""local_hub: a Hugging Face hub of one repository on this machine, which its own library asks over HTTP."""

import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import huggingface_hub.constants
import pytest

__all__ = ["COMMIT", "local_hub"]

COMMIT = "0123456789012345678901234567890123456789"


@contextmanager
def local_hub(cache: Path, monkeypatch: pytest.MonkeyPatch, files: Mapping[str, bytes], gate: int = 0) -> Iterator[list[str | None]]:
    """files: of the repository at COMMIT. gate: the status that whoever wants a file is refused with; 0 where nobody is.

    yields: the token of each request for a file.
    """
    tokens: list[str | None] = []

    class Hub(BaseHTTPRequestHandler):
        def log_message(self, *args) -> None:
            pass

        def do_HEAD(self) -> None:
            self.do_GET()

        def do_GET(self) -> None:
            if re.match(r"/api/models/owner/model/tree/", self.path):
                listed = [{"type": "file", "path": name, "size": len(data), "oid": sha1(data).hexdigest()} for name, data in files.items()]
                return self._answer(200, json.dumps(listed).encode())
            found = re.match(r"/owner/model/resolve/\w+/([^?]+)", self.path)
            if found is None:
                return self._answer(404, b"")
            tokens.append(self.headers.get("Authorization"))
            if gate:
                return self._answer(gate, b"", {"X-Error-Code": "GatedRepo", "X-Error-Message": "Access to model is restricted."})
            data = files[found[1]]
            return self._answer(200, data, {"ETag": f'"{sha1(data).hexdigest()}"', "X-Repo-Commit": COMMIT})

        def _answer(self, status: int, data: bytes, headers: Mapping[str, str] | None = None) -> None:
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(data)

    constants = huggingface_hub.constants
    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        address = f"http://127.0.0.1:{server.server_port}"
        monkeypatch.setattr(
            constants, "HUGGINGFACE_CO_URL_TEMPLATE", constants.HUGGINGFACE_CO_URL_TEMPLATE.replace(constants.ENDPOINT, address)
        )
        for name, value in {"ENDPOINT": address, "HF_HUB_CACHE": str(cache), "HF_HUB_OFFLINE": False}.items():
            monkeypatch.setattr(constants, name, value)
        monkeypatch.setenv("HF_TOKEN", "hf_ours")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield tokens
        finally:
            huggingface_hub.close_session()
            server.shutdown()
            thread.join()
