"""Voices from descriptions: an engine that designs says something once, and that is the voice from then on."""

import pytest

from engines.errors import EngineUnavailable
from studio.ui.voices.voices import voices_value
from tests.api.door import error_of, pitch_of_voice, samples_of
from tests.stand_ins.fake_engine import ATTRIBUTED, DESIGNER, FakeEngine, heard_pitch

BASES = ("/openai/v1", "/v1")
ASKED = {"type": "prompt", "name": "Gran", "prompt": "an old woman, gentle and slow"}


@pytest.fixture
def designing(open_door):
    return open_door(FakeEngine(), FakeEngine(DESIGNER, seconds_per_character=0.02))


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("how", ["json", "data", "files"])
def test_a_description_becomes_a_voice_that_every_engine_can_learn(designing, base, how):
    sent = {name: (None, part) for name, part in ASKED.items()} if how == "files" else ASKED
    made = designing.post(f"{base}/audio/voices", **{how: sent}).json()
    assert made == {"id": "Gran", "name": "Gran", "created_at": made["created_at"], "object": "audio.voice"} | {
        name: ASKED[name] for name in ("type", "prompt")
    }
    assert designing.engines["designer"].options[-1]["instructions"] == ASKED["prompt"]
    speaker = designing.studio.speaker("gran")
    assert (speaker.consent, speaker.description) == ("designed: Designer", ASKED["prompt"]) and speaker.seconds > 2
    answer = designing.speak(model="fake", voice={"id": "Gran"})
    assert heard_pitch(*samples_of(answer.content)) == pytest.approx(pitch_of_voice(designing, "gran"), abs=3)
    assert voices_value(designing.studio)["voices"][0]["permission"] == "designed"


def test_what_it_says_and_who_designs_can_be_chosen(designing):
    hint = "A sentence that is long enough, at this pace, to learn a voice from it."
    for model in ("auto", "2026-10-08", "designer"):
        assert designing.post("/openai/v1/audio/voices", json=ASKED | {"model": model, "script_hint": hint}).status_code == 200
    assert designing.engines["designer"].texts == [hint] * 3
    assert designing.studio.speaker("gran").transcript.text == hint
    error = error_of(designing.post("/openai/v1/audio/voices", json=ASKED | {"model": "fake"}))
    assert (error["reason_code"], error["param"], error["values"]["engines"]) == ("design_unavailable", "model", ["Designer"])
    assert designing.post("/openai/v1/audio/voices", json=ASKED | {"model": "none"}).status_code == 404


def test_what_is_missing_or_wrong_is_named_and_nothing_is_designed(designing):
    wrong = [
        ("prompt", None),
        ("prompt", " "),
        ("name", None),
        ("name", "tone"),
        ("script_hint", "x" * 401),
        ("prompt", 5),
        ("prompt", "x" * 501),
    ]
    for name, value in wrong:
        fields = {key: part for key, part in (ASKED | {name: value}).items() if part is not None}
        error = error_of(designing.post("/openai/v1/audio/voices", json=fields))
        assert (error["code"], error["param"].removeprefix("body.")) == (400, name), error
    assert error_of(designing.post("/openai/v1/audio/voices", json=ASKED | {"script_hint": "No."}))["param"] == "script_hint"
    assert designing.studio.speakers() == ()


def test_words_that_an_engine_does_not_know_are_told(open_door):
    error = error_of(open_door(FakeEngine(ATTRIBUTED)).post("/openai/v1/audio/voices", json=ASKED))
    assert (error["code"], error["param"], error["reason_code"]) == (400, "prompt", "option_invalid")


def test_without_an_engine_that_designs_it_is_said_who_could_and_what_is_missing(open_door):
    door = open_door(FakeEngine())
    assert error_of(door.post("/openai/v1/audio/voices", json=ASKED))["values"]["sentence"] == "design_unoffered"
    door = open_door(FakeEngine(), FakeEngine(DESIGNER))

    def fail(name: str) -> None:
        raise EngineUnavailable("The weights are not here.", "Fetch them.")

    door.before_opening = fail
    with pytest.raises(EngineUnavailable):
        door.studio.load("designer")
    error = error_of(door.post("/v1/audio/voices", json=ASKED))
    assert (error["code"], error["reason_code"]) == (400, "design_unavailable")
    assert "These could: Designer: Designer: The weights are not here. " in error["message"]


def test_under_strict_compatibility_a_description_is_a_form_without_its_fields(open_door):
    door = open_door(FakeEngine(DESIGNER), strict_compat=True)
    assert error_of(door.post("/v1/audio/voices", data=ASKED))["param"] == "body.consent"
