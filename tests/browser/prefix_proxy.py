"""prefix_proxy: a reverse proxy that shows a server below a path, as hosts of several applications do."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

PIECE_BYTES = 65_536


@contextmanager
def prefix_proxy(url: str, prefix: str) -> Iterator[str]:
    """The address below which `url` is shown. prefix: such as "/studio"; it is taken off the paths that are passed on."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    target = urlsplit(url)

    async def serve(reader, writer) -> None:
        await _pass_on(reader, writer, (target.hostname, target.port), prefix.encode())

    async def end() -> None:
        server.close()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    server = asyncio.run_coroutine_threadsafe(asyncio.start_server(serve, "127.0.0.1", 0), loop).result()
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}{prefix}"
    finally:
        asyncio.run_coroutine_threadsafe(end(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _pass_on(reader, writer, target: tuple[str, int], prefix: bytes) -> None:
    """One request per connection, so that its head is all there is to read."""
    with suppress(OSError, asyncio.IncompleteReadError):
        head = await reader.readuntil(b"\r\n\r\n")
        method, path, version = head.split(b"\r\n", 1)[0].split(b" ")
        if not path.startswith(prefix + b"/"):
            writer.write(b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
            return writer.close()
        fields = [line for line in head.split(b"\r\n")[1:-2] if not line.lower().startswith(b"connection:")]
        host = next(line.split(b":", 1)[1].strip() for line in fields if line.lower().startswith(b"host:"))
        added = [b"Connection: close", b"X-Forwarded-Host: " + host, b"X-Forwarded-Proto: http"]
        upstream_reader, upstream = await asyncio.open_connection(*target)
        first = b" ".join((method, path[len(prefix) :], version))
        upstream.write(b"\r\n".join([first, *fields, *added, b"", b""]))
        up, down = asyncio.create_task(_pour(reader, upstream)), asyncio.create_task(_pour(upstream_reader, writer))
        await asyncio.wait([up, down], return_when=asyncio.FIRST_COMPLETED)  # whoever hangs up ends both
        if down.done() or not up.result():
            for task in (up, down):
                task.cancel()
        upstream.close()
        writer.close()
    return None


async def _pour(reader, writer) -> bool:
    with suppress(OSError):
        while piece := await reader.read(PIECE_BYTES):
            writer.write(piece)
            await writer.drain()
    return False
