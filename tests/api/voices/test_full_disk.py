"""A disk that is full or read-only: every route that writes says so, with 507; what needs no disk goes on."""

import asyncio
import errno
import http.client
import json
import logging
import tempfile
from itertools import count

import httpx
import pytest
from fastapi.testclient import TestClient

from engines.durable import LOCK_NAME
from studio.audio import file_encoder
from studio.errors import DiskFull
from studio.speakers.speaker import speaker_key
from tests.api.door import Door, error_of, events_of, served, wav
from tests.stand_ins.fake_engine import INFO
from tests.stand_ins.full_disk import refusing_disk

VOICE = "/v1/audio/voices/alice"
SPEECH = "/v1/audio/speech"
NUMBERS = json.dumps([0.5] * INFO.embedding_size)
# Every route that writes, and what it is asked.
WRITES = {
    "a recording": lambda door: door.upload("bob"),
    "a recording in the place of another": lambda door: door.upload("alice", wav(2.0, hz=330.0)),
    "an embedding": lambda door: door.post(
        "/v1/audio/voices", files={"speaker_embedding": (None, NUMBERS)}, data={"name": "eve", "consent": "c1"}
    ),
    "a prompt that is learned now": lambda door: door.post(f"{VOICE}/cache"),
    "a prompt that is learned again": lambda door: door.post(f"{VOICE}/cache?force=true"),
}
# What needs no room. Each is answered with 200.
GOES_ON = {
    "whole": lambda door: door.speak(voice="alice"),
    "raw": lambda door: door.speak(voice="alice", response_format="pcm", stream_format="audio"),
    "events": lambda door: door.speak(voice="alice", response_format="pcm", stream_format="sse"),
    "inline": lambda door: door.speak(voice="tone"),
    "kept": lambda door: door.post(SPEECH, json={"input": "kept", "voice": "alice"}, headers={"X-Studio-Keep": "1"}),
    "batch": lambda door: door.post(f"{SPEECH}/batch", json={"voice": "alice", "items": [{"input": "one"}, {"input": "two"}]}),
    "list": lambda door: door.get("/v1/audio/voices"),
    "recording": lambda door: door.get(f"{VOICE}/audio"),
    "evict": lambda door: door.delete(f"{VOICE}/cache"),
    "delete": lambda door: door.delete(VOICE),
}


@pytest.fixture
def door(open_door) -> Door:
    made = open_door()
    assert made.upload("alice").status_code == 200
    return made


@pytest.mark.parametrize(("number", "code"), [(errno.ENOSPC, "disk_full"), (errno.EDQUOT, "disk_full"), (errno.EROFS, "disk_read_only")])
def test_every_route_that_writes_says_that_the_disk_takes_nothing(door, number, code):
    for what, ask in WRITES.items():
        with refusing_disk(number):
            answer = ask(door)
        assert answer.status_code == 507, (what, answer.text)
        error = error_of(answer)
        assert error["reason_code"] == code and error["values"] == {"setting": "SPEAKER_SAMPLES_DIR"}, what
        assert error["type"] == "InsufficientStorageError" and "SPEAKER_SAMPLES_DIR" in error["hint"]
        assert "secret" not in answer.text
    assert [voice["name"] for voice in door.get("/v1/audio/voices").json()["uploaded_voices"]] == ["alice"]
    assert door.upload("bob").status_code == 200


def test_what_needs_no_room_goes_on(door):
    with refusing_disk():
        for what, ask in GOES_ON.items():
            answer = ask(door)
            assert answer.status_code == 200, (what, answer.text)
            assert what != "events" or events_of(answer.text)[-1][0] == "speech.audio.done"
            assert what != "batch" or answer.json()["succeeded"] == 2
        assert door.get(VOICE).status_code == 404
        assert not door.engine.prepared - {door.engine.preset("tone").content_digest}


@pytest.mark.slow
def test_a_session_speaks_on(door):
    with refusing_disk(), TestClient(door.app).websocket_connect(f"{SPEECH}/stream") as socket:
        for message in ({"type": "session.config", "voice": "alice"}, {"type": "input.text", "text": "one"}, {"type": "input.done"}):
            socket.send_text(json.dumps(message))
        told = [socket.receive() for _ in range(4)]
    done = json.loads(told[2]["text"])
    assert done["type"] == "audio.done" and not done["error"]


