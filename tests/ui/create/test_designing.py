"""Claims about "Describe a voice": which engines it offers, and that what is kept is what was heard."""

from dataclasses import replace

import pytest

from engines.errors import EngineUnavailable
from studio.settings import OWN_DIALECT
from studio.speech.body import read_body
from studio.timeline import Timeline
from studio.ui.clips.designing import design_engines, keep_design
from tests.stand_ins.fake_engine import ATTRIBUTED, BLENDER, DESIGNER, INFO, KNOWN_WORDS, FakeEngine

TEXT = "Something that is said for as long as a recording has to be."
FAR = replace(DESIGNER, id="far", title="Far", is_deterministic=False)  # the same seed may be another voice there
GONE = replace(BLENDER, id="gone", title="Gone")
INFOS = {info.id: info for info in (INFO, BLENDER, DESIGNER, ATTRIBUTED, FAR, GONE)}


@pytest.fixture
def studio(open_studio):
    """Over engines that make voices and do not, one of which cannot be opened."""

    def open_engine(name: str) -> FakeEngine:
        if name == "gone":
            raise EngineUnavailable("The weights are not here.", "Run: make weights.")
        return FakeEngine(INFOS[name])

    made = open_studio(folder="speakers", infos=INFOS, open_engine=open_engine, warm_uploads=False)
    with pytest.raises(EngineUnavailable):
        made.load("gone")
    return made


def test_engines_that_are_here_and_make_voices_are_offered_and_others_named(studio):
    told = design_engines(studio)
    assert {engine["id"] for engine in told["engines"]} == {"blender", "designer", "attributed"}
    assert told["could"] == [{"title": "Gone", "is_here": False}]
    by_id = {engine["id"]: engine for engine in told["engines"]}
    assert by_id["blender"]["instructions"] is None and len(by_id["blender"]["presets"]) == 4
    assert by_id["designer"]["instructions"] == {"most_characters": 500, "suggestions": ()} and by_id["designer"]["presets"] == []
    assert by_id["attributed"]["instructions"]["suggestions"] == KNOWN_WORDS
    assert told["texts"]["en"] and told["limits"]["script_characters"] >= max(map(len, told["texts"].values()))


@pytest.mark.parametrize(
    ("engine", "made", "heard"),
    [
        ("blender", {"blend": "alma:3+bea:1"}, {"voice": "alma:3+bea:1"}),
        ("designer", {"description": "an old man", "seed": 4711}, {"task_type": "VoiceDesign", "instructions": "an old man", "seed": 4711}),
    ],
)
def test_what_is_kept_is_sample_by_sample_what_was_heard(studio, engine, made, heard):
    """heard: the request as assets/web/design/blend.js makes it; tests/scripts/blend.test.js has the other half."""
    body = read_body({"input": TEXT, "model": engine, "directions": False, "language": "en"} | heard, OWN_DIALECT)
    candidate = studio.say(body, Timeline()).read_all()
    kept = keep_design(studio, {"name": "Mira", "engine": engine, "text": TEXT, "language": "en"} | made)
    speaker = studio.speaker(kept["voice"])
    assert (speaker.read_clip().samples == candidate).all() and speaker.transcript.text == TEXT


def test_a_name_that_is_taken_is_kept_from_another_unless_it_shall_go(studio):
    asked = {"name": "Mira", "engine": "blender", "text": TEXT, "language": "", "blend": "alma+bea", "seed": None}
    first = keep_design(studio, asked)
    assert keep_design(studio, asked)["problem"]["code"] == "name_taken"
    assert keep_design(studio, asked | {"replace": True})["generation"] != first["generation"]
    assert keep_design(studio, asked | {"name": "tone"})["problem"]["code"] == "name_reserved"
    assert keep_design(studio, asked | {"engine": "fake", "name": "Bo"})["problem"]["code"] == "blend_invalid"
    assert [speaker.name for speaker in studio.speakers()] == ["Mira"]
