"""Inline reference audio: data URLs, their limits and their errors."""

import io
import json
from dataclasses import replace

import numpy as np
import pytest
import soundfile

from engines.errors import ClipUnusable, TranscriptRequired
from studio.errors.clean import clean
from tests.api.door import data_url, error_of, pcm, pitch_of_voice, samples_of, wav
from tests.stand_ins.fake_engine import INFO, FakeEngine, heard_pitch

pytestmark = pytest.mark.usefixtures("gradio_agrees")


def test_a_data_url_gives_the_voice_of_one_request(door):
    response = door.speak(ref_audio=data_url(wav(2.0, hz=333)), ref_text="what I say")
    assert (response.status_code, response.headers["x-speaker-cache"]) == (200, "miss")
    assert door.speak(ref_audio=data_url(wav(2.0, hz=333))).headers["x-speaker-cache"] == "hit"
    assert response.headers["x-vllm-omni-input-audio-tokens"] == "25"  # 2 s at 12.5 per second


@pytest.mark.parametrize("url", ["/etc/passwd", "voice.wav", "ftp://host/a.wav", "UklGRg==", ""])
def test_other_schemes_are_refused(door, url):
    error = error_of(door.speak(ref_audio=url))
    assert error["message"] == "ref_audio must be a URL (http/https), base64 data URL (data:...), or file URI (file://...)"
    assert error["param"] == "ref_audio"


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/a.wav", "HTTPS://example.org/a.wav", "http://169.254.169.254/"])
def test_remote_audio_is_not_fetched(door, url):
    response = door.speak(ref_audio=url)
    assert (response.status_code, error_of(response)["reason_code"]) == (400, "remote_audio_disabled")
    assert "127.0.0.1" not in response.text


@pytest.mark.parametrize("url", ["file:///etc/passwd", "FILE:///etc/passwd"])
def test_local_audio_is_not_read(door, url):
    response = door.speak(ref_audio=url)
    assert (response.status_code, error_of(response)["reason_code"]) == (400, "local_audio_disabled")
    assert error_of(response)["message"] == "Cannot load local files without `--allowed-local-media-path`."


def test_a_short_reference_is_refused_and_one_second_is_enough(door):
    message = "Reference audio too short (0.5s). At least 1s of clear speech is required."
    assert error_of(door.speak(ref_audio=data_url(wav(0.5))))["message"] == message
    assert door.speak(ref_audio=data_url(wav(1.0))).status_code == 200


def test_a_long_reference_is_refused_and_thirty_seconds_are_not_too_much(door):
    message = "Reference audio too long (31.0s). Maximum 30s supported — use a shorter clip."
    error = error_of(door.speak(ref_audio=data_url(wav(31, rate=8000))))
    assert (error["message"], error["reason_code"]) == (message, "clip_too_long")
    assert door.speak(ref_audio=data_url(wav(30, rate=8000))).status_code == 200


@pytest.mark.parametrize(
    ("url", "message"),
    [
        (data_url(b"not audio at all"), "Invalid or corrupted audio data. Ensure the input is a valid audio or video file"),
        ("data:audio/wav;base64,%%%%", "Non-base64 digit found"),
        ("data:audio/wav;base64,\u00e9", "Non-base64 digit found"),
        ("data:audio/wav", "Invalid data URL 'data:audio/wav': missing ',' separator."),
        ("data:audio/wav,RIFF", "Only base64 data URLs are supported for now."),
    ],
)
def test_a_bad_data_url_is_a_clean_400(door, url, message):
    response = door.speak(ref_audio=url)
    assert response.status_code == 400
    assert error_of(response)["message"].startswith(message)


@pytest.mark.slow
def test_a_reference_of_more_than_ten_mebibytes_is_refused(door):
    response = door.speak(ref_audio=data_url(bytes(10 * 1024 * 1024 + 1)))
    assert (response.status_code, error_of(response)["reason_code"]) == (400, "audio_too_large")


def test_reference_lists_types_and_rivals(door):
    empty = error_of(door.speak(ref_audio=[]))
    assert "'ref_audio' list cannot be empty" in empty["message"]
    assert empty["param"] == "body.ref_audio"
    assert error_of(door.speak(ref_audio=5))["message"] == "'ref_audio' must be a string or list of strings"
    both = error_of(door.speak(ref_audio=data_url(wav(1)), speaker_embedding=[0.0] * 8))
    assert "Value error, 'speaker_embedding' and 'ref_audio' are mutually exclusive" in both["message"]
    assert both["param"] == "body"
    assert door.speak(ref_audio=[data_url(wav(1))]).status_code == 200
    assert door.speak(ref_audio=[data_url(wav(1))] * 2).status_code == 400


def test_references_are_another_form_of_ref_audio_and_ref_text(door):
    url = data_url(wav(2.0))
    response = door.speak(references=[{"audio_path": url, "text": "hello"}])
    assert response.content == door.speak(ref_audio=url, ref_text="hello").content
    message = "'references' only supports a single reference; multi-shot voice clone is not supported"
    assert message in error_of(door.speak(references=[{"audio_path": url, "text": "a"}] * 2))["message"]


