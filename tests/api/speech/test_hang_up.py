"""A client that hangs up frees the engine within one chunk, whatever it was waiting for."""

import asyncio
import json
import socket
import threading
from urllib.parse import urlsplit

import pytest

from studio.api.door.context import ApiContext
from studio.running.threads import Threads
from studio.speech.awaited_speech import AwaitedSpeech
from studio.speech.body import SpeechBody
from studio.speech.request_log import RequestEntry
from studio.timeline import Timeline
from tests.api.door import Gate, eventually, served
from tests.stand_ins.fake_engine import FakeEngine

TEXT = "x" * 400  # 20 s, 250 chunks
KINDS = {"whole": {}, "raw": {"stream_format": "audio"}, "sse": {"stream": True}}
each_kind = pytest.mark.parametrize("kind", KINDS)


def call(url: str, **fields) -> socket.socket:
    """A request on a bare socket, so that hanging up is one close."""
    parts = urlsplit(url)
    body = json.dumps({"input": TEXT} | fields).encode()
    head = f"POST /v1/audio/speech HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    connection = socket.create_connection((parts.hostname, parts.port))
    connection.sendall(head.encode() + body)
    return connection


class Steps:
    """Lets the engine make chunks one by one."""

    def __init__(self):
        self.arrived = threading.Semaphore(0)
        self.go = threading.Semaphore(0)

    def __call__(self, index: int) -> None:
        self.arrived.release()
        assert self.go.acquire(timeout=60)

    def wait(self) -> None:
        assert self.arrived.acquire(timeout=60)


def hung_up(caplog) -> bool:
    """Whether the server has noticed; its log line comes when the speech is closed."""
    return any("status=499" in record.getMessage() for record in caplog.records)


def closing(begin, closed: threading.Event):
    """`SpeechOpener.begin` whose speech tells when it is closed."""

    def begin_and_tell(*arguments):
        speech = begin(*arguments)
        close = speech.close
        speech.close = lambda: (close(), closed.set())
        return speech

    return begin_and_tell


def idle(door) -> bool:
    (status,) = door.studio.engines()
    return (status.waiting, status.streaming) == (0, 0)


@pytest.mark.parametrize("response_format", ["wav", "flac"])
def test_who_leaves_with_the_last_byte_of_a_file_has_not_hung_up(open_door, caplog, response_format):
    door, body, left = open_door(), json.dumps({"input": TEXT, "response_format": response_format}).encode(), asyncio.Event()
    asked, awaited = [{"type": "http.request", "body": body, "more_body": False}], []
    headers = [(b"content-type", b"application/json"), (b"host", b"x"), (b"content-length", str(len(body)).encode())]
    scope = {"type": "http", "method": "POST", "path": "/v1/audio/speech", "raw_path": b"/v1/audio/speech", "query_string": b""}
    scope |= {"headers": headers, "client": ("127.0.0.1", 1), "server": ("x", 80), "scheme": "http", "http_version": "1.1", "root_path": ""}

    async def receive() -> dict:
        if asked:
            return asked.pop()
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict) -> None:
        if message["type"] == "http.response.start":
            awaited.append(int(dict(message["headers"])[b"content-length"]))
        else:
            awaited[0] -= len(message["body"])
        if awaited[0] == 0:
            left.set()

    with caplog.at_level("INFO", "studio.request"):
        asyncio.run(door.app(scope, receive, send))
    assert awaited == [0]
    assert [record.getMessage().split(" ")[1] for record in caplog.records if record.name == "studio.request"] == ["status=200"]


@each_kind
def test_a_hang_up_while_audio_is_made_frees_the_engine_within_one_chunk(open_door, kind, caplog):
    steps = Steps()
    door = open_door(FakeEngine(before_chunk=steps))
    with caplog.at_level("INFO", "studio.request"), served(door) as url:
        connection = call(url, **KINDS[kind])
        steps.wait()
        steps.go.release()  # chunk 0 is made
        steps.wait()  # the engine is inside chunk 1
        if kind != "whole":
            assert connection.recv(65536)
        connection.close()
        assert eventually(lambda: hung_up(caplog))
        steps.go.release()
        assert eventually(lambda: door.engine.streams_closed == 1 and idle(door))
    assert door.engine.chunks_made == 2
    assert sum("delivery=" in record.getMessage() for record in caplog.records) == 1


