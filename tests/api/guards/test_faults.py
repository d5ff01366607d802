"""Every way to a 5xx, and to a failure that no status tells: its reason code is in the metrics and in a line of the log."""

import asyncio
import json
import logging
import re
from collections.abc import Callable
from contextlib import suppress

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route

from engines.errors import EngineUnavailable
from studio.audio.spoken_sounds import SpokenSounds
from studio.ui.clips.encoded import SOUND_PATH
from studio.ui.frame.files import file_routes
from studio.ui.frame.page_middleware import page_watch
from studio.ui.programs.endpoints import Endpoints
from studio.ui.speak.relay import Relays, relayed
from studio.ui.voices.voice_acts import act_on_voice
from studio.web.body_limit import BodyBudget
from studio.web.connection import _health_alone
from studio.web.faults import FAULTS
from tests.api.door import Door
from tests.stand_ins.fake_engine import FakeEngine
from tests.stand_ins.full_disk import refusing_disk

SPEECH = "/v1/audio/speech"
PCM = {"response_format": "pcm"}


def failing(at: int) -> Callable[[Callable], Door]:
    """A door whose engine fails at its nth chunk."""
    return lambda open_door: open_door(FakeEngine(fail_at_chunk=at))


def broken(open_door) -> Door:
    """A door whose studio has a defect."""
    door = open_door()
    for verb in ("say", "stats", "speakers", "enroll"):
        setattr(door.studio, verb, lambda *asked, **how: 1 / 0)
    return door


def unloaded(open_door) -> Door:
    """A door whose engine cannot be opened."""
    door = open_door()

    def refuse(name: str) -> None:
        raise EngineUnavailable("The weights are not here.", "Get them.")

    door.before_opening = refuse
    return door


def listen(door: Door) -> None:
    with suppress(AssertionError):  # of httpx, since the body is left without its end
        door.speak("one two three", stream_format="audio", **PCM)


def converse(door: Door, *said: dict) -> None:
    with TestClient(door.app).websocket_connect(f"{SPEECH}/stream") as socket:
        for message in ({"type": "session.config"}, {"type": "input.text", "text": "one two three"}, {"type": "input.done"}):
            socket.send_text(json.dumps(message))
        while True:
            told = socket.receive()
            if told["type"] == "websocket.close" or json.loads(told.get("text") or "{}").get("type") == "session.done":
                return


def converse_with_a_defect(door: Door) -> None:
    door.studio.engine_info = lambda *asked: 1 / 0
    converse(door)


def ask_page(app, path: str, **content) -> None:
    """One request of the page's app, behind its watch."""
    watch = page_watch()

    async def ask() -> None:
        transport = httpx.ASGITransport(watch.cls(app, **watch.kwargs))
        async with httpx.AsyncClient(transport=transport, base_url="http://page") as client:
            assert (await client.get(path, **content)).status_code >= 500

    asyncio.run(ask())


def ask_for_a_damaged_file(door: Door) -> None:
    def refuse(entry_id: str) -> bytes:
        raise OSError(5, "Input/output error")

    door.studio.history.audio = refuse
    ask_page(FastAPI(routes=file_routes(door.studio, SpokenSounds())), "/studio/history/any")


async def defect(scope, receive, send) -> None:
    raise ZeroDivisionError


async def crowd(scope, receive, send) -> None:
    await PlainTextResponse("no", status_code=503)(scope, receive, send)


def ask_while_full(door: Door) -> None:
    asyncio.run(_health_alone(door.app)({"type": "http", "path": "/v1/models", "headers": []}, None, _nowhere))


async def _nowhere(message) -> None:
    pass


def call_endpoint(door: Door) -> None:
    with pytest.raises(ZeroDivisionError):
        Endpoints(door.studio, Relays(), SpokenSounds()).voices()


def write_on_a_full_disk(door: Door) -> None:
    with refusing_disk():
        door.upload()


