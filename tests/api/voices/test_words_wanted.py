"""Claims about an engine that cannot do without the words of a recording: what each entrance says where nobody has told them."""

import json
from dataclasses import replace

import pytest

from studio.ui.cache.cache_tab import act_on_prompt
from studio.ui.clips.extracting import extract_voice
from tests.api.door import data_url, error_of, wav
from tests.api.socket.socket_client import conversing
from tests.stand_ins.fake_engine import INFO, FakeEngine

STRICT = replace(INFO, transcript="required", presets=(), default_preset=None)
WANTED = "Voice cloning requires 'ref_text' (transcript of the reference audio)"


@pytest.fixture
def door(open_door):
    door = open_door(FakeEngine(STRICT))
    assert door.upload("alice").status_code == 200  # other engines may do without
    return door


def test_a_request_is_told_which_field_brings_the_words_and_what_keeps_them(door):
    stored, inline = error_of(door.speak(voice="alice")), error_of(door.speak(ref_audio=data_url(wav(1.5))))
    for error in (stored, inline):
        assert (error["message"], error["param"], error["reason_code"]) == (WANTED, "ref_text", "transcript_required")
    send = "Send what is said in the recording as 'ref_text', word for word"
    assert stored["hint"] == f"{send}, or upload it again as 'alice' with 'ref_text', which keeps it."
    assert inline["hint"] == f"{send}."
    assert door.engine.extractions == 0
    assert door.speak(voice="alice", ref_text="hello there").status_code == 200
    assert door.speak(ref_audio=data_url(wav(1.5)), ref_text="hello there").status_code == 200
    assert error_of(door.speak(voice="alice"))["reason_code"] == "transcript_required"  # what was learned with them brings none along
    assert door.upload("alice", ref_text="hello there").status_code == 200
    assert door.speak(voice="alice").status_code == 200


def test_an_embedding_has_no_words_and_needs_none(door):
    assert door.speak(speaker_embedding=[0.1] * STRICT.embedding_size).status_code == 200


def test_items_of_a_batch_and_a_socket_are_told_the_same(door):
    items = [{"input": "one"}, {"input": "two", "ref_text": "hello there"}]
    missing, spoken = door.post("/v1/audio/speech/batch", json={"voice": "alice", "items": items}).json()["results"]
    assert WANTED in json.dumps(missing) and spoken["status"] == "success"
    with conversing(door, voice="alice") as client:
        client.say_text("hello")
        error = next(message for message in client.hear_utterance() if isinstance(message, dict) and message["type"] == "error")
    assert WANTED in json.dumps(error)


def test_to_learn_ahead_is_refused_before_weights_are_opened(door):
    def never(name: str) -> None:
        raise AssertionError("opened")

    door.before_opening = never
    error = error_of(door.post("/v1/audio/voices/alice/cache"))
    assert (error["message"], error["reason_code"]) == (WANTED, "transcript_required")
    assert error["hint"] == "Upload its recording again as 'alice', with 'ref_text': what is said in it, word for word."


def test_the_page_says_where_the_words_are_typed(door):
    problem = extract_voice(door.studio, {"voice": "alice", "engine": "fake"})["problem"]
    assert (problem["code"], problem["values"]["sentence"]) == ("transcript_required", "transcript_of_voice")
    told = act_on_prompt(door.studio, {"voice": "alice", "engine": "fake", "verb": "extract"})
    assert told["fact"].startswith(
        "Fake needs the exact words of the recording of “alice”, and they are not known. Open its menu in Voices"
    )
