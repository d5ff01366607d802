"""What is said of how an engine should speak, or who: by every door, in which bounds, and what happens where it cannot be heeded."""

import json

import pytest

from tests.api.door import Door, data_url, error_of, pcm, served, wav
from tests.api.socket.socket_client import PCM, connected, conversing
from tests.api.speech.batches import ask, results_of
from tests.stand_ins.fake_engine import ATTRIBUTED, DESIGNER, INFO, KNOWN_WORDS, FakeEngine, heard_pitch

pytestmark = pytest.mark.usefixtures("gradio_agrees")
SOFTLY, TWO = {"instructions": "softly"}, "'instructions' and 'extra_params.instructions' conflict; supply only one"
DESIGN = {"task_type": "VoiceDesign", "instructions": "a young woman"}


@pytest.fixture
def designer(open_door) -> Door:
    """With an engine that designs, which is the default one, and one that does not."""
    door = open_door(FakeEngine(DESIGNER), FakeEngine())
    door.upload("alice")
    return door


def heeded(door: Door) -> list[str]:
    """What the engine was told of how to speak, of each text since the last call."""
    told = [options["instructions"] for options in door.engine.options]
    door.engine.options.clear()
    return told


def refused(response, param: str, sentence: str = "") -> dict:
    error = error_of(response)
    assert (response.status_code, error["param"]) == (400, param), error
    assert not sentence or error["values"]["sentence"] == sentence, error
    return error


def test_every_door_hands_them_to_an_engine_that_has_the_option(designer):
    for fields in (SOFTLY, {"extra_params": SOFTLY}, SOFTLY | {"extra_params": SOFTLY}, SOFTLY | {"stream": True}):
        assert "x-ignored-parameters" not in designer.speak(voice="alice", **fields).headers
    assert heeded(designer) == ["softly"] * 4
    results = results_of(designer, "one", {"input": "two", "instructions": " loudly\n"}, voice="alice", **SOFTLY)
    assert not any("warning" in result for result in results)
    assert sorted(heeded(designer)) == ["loudly", "softly"]
    with conversing(designer, **PCM, voice="alice", **SOFTLY) as client:
        client.say_text("hello")
        assert "ignored_parameters" not in client.hear_utterance()[-2]
    assert heeded(designer) == ["softly"]


def test_two_that_differ_are_refused_and_nothing_is_spoken(designer):
    both = {"voice": "alice", "instructions": "loudly", "extra_params": SOFTLY}
    assert TWO in refused(designer.speak(**both), "body")["message"]
    assert TWO in refused(ask(designer, "hello", **both), "body")["message"]
    [result] = results_of(designer, {"input": "hello", "instructions": "loudly"}, voice="alice", extra_params=SOFTLY)
    assert result["status"] == "error" and TWO in result["error"]
    with served(designer) as url, connected(url) as client:
        client.say("session.config", **both)
        assert TWO in client.hear_error()
    assert heeded(designer) == []


def test_what_they_may_be_is_bounded_however_they_come(designer):
    error = refused(designer.speak(voice="alice", instructions="x" * 501), "instructions", "instructions_too_long")
    assert error["message"] == "Instructions too long (max 500 characters)"
    error = refused(designer.speak(voice="alice", extra_params={"instructions": "x" * 501}), "instructions", "option_too_long")
    assert error["message"] == "instructions has 501 characters, and 500 are the limit."
    refused(designer.speak(voice="alice", instructions="so\x07ftly"), "instructions", "option_with_hidden_character")
    refused(designer.speak(voice="alice", extra_params={"instructions": 5}), "instructions", "option_no_text")
    content = json.dumps({"input": "hi", "voice": "alice", "extra_params": {"instructions": "\ud800"}})
    response = designer.post("/v1/audio/speech", content=content, headers={"content-type": "application/json"})
    refused(response, "instructions", "option_with_hidden_character")
    assert designer.speak(voice="alice", instructions="Voice: soft.\n\nPace: slow.\n" + "x" * 470).status_code == 200


def test_an_engine_without_the_option_says_so_as_before(designer):
    response = designer.speak(model="fake", voice="tone", **SOFTLY)
    assert (response.status_code, response.headers["x-ignored-parameters"]) == (200, "instructions")
    refused(designer.speak(model="fake", voice="tone", extra_params=SOFTLY), "instructions", "option_unknown")


@pytest.mark.slow
def test_a_voice_that_is_described_is_asked_for_by_its_name_or_by_its_task(designer):
    by_name = designer.speak(voice="Design", **SOFTLY)
    assert heard_pitch(pcm(designer.speak("hello there, my friend", response_format="pcm", **DESIGN).content)) == pytest.approx(440, abs=5)
    for voice in ("design", "default", " ", None):
        assert designer.speak(voice=voice, **DESIGN | SOFTLY).content == by_name.content
    assert designer.speak(task_type="VoiceDesign", extra_params=SOFTLY).content == by_name.content
    assert heeded(designer) == ["softly", "a young woman", *["softly"] * 5]
    assert designer.speak(voice="design").status_code == 200  # then the seed alone decides who speaks
    refused(designer.speak(), "voice")  # but nobody hears it unasked


def test_the_task_wants_a_description_and_no_other_voice(designer):
    error = refused(designer.speak(task_type="VoiceDesign"), "instructions", "instructions_missing")
    assert error["message"] == "VoiceDesign task requires 'instructions' to describe the voice"
    assert error["hint"] == 'Send such as "a young woman, gentle and slow".'
    refused(designer.speak(task_type="VoiceDesign", instructions=" \n"), "instructions", "instructions_missing")
    error = refused(designer.speak(voice="alice", **DESIGN), "voice", "described_and_named")
    assert error["hint"] == "Leave voice out, or leave task_type out."
    refused(designer.speak(ref_audio=data_url(wav(1.5)), **DESIGN), "ref_audio", "described_and_named")
    error = refused(designer.speak(model="fake", **DESIGN), "task_type")
    assert error["message"] == "task_type='VoiceDesign' is not supported by the current TTS model"
    assert heeded(designer) == []


def test_models_tell_the_option_and_the_voice_that_is_described(designer):
    models = {model["id"]: model for model in designer.get("/v1/models").json()["data"]}
    assert [models[name]["designed_voice"] for name in (DESIGNER.id, INFO.id)] == ["design", None]
    [option] = [option for option in models[DESIGNER.id]["options"] if option["name"] == "instructions"]
    assert (option["kind"], option["default"], option["maximum"]) == ("text", "", 500)


def test_a_word_that_an_engine_does_not_know_is_refused_with_the_nearest_before_anything_is_sent(open_door):
    door = open_door(FakeEngine(ATTRIBUTED))
    door.upload("alice")
    fields = {"voice": "alice", "instructions": "female, elderli"}
    for stream in ({}, {"stream": True}, {"stream_format": "audio", "response_format": "pcm"}):
        error = refused(door.speak(**fields, **stream), "instructions", "option_no_choice")
        assert (error["values"]["value"], error["values"]["choices"]) == ("elderli", ["elderly"])
    [result] = results_of(door, "hello", **fields)
    assert result["status"] == "error" and "elderli" in result["error"]
    assert door.speak(voice="alice", instructions="female, elderly").status_code == 200
    assert refused(door.speak(task_type="VoiceDesign"), "instructions")["hint"] == 'Send such as "female, young adult, high pitch".'
    [option] = [option for option in door.get("/v1/models/attributed").json()["options"] if option["name"] == "instructions"]
    assert option["suggestions"] == [list(group) for group in KNOWN_WORDS]