def test_a_folder_whose_lock_cannot_be_made_is_read_and_deleted_from(door):
    (door.folder / LOCK_NAME).unlink()
    with refusing_disk():
        assert door.get("/v1/audio/voices").status_code == 200
        assert door.delete(VOICE).status_code == 200
    assert not list(door.folder.glob("*.safetensors"))


def test_what_is_not_written_is_logged_once(door, caplog):
    caplog.set_level(logging.WARNING, "studio.prompts")
    door.upload("bob", wav(2.0, hz=500.0))
    with refusing_disk():
        door.speak(voice="alice")
        door.speak(voice="bob")
        door.studio.prompts.flush()
    assert len([line for line in caplog.messages if "was not written" in line]) == 1
    assert all("secret" not in line for line in caplog.messages)


def test_speech_that_cannot_be_kept_is_told_and_nothing_of_it_stays(door):
    kept = GOES_ON["kept"]
    with refusing_disk():
        assert "x-speech-warning" not in kept(door).headers
        door.studio.history.settle()
        assert isinstance(door.studio.history.refusal, DiskFull)
        assert "disk is full" in kept(door).headers["x-speech-warning"]
        door.studio.history.settle()
    assert door.studio.history.entries() == ()
    kept(door)
    door.studio.history.settle()
    assert door.studio.history.refusal is None and len(door.studio.history.entries()) == 1
    assert "x-speech-warning" not in kept(door).headers


def test_an_upload_that_finds_no_room_on_its_way_in_names_the_folder(door, monkeypatch):
    def refuse(file):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile.SpooledTemporaryFile, "rollover", refuse)
    answer = door.upload("bob", wav(25.0))
    assert answer.status_code == 507 and error_of(answer)["values"] == {"setting": "TMPDIR"}


def test_a_connection_outlives_a_full_disk_and_a_defect(door, monkeypatch, caplog):
    monkeypatch.setattr(door.studio, "stats", lambda: 1 / 0)
    with served(door) as url:
        connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
        connection.connect()
        socket = connection.sock
        for path, status in (("/v1/audio/cache/stats", 500), ("/v1/audio/voices", 200), (f"{VOICE}/cache", 507), ("/health", 200)):
            with refusing_disk():
                connection.request("POST" if path.endswith("alice/cache") else "GET", path)
                answer = connection.getresponse()
                answer.read()
            assert (answer.status, connection.sock) == (status, socket), path
            assert answer.getheader("x-request-id")
        connection.close()
    assert "ZeroDivisionError" in caplog.text


def test_an_answer_that_breaks_off_still_cuts_its_connection(door):
    async def broken(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise ValueError("in the middle")

    door.app.mount("/broken", broken)

    async def ask():
        async with httpx.AsyncClient(transport=httpx.ASGITransport(door.app), base_url="http://door") as client:
            await client.get("/broken/")

    with pytest.raises(ValueError, match="in the middle"):
        asyncio.run(ask())


def test_deleted_means_deleted_on_a_full_disk(door):
    door.speak(voice="alice")
    with refusing_disk():
        door.delete(VOICE)
    assert speaker_key("alice") not in {speaker_key(speaker.name) for speaker in door.studio.speakers()}
    assert door.speak(voice="alice").status_code == 400


@pytest.mark.slow
@pytest.mark.parametrize("format", ["wav", "flac", "pcm", "mp3"])
def test_an_answer_that_finds_no_room_for_its_file_stays_in_memory(door, monkeypatch, format):
    text, spoken = "a" * 1_000, {"voice": "alice", "response_format": format}
    monkeypatch.setattr(file_encoder, "MOST_MEMORY_BYTES", 10_000)
    asked = door.speak(text, **spoken)
    with refusing_disk():
        answer = door.speak(text, **spoken)
    assert answer.status_code == 200 and answer.content == asked.content


@pytest.mark.parametrize("format", ["wav", "flac", "mp3"])
def test_a_disk_that_gets_full_under_an_answers_file_is_told(door, monkeypatch, format):
    monkeypatch.setattr(file_encoder, "MOST_MEMORY_BYTES", 10_000)
    write, calls = file_encoder.SpooledTemporaryFile.write, count()

    def get_full(spool, data: bytes) -> int:
        if next(calls) > 1:
            raise OSError(errno.ENOSPC, "No space left on device", "/srv/secret")
        return write(spool, data)

    monkeypatch.setattr(file_encoder.SpooledTemporaryFile, "write", get_full)
    answer = door.speak("a" * 1_000, voice="alice", response_format=format)
    assert answer.status_code == 507 and error_of(answer)["values"] == {"setting": "TMPDIR"} and "secret" not in answer.text
