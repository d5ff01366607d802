"""Playing a script over a socket: it begins before it is made, and who hangs up has it stopped; what was whole is kept."""

import socket
from urllib.parse import urlsplit

import pytest

from tests.api.door import Gate, eventually, served
from tests.api.scripts.test_scripts_api import edit, lines_of, made
from tests.stand_ins.fake_engine import CHUNK_SAMPLES, SAMPLE_RATE, FakeEngine

FIRST, SECOND = "One.", "Two is a line of many more words."


class Held(FakeEngine):
    """Says what is short at once, and of the rest the first chunk before the gate is opened."""

    def __init__(self, gate: Gate):
        chunk_seconds = CHUNK_SAMPLES / SAMPLE_RATE
        super().__init__(before_chunk=lambda index: gate() if index else None, seconds_per_character=chunk_seconds / len(FIRST))


@pytest.mark.parametrize("events", ["", "?events=1"])
def test_who_hangs_up_has_it_stopped_and_what_was_whole_is_kept(open_door, caplog, events):
    caplog.set_level("INFO", "studio.request")
    gate = Gate()
    door = open_door(Held(gate))
    one = made(door, f"{FIRST}\n")
    line = lines_of(door, one)[-1]
    edit(door, one, {"op": "insert", "after": line["id"], "lines": [{"text": SECOND}]})
    with served(door) as url:
        parts = urlsplit(url)
        connection = socket.create_connection((parts.hostname, parts.port))
        connection.sendall(f"GET {one}/play{events} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        gate.wait_for_arrival()  # the second line is begun
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200")
        connection.close()
        assert eventually(lambda: any("/play" in record.getMessage() for record in caplog.records))  # the server has noticed
        gate.open()
        assert eventually(lambda: door.engine.streams_closed == 2 and lines_of(door, one)[-2]["takes"])
        first, second = lines_of(door, one)[-2:]
        assert (first["text"], first["state"], len(first["takes"])) == (FIRST, "said", 1)
        assert (second["text"], second["state"], second["takes"]) == (SECOND, "new", [])


def test_what_the_first_line_is_refused_for_has_its_status(door):
    one = made(door)
    edit(door, one, {"op": "cast", "cast": [{"name": "", "voice": "nobody"}]})
    refused = door.get(f"{one}/play")
    assert (refused.status_code, refused.json()["error"]["reason_code"]) == (400, "speaker_unknown")
