"""What a client may not do to the door, and how the door ends."""

import asyncio
import os
import stat

import pytest
from wyoming.audio import AudioChunk, AudioStart
from wyoming.client import AsyncClient
from wyoming.info import Describe
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart

from studio.server import StudioServer, configured, listen
from studio.settings import Settings, SettingsInvalid
from studio.web.body_limit import SMALL_BYTES, BodyBudget
from studio.wyoming.address import WyomingAddress
from studio.wyoming.door import WyomingDoor
from studio.wyoming.session import WyomingSession
from tests.api.door import Gate, eventually
from tests.stand_ins.fake_engine import FakeEngine
from tests.stand_ins.whisper_stand_in import install
from tests.wyoming.wyoming_visit import Visit, heard, visited

FORM = {"rate": 16_000, "width": 2, "channels": 1}


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"POST / HTTP/1.1\r\n", "event_invalid"),
        (b"[1, 2]\n", "event_invalid"),
        (b'{"type": 7}\n', "event_invalid"),
        (b'{"type": "synthesize", "data": {"text": 7}}\n', "event_invalid"),
        (b'{"type": "synthesize"}\n', "event_invalid"),
        (b'{"type": "synthesize", "data": "one"}\n', "event_invalid"),
        (b'{"type": "synthesize", "data_length": 3}\nabc', "event_invalid"),
        (b'{"type": "describe", "data_length": -1}\n', "event_invalid"),
        (b'{"type": "describe", "data_length": "9"}\n', "event_invalid"),
        (b'{"type": "describe", "data_length": 2000000}\n', "event_too_large"),
        (b'{"type": "audio-chunk", "payload_length": 99999999999}\n', "event_too_large"),
        (b'{"x": "' + bytes(200_000).replace(b"\0", b"x"), "event_too_large"),
        (b"[" * 5000 + b"\n", "event_invalid"),
        (b'{"type": "synthesize-chunk", "data": {"text": "one"}}\n', "event_unexpected"),
        (b'{"type": "synthesize-stop"}\n', "event_unexpected"),
        (b'{"type": "synthesize-start"}\n{"type": "synthesize-start"}\n', "event_unexpected"),
        (b'{"type": "synthesize-start"}\n{"type": "synthesize-chunk", "data": {"text": "\\udc00"}}\n', "event_invalid"),
        (b'{"type": "synthesize", "data": {"text": "\\ud800"}}\n', "schema_invalid"),
    ],
)
def test_what_is_no_event_is_answered_with_an_error(door, sent, code):
    async def visit(visit: Visit) -> None:
        client = await visit.client()
        client._writer.write(sent + b'{"type": "ping"}\n' * 1000)
        (error,) = await heard(client, "")
        assert (error.type, error.data["code"]) == ("error", code) and error.data["text"]

    visited(door, visit)
    assert not door.engine.texts


def test_an_error_arrives_though_more_is_on_its_way(door):
    async def visit(visit: Visit) -> None:
        client = await visit.client()
        client._writer.write(b"nonsense\n" + bytes(8_000_000))
        await client._writer.drain()  # or its connection would have been reset
        (error,) = await heard(client, "")
        assert error.data["code"] == "event_invalid"

    visited(door, visit)


def test_what_is_received_counts_among_the_bodies_of_requests(open_door, monkeypatch, tmp_path):
    hearsay = install(monkeypatch, tmp_path / "whisper")

    async def visit(visit: Visit) -> None:
        visit.bodies.most_bytes = 200_000
        holder = await visit.client()
        await holder.write_event(AudioStart(**FORM).event())
        await holder.write_event(AudioChunk(audio=bytes(180_000), **FORM).event())
        assert await asyncio.to_thread(eventually, lambda: visit.bodies.n_bytes == 180_000 - SMALL_BYTES)
        other = await visit.client()
        await other.write_event(AudioStart(**FORM).event())
        await other.write_event(AudioChunk(audio=bytes(180_000), **FORM).event())
        (error,) = await heard(other, "")
        assert error.data["code"] == "bodies_too_many"

    visited(open_door(transcriber=hearsay.checkpoint), visit)


def test_connections_are_counted_with_those_of_http(open_door):
    async def visit(visit: Visit) -> None:
        first = await visit.client()
        await first.write_event(Describe().event())
        await first.read_event()
        visit.state.connections.add(object())  # of HTTP
        (error,) = await visit.hear(Describe())
        assert error.data["code"] == "connections_full"
        visit.state.connections.clear()

    visited(open_door(most_connections=2), visit)


def test_a_client_that_asks_for_nothing_is_given_up(door, monkeypatch):
    monkeypatch.setattr(WyomingSession, "idle_seconds", 0.01)

    async def visit(visit: Visit) -> None:
        (error,) = await heard(await visit.client(), "")
        assert error.data["code"] == "idle"

    visited(door, visit)


def test_too_many_waiting_listeners_are_sent_away_as_at_every_door(open_door):
    gate = Gate()
    door = open_door(FakeEngine(before_chunk=gate), most_waiting=1)

    async def visit(visit: Visit) -> None:
        clients = [await visit.client() for _ in range(4)]
        for client in clients:
            await client.write_event(Synthesize("one").event())
        refused = [asyncio.ensure_future(heard(client, "audio-stop")) for client in clients]
        done, _ = await asyncio.wait(refused, return_when=asyncio.FIRST_COMPLETED)
        assert {event.data["code"] for task in done for event in task.result()} == {"engine_busy"}
        gate.open()
        await asyncio.wait(refused)

    visited(door, visit)


