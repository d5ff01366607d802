"""POST /v1/audio/speech/convert: recorded speech in, another voice out, answered as POST /v1/audio/speech answers."""

import base64
import io
import json
import socket
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from urllib.parse import urlsplit

import httpx
import numpy as np
import pytest
import soundfile

from studio.api.door.middleware import MOST_BODY_BYTES
from studio.speakers.enrollment import API_RULE
from tests.api.door import Door, Gate, data_url, error_of, events_of, eventually, pcm, pitch_of_voice, samples_of, served, wav
from tests.api.speech.test_answers import TYPES
from tests.api.speech.test_hang_up import Steps, hung_up
from tests.api.voices.hostile_files import HOSTILE
from tests.stand_ins import patient_http
from tests.stand_ins.fake_engine import CHUNK_SAMPLES, CONVERTER, DESIGNER, SAMPLE_RATE, FakeEngine, heard_pitch

PATH = "/v1/audio/speech/convert"
RAW = {"stream_format": "audio", "response_format": "pcm"}
SSE = {"stream": "true", "response_format": "pcm"}
SOURCE = wav(1.0)  # 13 chunks
TOO_LONG = API_RULE.most_seconds + 1
EMPTY = {"speaker_embedding": "", "extra_params": ""}
DESIGNER_THAT_CONVERTS = replace(DESIGNER, converts=True)


@pytest.fixture
def door(open_door) -> Door:
    """Whose engine converts, and which knows alice."""
    door = open_door(FakeEngine(CONVERTER))
    door.upload("alice")
    return door


def form(**fields) -> dict:
    """What httpx sends as a form with SOURCE."""
    return {"files": {"file": ("a.wav", SOURCE, "audio/wav")}, "data": {"voice": "alice"} | fields}


def audio_of(events) -> bytes:
    return b"".join(base64.b64decode(data["audio"]) for name, data in events if name == "speech.audio.delta")