def test_a_reference_without_audio_is_refused_and_null_is_no_rival(door):
    for references in ([{}], [{"text": "a"}], [{"audio_path": None}]):
        assert "'references[0].audio_path' is required" in error_of(door.speak(references=references))["message"]
    for references in ([], ["a"], {}):
        assert "'references" in error_of(door.speak(references=references))["message"]
    url = data_url(wav(2.0))
    rivals = error_of(door.speak(references=[{"audio_path": url, "text": "one"}], ref_text="two"))
    assert "'references[0].text' and 'ref_text' conflict; supply only one" in rivals["message"]
    assert door.speak(references=[{"audio_path": url, "text": "one"}], ref_audio=url, ref_text="one").status_code == 200
    assert door.speak(references=[{"audio_path": url}], ref_audio=None).content == door.speak(ref_audio=url).content


def test_stereo_is_averaged(door):
    stereo = door.speak(ref_audio=data_url(wav(1.5, channels=2, subtype="FLOAT")), response_format="pcm")
    mono = door.speak(ref_audio=data_url(wav(1.5, channels=1, subtype="FLOAT")), response_format="pcm")
    assert np.array_equal(pcm(stereo.content), pcm(mono.content))
    assert "x-speech-reference" not in stereo.headers


def test_the_channel_that_was_taken_is_told(door):
    tone, rate = samples_of(wav(1.5))
    file = io.BytesIO()
    soundfile.write(file, np.column_stack([0 * tone, tone]), rate, format="WAV")
    response = door.speak(ref_audio=data_url(file.getvalue()), response_format="pcm")
    assert json.loads(response.headers["x-speech-reference"]) == ["Taken: channel right of 2. The others are silent."]


def test_a_required_transcript_is_asked_for_in_vllms_words(open_door):
    def refuse():
        raise TranscriptRequired("Fake needs the words of the clip.", "Send them.")

    door = open_door(FakeEngine(before_extract=refuse))
    error = error_of(door.speak(ref_audio=data_url(wav(1.5))))
    assert error["message"] == "Voice cloning requires 'ref_text' (transcript of the reference audio)"
    assert (error["param"], error["reason_code"]) == ("ref_text", "transcript_required")


def test_an_engine_says_itself_what_of_a_request_needs_the_words(open_door):
    def refuse():
        raise TranscriptRequired("The mode both needs the words of the clip.", "Use another mode.", sentence="transcript_for_mode")

    error = error_of(open_door(FakeEngine(before_extract=refuse)).speak(ref_audio=data_url(wav(1.5))))
    assert (error["message"], error["hint"]) == ("The mode both needs the words of the clip.", "Use another mode.")
    assert (error["param"], error["reason_code"]) == ("ref_text", "transcript_required")


def test_an_unusable_recording_is_blamed_on_where_it_came_from(open_door):
    def refuse():
        raise ClipUnusable("clip_silent", "The clip is silent.", "Record again.")

    door = open_door(FakeEngine(before_extract=refuse))
    door.upload("alice")
    inline, stored = door.speak(ref_audio=data_url(wav(1.5))), door.speak(voice="alice")
    assert [error_of(response)["param"] for response in (inline, stored)] == ["ref_audio", "voice"]
    assert [error_of(response)["reason_code"] for response in (inline, stored)] == ["clip_silent"] * 2


def test_inline_audio_beats_a_voice_and_leaves_the_voice_as_it_was(door):
    door.upload("alice", wav(1.5, hz=300))
    text = "a sentence that is long enough"
    inline = door.speak(text, voice="alice", ref_audio=data_url(wav(1.5, hz=500)))
    alice = door.speak(text, voice="alice")
    assert alice.headers["x-speaker-cache"] == "miss"
    heard = [heard_pitch(*samples_of(response.content)) for response in (inline, alice)]
    assert heard[1] == pytest.approx(pitch_of_voice(door, "alice"), abs=3)
    assert abs(heard[0] - heard[1]) > 3


def test_an_inline_embedding_must_have_the_engines_width(door, open_door):
    assert door.speak(speaker_embedding=[0.5] * 8).status_code == 200
    assert door.speak(speaker_embedding=[[0.5] * 8]).content == door.speak(speaker_embedding=[0.5] * 8).content
    message = "speaker_embedding has 3 dimensions; expected 8 for the loaded Fake model"
    assert error_of(door.speak(speaker_embedding=[0.5] * 3))["message"] == message
    assert "must be finite" in error_of(door.speak(speaker_embedding=["x"] * 8))["message"]
    without = open_door(FakeEngine(replace(INFO, embedding_size=None)))
    assert error_of(without.speak(speaker_embedding=[0.5] * 8))["param"] == "speaker_embedding"


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("cannot open /home/me/models/x.bin: no", "cannot open <path>: no"),
        ("cannot open '/srv/a b/c.wav'.", "cannot open '<path>'."),
        ("object at 0x7f3a2b1c", "object at <address>"),
        ("failed\nTraceback (most recent call last):\n  File x", "failed"),
        ("Upload via POST /v1/audio/voices, or audio/wav and 3/4", "Upload via POST /v1/audio/voices, or audio/wav and 3/4"),
    ],
)
def test_messages_are_cleaned(raw, cleaned):
    assert clean(raw) == cleaned


def test_an_engine_of_built_in_voices_alone_refuses_every_recording_by_name(open_door):
    door = open_door(FakeEngine(), FakeEngine(replace(INFO, id="presets", title="Presets", clones_clips=False)))
    door.upload()
    for request, param in (({"ref_audio": data_url(wav(2.0))}, "ref_audio"), ({"voice": "alice"}, "voice")):
        response = door.speak(model="presets", **request)
        error = error_of(response)
        assert (response.status_code, error["reason_code"], error["param"]) == (400, "clips_unsupported", param)
        assert error["message"] == "Presets speaks in its built-in voices only."
    assert door.speak(model="presets", voice="tone").status_code == 200
