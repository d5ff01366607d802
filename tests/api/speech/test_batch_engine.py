"""A batch and its engine: one extraction for one voice, a bounded share of the queue, failures told apart, hang-ups."""

import json
import socket
import threading
from urllib.parse import urlsplit

import pytest

from studio.api.routes.batch import MOST_AT_ONCE, BatchAnswer
from studio.audio.file_encoder import FileEncoder
from studio.reference.remote_audio import RemoteAudio
from studio.speech import awaited_speech
from tests.api.door import Gate, data_url, eventually, served, wav
from tests.api.speech.batches import LONG, PATH, Asking, audio_of, in_flight, results_of
from tests.stand_ins import patient_http
from tests.stand_ins.fake_engine import FakeEngine


@pytest.mark.slow
def test_many_items_of_one_voice_are_one_extraction(door):
    door.upload("alice")
    results = results_of(door, *[f"line {n}" for n in range(32)], voice="alice")
    assert [result["status"] for result in results] == ["success"] * 32
    assert door.engine.extractions == 1
    assert [result["cache"] for result in results].count("miss") == 1
    url = data_url(wav(2.0))
    assert all(result["status"] == "success" for result in results_of(door, *["hi"] * 16, ref_audio=url))
    assert door.engine.extractions == 2


def test_items_of_a_batch_do_not_crowd_out_others(open_door):
    gate, seen = Gate(), []
    door = open_door(FakeEngine(before_chunk=lambda index: (gate(), seen.append(in_flight(door)))))
    asking = Asking(door, 24)
    assert eventually(lambda: in_flight(door) == MOST_AT_ONCE)
    gate.open()
    assert [result["status"] for result in asking.results()] == ["success"] * 24
    assert max(seen) == MOST_AT_ONCE


def test_a_full_queue_is_waited_for(open_door, monkeypatch):
    monkeypatch.setattr(BatchAnswer, "pauses_seconds", (0.001,) * 5_000)
    gate = Gate()
    door = open_door(FakeEngine(before_chunk=gate), most_waiting=1)
    asking = Asking(door, 6)
    gate.wait_for_arrival()  # one is spoken, so one may wait and four find the queue full
    assert eventually(lambda: in_flight(door) == 2)
    gate.open()
    assert [result["status"] for result in asking.results()] == ["success"] * 6


def test_a_queue_that_stays_full_is_the_items_error(open_door, monkeypatch, caplog):
    monkeypatch.setattr(BatchAnswer, "pauses_seconds", ())
    gate = Gate()
    door = open_door(FakeEngine(before_chunk=gate), most_waiting=1)
    door.studio.load()
    with caplog.at_level("INFO", "studio.request"):
        asking = Asking(door, 6)
        gate.wait_for_arrival()
        assert eventually(lambda: sum("failure=engine_busy" in record.getMessage() for record in caplog.records) >= 4)
        gate.open()
    results = asking.results()
    failed = [result for result in results if result["status"] == "error"]
    assert {result["reason_code"] for result in failed} == {"engine_busy"}
    assert 1 <= 6 - len(failed) <= 2


def test_an_engine_that_fails_in_one_item_goes_on_with_the_others(open_door):
    engine = FakeEngine(fail_at_chunk=3)  # after 0.32 s
    door = open_door(engine)
    results = results_of(door, "hi", "x" * 40, "ho")
    assert [result["status"] for result in results] == ["success", "error", "success"]
    assert results[1]["error"] == "Speech generation failed: The fake engine was told to fail."


def test_a_defect_in_one_item_is_logged_and_spares_the_others(door, monkeypatch, caplog):
    class Defective(FileEncoder):
        def push(self, samples):
            raise RuntimeError("a defect at /home/somebody/x.py")

    def encoder(format, sample_rate):
        return (Defective if format == "flac" else FileEncoder)(format, sample_rate)

    monkeypatch.setattr(awaited_speech, "FileEncoder", encoder)
    results = results_of(door, "hi", {"input": "hi", "response_format": "flac"})
    assert [result["status"] for result in results] == ["success", "error"]
    assert results[1] == {"index": 1, "status": "error", "error": "Internal server error.", "reason_code": "internal_error"}
    assert any(record.exc_info for record in caplog.records)


def test_a_batch_being_encoded_does_not_hold_up_the_event_loop(door, monkeypatch):
    gate = Gate()
    monkeypatch.setattr(awaited_speech, "FileEncoder", lambda *arguments: (gate(), FileEncoder(*arguments))[1])
    with served(door) as url, patient_http.Client(base_url=url, timeout=30) as client:  # less than the gate's patience
        thread = threading.Thread(target=lambda: patient_http.post(url + PATH, json={"items": [{"input": "hi"}]}, timeout=60))
        thread.start()
        gate.wait_for_arrival()
        assert client.post("/v1/audio/speech", json={"input": "hi", "stream_format": "audio"}).status_code == 200  # without encoding
        gate.open()
        thread.join()


def test_a_hang_up_frees_the_engine_within_one_chunk(open_door, caplog):
    held = Gate()
    door = open_door(FakeEngine(before_chunk=held))
    body = json.dumps({"items": [{"input": "x" * 400}] * 12}).encode()
    head = f"POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    with caplog.at_level("INFO", "studio.request"), served(door) as url:
        connection = socket.create_connection((urlsplit(url).hostname, urlsplit(url).port))
        connection.sendall(head.encode() + body)
        assert eventually(lambda: in_flight(door) == MOST_AT_ONCE)
        connection.close()
        assert eventually(lambda: sum("status=499 delivery=batch" in record.getMessage() for record in caplog.records) == 12)
        held.open()
        assert eventually(lambda: in_flight(door) == 0)
    assert door.engine.chunks_made == 1
    assert door.engine.streams_closed == 1


class Recordings(RemoteAudio):
    """A web of one tone that counts its visitors."""

    def __init__(self, data: bytes):
        super().__init__()
        self.data = data
        self.fetched: list[str] = []

    def fetch(self, url: str) -> bytes:
        self.fetched.append(url)
        return self.data


def test_a_recording_for_all_items_is_fetched_once(open_door):
    web = Recordings(wav(1.5))
    door = open_door(FakeEngine(), allow_remote_audio=True, remote_audio=web)
    items = [*[LONG] * 12, {"input": LONG, "ref_audio": "https://b.example/b.wav"}]
    results = results_of(door, *items, ref_audio=" https://a.example/a.wav ")
    assert sorted(web.fetched) == ["https://a.example/a.wav", "https://b.example/b.wav"]
    assert len({audio_of(result) for result in results}) == 1
    web.data = b"no audio"
    assert all("Invalid or corrupted audio data." in result["error"] for result in results_of(door, LONG, ref_audio="https://a.example/a"))
