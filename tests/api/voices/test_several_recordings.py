"""Voices of several recordings: sent as a field each, kept as one, told apart where an engine can."""

from dataclasses import replace

import numpy as np
import pytest

from engines.clips.clip import Clip
from tests.api.door import Door, data_url, error_of, pitch_of_voice, samples_of, wav
from tests.stand_ins.fake_engine import INFO, FakeEngine, heard_pitch

SEVERAL = replace(INFO, most_recordings=4)
THREE = [wav(1.0, hz=220, rate=8000), wav(1.5, hz=330), wav(2.0, hz=440, rate=16_000)]
WORDS = ["First words.", "Second\nwords.", "Third words."]


def create(door: Door, recordings: list[bytes], words: list[str] = (), name: str = "alice"):
    files = [("audio_sample", (f"{number}.wav", data, "audio/wav")) for number, data in enumerate(recordings, 1)]
    return door.post("/v1/audio/voices", files=files, data={"name": name, "consent": "c1", "ref_text": list(words)})


def test_a_voice_is_made_of_several_recordings_and_survives_a_restart(door, request):
    voice = create(door, THREE, WORDS).json()["voice"]
    told = {"recordings": 3, "recording_seconds": [1.0, 1.5, 2.0], "ref_text": "First words.\nSecond words.\nThird words."}
    assert told.items() <= voice.items()
    assert (voice["file_size"], voice["quality"]["seconds"]) == (sum(map(len, THREE)), 4.5)
    restarted = Door(door.folder)
    request.addfinalizer(restarted.close)
    for again in (door, restarted):
        (listed,) = again.get("/v1/audio/voices").json()["uploaded_voices"]
        assert told.items() <= listed.items() and told.items() <= again.get("/v1/audio/voices/alice").json().items()
        clip = again.studio.speaker("alice").read_clip()
        assert (clip.sample_rate, clip.joints) == (24_000, (24_000, 60_000))
        assert [round(heard_pitch(part.samples)) for part in clip.recordings()] == [220, 330, 440]
        whole, rate = samples_of(again.get("/v1/audio/voices/alice/audio").content)
        assert (len(whole) / rate, rate) == (4.5, 24_000)
        heard = again.speak(voice="alice", sample_rate=24_000)
        assert heard_pitch(samples_of(heard.content)[0]) == pytest.approx(pitch_of_voice(again, "alice"), abs=5)


def test_where_the_recordings_join_is_part_of_what_is_learned(door):
    create(door, THREE)
    joined = door.studio.speaker("alice")
    clip = joined.read_clip()
    assert joined.clip_digest == clip.digest != Clip(clip.samples, clip.sample_rate).digest
    assert "recordings" not in create(door, THREE[:1], WORDS[:1], "bob").json()["voice"]


@pytest.mark.parametrize(
    ("recordings", "words", "message", "param"),
    [
        (THREE[:1] * 5, (), "There are 5 recordings, and 4 are the limit.", "audio_sample"),
        (THREE, WORDS[:2], "There are words of 2 recordings, and this voice has 3.", "ref_text"),
        (THREE, ["One.", " ", "Three."], "There are words of 2 recordings, and this voice has 3.", "ref_text"),
        (THREE[:1], WORDS[:2], "There are words of 2 recordings, and this voice has 1.", "ref_text"),
        ([THREE[0], b"nothing"], (), "Recording 2: Could not decode audio file: ", "audio_sample"),
        ([wav(0.5), THREE[0]], (), "Recording 1: Reference audio too short (0.5s).", "audio_sample"),
        ([wav(16, rate=8000)] * 2, (), "The recordings have 32 s together, and 30 s are the limit.", "audio_sample"),
    ],
)
def test_what_is_wrong_is_told_with_the_recording_and_changes_nothing(door, recordings, words, message, param):
    response = create(door, recordings, words)
    error = error_of(response)
    assert response.status_code == 400 and error["message"].startswith(message), error
    assert error["param"] == param and error["hint"]
    assert door.studio.speakers() == ()


@pytest.mark.slow
def test_the_document_tells_how_recordings_are_sent(door):
    schemas = door.app.openapi()["components"]["schemas"].values()
    (form,) = [schema for schema in schemas if "speaker_embedding" in schema.get("properties", {}) and "consent" in schema["properties"]]
    sample, words = form["properties"]["audio_sample"], form["properties"]["ref_text"]
    assert (sample["type"], sample["maxItems"], words["type"]) == ("array", 4, "array")  # a client would send null as text


def test_engines_tell_how_many_recordings_they_tell_apart(open_door):
    door = open_door(FakeEngine(SEVERAL), FakeEngine(replace(INFO, id="one")))
    assert [model["most_recordings"] for model in door.get("/v1/models").json()["data"]] == [4, 1]


def test_reference_audio_may_be_several_recordings_where_the_engine_tells_them_apart(open_door):
    door = open_door(FakeEngine(SEVERAL))
    create(door, THREE, WORDS)
    urls = [data_url(data) for data in THREE]
    sent = door.speak(ref_audio=urls, ref_text="\n".join(words.replace("\n", " ") for words in WORDS))
    assert np.array_equal(samples_of(sent.content)[0], samples_of(door.speak(voice="alice").content)[0])
    assert error_of(door.speak(ref_audio=urls, ref_text="One line."))["param"] == "ref_text"
    assert error_of(door.speak(ref_audio=urls * 2))["reason_code"] == "recordings_too_many"
    assert error_of(door.speak(ref_audio=[urls[0], data_url(wav(0.5))]))["message"].startswith("Recording 2: Reference audio too short")