@pytest.mark.parametrize("response_format", ["wav", "flac", "mp3", "opus"])
def test_each_format_holds_as_much_speech_in_the_voice(door, response_format):
    response = door.convert(SOURCE, voice="alice", response_format=response_format)
    assert response.headers["content-type"] == TYPES[response_format]
    samples, rate = samples_of(response.content)
    assert len(samples) / rate == pytest.approx(1.0, abs=0.1)
    assert heard_pitch(samples[: rate // 2], rate) == pytest.approx(pitch_of_voice(door, "alice"), abs=3)
    assert door.engine.converted[-1].sample_rate == SAMPLE_RATE


def test_headers_are_those_of_speech_and_tell_what_the_cache_knew(door):
    first, second, spoken = door.convert(voice="alice"), door.convert(voice="alice"), door.speak(voice="alice")
    assert [response.headers["x-speaker-cache"] for response in (first, second, spoken)] == ["miss", "hit", "hit"]
    assert second.headers.keys() == spoken.headers.keys()
    assert (first.headers["x-audio-duration-ms"], first.headers["x-speech-end"]) == ("1000", "ended")
    assert "decode;dur=" in first.headers["server-timing"]
    counts = {name: first.headers[f"x-vllm-omni-{name}-tokens"] for name in ("input-text", "input-audio", "output")}
    assert counts == {"input-text": "0", "input-audio": "13", "output": "13"}


def test_streams_hold_the_samples_of_the_whole_file_and_rates_and_speeds_are_heeded(door):
    for more in ({}, {"sample_rate": "16000"}, {"speed": "2.0"}):
        whole = door.convert(voice="alice", response_format="pcm", **more).content
        assert len(whole) == 2 * (16_000 if "sample_rate" in more else 12_000 if "speed" in more else 24_000)
        assert door.convert(voice="alice", **RAW, **more).content == whole
        assert audio_of(events_of(door.convert(voice="alice", **SSE, **more).text)) == whole
    encoded = door.convert(voice="alice", stream_format="audio", response_format="mp3")
    assert (encoded.status_code, encoded.headers["content-type"]) == (200, "audio/mpeg")


@pytest.mark.parametrize("fields", [RAW, SSE])
def test_the_first_audio_leaves_before_the_second_is_made(open_door, fields):
    gate = Gate()
    door = open_door(FakeEngine(CONVERTER, before_chunk=lambda index: gate(index) if index == 1 else None))
    with served(door) as url, httpx.stream("POST", url + PATH, **form(voice="tone", **fields), timeout=60) as response:
        parts = response.iter_raw()
        assert len(next(parts)) >= CHUNK_SAMPLES
        assert door.engine.chunks_made == 1
        gate.open()
        assert sum(map(len, parts)) > 0


@pytest.mark.parametrize("fields", [{}, RAW, SSE])
def test_who_hangs_up_frees_the_engine_within_one_chunk(open_door, fields, caplog):
    steps = Steps()
    door = open_door(FakeEngine(CONVERTER, before_chunk=steps))
    with caplog.at_level("INFO", "studio.request"), served(door) as url:
        connection = sent(url, form(voice="tone", **fields))
        steps.wait()
        steps.go.release()
        steps.wait()  # the engine is inside chunk 1
        connection.close()
        assert eventually(lambda: hung_up(caplog))
        steps.go.release()
        assert eventually(lambda: door.engine.streams_closed == 1)
    assert door.engine.chunks_made == 2


def sent(url: str, asked: dict, n_bytes: int | None = None) -> socket.socket:
    """A request on a bare socket, or the first so many bytes of it."""
    request = httpx.Request("POST", url + PATH, **asked)
    head = "".join(f"{name}: {value}\r\n" for name, value in request.headers.items())
    connection = socket.create_connection((urlsplit(url).hostname, urlsplit(url).port))
    connection.sendall((f"POST {PATH} HTTP/1.1\r\n{head}\r\n".encode() + request.read())[:n_bytes])
    return connection


def test_who_hangs_up_while_sending_the_recording_leaves_nothing_behind(door, caplog):
    with caplog.at_level("INFO"), served(door) as url:
        sent(url, form(), 10_000).close()
        assert httpx.post(url + PATH, **form(), timeout=60).status_code == 200
    assert len(door.engine.converted) == 1
    assert not [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")]


def test_a_failure_on_the_way_is_an_error_event_or_cuts_the_stream_and_before_any_audio_a_plain_500(open_door, each_chunk_alone):
    door = open_door(FakeEngine(CONVERTER, fail_at_chunk=3))
    events = events_of(door.convert(**SSE).text)
    assert [name for name, _ in events] == ["speech.audio.delta"] * 3 + ["speech.audio.error"]
    with served(door) as url, pytest.raises(httpx.RemoteProtocolError):
        patient_http.post(url + PATH, **form(voice="tone", **RAW))
    whole = open_door(FakeEngine(CONVERTER, fail_at_chunk=0)).convert(**RAW)
    assert (whole.status_code, error_of(whole)["reason_code"]) == (500, "engine_failed")


def test_an_engine_that_makes_nothing_of_the_recording_says_so(open_door):
    class Mute(FakeEngine):
        def convert(self, clip, prompt, options):
            yield from ()

    response = open_door(Mute(CONVERTER)).convert()
    assert (response.status_code, error_of(response)["values"]["sentence"]) == (500, "no_audio_of_recording")


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: b"", "audio_undecodable"),
        (lambda: b"no sound", "audio_undecodable"),
        (lambda: wav(1.0, hz=0.0), "clip_silent"),
        (lambda: wav(TOO_LONG, rate=8_000), "clip_too_long"),
        (lambda: bytes(API_RULE.most_file_bytes + 1), "audio_too_large"),
        *((HOSTILE[name], None) for name in ("half a wav header", "33 channels", "30.1 s", "601 s", "nan", "html", "a webm without sound")),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_a_recording_that_cannot_be_converted_is_refused_as_what_it_is(door, make, code):
    response = door.convert(make(), voice="alice")
    error = error_of(response)
    assert (response.status_code, error["param"]) == (400, "file")
    assert error["hint"] and error["reason_code"] == (code or error["reason_code"])
    assert not door.engine.converted


def test_one_that_is_too_long_is_told_its_length_the_limit_and_whose_it_is(door):
    error = error_of(door.convert(wav(TOO_LONG, rate=8_000), voice="alice"))
    assert error["message"] == "The recording has 31 s, and Converter takes 30 s."
    assert door.convert(wav(API_RULE.most_seconds, rate=8_000), voice="alice").status_code == 200


def test_a_form_that_is_too_large_is_refused_before_it_is_read(door):
    answer = door.convert(bytes(MOST_BODY_BYTES))
    assert (answer.status_code, error_of(answer)["reason_code"]) == (413, "body_too_large")


def test_what_is_wrong_with_the_voice_is_told_of_the_voice(door):
    for fields, param in (({"voice": "nobody"}, "voice"), ({"ref_audio": data_url(b"no sound")}, "ref_audio")):
        error = error_of(door.convert(**fields))
        assert (error["param"], error["code"]) == (param, 400)
    assert error_of(door.convert(ref_audio=data_url(wav(0.5))))["reason_code"] == "clip_too_short"


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"seed": "x"}, "body.seed"),
        ({"response_format": "exe"}, "body.response_format"),
        ({"extra_params": "{"}, "body.extra_params"),
        ({"extra_params": "[]"}, "body.extra_params"),
        ({"extra_params": '{"seedy": 1}'}, "seedy"),
        ({"speaker_embedding": "[1]"}, "speaker_embedding"),
        ({"speaker_embedding": "x"}, "body.speaker_embedding"),
        ({"sample_rate": "12345"}, "sample_rate"),
        ({"task_type": "VoiceDesign"}, "task_type"),
        ({"model": "nobody's"}, "model"),
    ],
)
def test_fields_are_checked_as_those_of_speech_before_anything_is_converted(door, fields, param):
    response = door.convert(**fields)
    assert (response.status_code, error_of(response)["param"]) == (404 if param == "model" else 400, param)
    assert not door.engine.converted


