"""Streams over a real server: chunks as they are made, events, early and late failures."""

import base64
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import pytest

from studio.api.answers import answer
from studio.api.answers.answer import SseAnswer
from studio.audio.decode import decode_clip
from studio.audio.formats import MEDIA_TYPES
from studio.speech.request import SpeechRequest
from tests.api.door import Gate, error_of, events_of, eventually, pcm, served
from tests.stand_ins import patient_http
from tests.stand_ins.fake_engine import CHUNK_SAMPLES, SAMPLE_RATE, FakeEngine, heard_pitch

pytestmark = pytest.mark.usefixtures("gradio_agrees")

TEXT = "hello there, my friend"  # 1.1 s, 14 chunks
HEADER = bytes.fromhex("52494646ffffffff57415645666d7420100000000100010" + "0c05d000080bb00000200100064617461ffffffff")
RAW = {"stream_format": "audio"}
SSE = {"stream": True, "response_format": "pcm"}
each_encoded = pytest.mark.parametrize("response_format", ["mp3", "opus", "flac", "aac"])


def audio_of(events) -> bytes:
    return b"".join(base64.b64decode(data["audio"]) for name, data in events if name == "speech.audio.delta")


def test_events_are_delta_and_done_only(door):
    response = door.speak(TEXT, **SSE)
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    events = events_of(response.text)
    assert {name for name, _ in events[:-1]} == {"speech.audio.delta"}
    assert events[-1][0] == "speech.audio.done"
    assert all(name == data["type"] for name, data in events)


def test_deltas_are_numbered_never_empty_and_state_the_rate(door, each_chunk_alone):
    deltas = [data for name, data in events_of(door.speak(TEXT, **SSE).text) if name == "speech.audio.delta"]
    assert [data["index"] for data in deltas] == list(range(14))
    assert all(data["audio"] and data["response_format"] == "pcm" and data["sample_rate"] == SAMPLE_RATE for data in deltas)


def test_done_has_usage_and_timing(door):
    _, done = events_of(door.speak(TEXT, **SSE).text)[-1]
    assert done["usage"]["input_token_details"] == {"text_tokens": len(TEXT), "audio_tokens": 0}
    assert done["usage"]["total_tokens"] == done["usage"]["input_tokens"] + done["usage"]["output_tokens"]
    assert 0 < done["ttfp_ms"] == done["timing"]["first_audio_ms"]
    assert done["timing"]["audio_seconds"] == pytest.approx(1.1, abs=0.001)
    assert done["timing"]["cache"] == "miss"


def test_a_quiet_stream_of_events_is_kept_alive_by_comments(open_door, monkeypatch):
    monkeypatch.setattr(SseAnswer, "quiet_seconds", 0.01)
    gate = Gate()
    door = open_door(FakeEngine(before_chunk=lambda index: gate() if index == 1 else None))
    text = ""
    with served(door) as url, patient_http.stream("POST", f"{url}/v1/audio/speech", json={"input": TEXT} | SSE, timeout=60) as response:
        for part in response.iter_text():
            text += part
            if ": ping" in text:
                gate.open()
    events = events_of(text.replace(": ping\n\n", ""))
    assert text.count(": ping") >= 1
    assert audio_of(events) == open_door().speak(TEXT, response_format="pcm").content


def test_the_first_delta_of_wav_is_the_streaming_header(door):
    events = events_of(door.speak(TEXT, stream=True).text)
    assert base64.b64decode(events[0][1]["audio"]) == HEADER
    assert audio_of(events)[44:] == audio_of(events_of(door.speak(TEXT, **SSE).text))


@pytest.mark.parametrize("rate", [None, 16_000, 48_000])
@pytest.mark.slow
def test_streamed_audio_is_the_whole_audio(door, rate):
    whole = door.speak(TEXT, response_format="pcm", sample_rate=rate).content
    assert door.speak(TEXT, **RAW, response_format="pcm", sample_rate=rate).content == whole
    assert audio_of(events_of(door.speak(TEXT, **SSE, sample_rate=rate).text)) == whole
    raw = door.speak(TEXT, **RAW, sample_rate=rate).content
    assert (raw[44:], raw[4:8]) == (whole, b"\xff" * 4)


def test_no_click_at_the_borders_of_chunks(door):
    samples = pcm(door.speak(TEXT, **RAW, response_format="pcm").content)
    jumps = np.abs(np.diff(samples))
    border = np.zeros(len(jumps), bool)
    reach = SAMPLE_RATE * 5 // 1000
    for start in range(CHUNK_SAMPLES, len(samples), CHUNK_SAMPLES):
        border[start - reach : start + reach] = True
    assert jumps[border].max() <= 3 * np.quantile(jumps[~border], 0.999)


