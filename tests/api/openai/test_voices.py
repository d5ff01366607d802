"""Voices as programs of OpenAI's kind list them: what can be spoken now, as objects."""

from dataclasses import replace

from tests.api.door import CLONE_ONLY, error_of, wav
from tests.stand_ins.fake_engine import INFO, FakeEngine

PATH = "/openai/v1/audio/voices"
OTHER = replace(INFO, id="other", title="Other", presets=("low", "high"), default_preset="low", preset_sexes={"low": "male"})
NEEDS_WORDS = replace(CLONE_ONLY, transcript="required")


def open_webui_voices(answer) -> dict[str, str]:
    """As its backend reads them (routers/audio.py)."""
    return {voice["id"]: voice["name"] for voice in answer.json().get("voices", [])}


def test_own_voices_come_first_by_their_names_then_built_in_ones(open_door):
    door = open_door(FakeEngine(), FakeEngine(OTHER))
    door.upload("Zoë"), door.upload("ana")
    answer = door.get(PATH)
    assert list(open_webui_voices(answer).items()) == [("ana", "ana"), ("Zoë", "Zoë"), ("tone", "tone")]
    assert answer.json()["data"] == answer.json()["voices"]
    for voice in answer.json()["voices"]:
        assert door.post("/openai/v1/audio/speech", json={"input": "x", "voice": {"id": voice["id"]}}).status_code == 200


def test_a_model_lists_what_that_engine_can_speak(open_door):
    door = open_door(FakeEngine(), FakeEngine(OTHER), FakeEngine(NEEDS_WORDS), model_aliases="tts-1-hd=other")
    door.upload("mute"), door.upload("Ana", ref_text="hello there")
    assert list(open_webui_voices(door.get(PATH, params={"model": "other"}))) == ["Ana", "mute", "low", "high"]
    assert list(open_webui_voices(door.get(PATH, params={"model": "tts-1-hd"}))) == ["Ana", "mute", "low", "high"]
    assert list(open_webui_voices(door.get(PATH, params={"model": "tts-1"}))) == ["Ana", "mute", "tone"]
    assert list(open_webui_voices(door.get(PATH, params={"model": "clone"}))) == ["Ana"]
    assert error_of(door.get(PATH, params={"model": "nobody"}))["reason_code"] == "engine_unknown"


def test_at_v1_the_list_keeps_its_form_and_heeds_a_model(open_door):
    door = open_door(FakeEngine(), FakeEngine(OTHER), FakeEngine(NEEDS_WORDS))
    door.upload("Ana")
    every = door.get("/v1/audio/voices").json()
    assert every["voices"] == ["ana", "default", "high", "low", "tone"]
    other = door.get("/v1/audio/voices?model=other").json()
    assert other["voices"] == ["ana", "default", "high", "low"] and [one["name"] for one in other["built_in_voices"]] == ["low", "high"]
    clone = door.get("/v1/audio/voices?model=clone").json()
    assert clone == {"voices": [], "uploaded_voices": [], "built_in_voices": []}
    objects = door.get("/v1/audio/voices?format=objects").json()
    assert objects["voices"] == door.get(PATH).json()["voices"] and objects["uploaded_voices"] == every["uploaded_voices"]
    assert door.get("/v1/audio/voices?model=nobody").status_code == 404


def test_an_engine_that_cannot_speak_has_no_voices(open_door):
    door = open_door()

    def fail(name: str) -> None:
        raise RuntimeError("broken")

    door.before_opening = fail
    door.speak()
    assert door.get(PATH).json()["voices"] == []


def test_aliases_are_told_beside_the_voices(open_door):
    door = open_door(speaker_aliases="alloy=Ana")
    door.upload("Ana", wav(1.5))
    assert door.get(PATH).json()["aliases"] == {"alloy": "Ana"}
