"""Samples without a header come at 24 kHz from every engine, at every door: clients that play them as such hear the right pitch."""

import base64
from dataclasses import replace

import numpy as np
import pytest

from tests.api.door import events_of, pcm, samples_of
from tests.api.socket.socket_client import PCM, conversing
from tests.stand_ins.fake_engine import INFO, SAMPLE_RATE, FakeEngine, heard_pitch

PLAYED_HZ = 24_000  # by the official client's player
TEXT = "hello there"
RAW = {"stream_format": "audio", "response_format": "pcm"}
SSE = {"stream": True, "response_format": "pcm"}
RATES = (16_000, 22_050, 24_000, 44_100, 48_000)


def at_rate(rate: int) -> FakeEngine:
    return FakeEngine(replace(INFO, sample_rate=rate))


def check(body: bytes, engine_rate: int) -> None:
    """The fake engine writes 440 Hz at 24 kHz; who declares another rate means another pitch and another duration."""
    samples = pcm(body)
    assert len(samples) == round(round(len(TEXT) * 0.05 * SAMPLE_RATE) * PLAYED_HZ / engine_rate)
    assert heard_pitch(samples, PLAYED_HZ) == pytest.approx(440 * engine_rate / SAMPLE_RATE, abs=2)


def test_the_official_client_plays_samples_at_this_rate():
    from openai.helpers import local_audio_player  # when it is wanted: one process of several imports the client

    assert local_audio_player.SAMPLE_RATE == PLAYED_HZ


@pytest.mark.parametrize("strict_compat", [False, True])
@pytest.mark.slow
def test_every_http_answer_in_pcm_is_played_in_the_right_pitch(open_door, strict_compat):
    for rate in RATES:
        door = open_door(at_rate(rate), strict_compat=strict_compat)
        whole, raw, events = door.speak(TEXT, response_format="pcm"), door.speak(TEXT, **RAW), door.speak(TEXT, **SSE)
        assert {answer.headers["x-sample-rate"] for answer in (whole, raw, events)} == {str(PLAYED_HZ)}
        check(whole.content, rate)
        deltas = [data for name, data in events_of(events.text) if name == "speech.audio.delta"]
        assert {data["sample_rate"] for data in deltas} == {PLAYED_HZ}
        assert whole.content == raw.content == b"".join(base64.b64decode(data["audio"]) for data in deltas)


def test_a_batch_in_pcm_is_played_in_the_right_pitch(open_door):
    door = open_door(at_rate(22_050))
    [result] = door.post("/v1/audio/speech/batch", json={"response_format": "pcm", "items": [{"input": TEXT}]}).json()["results"]
    assert result["sample_rate"] == PLAYED_HZ
    check(base64.b64decode(result["audio_data"]), 22_050)


@pytest.mark.parametrize("config", [PCM, {"response_format": "pcm"}])
def test_a_session_in_pcm_is_played_in_the_right_pitch(open_door, config):
    with conversing(open_door(at_rate(22_050)), **config) as client:
        client.say_text(TEXT)
        heard = client.hear_utterance()
    assert heard[0]["sample_rate"] == PLAYED_HZ
    check(b"".join(part for part in heard if isinstance(part, bytes)), 22_050)


def test_a_sentence_that_fails_states_the_rate_that_it_would_have_had(open_door):
    engine = FakeEngine(replace(INFO, sample_rate=22_050), fail_at_chunk=0)
    with conversing(open_door(engine), response_format="pcm") as client:
        client.say_text(TEXT)
        assert client.hear()["sample_rate"] == PLAYED_HZ


def test_an_asked_rate_wins_and_a_format_that_tells_its_rate_keeps_the_engines(open_door):
    door = open_door(at_rate(22_050))
    asked = door.speak(TEXT, response_format="pcm", sample_rate=22_050)
    assert (asked.headers["x-sample-rate"], len(asked.content)) == ("22050", 2 * round(len(TEXT) * 0.05 * SAMPLE_RATE))
    for response_format in ("wav", "flac", "mp3"):
        assert samples_of(door.speak(TEXT, response_format=response_format).content)[1] == 22_050
    streamed = door.speak(TEXT, stream_format="audio")
    assert streamed.headers["x-sample-rate"] == "22050"
    assert streamed.content[44:] == asked.content


def test_the_first_chunk_is_nearly_all_there(open_door):
    events = events_of(open_door(at_rate(22_050)).speak(TEXT, **SSE).text)
    first = np.frombuffer(base64.b64decode(events[0][1]["audio"]), "<i2")
    assert len(first) / PLAYED_HZ > 1_920 / 22_050 - 0.005
