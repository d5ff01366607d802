"""A uvicorn server in a thread of this process, which is gone as soon as it is told to go: uvicorn's own looks ten times a second."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

__all__ = ["served_in_a_thread"]

MOST_SECONDS = 60.0  # until it answers, and until it is gone
GRACE_SECONDS = 0.25  # for what it is answering when it is told to go
LOOK_SECONDS = 0.002


@contextmanager
def served_in_a_thread(build: Callable[[], uvicorn.Config], listener: socket.socket) -> Iterator[str]:
    """The base URL. build: is called within the server's loop, and what it raises is raised here. listener: is closed at the end."""
    servers: list[_Server] = []
    failures: list[Exception] = []
    ready = threading.Event()

    async def serve() -> None:
        try:
            servers.append(_Server(build(), ready))
        except Exception as error:
            failures.append(error)
            ready.set()
        else:
            await servers[0].serve(sockets=[listener])

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    try:
        assert ready.wait(MOST_SECONDS)
        if failures:
            raise failures[0]
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        for server in servers:
            server.go()
        thread.join(MOST_SECONDS)
        listener.close()


class _Server(uvicorn.Server):
    """Waits where uvicorn's sleeps. ready: is set once it answers."""

    def __init__(self, config: uvicorn.Config, ready: threading.Event):
        super().__init__(config)
        self._ready = ready
        self._loop, self._told = asyncio.get_running_loop(), asyncio.Event()

    def go(self) -> None:
        """From any thread."""
        self._loop.call_soon_threadsafe(self._told.set)

    async def main_loop(self) -> None:
        await self.on_tick(0)  # sets the headers of all answers
        self._ready.set()
        await self._told.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.should_exit = True
        for server in self.servers:
            server.close()
        state, deadline = self.server_state, self._loop.time() + GRACE_SECONDS
        for connection in list(state.connections):
            connection.shutdown()
        while (state.connections or state.tasks) and self._loop.time() < deadline:
            await asyncio.sleep(LOOK_SECONDS)
        for task in state.tasks:
            task.cancel()
        await self.lifespan.shutdown()
