"""Speech as programs of OpenAI's kind ask for it, without having been told anything."""

import base64
import io
import json
import logging

import av
import pytest

from tests.api.door import data_url, error_of, pcm, pitch_of_voice, samples_of, wav
from tests.stand_ins.fake_engine import heard_pitch

PATH = "/openai/v1/audio/speech"
MAGIC = {"mp3": b"\xff", "opus": b"OggS", "flac": b"fLaC", "wav": b"RIFF", "aac": b"\xff"}
TYPES = {"mp3": "audio/mpeg", "opus": "audio/ogg", "flac": "audio/flac", "wav": "audio/wav", "aac": "audio/aac", "pcm": "audio/pcm"}


def ask(door, **fields):
    return door.post(PATH, json={"model": "tts-1", "input": "hello there", "voice": "alloy"} | fields)


def heard(data: bytes):
    """(samples (T,), rate) of a file of any format."""
    with av.open(io.BytesIO(data)) as file:
        frames = [frame.to_ndarray() for frame in file.decode(audio=0)]
        return sum(frame.shape[-1] for frame in frames), file.streams.audio[0].rate


def test_an_mp3_comes_while_it_is_made(door):
    answer = ask(door)
    assert answer.status_code == 200 and answer.headers["content-type"] == "audio/mpeg"
    assert "content-length" not in answer.headers and answer.content[:1] == MAGIC["mp3"]
    n_samples, rate = heard(answer.content)
    assert n_samples / rate == pytest.approx(0.05 * len("hello there"), abs=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("stream_format", [None, "audio", "sse"])
@pytest.mark.parametrize("response_format", list(TYPES))
def test_any_format_comes_in_any_form(door, response_format, stream_format):
    answer = ask(door, response_format=response_format, stream_format=stream_format)
    assert answer.status_code == 200, answer.text
    data = answer.content
    if stream_format == "sse":
        events = [json.loads(line.removeprefix("data: ")) for line in answer.text.splitlines() if line.startswith("data: ")]
        assert [event["type"] for event in events[:-1]] == ["speech.audio.delta"] * (len(events) - 1)
        assert events[-1]["type"] == "speech.audio.done" and {"input_tokens", "output_tokens", "total_tokens"} <= set(events[-1]["usage"])
        data = b"".join(base64.b64decode(event["audio"]) for event in events[:-1])
    else:
        assert answer.headers["content-type"] == TYPES[response_format]
    assert data.startswith(MAGIC.get(response_format, b""))
    assert answer.headers["x-sample-rate"] == "24000" or response_format != "pcm"


def test_one_file_with_its_sizes_is_sent_to_who_wants_no_stream(door):
    answer = ask(door, stream=False, response_format="wav")
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert len(samples_of(answer.content)[0]) * 2 + 44 == len(answer.content)
    assert "content-length" not in ask(door, stream=True, response_format="wav").headers, "as Kokoro-FastAPI's clients ask"


def test_what_programs_leave_empty_is_as_if_it_were_not_there(door):
    assert ask(door, response_format=None, voice=None, model="", instructions="", speed=None).headers["content-type"] == "audio/mpeg"
    assert ask(door, voice="", response_format="").status_code == 200


@pytest.mark.parametrize("name", ["alloy", "marin", "Default", "cedar", {"id": "nova"}])
def test_a_name_of_openais_speaks_in_the_default_voice_and_says_so(door, name, caplog):
    with caplog.at_level(logging.INFO, "studio.request"):
        answer = ask(door, voice=name, response_format="pcm")
    said = name["id"] if isinstance(name, dict) else name
    assert answer.headers["x-voice-alias"] == f"{said}=tone"
    assert answer.content == door.speak(voice="tone", response_format="pcm").content
    assert f"voice_alias={said}" in caplog.text


def test_at_v1_the_same_name_is_refused_and_told_of_aliases(door):
    for path, name in (("/v1/audio/speech", "alloy"), (PATH, "zork")):
        answer = door.post(path, json={"input": "x", "voice": name})
        assert answer.status_code == 400 and error_of(answer)["param"] == "voice"
        assert f"STUDIO_VOICE_ALIASES={name}=" in error_of(answer)["hint"]


@pytest.mark.parametrize("path", ["/v1/audio/speech", PATH])
def test_a_name_that_was_set_is_that_voice_at_every_door(open_door, path):
    door = open_door(speaker_aliases="alloy=Ana, Robot = tone")
    door.upload("Ana", wav(1.5, hz=300))
    answer = door.post(path, json={"input": "hello there", "voice": "ALLOY", "response_format": "pcm"})
    assert answer.headers["x-voice-alias"] == "ALLOY=Ana"
    assert heard_pitch(pcm(answer.content)) == pytest.approx(pitch_of_voice(door, "Ana"), rel=0.05)
    assert door.post(path, json={"input": "hello", "voice": "robot"}).headers["x-voice-alias"] == "robot=tone"


def test_a_real_voice_of_that_name_wins(open_door):
    door = open_door(speaker_aliases="alloy=tone,tone=alloy")
    door.upload("Alloy", wav(1.5, hz=300))
    for path in ("/v1/audio/speech", PATH):
        for name in ("alloy", "tone"):
            answer = door.post(path, json={"input": "hello", "voice": name})
            assert answer.status_code == 200 and "x-voice-alias" not in answer.headers


@pytest.mark.parametrize("path", ["/v1/audio/speech", PATH])
def test_a_name_of_a_voice_that_is_gone_is_told(open_door, path):
    error = error_of(open_door(speaker_aliases="alloy=Ana").post(path, json={"input": "x", "voice": "alloy"}))
    assert (
        error["code"] == 400
        and "Programs that say “alloy” hear Ana" in error["message"]
        and error["param"] == "voice"
        and "STUDIO_VOICE_ALIASES" in error["hint"]
    )


def test_a_recording_beats_every_name(open_door):
    door = open_door(speaker_aliases="alloy=Ana")
    answer = ask(door, ref_audio=data_url(wav(1.5)))
    assert answer.status_code == 200 and "x-voice-alias" not in answer.headers


def test_strict_compatibility_changes_nothing_here(open_door):
    door = open_door(strict_compat=True)
    assert ask(door, response_format="aac", speed=1.5, stream_format="sse").status_code == 200


@pytest.mark.parametrize("fields", [{"response_format": "ogg"}, {"speed": 9}, {"input": " "}, {"model": "gpt-4o"}, {"stream_format": "x"}])
def test_refusals_have_openais_envelope(door, fields):
    answer = ask(door, **fields)
    assert answer.status_code in (400, 404) and {"message", "type", "param", "code"} <= set(error_of(answer))


def test_instructions_may_be_as_long_as_openais(door):
    assert ask(door, instructions="x" * 4096).status_code == 200
    assert error_of(ask(door, instructions="x" * 4097))["message"] == "Instructions too long (max 4096 characters)"
