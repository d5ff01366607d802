"""How a text is read, at every door that takes one: what is left out is never spoken, and told; silences are in the sound."""

import json
from dataclasses import replace

import pytest

from engines.contract.language_limit import LanguageLimit
from studio.speech.in_turn import ONSET_SECONDS
from tests.api.door import error_of, events_of
from tests.api.socket.socket_client import PCM, conversing
from tests.api.socket.test_websocket import of_kind
from tests.api.speech.batches import results_of
from tests.stand_ins.fake_engine import INFO, SAMPLE_RATE, FakeEngine

TEXT = 'Hello [laugh] <mark name="1"/>there 😀.'
MARKS = ["[laugh]", '<mark name="1"/>', "😀"]
SAID = f"Left out, not said: {', '.join(MARKS)}."


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
    assert error_of(refused)["message"] == "There is nothing to say: Fake leaves out [laugh], 😀."
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
        assert "nothing to say: Fake leaves out [laugh], 😀" in refused[0]["message"]
        client.say_text("Hi.\n\n", "[laugh]")
        assert client.hear_utterance()[-1]["left_out"] == ["[laugh]"]
    assert door.engine.texts == ["Hi."]


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
    assert all(text[one["start"] : one["end"]] == one["written"] for one in answer["changed"])
    assert answer["changed"][0]["written"] == "$5.50"
    told = [one["mark"] for one in answer["left_out"] if one["kind"] not in ("layout", "invisible")]
    assert told == json.loads(door.speak(text).headers["x-speech-left-out"]) == ["🍲", "[laugh]"]
    assert door.engine.texts == answer["text"].splitlines()


def test_in_strict_mode_the_engine_is_given_what_was_written(open_door):
    door = open_door(strict_compat=True)
    text = "**Hi** [laugh] $5\n\n- item [pause 2s]"
    door.speak(text)
    assert door.engine.texts == [text]


def test_what_the_engine_misreads_is_told_with_the_speech(open_door):
    limit = LanguageLimit("de", "umlauts", "umlauts are read as dots.", "Write ae.", "[äöü]", "ß")
    door = open_door(FakeEngine(replace(INFO, language_limits=(limit,))))
    for answer in (door.speak("Schön.", language="de"), door.speak("Schöne Straße.")):
        assert json.loads(answer.headers["x-speech-misread"]) == [limit.fact]
        assert answer.headers["x-speech-warning"] == "Fake: umlauts are read as dots. Write ae."
    assert "x-speech-misread" not in door.speak("Gut.", language="de").headers
    assert events_of(door.speak("Schön.", language="de", stream=True, response_format="pcm").text)[-1][1]["misread"] == [limit.fact]