def test_a_raw_stream_is_chunked_and_has_our_headers(door):
    with served(door) as url:
        response = patient_http.post(f"{url}/v1/audio/speech", json={"input": TEXT} | RAW)
    assert response.headers["transfer-encoding"] == "chunked"
    assert "content-length" not in response.headers
    assert response.headers["content-type"] == "audio/wav"
    assert (response.headers["x-sample-rate"], response.headers["x-speaker-cache"]) == (str(SAMPLE_RATE), "miss")
    assert "first_audio" in response.headers["server-timing"]
    assert response.content[:44] == HEADER


@pytest.mark.parametrize("fields", [RAW, SSE])
def test_the_first_audio_leaves_before_the_second_is_made(open_door, fields):
    gate = Gate()
    door = open_door(FakeEngine(before_chunk=lambda index: gate(index) if index == 1 else None))
    with served(door) as url, patient_http.stream("POST", f"{url}/v1/audio/speech", json={"input": TEXT} | fields, timeout=60) as response:
        parts = response.iter_raw()
        assert len(next(parts)) > CHUNK_SAMPLES
        assert door.engine.chunks_made == 1
        gate.open()
        assert sum(map(len, parts)) > 0


@pytest.mark.parametrize("fields", [RAW, SSE])
def test_a_failure_before_any_audio_is_a_plain_500(open_door, fields):
    response = open_door(FakeEngine(fail_at_chunk=0)).speak(TEXT, **fields)
    assert (response.status_code, response.headers["content-type"]) == (500, "application/json")
    assert error_of(response)["message"].startswith("Speech generation failed: ")


@pytest.mark.slow
def test_strictly_compatible_a_failure_before_any_audio_is_200_and_an_error_event(open_door):
    door = open_door(FakeEngine(fail_at_chunk=0), strict_compat=True)
    response = door.speak(stream=True, response_format="pcm")
    assert response.status_code == 200
    ((name, data),) = events_of(response.text)
    assert (name, data["error"]["type"], data["error"]["code"]) == ("speech.audio.error", "server_error", 500)
    assert not {"partial_audio", "action"} & data["error"].keys()
    with served(door) as url, pytest.raises(httpx.RemoteProtocolError):
        patient_http.post(f"{url}/v1/audio/speech", json={"input": "hello", "stream_format": "audio", "response_format": "pcm"})
    assert door.speak().status_code == 500  # whole answers have no status line before the audio
    assert door.speak("", stream=True, response_format="pcm").status_code == 400


@pytest.mark.parametrize("fields", [RAW, SSE])
def test_mistakes_in_a_streaming_request_are_plain_400(door, fields):
    for mistake in ({"voice": "nobody"}, {"seed": "x"}, {"language": "Klingon"}):
        response = door.speak(TEXT, **fields, **mistake)
        assert (response.status_code, response.headers["content-type"]) == (400, "application/json")


def test_a_failure_on_the_way_is_an_error_event_and_no_done(open_door, each_chunk_alone):
    response = open_door(FakeEngine(fail_at_chunk=3)).speak(TEXT, **SSE)
    assert response.status_code == 200
    events = events_of(response.text)
    assert [name for name, _ in events] == ["speech.audio.delta"] * 3 + ["speech.audio.error"]
    error = events[-1][1]["error"]
    assert {"message", "type", "param", "code", "partial_audio", "action"} <= set(error)
    assert (error["type"], error["param"], error["code"]) == ("server_error", None, 500)
    assert (error["partial_audio"], error["action"]) == (True, "discard")


def test_a_failure_on_the_way_cuts_the_raw_stream(open_door):
    door = open_door(FakeEngine(fail_at_chunk=3))
    received = []
    with (
        served(door) as url,
        patient_http.stream("POST", f"{url}/v1/audio/speech", json={"input": TEXT} | RAW) as response,
        pytest.raises(httpx.RemoteProtocolError, match="incomplete chunked read"),
    ):
        received.extend(response.iter_raw())
    assert sum(map(len, received)) == 44 + 3 * 2 * CHUNK_SAMPLES


@each_encoded
def test_an_encoded_raw_stream_is_a_file_of_the_same_tone_and_length(door, response_format):
    response = door.speak(TEXT, **RAW, response_format=response_format)
    assert response.headers["content-type"] == MEDIA_TYPES[response_format]
    clip = decode_clip(response.content)
    assert clip.sample_rate == int(response.headers["x-sample-rate"])
    assert 1.1 <= clip.seconds <= 1.16
    assert heard_pitch(clip.samples, clip.sample_rate) == pytest.approx(440, abs=3)


@each_encoded
@pytest.mark.slow
def test_encoded_events_hold_the_same_bytes(door, response_format):
    fields = {"response_format": response_format, "sample_rate": 16_000}
    events = events_of(door.speak(TEXT, stream=True, **fields).text)
    deltas = [data for _, data in events[:-1]]
    assert decode_clip(audio_of(events)).samples.tobytes() == decode_clip(door.speak(TEXT, **RAW, **fields).content).samples.tobytes()
    assert [data["index"] for data in deltas] == list(range(len(deltas)))
    assert all(data["audio"] and data["response_format"] == response_format and data["sample_rate"] == 16_000 for data in deltas)
    assert events[-1][0] == "speech.audio.done"


