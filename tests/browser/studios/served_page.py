"""A page over fake engines in this process, behind a real server, so that a test can hold an engine while a browser looks."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator

import uvicorn
from gradio.context import Context

from studio.server import behind_guards, configured, page_and_api
from studio.service import Studio
from tests.api.door import eventually


@contextlib.contextmanager
def served_page(studio: Studio) -> Iterator[str]:
    """The base URL of page and API over this studio."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    servers: list[uvicorn.Server] = []

    async def serve() -> None:  # builds inside of the loop: outside of one Gradio opens loops and leaves them open
        Context.id = 0  # as in a process of its own: a page that outlives its studio names components by number
        app = behind_guards(page_and_api(studio), studio.settings)
        config = configured(app, studio.settings, log_level="critical", timeout_graceful_shutdown=1)
        servers.append(uvicorn.Server(config))
        await servers[0].serve(sockets=[listener])

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert eventually(lambda: servers and servers[0].started, seconds=60)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        servers[0].should_exit = True
        thread.join(10)
        listener.close()