def test_when_the_server_ends_what_was_said_is_spoken_and_who_says_more_is_told(door):
    async def visit(visit: Visit) -> None:
        idle, streaming = await visit.client(), await visit.client()
        await idle.write_event(Describe().event())
        await idle.read_event()
        for said in (SynthesizeStart(), SynthesizeChunk("One two. Thr")):
            await streaming.write_event(said.event())
        assert (await streaming.read_event()).type == "audio-start"
        assert [connection.is_answering for connection in visit.state.connections].count(True) == 1
        visit.closing.set()
        last = (await heard(streaming, ""))[-1]
        assert (last.type, last.data["code"], last.data["text"]) == ("error", "studio_closing", "The studio is closing.")
        assert await idle.read_event() is None

    visited(door, visit)
    assert door.engine.texts == ["One two."]


def test_a_speech_that_the_end_cuts_off_says_so(open_door):
    gate = Gate()
    door = open_door(FakeEngine(before_chunk=lambda index: index and gate()))

    async def visit(visit: Visit) -> None:
        client = await visit.client()
        await client.write_event(Synthesize("one two three").event())
        await asyncio.to_thread(gate.wait_for_arrival)
        visit.closing.set()
        door.studio.end_speech()
        last = (await heard(client, ""))[-1]
        assert (last.type, last.data["text"]) == ("error", "The studio is closing. Try again when it is back.")
        gate.open()

    visited(door, visit)


def test_the_server_that_has_the_door_ends_it_with_its_own_connections(open_door):
    gate = Gate()
    door = open_door(FakeEngine(before_chunk=lambda index: index and gate()))

    async def live() -> None:
        wyoming = WyomingDoor(door.studio, BodyBudget(), listen("127.0.0.1", 0))
        config = configured(door.app, door.studio.settings, log_level="critical", lifespan="off")
        ready = asyncio.Event()
        server = StudioServer(config, on_ready=ready.set, end_speech=door.studio.end_speech, doors=(wyoming,))
        with listen("127.0.0.1", 0) as listener:
            serving = asyncio.ensure_future(server._serve([listener]))
            await ready.wait()
            async with AsyncClient.from_uri(wyoming.address) as client:
                await client.write_event(Synthesize("one two three").event())
                await asyncio.to_thread(gate.wait_for_arrival)
                server.should_exit = True
                assert await asyncio.to_thread(eventually, lambda: wyoming._listener.fileno() < 0)
                server.force_exit = True  # as the deadline does
                last = (await heard(client, ""))[-1]
                gate.open()
                assert (last.type, last.data["text"]) == ("error", "The studio is closing. Try again when it is back.")
            await serving

    asyncio.run(live())


def test_a_defect_is_told_without_its_words_and_counted(door, monkeypatch, caplog):
    def fail(*arguments, **named):
        raise ZeroDivisionError("/secret/place")

    monkeypatch.setattr(type(door.studio), "say", fail)

    async def visit(visit: Visit) -> None:
        (error,) = await visit.hear(Synthesize("one"))
        assert error.data["code"] == "internal_error" and "secret" not in error.data["text"]

    visited(door, visit)
    assert "door=wyoming code=internal_error" in caplog.text


# --- where it listens


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("tcp://0.0.0.0:10200", WyomingAddress("0.0.0.0", 10200)),
        ("tcp://[::1]:1", WyomingAddress("::1", 1)),
        ("tcp://localhost:0", WyomingAddress("localhost", 0)),
    ],
)
def test_an_address_is_read(written, address):
    assert WyomingAddress.of(written, Settings()) == address


@pytest.mark.parametrize("written", ["10200", "http://0.0.0.0:10200", "tcp://0.0.0.0", "tcp://:1", "tcp://a:99999", "unix://", "stdio://"])
def test_what_is_no_address_is_refused_in_one_sentence(written):
    with pytest.raises(SettingsInvalid, match=r"^--wyoming takes tcp://"):
        WyomingAddress.of(written, Settings())


def test_a_studio_with_keys_listens_to_this_machine_alone_and_a_space_not_at_all():
    keys = Settings(api_keys="secret")
    for local in ("tcp://127.0.0.1:1", "tcp://[::1]:1", "tcp://localhost:1", "unix:///tmp/x"):
        assert WyomingAddress.of(local, keys).is_local
    for everywhere in ("tcp://0.0.0.0:1", "tcp://studio.local:1", "tcp://[::]:1"):
        with pytest.raises(SettingsInvalid, match="STUDIO_API_KEYS"):
            WyomingAddress.of(everywhere, keys)
    with pytest.raises(SettingsInvalid, match="Space"):
        WyomingAddress.of("tcp://127.0.0.1:1", Settings(space_id="a/b"))


def test_a_unix_socket_is_its_owners_replaces_what_was_left_behind_and_goes_with_the_door(door, tmp_path):
    path = tmp_path / "w.sock"
    address = WyomingAddress(path=path)
    address.listen_unix().close()  # left behind

    async def visit(visit: Visit) -> None:
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        assert (await visit.hear(Synthesize("one")))[-1].type == "audio-stop"
        with pytest.raises(OSError, match="Choose another path"):
            address.listen_unix()
        assert isinstance(await visit.client(), AsyncClient)

    visited(door, visit, listener=address.listen_unix(), path=path)
    assert not path.exists()
    path.write_text("a file of somebody")
    with pytest.raises(OSError, match="Cannot listen"):
        address.listen_unix()
    assert path.read_text()
