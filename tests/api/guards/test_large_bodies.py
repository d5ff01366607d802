"""A large JSON body is joined and parsed on a thread, so that the event loop goes on; it means, and is refused, the same as a small one."""

import asyncio
import json
import re
import threading

import httpx
import pytest
from fastapi import APIRouter, FastAPI, Request
from fastapi.params import Form
from fastapi.routing import APIRoute
from starlette.middleware import Middleware

from studio.web import body_limit
from tests.api.door import Gate, data_url, error_of, wav
from tests.api.speech.batches import PATH as BATCH

SPEECH = "/v1/audio/speech"
PADDING = " " * body_limit.LARGE_BYTES
LARGE = {"input": "hi", "ref_text": PADDING, "voice": "tone"}


def test_others_are_answered_while_a_large_body_is_parsed(door, monkeypatch):
    gate, parse, threads = Gate(), body_limit._parsed, []

    def held(body: bytes) -> object:
        threads.append(threading.get_ident())
        if len(body) >= body_limit.LARGE_BYTES:
            gate()
        return parse(body)

    monkeypatch.setattr(body_limit, "_parsed", held)

    async def ask() -> tuple[int, int]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(door.app), base_url="http://door") as client:
            large = asyncio.create_task(client.post(SPEECH, json=LARGE))
            await asyncio.to_thread(gate.wait_for_arrival)
            small = await client.post(SPEECH, json={"input": "hi"})
            gate.open()
            return small.status_code, (await large).status_code

    assert asyncio.run(ask()) == (200, 200)
    assert len(set(threads)) == 2 and threads[1] == threading.get_ident()


@pytest.mark.parametrize("path", [SPEECH, BATCH])
def test_a_large_body_is_refused_in_the_words_for_a_small_one(door, path):
    bodies = ["{", '{"input": "\\ud83d"}', '{"input": 7}', '{"input": "hi", "speed": NaN}', "[" * 3_000, "nonsense", "[]", '{"input": ""}']
    for body in bodies:
        small, large = (
            door.post(path, content=sent.encode(), headers={"content-type": "application/json"}) for sent in (body, body + PADDING)
        )
        assert small.status_code == large.status_code >= 400, body
        assert _without_place(error_of(small)) == _without_place(error_of(large)), body


def test_every_json_body_of_the_api_is_read_off_the_loop_and_to_a_bounded_depth(door):
    fields = [(route, route.body_field.field_info) for route in door.app.routes if isinstance(route, APIRoute) and route.body_field]
    in_json = [route for route, field in fields if not isinstance(field, Form)]  # a File is one
    assert len(in_json) == 29 and all(isinstance(route, body_limit.OffLoopRoute) for route in in_json)


def test_large_numbers_and_names_given_twice_mean_the_same():
    for text in ('{"a": 1, "a": 123456789012345678901234567890, "b": [1e400, -0.0, 0.1]}', '{"é": "\\u00e9\\ud83d\\ude00"}'):
        assert repr(body_limit._parsed(text.encode() + PADDING.encode())) == repr(json.loads(text))


def test_a_recording_in_a_large_body_is_heard_as_in_a_small_one(door):
    url = data_url(wav(1.5, hz=300))
    small = door.speak("hello", ref_audio=url)
    large = door.speak("hello", ref_audio=url, extra_params=None, instructions=None, ref_text=PADDING)
    assert small.status_code == large.status_code == 200
    assert small.content == large.content


def test_an_app_that_is_not_ours_reads_large_bodies_the_same_way(monkeypatch):
    router, threads, parse = APIRouter(prefix="/x"), [], body_limit._parsed

    @router.post("/in")
    async def read(request: Request) -> int:
        return len(await request.json())

    app = FastAPI(middleware=[Middleware(body_limit.TakenOffLoop, path="/x/in")])
    app.include_router(router)
    monkeypatch.setattr(body_limit, "_parsed", lambda body: (threads.append(threading.get_ident()), parse(body))[1])

    async def ask() -> list[int]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://door") as client:
            return [(await client.post("/x/in", json=sent)).json() for sent in ("small", PADDING)]

    assert asyncio.run(ask()) == [5, len(PADDING)]
    assert threads[0] == threading.get_ident() != threads[1]


def _without_place(error: dict) -> dict:
    """Where a text ends that is cut off, depends on its length."""
    told = {name: value for name, value in error.items() if name not in ("message", "param", "values")}
    return told | {"hint": re.sub(r"\d+", "", error.get("hint", ""))}
