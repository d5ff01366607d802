"""Silences that a text asks for, at the doors of the API: in the sound, and in what is told of it."""

import json

import pytest

from studio.speech.in_turn import ONSET_SECONDS
from tests.api.socket.socket_client import PCM, conversing
from tests.api.socket.test_websocket import of_kind
from tests.stand_ins.fake_engine import SAMPLE_RATE


def test_every_door_counts_them(door):
    whole = door.speak("One. [pause 2s] Two.", response_format="pcm")
    words = door.speak("One.", response_format="pcm"), door.speak("Two.", response_format="pcm")
    seconds = [len(answer.content) / 2 / SAMPLE_RATE for answer in (whole, *words)]
    assert seconds[0] == pytest.approx(sum(seconds[1:]) + 2.0, abs=ONSET_SECONDS)
    assert int(whole.headers["x-audio-duration-ms"]) == pytest.approx(1000 * seconds[0], abs=1)
    with conversing(door, **PCM, split_granularity="sentence") as client:
        client.say_text("Well [pau", "se 2s] yes. And", " so.\n\n- item")
        heard = client.hear_utterance()
    assert [start["sentence_text"] for start in of_kind(heard, "audio.start")] == ["Well yes.", "And so.", "item"]
    spoken_bytes = [done["total_bytes"] for done in of_kind(heard, "audio.done")]
    assert spoken_bytes[0] / 2 / SAMPLE_RATE > 2.0


def test_what_a_text_is_read_as_is_answered_before_and_told_with_the_speech(door):
    text = "# Menu\n\n- **Soup**: $5.50 🍲\n- Tea [pause 2s] cake [laugh]"
    answer = door.post("/v1/studio/reading", json={"input": text}).json()
    assert answer["text"].splitlines() == ["Menu", "Soup: five dollars and fifty cents", "Tea", "cake"]
    assert [part["seconds"] for part in answer["parts"] if part["type"] == "pause"] == [0.8, 0.35, 2.0]
    assert all(text[one["start"] : one["end"]] == one["written"] for one in answer["changed"]) and answer["changed"][0]["written"] == "$5.50"
    told = [one["mark"] for one in answer["left_out"] if one["kind"] not in ("layout", "invisible")]
    assert told == json.loads(door.speak(text).headers["x-speech-left-out"]) == ["🍲", "[laugh]"]
    assert door.engine.texts == answer["text"].splitlines()


def test_in_strict_mode_the_engine_is_given_what_was_written(open_door):
    door = open_door(strict_compat=True)
    text = "**Hi** [laugh] $5\n\n- item [pause 2s]"
    door.speak(text)
    assert door.engine.texts == [text]
