"""Claims about a stored voice that is called as a built-in one: a file found in the folder. Neither speaks by that name."""

from dataclasses import replace

import numpy as np
import pytest

from studio.audio.spoken_sounds import SpokenSounds
from studio.errors import SpeakerShadowed, SpeakersUnreachable
from studio.library.library import NameClash
from studio.speakers.edit import SpeakerEdit
from studio.speech.request import SpeechRequest
from studio.ui.gradio.messages import problem_of
from studio.ui.gradio.news import VerifiedDigests
from studio.ui.programs.endpoints import Endpoints
from studio.ui.speak.relay import Relays
from studio.ui.speak.speaking import choice_value, first_voice, show_choice, voice_names
from studio.ui.voices.voices import voices_value
from tests.api.door import CLONE_ONLY, data_url, error_of, pcm, wav
from tests.api.socket.socket_client import PCM, conversing
from tests.api.speech.batches import results_of
from tests.api.through_gradio import _relayed
from tests.stand_ins.fake_engine import INFO, FakeEngine, heard_pitch, pitch_of
from tests.studio.speakers.store_subjects import clip_of, omni_file

LONG = "a text that is long enough to hear its pitch"
FACT = "“TONE” names two voices: a saved one, and one that is built into Fake."


@pytest.fixture
def door(open_door):
    door = open_door(FakeEngine(), FakeEngine(CLONE_ONLY))
    omni_file(door.folder, "TONE_c1_7.safetensors", clip_of(7, seconds=1.5).samples, name="TONE")
    return door


def pitch(door, **fields) -> float:
    response = door.speak(LONG, response_format="pcm", **fields)
    assert response.status_code == 200, response.text
    return heard_pitch(pcm(response.content))


def test_it_is_listed_with_the_reason(door):
    listed = door.get("/v1/audio/voices").json()
    (voice,) = listed["uploaded_voices"]
    assert listed["voices"] == ["default", "tone"]
    for shown in (voice, door.get("/v1/audio/voices/tone").json(), *Endpoints(door.studio, Relays(), SpokenSounds()).voices()):
        assert shown["name"] == "TONE" and shown["shadowed"].startswith(FACT)
    door.upload("alice")
    assert "shadowed" not in door.get("/v1/audio/voices/alice").json()


@pytest.mark.parametrize("model", ["fake", "clone"])
@pytest.mark.parametrize("voice", ["TONE", "tone", " Tone "])
def test_every_door_answers_409_and_names_both_ways_out(door, model, voice):
    for more in ({}, {"stream": True}, {"stream": True, "stream_format": "sse"}, {"response_format": "mp3"}):
        response = door.speak(voice=voice, model=model, **more)
        error = error_of(response)
        assert (response.status_code, error["reason_code"], error["param"], error["message"]) == (409, "speaker_shadowed", "voice", FACT)
        assert "Rename" in error["hint"] and "delete" in error["hint"]
    for result in results_of(door, "one", {"input": "two", "voice": voice}, voice=voice, model=model):
        assert result["status"] == "error" and FACT in str(result["error"])
    samples, refusal = _relayed(door, {"input": "Hello.", "voice": voice, "model": model})
    told = {"name": "TONE", "engines": ["Fake"], "engine": door.studio.engine_info(model).title}
    assert not len(samples) and (refusal["code"], refusal["values"]) == ("speaker_shadowed", told)


def test_a_session_hears_it_per_utterance(door):
    with conversing(door, voice="tone", model="fake", **PCM) as client:
        client.say_text("One.")
        heard = client.hear_utterance()
        assert not [one for one in heard if isinstance(one, bytes)]
        assert [one["message"] for one in heard if one["type"] == "error"] == [f"Generation failed for utterance 0, sentence 0: {FACT}"]
        door.delete("/v1/audio/voices/tone")
        client.say_text("Two.")
        assert [one for one in client.hear_utterance() if isinstance(one, bytes)]


def test_what_names_nobody_or_sends_a_recording_is_spoken_as_ever(door):
    assert pitch(door) == pytest.approx(pitch(door, voice="default"), abs=1)
    assert door.speak(ref_audio=data_url(wav(2.0)), voice="tone", model="clone").status_code == 200


