"""What a thousand requests leave behind, of which many are hung up on: no thread, no descriptor, no task, no object."""

import asyncio
import gc
import json
import os
from collections import Counter
from pathlib import Path

import pytest

from studio.measure.server.observed_server import POOLED, holdings
from tests.api.door import Door

OURS = ("studio", "engines", "starlette", "asyncio", "_asyncio", "concurrent")
DESCRIPTORS = Path("/proc/self/fd")
N = 1000
SPEAK = {"input": "one", "voice": "alice", "response_format": "pcm"}
# In turns: (method, path, body, after how many messages of the answer the client is gone; 0 for at once, None for never).
ASKED = (
    ("POST", "/v1/audio/speech", SPEAK, None),
    ("POST", "/v1/audio/speech", SPEAK | {"stream_format": "audio"}, 2),
    ("POST", "/v1/audio/speech", SPEAK | {"stream_format": "sse"}, 1),
    ("POST", "/v1/audio/speech", SPEAK, 0),
    ("POST", "/v1/audio/speech", SPEAK | {"voice": "nobody"}, None),
    ("POST", "/v1/audio/speech/batch", {"voice": "alice", "items": [{"input": "a"}, {"input": "b", "voice": "nobody"}]}, None),
    ("GET", "/v1/audio/voices", None, None),
    ("POST", "/v1/audio/voices/alice/cache", None, None),
    ("DELETE", "/v1/audio/voices/alice/cache", None, None),
    ("GET", "/nowhere", None, None),
)


async def ask(door: Door, method: str, path: str, body: object, patience: int | None) -> None:
    """One request by plain ASGI."""
    gone, left = asyncio.Event(), patience
    told = [{"type": "http.request", "body": b"" if body is None else json.dumps(body).encode()}]

    async def receive() -> dict:
        if told:
            return told.pop()
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict) -> None:
        nonlocal left
        left = None if left is None else left - 1
        if left is not None and left <= 0:
            gone.set()

    if patience == 0:
        gone.set()
    headers = [(b"content-type", b"application/json"), (b"host", b"localhost")]
    scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "headers": headers, "query_string": b""}
    await door.app(scope | {"http_version": "1.1", "scheme": "http", "client": ("127.0.0.1", 1), "server": None}, receive, send)


def held() -> tuple[Counter, int]:
    """(objects of ours by type, descriptors)."""
    gc.collect()
    types = Counter(f"{type(one).__module__}.{type(one).__qualname__}" for one in gc.get_objects())
    return Counter({name: n for name, n in types.items() if name.startswith(OURS)}), len(os.listdir(DESCRIPTORS))


@pytest.mark.slow
@pytest.mark.skipif(not DESCRIPTORS.exists(), reason="descriptors are counted in /proc")
def test_a_thousand_requests_leave_nothing_behind(open_door):
    door = open_door()
    door.upload("alice")

    async def go_through(n: int) -> tuple[Counter, int, dict[str, int]]:
        for number in range(n):
            await ask(door, *ASKED[number % len(ASKED)])
        await asyncio.to_thread(door.studio.prompts.flush)
        door.studio.history.settle()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        assert not others
        threads = {name: n for name, n in holdings()["threads"].items() if not name.startswith(POOLED)}
        return *held(), threads

    async def compare() -> None:
        before, descriptors, threads = await go_through(10 * len(ASKED))
        after, more_descriptors, more_threads = await go_through(N)
        assert not {name: (before[name], n) for name, n in after.items() if n > before[name] + 1}
        assert more_threads == threads and more_descriptors <= descriptors

    asyncio.run(compare())
