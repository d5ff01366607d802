"""Bodies that are too slow, or too many at a time."""

import asyncio

import pytest
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse

from studio.web.body_limit import LEAST_BYTES_PER_SECOND, SMALL_BYTES, BodyBudget, BodyLimit, BodyRefused

HALF = 1 << 20
SCOPE = {"type": "http", "method": "POST", "path": "/", "headers": []}


def refusal(error: BodyRefused, scope) -> JSONResponse:
    return JSONResponse({"code": error.code}, error.status, error.headers)


class Client:
    """One request with a body in parts; those behind the last part never come."""

    def __init__(self, *parts: bytes, is_whole: bool = False):
        self._parts = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
        if is_whole:
            self._parts[-1]["more_body"] = False
        self.all_sent = asyncio.Event()
        self.answers: list[dict] = []

    async def receive(self) -> dict:
        if self._parts:
            return self._parts.pop(0)
        self.all_sent.set()
        return await asyncio.get_running_loop().create_future()

    async def send(self, message: dict) -> None:
        self.answers.append(message)

    @property
    def status(self) -> int:
        return self.answers[0]["status"]


def limited(budget: BodyBudget, **options) -> BodyLimit:
    async def reads_all(scope, receive, send) -> None:
        await PlainTextResponse(str(len(await Request(scope, receive).body())))(scope, receive, send)

    return BodyLimit(ExceptionMiddleware(reads_all), lambda path: 100 * HALF, refusal, budget, **options)


@pytest.mark.parametrize("parts", [(), (b"x",), (b"x" * HALF,)])
def test_a_body_that_does_not_go_on_is_cut_and_gives_its_room_back(parts):
    budget = BodyBudget()

    async def asking() -> Client:
        client = Client(*parts)
        await limited(budget, seconds=-HALF / LEAST_BYTES_PER_SECOND)(SCOPE, client.receive, client.send)
        return client

    client = asyncio.run(asking())
    assert client.status == 408 and (b"connection", b"close") in client.answers[0]["headers"]
    assert budget.n_bytes == 0


def test_unfinished_bodies_are_bounded_together_and_small_ones_always_pass():
    budget = BodyBudget(most_bytes=3 * HALF)

    async def asking() -> None:
        app = limited(budget)
        held = [Client(b"x" * HALF) for _ in range(3)]
        tasks = [asyncio.create_task(app(SCOPE, client.receive, client.send)) for client in held]
        for client in held:
            await client.all_sent.wait()
        assert budget.n_bytes == 3 * (HALF - SMALL_BYTES)
        one_more, small = Client(b"x" * HALF), Client(b"x" * SMALL_BYTES, is_whole=True)
        await app(SCOPE, one_more.receive, one_more.send)
        await app(SCOPE, small.receive, small.send)
        assert (one_more.status, small.status) == (503, 200)
        assert (b"retry-after", b"5") in one_more.answers[0]["headers"]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert budget.n_bytes == 0
        again = Client(b"x" * HALF, is_whole=True)
        await app(SCOPE, again.receive, again.send)
        assert again.status == 200

    asyncio.run(asking())


def test_an_answer_that_has_begun_holds_no_room():
    budget = BodyBudget()
    seen = []

    async def streams(scope, receive, send) -> None:
        await Request(scope, receive).body()
        seen.append(budget.n_bytes)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        seen.append(budget.n_bytes)
        await send({"type": "http.response.body", "body": b""})

    async def asking() -> None:
        client = Client(b"x" * HALF, is_whole=True)
        await BodyLimit(streams, lambda path: HALF, refusal, budget)(SCOPE, client.receive, client.send)

    asyncio.run(asking())
    assert seen == [HALF - SMALL_BYTES, 0]


def test_a_body_that_is_written_to_disk_takes_no_room_from_others():
    budget = BodyBudget()

    async def asking() -> Client:
        client = Client(b"x" * HALF)
        app = limited(budget, is_spooled=lambda path: path == SCOPE["path"])
        asked = asyncio.create_task(app(SCOPE, client.receive, client.send))
        await client.all_sent.wait()
        assert budget.n_bytes == 0
        asked.cancel()
        return client

    asyncio.run(asking())
