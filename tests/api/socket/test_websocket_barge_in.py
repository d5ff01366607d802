"""Whoever interrupts a session, leaves it or stops reading is heard at once, and the engine works on for nobody."""

import asyncio
import json
import socket
import threading
import time

import pytest
from websockets.sync.client import connect

from studio.api.socket import session as websocket_session
from studio.api.socket.session import Session
from studio.api.socket.wire import Wire
from studio.web.connection import WebSocketConnection
from tests.api.door import Gate, data_url, eventually, served, wav
from tests.api.socket.socket_client import PCM, connected, conversing
from tests.api.speech.test_hang_up import Steps, closing, idle
from tests.stand_ins.fake_engine import CHUNK_SAMPLES, FakeEngine

LONG = "x" * 400  # 20 s, 250 chunks


def speaking(client, steps: Steps) -> None:
    """One chunk of LONG is heard, and the engine is inside the next."""
    client.say_text(LONG)
    steps.wait()
    steps.go.release()
    steps.wait()
    assert client.hear()["type"] == "audio.start"
    assert len(client.hear()) == 2 * CHUNK_SAMPLES


def hung_up(caplog) -> bool:
    return any("status=499" in record.getMessage() for record in caplog.records)


def test_cancel_stops_the_audio_within_a_chunk_and_keeps_the_socket(open_door):
    steps = Steps()
    door = open_door(FakeEngine(before_chunk=steps))
    with conversing(door, **PCM) as client:
        speaking(client, steps)
        client.say("input.cancel")
        done, end = client.hear(), client.hear()  # while the engine is still inside its chunk
        steps.go.release()
        assert eventually(lambda: door.engine.streams_closed == 1 and idle(door))
        assert door.engine.chunks_made == 2
        steps.go.release(100)
        client.say_text("hi")
        later = client.hear_utterance()
    assert (done["type"], done["cancelled"], done["error"], done["total_bytes"]) == ("audio.done", True, False, 2 * CHUNK_SAMPLES)
    assert end == {"type": "session.done", "utterance_index": 0, "total_sentences": 1, "cancelled": True}
    assert (later[0]["sentence_text"], later[0]["utterance_index"]) == ("hi", 1)
    assert "cancelled" not in later[-1]


def test_cancel_before_the_first_audio_ends_the_utterance(open_door):
    steps = Steps()
    door = open_door(FakeEngine(before_chunk=steps))
    with conversing(door, **PCM) as client:
        client.say_text(LONG)
        steps.wait()
        client.say("input.cancel")
        heard = client.hear_utterance()
        steps.go.release()
        assert eventually(lambda: idle(door))
    assert not any(isinstance(message, bytes) for message in heard)
    assert heard[-1]["cancelled"]
    assert door.engine.chunks_made == 1


def test_cancel_during_an_extraction_closes_the_speech_when_it_comes(open_door, monkeypatch):
    gate, steps, closed = Gate(), Steps(), threading.Event()
    door = open_door(FakeEngine(before_extract=gate, before_chunk=steps))
    monkeypatch.setattr(door.studio._opener, "begin", closing(door.studio._opener.begin, closed))
    with conversing(door, **PCM, ref_audio=data_url(wav(1.5))) as client:
        client.say_text(LONG)
        gate.wait_for_arrival()
        client.say("input.cancel")
        assert client.hear() == {"type": "session.done", "utterance_index": 0, "total_sentences": 1, "cancelled": True}
        gate.open()
        assert closed.wait(60)
        steps.go.release()
        assert eventually(lambda: door.engine.extractions == 1 and idle(door))
    assert door.engine.chunks_made <= 1


def test_cancel_takes_back_all_that_was_said_so_far(open_door):
    steps = Steps()
    door = open_door(FakeEngine(before_chunk=steps))
    with conversing(door, **PCM, split_granularity="sentence") as client:
        client.say_text(f"{LONG}. Two. Three.")
        steps.wait()
        client.say_text("The next utterance.")
        client.say("input.text", text="And one that is not d")
        client.say("input.cancel")
        ends = [client.hear_until("session.done")[-1] for _ in range(3)]
        steps.go.release(1000)
        client.say_text("Heard.")
        heard = client.hear_utterance()
    assert [(end["utterance_index"], end["total_sentences"], end["cancelled"]) for end in ends] == [
        (0, 1, True),
        (1, 0, True),
        (2, 0, True),
    ]
    assert (heard[0]["sentence_text"], heard[0]["utterance_index"]) == ("Heard.", 3)