@each_kind
def test_a_hang_up_before_the_first_chunk_frees_the_engine(open_door, kind, caplog):
    steps = Steps()
    door = open_door(FakeEngine(before_chunk=steps))
    with caplog.at_level("INFO", "studio.request"), served(door) as url:
        connection = call(url, **KINDS[kind])
        steps.wait()
        connection.close()
        assert eventually(lambda: hung_up(caplog))
        steps.go.release()
        assert eventually(lambda: door.engine.streams_closed == 1 and idle(door))
    assert door.engine.chunks_made == 1


@each_kind
def test_a_hang_up_during_extraction_closes_the_speech_when_it_comes(open_door, kind, caplog, monkeypatch):
    gate, steps, closed = Gate(), Steps(), threading.Event()
    door = open_door(FakeEngine(before_extract=gate, before_chunk=steps))
    monkeypatch.setattr(door.studio._opener, "begin", closing(door.studio._opener.begin, closed))
    door.upload("alice")
    with caplog.at_level("INFO", "studio.request"), served(door) as url:
        connection = call(url, voice="alice", **KINDS[kind])
        gate.wait_for_arrival()
        connection.close()
        assert eventually(lambda: hung_up(caplog))
        gate.open()
        assert closed.wait(60)
        steps.go.release()
        assert eventually(lambda: idle(door))
    assert door.engine.chunks_made <= 1
    assert door.studio.stats().entries == 1  # what was learned is kept for the next listener


def test_a_listener_who_reads_nothing_does_not_hold_the_engine(open_door):
    door = open_door(FakeEngine(), most_ahead_seconds=1.0)
    with served(door) as url:
        connection = call(url, input="x" * 20_000, stream_format="audio", sample_rate=48_000)  # 96 MB, no socket buffers that
        assert eventually(lambda: door.engine.chunks_made > 20)
        assert door.speak("short").status_code == 200
        connection.close()
        assert eventually(lambda: idle(door))
    assert door.engine.chunks_made < 12_000


def test_a_stream_that_is_ready_as_fast_as_it_is_sent_lets_others_come_between(door, each_chunk_alone):
    """Neither polling nor sending waits here, as where the engine keeps up with a fast connection."""

    async def listen() -> int:
        body = SpeechBody(input="x" * 200)
        entry = RequestEntry("speech-1", "raw", Timeline(), "pcm")
        spoken = AwaitedSpeech(ApiContext.of(door.studio), lambda: door.studio.say(body, entry.timeline), entry)
        turns_of_others = 0

        async def other() -> None:
            nonlocal turns_of_others
            while True:
                turns_of_others += 1
                await asyncio.sleep(0)

        async with spoken:
            speech = await spoken.open()
            await asyncio.to_thread(eventually, lambda: speech.timeline.since_received("last_audio") is not None)
            busy = asyncio.create_task(other())
            n_chunks = 0
            while await spoken.next() is not None:
                n_chunks += 1
            busy.cancel()
        assert n_chunks == 125
        return turns_of_others

    assert asyncio.run(listen()) >= 125


def test_what_is_opened_for_a_caller_who_left_is_closed():
    entered, leave, closed = threading.Event(), threading.Event(), threading.Event()

    class Opened:
        def close(self) -> None:
            closed.set()

    def verb() -> Opened:
        entered.set()
        assert leave.wait(60)
        return Opened()

    async def call_and_leave() -> None:
        threads = Threads(1)
        task = asyncio.ensure_future(threads.open(verb))
        queued = asyncio.ensure_future(threads.open(pytest.fail))
        await asyncio.to_thread(entered.wait, 60)
        queued.cancel()
        task.cancel()
        await asyncio.gather(task, queued, return_exceptions=True)
        assert not closed.is_set()
        leave.set()
        assert await asyncio.to_thread(closed.wait, 60)

    asyncio.run(call_and_leave())
