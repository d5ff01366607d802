"""Claims about blends of built-in voices: every door speaks them, equal ones are one prompt, and none is taken for another voice."""

import numpy as np
import pytest

from studio.library.library import NameClash
from studio.speech.body import SpeechBody
from studio.timeline import Timeline
from studio.ui.gradio.messages import problem_of
from tests.api.contract.test_openai_client import client_of
from tests.api.door import CLONE_ONLY, error_of, pcm
from tests.api.socket.socket_client import PCM, conversing
from tests.api.speech.batches import results_of
from tests.api.through_gradio import _relayed
from tests.stand_ins.fake_engine import BLENDER, FakeEngine, heard_pitch
from tests.studio.speakers.store_subjects import clip_of, omni_file

LONG = "a text that is long enough to hear its pitch"
BLEND, PITCH = "alma:0.75+Bea:0.25", 465.0  # of 440 and 540 Hz


@pytest.fixture
def door(open_door):
    """Over an engine that blends, and two that do not, with a built-in voice and without."""
    return open_door(FakeEngine(BLENDER), FakeEngine(), FakeEngine(CLONE_ONLY))


def pitch(door, **fields) -> float:
    response = door.speak(LONG, response_format="pcm", **fields)
    assert response.status_code == 200, response.text
    return heard_pitch(pcm(response.content))


def speaker_of(door, voice: str, model: str = "blender") -> str:
    with door.studio.say(SpeechBody(input="Hello.", voice=voice, model=model), Timeline()) as speech:
        return speech.speaker


def refusal(door, **fields) -> dict:
    response = door.speak(**fields)
    assert response.status_code in (400, 409), response.text
    return error_of(response)


@pytest.mark.slow
def test_every_door_speaks_a_blend(door):
    assert pitch(door, voice=BLEND) == pytest.approx(PITCH, abs=1)
    with client_of(door) as client:
        answer = client.audio.speech.create(model="blender", voice=BLEND, input=LONG, response_format="pcm")
        assert heard_pitch(pcm(answer.content)) == pytest.approx(PITCH, abs=1)
    with conversing(door, voice=BLEND, **PCM) as talk:
        talk.say_text(LONG)
        pieces = [one for one in talk.hear_utterance() if isinstance(one, bytes)]
        assert heard_pitch(pcm(b"".join(pieces))) == pytest.approx(PITCH, abs=1)
    assert [result["status"] for result in results_of(door, LONG, voice=BLEND)] == ["success"]
    samples, refused = _relayed(door, {"input": LONG, "voice": BLEND})
    assert refused is None and heard_pitch(samples / np.float32(32767)) == pytest.approx(PITCH, abs=1)


def test_formulas_that_say_the_same_are_one_prompt_and_one_name(door):
    for formula in ("alma:0.75+bea:0.25", "BEA(1)+alma(3)", "alma+bea+alma+alma"):
        assert speaker_of(door, formula) == "alma:3+bea:1"
    stats = door.studio.stats()
    assert (stats.entries, stats.misses, stats.hits) == (1, 1, 2)


def test_a_formula_that_is_wrong_is_refused_with_the_part_that_is_wrong(door):
    told = refusal(door, voice="alma:0.6+beo:0.4")
    assert (told["reason_code"], told["param"], told["hint"]) == ("blend_invalid", "voice", "Did you mean bea?")
    assert told["message"] == "“beo” in this blend is no built-in voice of Blender."
    assert "“-1”" in refusal(door, voice="alma:-1+bea")["message"]


def test_an_engine_that_does_not_blend_says_so_or_who_does(door):
    told = refusal(door, voice=BLEND, model="clone")
    assert (told["reason_code"], told["hint"]) == ("preset_unknown", "Choose the engine blender.")
    told = refusal(door, voice="tone+tone", model="fake")
    assert (told["reason_code"], told["message"]) == ("blend_invalid", "Fake does not blend its built-in voices.")
    assert refusal(door, voice="tom+ana", model="clone")["reason_code"] == "speaker_unknown"


def test_a_name_that_means_a_blend_is_nobodys_to_store_and_shadows_where_it_lies_in_the_folder(door):
    assert error_of(door.upload("Alma + bea"))["reason_code"] == "name_reserved"
    assert door.studio.library.name_clash("alma+bea") == NameClash("alma+bea", "built in", "alma+bea (2)")
    omni_file(door.folder, name="alma+bea")
    for model in ("blender", "clone"):
        assert refusal(door, voice="Alma+Bea", model=model)["reason_code"] == "speaker_shadowed"
    assert "Blender" in problem_of(door.studio.shadow_of(door.studio.speaker("alma+bea")))["fact"]
    assert pitch(door, voice="bea+alma") == pytest.approx(490, abs=1)  # is nobody's name


def test_any_other_name_with_a_plus_is_a_stored_voices(door):
    door.upload("alma+me")
    stored = door.studio.speaker("alma+me")
    for model in ("blender", "clone"):
        assert speaker_of(door, "ALMA+me", model) == stored.name


def test_a_stored_name_is_seen_by_its_own_workspace_alone(open_door):
    door = open_door(FakeEngine(BLENDER), workspaces="private", api_keys=("ana:key-1", "ben:key-2"))
    omni_file(door.folder, "x.safetensors", clip_of(7, seconds=1.5).samples, name="alma+bea", workspace="key:ana")
    asked = {"input": LONG, "voice": "alma+bea"}
    answers = [door.post("/v1/audio/speech", json=asked, headers={"Authorization": f"Bearer {key}"}) for key in ("key-1", "key-2")]
    assert [answer.status_code for answer in answers] == [409, 200]


def test_lists_tell_language_sex_and_whether_the_engine_blends(door):
    model = door.get("/v1/models/blender").json()
    assert (model["blends_voices"], model["voice_sexes"]["carl"], model["voice_languages"]["bea"]) == (True, "male", "en-gb")
    alma, *_, doro, tone = door.get("/v1/audio/voices").json()["built_in_voices"]
    assert alma == {"name": "alma", "model": "blender", "language": "en-us", "sex": "female", "blends": True}
    assert (doro["language"], doro["sex"], tone["blends"]) == (None, None, False)
