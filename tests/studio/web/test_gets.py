"""HEAD and ranges, whichever app answers the GET."""

import asyncio
import json

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from studio.web.gets import Gets

SOUND = bytes(range(100))
APP = Starlette(
    routes=[
        Route("/sound", lambda request: Response(SOUND, media_type="audio/wav")),
        Route("/none", lambda request: Response(b"", media_type="audio/wav")),
        Route("/words", lambda request: PlainTextResponse("words")),
        Route("/gone", lambda request: JSONResponse({}, status_code=404, media_type="audio/wav")),
        Route("/stream", lambda request: StreamingResponse(blocks(), media_type="audio/wav", headers={"Content-Length": "100"})),
        Route("/endless", lambda request: StreamingResponse(for_ever(), media_type="text/event-stream")),
        Route("/act", lambda request: PlainTextResponse("done"), methods=["POST"]),
    ]
)
ended: list[str] = []


async def blocks():
    for start in range(0, 100, 7):
        yield SOUND[start : start + 7]


async def for_ever():
    try:
        while True:
            yield b": ping\n\n"
            await asyncio.sleep(0)
    finally:
        ended.append("endless")


def asked(path: str, method: str = "GET", **headers: str) -> httpx.Response:
    async def ask() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(Gets(APP)), base_url="http://door") as client:
            return await client.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    return asyncio.run(ask())


def test_head_has_the_headers_of_get_and_no_body():
    for path in ("/sound", "/words", "/gone"):
        got, head = asked(path), asked(path, "HEAD")
        assert (head.status_code, head.content, dict(head.headers)) == (got.status_code, b"", dict(got.headers))
    assert asked("/act", "HEAD").status_code == 405


def test_a_range_in_a_head_is_not_heeded():
    assert asked("/sound", "HEAD", range="bytes=0-1").status_code == 200


def test_head_of_a_stream_ends_the_stream():
    ended.clear()
    assert asked("/endless", "HEAD").status_code == 200 and ended == ["endless"]


@pytest.mark.parametrize(
    ("wanted", "start", "stop"),
    [
        ("bytes=0-1", 0, 2), ("bytes=7-7", 7, 8), ("bytes=98-", 98, 100), ("bytes=-3", 97, 100), ("bytes=-500", 0, 100),
        ("bytes=0-", 0, 100), ("bytes=90-4000", 90, 100), ("Bytes=5-20", 5, 21), ("bytes=0-0", 0, 1),
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/sound", "/stream"])
def test_a_range_of_a_sound_is_that_part_of_it(path, wanted, start, stop):
    part = asked(path, range=wanted)
    assert (part.status_code, part.content) == (206, SOUND[start:stop])
    assert part.headers["content-range"] == f"bytes {start}-{stop - 1}/100"
    assert part.headers["content-length"] == str(stop - start)


@pytest.mark.parametrize("wanted", ["bytes=100-", "bytes=100-200", "bytes=-0"])
def test_a_range_behind_the_end_is_refused_with_the_size(wanted):
    refused = asked("/sound", range=wanted)
    assert (refused.status_code, refused.headers["content-range"]) == (416, "bytes */100")
    assert json.loads(refused.content)["error"]["reason_code"] == "range_not_satisfiable"
    assert asked("/none", range="bytes=0-1").status_code == 416


@pytest.mark.parametrize("wanted", ["bytes=5-2", "bytes=0-1,4-5", "lines=0-1", "bytes=a-b", "bytes=-", "", "bytes=" + "9" * 5000 + "-"])
def test_what_is_no_single_range_gets_the_whole(wanted):
    whole = asked("/sound", range=wanted)
    assert (whole.status_code, whole.content, whole.headers["accept-ranges"]) == (200, SOUND, "bytes")


def test_a_condition_that_cannot_be_known_to_hold_gets_the_whole():
    assert asked("/sound", range="bytes=0-1", if_range='"x"').status_code == 200


def test_only_whole_sounds_have_ranges():
    for path in ("/words", "/gone"):
        answer = asked(path, range="bytes=0-1")
        assert answer.status_code in (200, 404) and "accept-ranges" not in answer.headers