# What happens -> (the door to it, what is asked, and what is counted: door, code).
TABLE: dict[str, tuple[Callable, Callable[[Door], object], tuple[str, str]]] = {
    "the engine fails at once": (failing(0), lambda door: door.speak(), ("api", "engine_failed")),
    "in the middle of a file": (failing(2), lambda door: door.speak("one two three"), ("api", "engine_failed")),
    "of a stream": (failing(2), listen, ("api", "engine_failed")),
    "of events": (failing(2), lambda door: door.speak("one two three", stream_format="sse", **PCM), ("api", "engine_failed")),
    "of a batch": (
        failing(2),
        lambda door: door.post(f"{SPEECH}/batch", json={"items": [{"input": "one two three"}]}),
        ("batch", "engine_failed"),
    ),
    "of a session": (failing(2), converse, ("websocket", "engine_failed")),
    "of a relayed speech": (
        failing(2),
        lambda door: list(relayed(door.studio, Relays(), "page", {"run": "1", "request": {"input": "one two"}})),
        ("page", "engine_failed"),
    ),
    "an engine that cannot be opened": (unloaded, lambda door: door.speak(), ("api", "engine_unavailable")),
    "no engine is ready": (lambda open_door: open_door(), lambda door: door.get("/health"), ("api", "no_engine_ready")),
    "a full disk": (lambda open_door: open_door(), write_on_a_full_disk, ("api", "disk_full")),
    "a defect of a route": (broken, lambda door: door.get("/v1/audio/cache/stats"), ("api", "internal_error")),
    "of speech": (broken, lambda door: door.speak(), ("api", "internal_error")),
    "of a batch's item": (
        broken,
        lambda door: door.post(f"{SPEECH}/batch", json={"items": [{"input": "one"}]}),
        ("batch", "internal_error"),
    ),
    "of what a session speaks": (broken, converse, ("websocket", "internal_error")),
    "of a session itself": (lambda open_door: open_door(), converse_with_a_defect, ("websocket", "internal_error")),
    "of a handler of the page": (
        broken,
        lambda door: act_on_voice(door.studio, {"act": "delete", "voice": 1 / 3} | {"act": "restore"}),
        ("page", "internal_error"),
    ),
    "of an endpoint of the page": (broken, call_endpoint, ("page", "internal_error")),
    "of the page itself": (lambda open_door: open_door(), lambda door: ask_page(defect, "/"), ("page", "internal_error")),
    "a file that cannot be read": (lambda open_door: open_door(), ask_for_a_damaged_file, ("page", "file_unreadable")),
    "an answer without a code": (lambda open_door: open_door(), lambda door: ask_page(crowd, "/"), ("page", "service_unavailable")),
    "too many connections": (lambda open_door: open_door(), ask_while_full, ("connection", "connections_full")),
}


def counts() -> dict[tuple[str, str], float]:
    (family,) = FAULTS.collect()
    return {(one.labels["door"], one.labels["code"]): one.value for one in family.samples if one.name.endswith("_total")}


@pytest.mark.parametrize("what", TABLE)
def test_it_is_counted_once_and_logged_with_its_reason_code(open_door, caplog, what):
    open_table_door, cause, (door_name, code) = TABLE[what]
    door = open_table_door(open_door)
    caplog.set_level(logging.WARNING, "studio.faults")
    before = counts()
    cause(door)
    door.studio.prompts.flush()
    more = {key: n - before.get(key, 0) for key, n in counts().items() if n != before.get(key)}
    assert more == {(door_name, code): 1}, what
    lines = [record.getMessage() for record in caplog.records if record.name == "studio.faults"]
    if door_name != "connection":  # which says once that it is full
        assert len(lines) == 1 and f"door={door_name} code={code}" in lines[0], lines
        assert re.match(r"(id=\S+ )?door=", lines[0])


def test_a_line_names_the_request_and_no_name_that_a_client_sent(open_door, caplog):
    door = broken(open_door)
    door.get("/v1/audio/voices", headers={"X-Request-Id": "mine-7"})
    (line,) = [record.getMessage() for record in caplog.records if record.name == "studio.faults"]
    assert line == "id=mine-7 door=api code=internal_error about=/v1/audio/voices"
    assert 'studio_errors_total{code="internal_error",door="api"}' in open_door().get("/metrics").text


def test_bodies_for_which_there_is_no_room_are_counted_by_both_doors(open_door):
    door, full = open_door(), BodyBudget(0)
    for middleware in door.app.user_middleware:
        if "budget" in middleware.kwargs:
            middleware.kwargs["budget"] = full
    before = counts().get(("api", "bodies_too_many"), 0)
    assert door.post(SPEECH, content=b" " * (1 << 20)).status_code == 503
    assert counts()["api", "bodies_too_many"] == before + 1


def test_a_defect_that_a_framework_answered_and_raised_again_is_an_answer(caplog):
    def fail(request) -> None:
        raise ZeroDivisionError

    ask_page(Starlette(routes=[Route("/", fail)]), "/")  # which would raise it here, as it would in the server
    assert "door=page code=internal_error about=/" in caplog.text and "ZeroDivisionError" in caplog.text


def test_whoever_hangs_up_in_the_middle_of_a_body_is_no_fault(open_door):
    routes = file_routes(open_door().studio, SpokenSounds())
    watch, messages = page_watch(), [{"type": "http.request", "body": b"half", "more_body": True}, {"type": "http.disconnect"}]
    scope = {"type": "http", "method": "POST", "path": SOUND_PATH, "headers": [], "query_string": b""}

    async def receive() -> dict:
        return messages.pop(0)

    before = counts()
    asyncio.run(watch.cls(FastAPI(routes=routes), **watch.kwargs)(scope, receive, _nowhere))
    assert counts() == before and not messages


def test_an_answer_that_is_good_counts_nothing(open_door):
    door = open_door()
    before = counts()
    assert door.speak().status_code == 200
    assert door.speak(voice="nobody").status_code == 400
    assert JSONResponse({}).status_code == 200
    assert counts() == before
