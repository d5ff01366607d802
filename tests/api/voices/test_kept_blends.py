"""Claims about blends kept as voices: their engine speaks the formula, others learn the recording, and no person is made up for them."""

from dataclasses import replace

import pytest

from studio.library.bundle import read_bundle, write_bundle
from studio.prompts.status import incompatibility_of
from studio.speakers.consent import BLENDED
from studio.ui.voices.voices import voices_value
from tests.api.door import CLONE_ONLY, error_of, pcm, pitch_of_voice, wav
from tests.stand_ins.fake_engine import BLENDER, DESIGNER, FakeEngine, heard_pitch

ASKED = {"type": "blend", "name": "Mira", "blend": "Bea+alma:3", "model": "blender"}
FORMULA, PITCH = "alma:3+bea:1", 465.0  # of 440 and 540 Hz
LONG = "a text that is long enough to hear its pitch"
# It blends its own voices and learns nobody's.
MIXER = replace(BLENDER, id="mixer", title="Mixer", clones_clips=False)


@pytest.fixture
def door(open_door):
    """Over engines that blend, one of which does not clone, and two that do not."""
    return open_door(FakeEngine(), FakeEngine(BLENDER), FakeEngine(MIXER), FakeEngine(CLONE_ONLY))


def pitch(door, model: str) -> float:
    response = door.speak(LONG, voice="Mira", model=model, response_format="pcm")
    assert response.status_code == 200, response.text
    return heard_pitch(pcm(response.content))


def keep(door, **changed) -> dict:
    return door.post("/v1/audio/voices", json=ASKED | changed).json()


@pytest.mark.parametrize("base", ["/v1", "/openai/v1"])
@pytest.mark.slow
def test_a_blend_is_kept_as_a_voice_that_says_an_engine_made_it(door, base):
    made = door.post(f"{base}/audio/voices", json=ASKED).json()
    assert made == {"id": "Mira", "name": "Mira", "created_at": made["created_at"], "object": "audio.voice", "type": "blend"} | {
        "blend": FORMULA
    }
    speaker = door.studio.speaker("mira")
    record = speaker.consent_record
    assert (record.reason, record.statement, record.who, record.engine) == (BLENDED, FORMULA, "Blender", "blender")
    assert (speaker.consent, speaker.transcript.language) == ("blended: Blender", "en") and speaker.seconds > 2
    told = voices_value(door.studio)["voices"][0]
    assert (told["permission"], told["made_by"]) == ("blended", "Blender") and FORMULA in told["permission_facts"]


def test_its_engine_speaks_the_formula_and_others_learn_the_recording(door):
    keep(door)
    assert pitch(door, "blender") == pytest.approx(PITCH, abs=1)
    assert door.engines["blender"].extractions == 0
    for model in ("fake", CLONE_ONLY.id):
        assert pitch(door, model) == pytest.approx(pitch_of_voice(door, "mira"), abs=3)
    assert error_of(door.speak(voice="Mira", model="mixer"))["reason_code"] == "clips_unsupported"
    (statuses,) = door.studio.matrix.statuses([door.studio.speaker("mira")])
    states = {status.engine: status.state for status in statuses}
    assert (states["blender"], states["mixer"]) == ("memory", "unsupported")


def test_an_engine_that_clones_nobody_still_speaks_its_own_blend(door):
    keep(door, model="mixer")
    assert pitch(door, "mixer") == pytest.approx(PITCH, abs=1)
    assert door.studio.warm("Mira", "mixer").status in ("extracted", "existing")
    assert pitch(door, "blender") == pytest.approx(pitch_of_voice(door, "mira"), abs=3)  # another engine's voices of those names


def test_a_blend_that_its_engine_no_longer_has_is_refused_and_not_spoken_otherwise(door):
    keep(door)
    speaker = door.studio.speaker("mira")
    gone = replace(speaker, consent_record=replace(speaker.consent_record, statement="alma:1+zoe:1"))
    assert incompatibility_of(gone, BLENDER).code == "blend_invalid"
    assert incompatibility_of(speaker, BLENDER) is None


def test_a_blend_goes_with_its_voice_into_a_bundle(door):
    keep(door)
    bundle = read_bundle(write_bundle(door.studio.speaker("mira"), []))
    record = bundle.recording.consent_record
    assert (record.reason, record.engine, record.statement) == (BLENDED, "blender", FORMULA)


def test_another_recording_is_no_blend_any_more(door):
    keep(door)
    door.upload("Mira", wav(3.0))
    assert door.studio.speaker("mira").consent_record is None
    assert pitch(door, "blender") == pytest.approx(pitch_of_voice(door, "mira"), abs=3)


def test_what_is_no_blend_of_that_engine_is_refused_in_words_and_nothing_is_kept(door):
    for changed, code, sentence in [
        ({"model": "fake"}, "blend_invalid", "blend_untaken"),
        ({"blend": "alma+zoe"}, "blend_invalid", "blend_part_unknown"),
        ({"blend": "alma:0+bea"}, "blend_invalid", None),
        ({"model": "nobody"}, "engine_unknown", None),
    ]:
        error = error_of(door.post("/v1/audio/voices", json=ASKED | changed))
        assert error["reason_code"] == code, error
        assert sentence is None or error["values"]["sentence"] == sentence, error
    for changed in ({"blend": " "}, {"blend": 5}, {"seed": -1}, {"seed": "x"}, {"name": None}):
        answer = door.post("/v1/audio/voices", json=ASKED | changed)
        assert answer.status_code == 400 and error_of(answer)["param"].removeprefix("body.") == next(iter(changed))
    assert door.studio.speakers() == ()


def test_a_description_and_its_seed_are_kept_together(open_door):
    door = open_door(FakeEngine(), FakeEngine(DESIGNER, seconds_per_character=0.02))
    asked = {"type": "prompt", "name": "Gran", "prompt": "an old woman", "seed": 77, "language": "de"}
    made = door.post("/v1/audio/voices", json=asked).json()
    assert made["seed"] == 77 and door.engines["designer"].options[-1]["seed"] == 77
    assert door.engines["designer"].options[-1]["language"] == "de"
    assert door.studio.speaker("gran").consent_record.seed == "77"