def test_cancel_of_nothing_does_nothing(door):
    with conversing(door, **PCM) as client:
        client.say("input.cancel")
        client.say_text("hi")
        heard = client.hear_utterance()
        client.say("input.cancel")
        client.say("input.done")
        assert client.hear() == {"type": "session.done", "utterance_index": 1, "total_sentences": 0}
    assert heard[-1] == {"type": "session.done", "utterance_index": 0, "total_sentences": 1}


def test_cancel_after_session_close_stops_the_engine_and_ends_normally(open_door):
    steps = Steps()
    door = open_door(FakeEngine(before_chunk=steps))
    with conversing(door, **PCM) as client:
        client.say_text(LONG)
        client.say_text("Never heard.")
        steps.wait()
        client.say("session.close")
        client.say("input.cancel")
        heard, code = client.hear_end()  # while the engine is still inside its chunk
        steps.go.release()
        assert eventually(lambda: idle(door))
    assert code == 1000
    assert [end["cancelled"] for end in heard if end["type"] == "session.done"] == [True, True]
    assert door.engine.chunks_made == 1


def test_who_cuts_the_connection_after_session_close_stops_the_engine(open_door, caplog):
    steps = Steps()
    door = open_door(FakeEngine(before_chunk=steps))
    with caplog.at_level("INFO", "studio.request"), served(door) as url:
        with connected(url) as client:
            client.say("session.config", **PCM)
            client.say_text(LONG)
            client.say("session.close")
            steps.wait()
        assert eventually(lambda: hung_up(caplog))
        steps.go.release()
        assert eventually(lambda: door.engine.streams_closed == 1 and idle(door))
    assert door.engine.chunks_made == 1


def test_a_closed_socket_stops_the_engine(open_door, caplog):
    steps = Steps()
    door = open_door(FakeEngine(before_chunk=steps))
    with caplog.at_level("INFO", "studio.request"), served(door) as url:
        with connected(url) as client:
            client.say("session.config", **PCM)
            speaking(client, steps)
        assert eventually(lambda: hung_up(caplog))
        steps.go.release()
        assert eventually(lambda: door.engine.streams_closed == 1 and idle(door))
    assert door.engine.chunks_made == 2


def test_a_cut_connection_stops_the_engine(open_door, caplog):
    steps = Steps()
    door = open_door(FakeEngine(before_chunk=steps))
    with caplog.at_level("INFO", "studio.request"), served(door) as url, connected(url) as client:
        client.say("session.config", **PCM)
        speaking(client, steps)
        client.connection.socket.shutdown(socket.SHUT_RDWR)
        assert eventually(lambda: hung_up(caplog))
        steps.go.release()
        assert eventually(lambda: door.engine.streams_closed == 1 and idle(door))
    assert door.engine.chunks_made == 2


def reading_nothing(url: str):
    """A connection whose reader stops after a few messages."""
    address = url.replace("http", "ws") + "/v1/audio/speech/stream"
    return connect(address, max_size=None, max_queue=2, proxy=None, ping_interval=None, close_timeout=0.1)


@pytest.mark.slow
def test_who_reads_nothing_makes_the_engine_rest_and_nobody_wait(open_door):
    door = open_door(FakeEngine(), most_ahead_seconds=1.0)
    with served(door) as url, reading_nothing(url) as connection:
        connection.send(json.dumps({"type": "session.config", "sample_rate": 48_000} | PCM))
        connection.send(json.dumps({"type": "input.text", "text": "x" * 20_000}))  # 1000 s, 96 MB: no socket buffers that
        connection.send(json.dumps({"type": "input.done"}))
        assert eventually(lambda: door.engine.chunks_made > 20)
        assert door.speak("short").status_code == 200
        with connected(url) as client:
            client.say("session.config", **PCM)
            client.say_text("short")
            client.hear_utterance()
        n_made = door.engine.chunks_made
        connection.send(json.dumps({"type": "input.cancel"}))  # is read although nothing is
        assert eventually(lambda: idle(door))
    assert n_made < 6_000


