"""Whole answers: formats, headers, failures, cancellation of the queue."""

import logging
import re

import numpy as np
import pytest

from engines.errors import EngineFailed
from studio.audio.decode import decode_clip
from tests.api.door import error_of, samples_of, wav
from tests.stand_ins.fake_engine import CHUNK_SAMPLES, SAMPLE_RATE, FakeEngine, heard_pitch

pytestmark = pytest.mark.usefixtures("gradio_agrees")

TYPES = {"wav": "audio/wav", "pcm": "audio/pcm", "flac": "audio/flac", "mp3": "audio/mpeg", "opus": "audio/ogg", "aac": "audio/aac"}


@pytest.mark.parametrize("response_format", TYPES)
def test_each_format_has_its_bare_content_type(door, response_format):
    response = door.speak(response_format=response_format)
    assert response.headers["content-type"] == TYPES[response_format]
    assert int(response.headers["content-length"]) == len(response.content)


@pytest.mark.parametrize("response_format", ["wav", "flac", "mp3", "opus"])
def test_each_file_decodes_to_the_same_tone(door, response_format):
    samples, rate = samples_of(door.speak("hello there, my friend", response_format=response_format).content)
    assert heard_pitch(samples[: rate // 2 * 2], rate) == pytest.approx(440, abs=3)


@pytest.mark.parametrize("rate", [8_000, 22_050, 44_100])
def test_aac_decodes_to_the_same_tone(door, rate):
    clip = decode_clip(door.speak("hello there, my friend", response_format="aac", sample_rate=rate).content)
    assert clip.sample_rate == rate
    assert heard_pitch(clip.samples, rate) == pytest.approx(440, abs=3)


@pytest.mark.slow
def test_opus_is_resampled_where_it_does_not_know_the_rate(door):
    for rate in (22_050, 44_100):
        response = door.speak("hello there, my friend", response_format="opus", sample_rate=rate)
        samples, stored = samples_of(response.content)
        assert (response.status_code, stored) == (200, 48_000)
        assert heard_pitch(samples, stored) == pytest.approx(440, abs=3)


def test_token_headers_are_decimals_that_add_up(door):
    headers = door.speak("hello").headers
    values = {name: headers[f"x-vllm-omni-{name}-tokens"] for name in ("input", "output", "total", "input-text", "input-audio")}
    assert all(value.isdecimal() for value in values.values())
    assert (values["input"], values["input-text"], values["input-audio"]) == ("5", "5", "0")
    assert int(values["total"]) == int(values["input"]) + int(values["output"])


def test_rate_duration_cache_and_timing_are_in_the_headers(door):
    door.upload("alice")
    first, second = door.speak(voice="alice"), door.speak(voice="alice")
    assert [response.headers["x-speaker-cache"] for response in (first, second)] == ["miss", "hit"]
    samples, rate = samples_of(first.content)
    assert int(first.headers["x-sample-rate"]) == rate
    assert int(first.headers["x-audio-duration-ms"]) == round(1000 * len(samples) / rate)
    stages = dict(part.split(";dur=") for part in first.headers["server-timing"].replace(';desc="miss"', "").split(", "))
    assert {"resolve", "prompt", "extract", "queue", "first_chunk", "first_audio", "total"} <= set(stages)
    assert 0 < float(stages["first_audio"]) <= float(stages["total"])


@pytest.mark.parametrize("asked", [{}, {"stream_format": "audio"}, {"stream_format": "sse"}])
def test_the_headers_tell_when_the_first_packet_was_ready(door, asked):
    timing = door.speak(response_format="wav", **asked).headers["server-timing"]
    stages = {name: float(duration) for name, duration in re.findall(r"(\w+);dur=([\d.]+)", timing)}
    assert stages["first_audio"] <= stages["packet"] <= stages["total"]


def test_a_voice_comes_from_disk_after_a_restart(door, open_door):
    door.upload("alice")
    door.speak(voice="alice")
    door.close()
    again = open_door()
    assert again.speak(voice="alice").headers["x-speaker-cache"] == "disk"
    assert again.engine.extractions == 0


def test_a_sane_request_id_is_echoed_and_others_are_replaced(door):
    def echoed(request_id):
        return door.post("/v1/audio/speech", json={"input": "x"}, headers={"x-request-id": request_id}).headers["x-request-id"]

    assert echoed("my-id_1.2:3") == "my-id_1.2:3"
    for hostile in ("a b", "x" * 129, 'a"b'):
        assert echoed(hostile).startswith("speech-")
        assert len(echoed(hostile)) == len("speech-") + 16
    assert door.get("/v1/nothing").headers["x-request-id"].startswith("speech-")


def test_no_audio_is_an_error_not_an_empty_file(open_door):
    door = open_door(FakeEngine(seconds_per_character=0.0))
    response = door.speak("x")
    assert (response.status_code, error_of(response)["reason_code"]) == (500, "no_audio")
    assert error_of(response)["message"].startswith("Speech generation failed: ")


def test_samples_that_are_no_numbers_are_an_error(open_door):
    class Broken(FakeEngine):
        def stream(self, text, prompt, options):
            yield np.full(CHUNK_SAMPLES, np.nan, np.float32)

    response = open_door(Broken()).speak()
    assert (response.status_code, error_of(response)["reason_code"]) == (500, "no_audio")


@pytest.mark.parametrize("chunk", [0, 3])
def test_a_failing_engine_is_500_in_vllms_words(open_door, chunk):
    response = open_door(FakeEngine(fail_at_chunk=chunk)).speak("hello there, my friend")
    error = error_of(response)
    assert (response.status_code, error["type"]) == (500, "InternalServerError")
    assert error["message"] == "Speech generation failed: The fake engine was told to fail."


class Loud(FakeEngine):
    """A tone of three times full scale, then the same one within it."""

    def stream(self, text, prompt, options):
        for peak in (3.0, 0.9):
            yield (peak * np.sin(2 * np.pi * 440 * np.arange(CHUNK_SAMPLES) / SAMPLE_RATE)).astype(np.float32)


def test_a_loud_engine_is_rounded_off_and_a_quiet_one_left_alone(open_door):
    door = open_door(Loud())
    data = door.speak(response_format="pcm").content
    loud, quiet = np.split(np.frombuffer(data, "<i2").astype(np.float32) / 32768, 2)
    made, within = (peak * np.sin(2 * np.pi * 440 * np.arange(CHUNK_SAMPLES) / SAMPLE_RATE).astype(np.float32) for peak in (3.0, 0.9))
    assert np.abs(loud).max() <= 1.0
    order = np.argsort(made)
    assert np.all(np.diff(loud[order]) >= 0)
    beyond = (np.abs(made) > 1.0) & (np.abs(made) < 1.2)
    assert beyond.any()
    assert np.all(np.abs(loud[beyond]) < 0.9998)  # where a cut would leave flat tops
    assert np.allclose(quiet, within, atol=1 / 32768)
    assert door.speak(response_format="pcm", stream_format="audio").content == data


def test_the_level_of_the_answer_and_of_the_reference_are_in_the_log(open_door, caplog):
    class Measuring(FakeEngine):
        def make_prompt(self, source_digest, tensors, transcript=None, facts=None):
            return super().make_prompt(source_digest, tensors, transcript, {"level_dbfs": -23.4})

    with caplog.at_level(logging.INFO, "studio.request"):
        open_door(Measuring()).speak("hello there, my friend")
    facts = dict(part.split("=", 1) for part in caplog.records[-1].getMessage().split(" "))
    assert float(facts["level_dbfs"]) == pytest.approx(20 * np.log10(0.5 / np.sqrt(2)), abs=0.1)
    assert facts["reference_level_dbfs"] == "-23.4"


def test_an_unexpected_defect_tells_nothing_of_our_insides(open_door, monkeypatch):
    door = open_door()

    def explode(*_):
        raise RuntimeError("secret /srv/private/file at 0xdeadbeef")

    monkeypatch.setattr(door.studio, "speakers", explode)
    response = door.get("/v1/audio/voices")
    assert response.status_code == 500
    assert error_of(response)["message"] == "Internal server error."
    assert "secret" not in response.text


@pytest.mark.parametrize("fields", [{}, {"voice": "bob"}, {"stream": True, "response_format": "pcm"}])
def test_one_log_line_per_request(door, caplog, fields):
    with caplog.at_level(logging.INFO, "studio.request"):
        response = door.speak(**fields)
    (record,) = [record for record in caplog.records if record.name == "studio.request"]
    facts = dict(part.split("=", 1) for part in record.getMessage().split(" "))
    assert facts["id"] == response.headers["x-request-id"]
    assert facts["status"] == str(response.status_code)
    assert ("first_audio_ms" in facts) == (response.status_code == 200)
    assert facts.get("failure") == (None if response.status_code == 200 else "speaker_unknown")


def test_a_failure_on_the_way_is_in_the_log(open_door, caplog):
    with caplog.at_level(logging.INFO, "studio.request"):
        open_door(FakeEngine(fail_at_chunk=3)).speak("hello there, my friend", stream=True)
    assert "failure=engine_failed" in caplog.records[-1].getMessage()


def test_errors_hold_no_path_no_address_and_no_traceback(open_door, tmp_path):
    place = str(tmp_path / "models" / "weights.bin")

    def fail(index):
        raise EngineFailed(f"could not read {place} at 0x7f00deadbeef\nTraceback (most recent call last):\n  File x")

    door = open_door(FakeEngine(before_chunk=fail))
    door.upload("alice")
    (stored,) = [file for file in door.folder.iterdir() if file.suffix == ".safetensors"]
    responses = [
        door.speak(),
        door.speak(voice="nobody"),
        door.upload("bob", b"garbage"),
        door.upload("bob", wav(0.5)),
        door.speak(ref_audio=f"file://{place}"),
    ]
    stored.write_bytes(b"damaged")
    responses += [door.speak(voice="alice"), door.get("/v1/audio/voices/alice/audio"), door.post("/v1/audio/voices/alice/cache")]
    for response in responses:
        assert response.status_code >= 400, response.text
        assert str(tmp_path) not in response.text
        assert "0x7f" not in response.text
        assert "Traceback" not in response.text
        assert {"message", "type", "param", "code"} <= set(error_of(response))