@each_encoded
@pytest.mark.parametrize("fields", [RAW, {"stream": True}])
def test_encoded_audio_leaves_before_the_second_frame_is_made(open_door, fields, response_format):
    gate = Gate()
    door = open_door(FakeEngine(before_chunk=lambda index: gate(index) if index == 1 else None))
    body = {"input": TEXT, "response_format": response_format} | fields
    with served(door) as url, patient_http.stream("POST", f"{url}/v1/audio/speech", json=body, timeout=60) as response:
        parts = response.iter_raw()
        assert len(next(parts)) > 100
        assert door.engine.chunks_made == 1
        gate.open()
        assert sum(map(len, parts)) > 0


def test_a_failure_on_the_way_cuts_an_encoded_stream_too(open_door):
    door = open_door(FakeEngine(fail_at_chunk=5))
    body = {"input": TEXT, "response_format": "mp3"} | RAW
    with (
        served(door) as url,
        patient_http.stream("POST", f"{url}/v1/audio/speech", json=body) as response,
        pytest.raises(httpx.RemoteProtocolError, match="incomplete chunked read"),
    ):
        list(response.iter_raw())


@pytest.mark.parametrize("fields", [RAW, {"stream": True}])
def test_a_listener_who_leaves_an_encoded_stream_frees_the_encoder(open_door, monkeypatch, fields):
    closed = threading.Event()
    opened = answer.open_stream_encoder

    def remembered(*args, **options):
        encoder = opened(*args, **options)
        close = encoder.close
        encoder.close = lambda: (close(), closed.set())
        return encoder

    monkeypatch.setattr(answer, "open_stream_encoder", remembered)
    gate = Gate()
    door = open_door(FakeEngine(before_chunk=lambda index: gate(index) if index == 2 else None))
    body = {"input": TEXT, "response_format": "opus"} | fields
    with served(door) as url, patient_http.stream("POST", f"{url}/v1/audio/speech", json=body, timeout=60) as response:
        packets = response.iter_raw()  # kept: a generator that is dropped hangs up
        next(packets)
        assert not closed.is_set()
        response.close()
        assert closed.wait(60)
        gate.open()


def test_initial_codec_chunk_frames_has_a_bound_and_is_reported(door):
    assert error_of(door.speak(initial_codec_chunk_frames=-1))["param"] == "body.initial_codec_chunk_frames"
    assert door.speak(initial_codec_chunk_frames=0).headers["x-ignored-parameters"] == "initial_codec_chunk_frames"


@pytest.mark.slow
def test_sixteen_first_requests_are_one_extraction_and_sixteen_equal_voices(open_door):
    gate = Gate()
    door = open_door(FakeEngine(before_extract=gate))
    door.studio.load()
    door.upload("alice")
    answers = []
    with served(door) as url:

        def ask(index: int) -> None:
            fields = [{}, RAW][index % 2] | {"response_format": "pcm", "voice": "alice"}
            answers.append(patient_http.post(f"{url}/v1/audio/speech", json={"input": TEXT} | fields, timeout=60))

        threads = [threading.Thread(target=ask, args=(index,)) for index in range(16)]
        for thread in threads:
            thread.start()
        gate.wait_for_arrival()
        while door.studio.stats().joined < 15:
            threading.Event().wait(0.002)
        gate.open()
        for thread in threads:
            thread.join(60)
    assert door.engine.extractions == 1
    assert len({answer.content for answer in answers}) == 1
    assert [answer.status_code for answer in answers] == [200] * 16
    assert sorted(answer.headers["x-speaker-cache"] for answer in answers) == ["joined"] * 15 + ["miss"]


@pytest.mark.parametrize("strict", [False, True])
def test_a_stream_that_would_make_another_run_dry_is_refused_before_anything_is_sent_and_a_whole_file_is_made(open_door, strict):
    gate = Gate()
    door = open_door(FakeEngine(before_chunk=gate), most_wait_seconds=0.0, strict_compat=strict)
    door.studio.load()
    running = door.studio.speak(SpeechRequest("x" * 40))
    gate.wait_for_arrival()
    asked = {"raw": {"stream_format": "audio"}, "sse": {"stream_format": "sse"}, "whole": {}}
    with ThreadPoolExecutor(len(asked)) as clients:
        answers = {name: clients.submit(door.speak, "hello", **({"response_format": "pcm"} | more)) for name, more in asked.items()}
        assert eventually(lambda: door.studio.engines()[0].waiting == len(asked))
        gate.open()
        responses = {name: given.result() for name, given in answers.items()}
    assert len(running.read_all()) == 2 * SAMPLE_RATE
    for name in ("raw", "sse"):
        assert (responses[name].status_code, error_of(responses[name])["reason_code"]) == (503, "engine_busy"), name
        assert int(responses[name].headers["retry-after"]) >= 1
    assert responses["whole"].status_code == 200
    status = door.studio.engines()[0]
    assert (status.waiting, status.streaming, status.begun, status.refused) == (0, 0, 2, 2)