def test_without_a_form_or_a_recording_in_it_the_field_is_named(door):
    for answer in (door.post(PATH, json={"voice": "alice"}), door.post(PATH, data={"voice": "alice"})):
        assert (answer.status_code, error_of(answer)["param"]) == (400, "body.file")
    text = door.post(PATH, files={"file": ("a.txt", b"a letter", "text/plain")})
    assert (text.status_code, error_of(text)["param"], error_of(text)["reason_code"]) == (400, "file", "audio_type_unsupported")


def test_the_bytes_of_the_recording_decide_and_no_label(door):
    for name, mime_type in (("a.txt", "text/plain"), ("a.mov", "video/quicktime"), ("a", "binary/octet-stream")):
        assert door.post(PATH, files={"file": (name, SOURCE, mime_type)}, data={"voice": "alice"}).status_code == 200


def test_a_form_may_be_filled_in_in_other_ways(door):
    pitch = pitch_of_voice(door, "alice")
    other = door.post(PATH, files={"audio": ("a.wav", SOURCE, "audio/wav")}, data={"speaker": "alice", "ref_audio": "", "seed": ""} | EMPTY)
    assert heard_pitch(samples_of(other.content)[0]) == pytest.approx(pitch, abs=2)
    files = {"file": ("a.wav", SOURCE, "audio/wav"), "ref_audio": ("v.wav", wav(1.5), "audio/wav")}
    inline = door.post(PATH, files=files)  # the recording that alice was made of
    assert heard_pitch(samples_of(inline.content)[0]) == pytest.approx(pitch, abs=2)
    assert door.convert(ref_audio=data_url(wav(1.5))).content == inline.content
    embedded = door.convert(speaker_embedding=json.dumps([10.0] * 8), extra_params='{"seed": 7}')
    assert heard_pitch(samples_of(embedded.content)[0]) == pytest.approx(380, abs=2)
    assert embedded.content == door.convert(speaker_embedding=json.dumps([10.0] * 8), seed="7").content


def test_what_concerns_a_text_alone_changes_nothing_and_is_named(door):
    ignored = door.convert(voice="alice", language="Klingon", instructions="gently", max_new_tokens="5", word_timestamps="false")
    assert ignored.headers["x-ignored-parameters"] == "instructions, language, max_new_tokens"
    assert ignored.content == door.convert(voice="alice").content


def test_an_engine_that_does_not_convert_is_refused_with_those_that_do_and_never_stood_in_for(open_door):
    door = open_door(FakeEngine(), FakeEngine(CONVERTER))
    answer = door.convert(model="fake")
    error = error_of(answer)
    assert (answer.status_code, error["param"], error["reason_code"]) == (400, "model", "conversion_unsupported")
    assert (error["message"], error["hint"]) == ("Fake speaks typed text only.", "Choose Converter.")
    alone = error_of(open_door(FakeEngine()).convert())
    assert (alone["reason_code"], alone["values"]["sentence"]) == ("conversion_unsupported", "conversion_by_none")