def test_each_way_out_leads_out(door):
    stored, built_in = pitch_of(door.studio.speaker("tone").clip_digest), pitch(door)
    assert abs(stored - built_in) > 10
    door.studio.library.edit("tone", SpeakerEdit("Tone of mine"))
    assert pitch(door, voice="tone of mine") == pytest.approx(stored, abs=3)
    assert pitch(door, voice="tone") == pytest.approx(built_in, abs=3)
    omni_file(door.folder, "again.safetensors", name="tone")
    assert door.speak(voice="tone").status_code == 409
    assert door.delete("/v1/audio/voices/Tone").status_code == 200
    assert pitch(door, voice="tone") == pytest.approx(built_in, abs=3)


def test_nobody_stores_one_and_the_page_says_whose_the_name_is(door):
    assert error_of(door.upload("tone"))["reason_code"] == "name_reserved"
    assert door.studio.library.name_clash("tone") == NameClash("tone", "built in", "tone (2)")


def test_the_page_shows_it_once_says_why_and_begins_with_another(door):
    studio = door.studio
    assert (voice_names(studio, "fake"), voice_names(studio, "clone"), first_voice(studio, "clone")) == (["TONE"], ["TONE"], None)
    assert first_voice(studio, "fake") is None  # nobody shall hear another voice than the one that was chosen
    shown = show_choice(studio, VerifiedDigests(), {"voice": "tone", "engine": "fake", "seen": ""})
    assert (shown["voice"], shown["gone"], shown["gone_why"]) == (None, "tone", {"why": "shadowed", "voice": "tone"})
    (choice,) = choice_value(studio, None, "fake")["voices"]
    assert (choice["name"], choice["state"], choice["is_stored"]) == ("TONE", "unsupported", True)
    (card,) = voices_value(studio)["voices"]
    said = "“TONE” names two voices: a saved one, and one that is built into Fake."
    assert card["obstacle"] == f"{said} Rename the saved one to hear it, or delete it to hear the built-in one."
    assert problem_of(studio.shadow_of(studio.speaker("tone")))["fact"] == said


def test_a_shadow_is_seen_by_whoever_sees_the_voice(open_door):
    door = open_door(workspaces="private", api_keys=("ana:key-1", "ben:key-2"))
    omni_file(door.folder, name="tone", workspace="key:ana")
    with pytest.raises(SpeakerShadowed):
        door.studio.within("key:ana").speak(SpeechRequest("Hello.", speaker="tone"))
    for other in ("key:ben", ""):
        with door.studio.within(other).speak(SpeechRequest("Hello.", speaker="tone")) as speech:
            assert speech.speaker == "tone" and len(speech.read_all())


def test_another_engines_name_shadows_too_since_whoever_says_it_may_mean_that(open_door):
    door = open_door(FakeEngine(), FakeEngine(replace(INFO, id="other", title="Other", presets=("bell",), default_preset=None)))
    omni_file(door.folder, name="Bell")
    for model in ("fake", "other"):
        assert door.speak(voice="bell", model=model).status_code == 409


def test_built_in_speakers_speak_on_where_the_folder_cannot_be_read(door):
    door.delete("/v1/audio/voices/tone")
    door.upload("alice")
    folder, away = door.folder, door.folder.with_name("away")
    folder.rename(away)
    assert door.speak(voice="tone").status_code == door.speak().status_code == 200
    for response in (door.speak(voice="alice"), door.speak(voice="nobody"), door.get("/v1/audio/voices")):
        assert (response.status_code, error_of(response)["reason_code"]) == (503, "speakers_unreachable")
        assert str(folder) not in response.text
    with pytest.raises(SpeakersUnreachable):
        door.studio.speakers()
    away.rename(folder)
    omni_file(folder, name="Tone")
    assert door.speak(voice="tone").status_code == 409
    folder.rename(away)
    assert door.speak(voice="tone").status_code == 409  # as it was known
    assert np.isfinite(pitch(door))
    away.rename(folder)
