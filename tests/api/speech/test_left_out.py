"""Markup that an engine does not obey: never spoken, and told, at every door that takes a text."""

import json
from dataclasses import replace

import pytest

from tests.api.door import error_of, events_of
from tests.api.socket.socket_client import PCM, conversing
from tests.api.socket.test_websocket import of_kind
from tests.api.speech.batches import results_of
from tests.stand_ins.fake_engine import INFO, FakeEngine

TEXT = 'Hello [laugh] <mark name="1"/>there 😀.'
MARKS = ["[laugh]", '<mark name="1"/>', "😀"]
SAID = f"Left out, since Fake does not understand it: {', '.join(MARKS)}."


def test_a_whole_answer_and_a_raw_stream_name_it_in_a_header(door, gradio_agrees):
    whole = door.speak(TEXT).headers
    raw = door.speak(TEXT, response_format="pcm", stream_format="audio").headers
    assert door.engine.texts == ["Hello there."] * 2
    assert json.loads(whole["x-speech-left-out"]) == json.loads(raw["x-speech-left-out"]) == MARKS
    assert whole["x-speech-warning"] == SAID.replace("😀", "\\U0001f600")
    assert "x-speech-left-out" not in door.speak("Hello there.").headers


def test_events_and_batches_name_it_beside_the_end(door):
    last = events_of(door.speak(TEXT, stream=True, response_format="pcm").text)[-1][1]
    batch = results_of(door, TEXT, "Hi.")
    for told in (last, batch[0]):
        assert (told["left_out"], told["warning"]) == (MARKS, SAID)
    assert "left_out" not in batch[1]
    assert sorted(door.engine.texts) == ["Hello there.", "Hello there.", "Hi."]  # the items of a batch in any order


def test_an_engine_is_given_what_it_declares_to_obey(open_door):
    door = open_door(FakeEngine(replace(INFO, markup=(r"\[laugh\]",))))
    assert json.loads(door.speak(TEXT).headers["x-speech-left-out"]) == MARKS[1:]
    assert door.engine.texts == ["Hello [laugh] there."]


@pytest.mark.parametrize("fields", [{}, {"stream": True, "response_format": "pcm"}])
def test_a_text_of_nothing_else_is_refused_as_one_with_nothing_to_say(door, fields):
    refused = door.speak("[laugh] 😀", **fields)
    assert refused.status_code == 400
    assert error_of(refused)["message"] == "There is nothing to say: the text holds nothing but what Fake leaves out: [laugh], 😀."
    assert door.engine.texts == []


def test_the_socket_speaks_no_tag_that_is_cut_between_two_messages(door):
    with conversing(door, **PCM, split_granularity="sentence") as client:
        client.say_text("Hello [la", "ugh] the", "re. Now <ma", 'rk name="1.5', 's"/> go! And', " 👨\u200d", "👩 so. Bye.", "[sigh]")
        heard = client.hear_utterance()
    assert [start["sentence_text"] for start in of_kind(heard, "audio.start")] == ["Hello there.", "Now go!", "And so.", "Bye."]
    told = [mark for message in heard if isinstance(message, dict) for mark in message.get("left_out", [])]
    assert told == ["[laugh]", '<mark name="1.5s"/>', "👨\u200d👩", "[sigh]"]
    assert door.engine.texts == ["Hello there.", "Now go!", "And so.", "Bye."]


def test_the_socket_refuses_an_utterance_of_nothing_else_and_tells_what_came_behind_the_last_sentence(door):
    with conversing(door, **PCM, split_granularity="sentence") as client:
        client.say_text("[laugh]", "😀")
        refused = of_kind(client.hear_utterance(), "error")
        assert "nothing but what Fake leaves out: [laugh], 😀" in refused[0]["message"]
        client.say_text("Hi.\n\n", "[laugh]")
        assert client.hear_utterance()[-1]["left_out"] == ["[laugh]"]
    assert door.engine.texts == ["Hi."]