def test_without_a_model_the_first_engine_converts_that_has_the_voice(open_door):
    other = FakeEngine(DESIGNER_THAT_CONVERTS)
    door = open_door(FakeEngine(), other, FakeEngine(CONVERTER))
    door.upload("alice")
    assert door.convert(voice="alice").status_code == 200 and len(other.converted) == 1
    for fields in ({"voice": "tone"}, {}, {"speaker_embedding": json.dumps([1.0] * 8)}):
        assert door.convert(**fields).status_code == 200
        assert len(other.converted) == 1, fields  # which has neither such a voice, nor one of its own, nor takes numbers
    assert len(door.engines["converter"].converted) == 3
    assert error_of(door.convert(voice="nobody"))["param"] == "voice"
    door = open_door(FakeEngine(CONVERTER), FakeEngine(DESIGNER_THAT_CONVERTS))
    door.upload("bob", wav(1.5, hz=300.0))
    assert door.convert(voice="bob").status_code == 200
    assert len(door.engine.converted) == 1  # the default one, which comes before all others


def test_what_is_kept_is_the_answer_and_its_length_and_nothing_of_the_recording(door):
    response = door.post(PATH, **form(response_format="pcm"), headers={"X-Studio-Keep": "1"})
    door.convert(voice="alice")
    door.studio.history.settle()
    [entry] = door.studio.history.entries()
    assert (entry.id, entry.text, entry.source_seconds) == (response.headers["x-studio-kept"], "", 1.0)
    samples, _ = soundfile.read(io.BytesIO(door.studio.history.audio(entry.id)), dtype="int16")
    assert np.array_equal(samples, np.frombuffer(response.content, "<i2"))
    heard = [np.frombuffer(SOURCE[44:], "<i2"), pcm(response.content)]
    assert not np.array_equal(*heard)


def test_a_conversion_that_would_make_another_run_dry_is_refused_and_a_whole_file_is_made(open_door):
    gate = Gate()
    door = open_door(FakeEngine(CONVERTER, before_chunk=gate), most_wait_seconds=0.0)
    door.studio.load()
    with ThreadPoolExecutor(3) as clients:
        first = clients.submit(door.convert, **RAW)
        gate.wait_for_arrival()
        stream, whole = clients.submit(door.convert, **RAW), clients.submit(door.convert)
        assert eventually(lambda: door.studio.engines()[0].waiting == 2)
        gate.open()
    refused = stream.result()
    assert (refused.status_code, error_of(refused)["reason_code"]) == (503, "engine_busy")
    assert int(refused.headers["retry-after"]) >= 1
    assert first.result().status_code == whole.result().status_code == 200


def test_a_whole_file_may_be_as_long_as_any_other_and_is_refused_before_it_is_made(open_door):
    gate = Gate()
    door = open_door(FakeEngine(CONVERTER, before_chunk=gate), most_audio_seconds=10)
    answer = door.convert(wav(6.0, rate=8_000), speed="0.5")
    gate.open()
    assert (answer.status_code, error_of(answer)["reason_code"]) == (400, "answer_too_long")
    assert door.convert(wav(6.0, rate=8_000)).status_code == door.convert(wav(6.0, rate=8_000), speed="0.5", **RAW).status_code == 200


@pytest.mark.slow
def test_it_is_listed_and_documented_without_the_fields_of_a_text(open_door):
    door = open_door(FakeEngine(), FakeEngine(CONVERTER))
    assert {model["id"]: model["converts"] for model in door.get("/v1/models").json()["data"]} == {"fake": False, "converter": True}
    document = door.get("/openapi.json").json()
    body = document["paths"][PATH]["post"]["requestBody"]["content"]["multipart/form-data"]["schema"]
    fields = document["components"]["schemas"][body["$ref"].rpartition("/")[2]]
    assert fields["required"] == ["file"]
    assert {"file", "voice", "model", "response_format", "stream", "extra_params"} <= fields["properties"].keys()
    assert not {"language", "instructions", "input"} & fields["properties"].keys()


def test_one_line_of_the_log_tells_how_much_was_converted(door, caplog):
    with caplog.at_level("INFO", "studio.request"):
        door.convert(voice="alice", model="converter")
    (line,) = [record.getMessage() for record in caplog.records if record.name == "studio.request"]
    assert "source_seconds=1.0" in line and "characters=0" in line and "status=200" in line
