"""A server that ends: who listens is told so, who asks is sent away, and nobody waits for an engine that is at work."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest
from websockets.exceptions import InvalidStatus

from studio.server import StudioServer, configured, listen
from tests.api.door import Door, Gate, error_of, events_of, eventually
from tests.api.socket.socket_client import PCM, connected
from tests.stand_ins.fake_engine import FakeEngine

CLOSING = "The studio is closing."


@contextmanager
def served_to_its_end(door: Door) -> Iterator[tuple[str, StudioServer]]:
    listener = listen("127.0.0.1", 0)
    config = configured(door.app, door.studio.settings, log_level="critical", lifespan="off")
    server = StudioServer(config, on_ready=lambda: None, end_speech=door.studio.end_speech)
    thread = threading.Thread(target=lambda: asyncio.run(server._serve([listener])), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}", server
    server.should_exit = server.force_exit = True
    thread.join(60)
    assert not thread.is_alive()


def test_who_listens_when_the_server_ends_is_told_so_and_who_asks_is_sent_away(open_door):
    gate = Gate()
    door = open_door(FakeEngine(before_chunk=lambda index: index and gate()))

    def speak(client: httpx.Client, stream_format: str) -> httpx.Response:
        return client.post("/v1/audio/speech", json={"input": "one two three", "response_format": "pcm", "stream_format": stream_format})

    with served_to_its_end(door) as (url, server), connected(url) as idle, connected(url) as speaking:
        with httpx.Client(base_url=url, timeout=60) as client, ThreadPoolExecutor() as threads:
            begun = threads.submit(speak, client, "sse")
            gate.wait_for_arrival()  # the engine is at work, and stays so
            waiting = threads.submit(speak, client, "audio")
            speaking.say("session.config", **PCM)
            speaking.say_text("four")
            assert eventually(lambda: sum(status.waiting for status in door.studio.engines()) == 2)
            server.should_exit = True
            assert idle.hear_end() == ([{"type": "error", "message": CLOSING}], 1012)
            for method, path in (("GET", "/health"), ("POST", "/v1/audio/speech")):
                refused = client.request(method, path)
                assert (refused.status_code, refused.headers["Retry-After"], refused.headers["Connection"]) == (503, "5", "close")
                assert (error_of(refused)["message"], error_of(refused)["reason_code"]) == (CLOSING, "studio_closing")
            with pytest.raises(InvalidStatus, match="503"), connected(url):
                pass
            assert not begun.done() and not waiting.done()
            server.force_exit = True  # as the deadline does
            *_, delta, (name, last) = events_of(begun.result(60).text)
            late = waiting.result(60)
        heard, code = speaking.hear_end()
        gate.open()
    assert (delta[0], name, last["error"]["message"]) == ("speech.audio.delta", "speech.audio.error", CLOSING)
    assert (late.status_code, late.headers["Retry-After"], error_of(late)["message"]) == (503, "1", CLOSING)
    assert [message["type"] for message in heard] == ["audio.start", "error", "audio.done", "session.done", "error"]
    assert (heard[1]["reason_code"], heard[-1]["message"], code) == ("speech_cancelled", CLOSING, 1012)


def test_a_page_that_is_open_and_listens_to_nothing_keeps_no_server(monkeypatch, open_door):
    monkeypatch.setattr("studio.web.closing.CUT_OFF_SECONDS", 60.0)
    door, ended = open_door(FakeEngine()), []

    async def with_heartbeat(scope, receive, send):
        if not scope["path"].startswith("/gradio_api/heartbeat/"):
            return await door.app(scope, receive, send)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"ALIVE", "more_body": True})
        while (await receive())["type"] != "http.disconnect":
            pass

    listener = listen("127.0.0.1", 0)
    config = configured(with_heartbeat, door.studio.settings, log_level="critical", lifespan="off")
    server = StudioServer(config, on_ready=lambda: None, end_speech=lambda: ended.append("cut off"))
    thread = threading.Thread(target=lambda: asyncio.run(server._serve([listener])), daemon=True)
    thread.start()
    with httpx.stream("GET", f"http://127.0.0.1:{listener.getsockname()[1]}/gradio_api/heartbeat/a", timeout=60) as page:
        pieces = page.iter_raw()  # kept: it closes the answer when it goes
        assert next(pieces) == b"ALIVE"
        server.should_exit = True
        thread.join(30)
        assert not thread.is_alive() and not ended