@pytest.mark.parametrize("last", [(), ("session.close",)], ids=["", "closed"])
@pytest.mark.slow
def test_who_reads_nothing_for_long_is_given_up(open_door, monkeypatch, last):
    monkeypatch.setattr(WebSocketConnection, "stall_seconds", 0.05)
    door = open_door(FakeEngine(), most_ahead_seconds=1.0)
    with served(door) as url, reading_nothing(url) as connection:
        connection.send(json.dumps({"type": "session.config", "sample_rate": 48_000} | PCM))
        connection.send(json.dumps({"type": "input.text", "text": "x" * 20_000}))
        for kind in ("input.done", *last):
            connection.send(json.dumps({"type": kind}))
        assert eventually(lambda: door.engine.streams_closed == 1 and idle(door))
    assert door.engine.chunks_made < 6_000


class FullSocket:
    """A client that says what it is told and reads nothing after the first audio, until `reads` is set."""

    def __init__(self, messages: list[dict]):
        self._said = [{"type": "websocket.receive", "text": json.dumps(message)} for message in messages]
        self.reads, self.is_full = asyncio.Event(), asyncio.Event()
        self.kinds: list[str] = []  # of what the server wanted to say
        self.close_code: int | None = None

    async def accept(self) -> None:
        """The upgrade costs nothing here."""

    async def receive(self) -> dict:
        if not self._said:
            self.reads.set()
            return {"type": "websocket.receive", "text": '{"type": "session.close"}'}
        if json.loads(self._said[0]["text"])["type"] == "input.cancel":
            await self.is_full.wait()
        return self._said.pop(0)

    async def send(self, message: dict) -> None:
        self.kinds.append(json.loads(message["text"])["type"] if "text" in message else message["type"])
        if "bytes" in message:
            self.is_full.set()
        if self.is_full.is_set():
            await self.reads.wait()
        self.close_code = message.get("code")


async def conversed(door, client: FullSocket) -> None:
    """A session with it; the client reads again once the server has said an error."""

    async def read_at_the_error() -> None:
        while "error" not in client.kinds:
            await asyncio.sleep(0.001)
        client.reads.set()

    reading = asyncio.ensure_future(read_at_the_error())
    await Session(door.app.state.context, Wire(client), "s").run()
    reading.cancel()


def test_who_cancels_on_and_on_and_reads_nothing_is_refused(open_door, monkeypatch):
    monkeypatch.setattr(websocket_session, "MOST_WAITING_UTTERANCES", 4)
    begin = [{"type": "session.config"} | PCM, {"type": "input.text", "text": LONG}, {"type": "input.done"}]
    client = FullSocket(begin + 6 * [{"type": "input.cancel"}, {"type": "input.text", "text": "x"}])
    asyncio.run(conversed(open_door(FakeEngine()), client))
    assert client.close_code == 1008


@pytest.mark.slow
def test_the_next_sentence_goes_to_the_engine_while_the_last_is_still_being_sent(open_door):
    """And not before the engine is done with the last: a listener does not compete with itself."""
    begun_after = []
    door = open_door(FakeEngine(before_chunk=lambda index: index or begun_after.append(door.engine.chunks_made)), most_ahead_seconds=1000.0)
    n_first = 5_001 * 1_200 // CHUNK_SAMPLES + 1
    with served(door) as url, reading_nothing(url) as connection:
        connection.send(json.dumps({"type": "session.config", "sample_rate": 48_000, "split_granularity": "sentence"} | PCM))
        connection.send(json.dumps({"type": "input.text", "text": "x" * 5_000 + ". Next."}))  # 250 s, 24 MB
        connection.send(json.dumps({"type": "input.done"}))
        assert eventually(lambda: door.engine.chunks_made >= n_first, 60)
        while not eventually(lambda: len(begun_after) == 2, 0.01):
            message = connection.recv(60)
            assert isinstance(message, bytes) or json.loads(message)["type"] == "audio.start"
    assert begun_after == [0, n_first]


def test_text_that_comes_late_goes_on_with_all_that_is_still_heard_until_somebody_interrupts(open_door):
    door = open_door()
    begin, untils = door.studio._opener.begin, []
    door.studio._opener.begin = lambda worker, request, timeline: untils.append(request.delivery.until) or begin(worker, request, timeline)
    with conversing(door, **PCM) as client:
        started = time.perf_counter()
        for text in (LONG, "hi", "hi"):  # 20 s, made and sent at once
            client.say_text(text)
            client.hear_utterance()
        client.say("input.cancel")
        client.say_text("hi")
        client.hear_utterance()
    assert untils[0] is untils[3] is None
    assert started + 20 < untils[1] < untils[2]
