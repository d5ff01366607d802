"""Whole answers are bounded in seconds of audio, refused with fact, limit and next step. Nothing is cut, and streams have no bound."""

import asyncio
import base64
import json
import re
import tracemalloc

import pytest

from studio.audio import file_encoder
from tests.api.door import Gate, error_of
from tests.api.socket.socket_client import PCM, conversing
from tests.stand_ins.fake_engine import CHUNK_SAMPLES, SAMPLE_RATE, FakeEngine

BATCH = "/v1/audio/speech/batch"
LONG = "x" * 60  # 3 s of the fake engine, about 4 s by the estimate
FORMATS = ("pcm", "wav", "flac", "mp3", "opus", "aac")


def check_refusal(error: dict, code: str = "reason_code") -> None:
    assert error[code] == "answer_too_long"
    assert re.search(r"longer than 2(\.1)? s", error.get("message", error.get("error")))
    assert "Stream it" in error["hint"]


@pytest.mark.parametrize("response_format", FORMATS)
def test_an_answer_that_passes_the_limit_is_refused_and_its_engine_stopped(open_door, response_format):
    engine = FakeEngine(seconds_per_character=1.0)
    door = open_door(engine, most_audio_seconds=2.0)
    response = door.speak("x" * 40, response_format=response_format)  # the estimate says 3 s, good to a third
    assert response.status_code == 400
    check_refusal(error_of(response))
    assert error_of(response)["param"] == "input" and error_of(response)["values"] == {"seconds": 2.0}
    assert engine.chunks_made * CHUNK_SAMPLES / SAMPLE_RATE < 40
    assert door.speak("h", response_format=response_format).status_code == 200


def test_a_text_that_cannot_be_said_in_the_limit_is_refused_before_its_first_chunk_is_awaited(open_door):
    gate = Gate()
    door = open_door(FakeEngine(before_chunk=gate), most_audio_seconds=2.0)
    try:
        assert door.speak(LONG).status_code == 400
        assert door.speak("x" * 20, speed=0.25).status_code == 400
    finally:
        gate.open()


def test_markup_that_is_not_spoken_is_not_counted(open_door):
    assert open_door(most_audio_seconds=2.0).speak("<speak>" + "<mark/>" * 40 + "hello</speak>").status_code == 200


def test_streams_have_no_bound(open_door):
    door = open_door(most_audio_seconds=2.0)
    assert len(door.speak(LONG, response_format="pcm", stream_format="audio").content) == 3 * 2 * SAMPLE_RATE
    assert door.speak(LONG, stream=True).text.count("speech.audio.done") == 2
    with conversing(door, **PCM) as client:
        client.say_text(LONG)
        assert sum(len(part) for part in client.hear_utterance() if isinstance(part, bytes)) == 3 * 2 * SAMPLE_RATE


def test_a_whole_file_of_a_session_is_bounded_too_and_the_session_goes_on(open_door):
    with conversing(open_door(most_audio_seconds=2.0), response_format="flac") as client:
        client.say_text(LONG)
        [error] = [part for part in client.hear_utterance() if isinstance(part, dict) and part["type"] == "error"]
        check_refusal(error)
        client.say_text("hello")
        assert any(isinstance(part, bytes) for part in client.hear_utterance())


def test_the_items_of_a_batch_have_the_limit_together(open_door):
    door = open_door(most_audio_seconds=2.1)
    items = [{"input": "x" * 10} for _ in range(5)]  # 0.5 s each
    results = door.post(BATCH, json={"items": items, "response_format": "pcm"}).json()["results"]
    spoken = [result for result in results if result["status"] == "success"]
    assert len(spoken) == 4
    for result in results:
        if result in spoken:
            assert len(base64.b64decode(result["audio_data"])) == SAMPLE_RATE
        else:
            check_refusal(result)


def test_an_answer_that_lies_on_disk_is_the_same_at_every_door(open_door, monkeypatch):
    door = open_door()
    kept = {name: door.speak(LONG, response_format=name).content for name in ("wav", "mp3")}
    monkeypatch.setattr(file_encoder, "MOST_MEMORY_BYTES", 1_000)
    for name, data in kept.items():
        answer = door.speak(LONG, response_format=name)
        assert answer.content == data and int(answer.headers["content-length"]) == len(data)
        batch = door.post(BATCH, json={"items": [{"input": LONG}, {"input": LONG}], "response_format": name})
        assert int(batch.headers["content-length"]) == len(batch.content)
        assert [base64.b64decode(result["audio_data"]) for result in batch.json()["results"]] == [data, data]
    with conversing(door, response_format="wav") as client:
        client.say_text(LONG)
        assert [part for part in client.hear_utterance() if isinstance(part, bytes)] == [kept["wav"]]


@pytest.mark.slow
def test_while_an_answer_is_made_its_samples_are_not_kept(open_door):
    """200 s of sound: 19 MB of samples, and half of that in the file."""
    door = open_door(FakeEngine(seconds_per_character=20.0))
    door.speak("x")
    tracemalloc.start()
    try:
        asyncio.run(_unread(door, {"input": "x" * 10}))
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 8e6


async def _unread(door, body: dict) -> None:
    """A request whose answer is thrown away as it comes."""
    content = json.dumps(body).encode()
    path = "/v1/audio/speech"
    scope = {"type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": ""}
    scope |= {"headers": [(b"content-type", b"application/json")], "scheme": "http", "server": ("door", 80), "client": ("door", 1)}
    asked = iter([{"type": "http.request", "body": content, "more_body": False}])

    async def receive() -> dict:
        return next(asked, None) or await asyncio.Event().wait()

    async def send(message: dict) -> None:
        assert message.get("status", 200) == 200

    await door.app(scope, receive, send)


@pytest.mark.parametrize("sentence", ["The harbor lay quiet under a grey sky, and gulls cried above the water. ", "This is a test. "])
def test_a_text_that_a_slow_speed_makes_too_long_is_refused_before_its_first_chunk_is_awaited(open_door, sentence):
    """20,000 letters are 20 minutes at speed 1, within the half hour of the settings; at 0.5 no voice says them in it."""
    gate = Gate()
    door = open_door(FakeEngine(before_chunk=gate))
    text = (sentence * 1250)[:20_000]
    try:
        assert error_of(door.speak(text, speed=0.5))["reason_code"] == "answer_too_long"
        silence = '<break time="60s"/> a ' * 25  # which no speed shortens
        assert error_of(door.speak(silence + text[:8_000]))["reason_code"] == "answer_too_long"
    finally:
        gate.open()
