"""What POST /v1/audio/speech takes and what it refuses, in which words."""

import base64
import json
from dataclasses import replace

import av
import numpy as np
import pytest

from engines.contract.options import Option
from studio.audio.stream_encoder import can_stream
from studio.speech.request import SpeechRequest
from studio.speech.schema_errors import schema_error
from tests.api.door import CLONE_ONLY, Gate, error_of, events_of, pcm, pitch_of_voice, samples_of, wav
from tests.stand_ins.fake_engine import INFO, SAMPLE_RATE, FakeEngine, heard_pitch

pytestmark = pytest.mark.usefixtures("gradio_agrees")


def refused(response, param, *parts, status=400):
    error = error_of(response)
    assert (response.status_code, error["code"], error["param"]) == (status, status, param), error
    for part in parts:
        assert part in error["message"]
    return error


def test_input_alone_is_enough(door):
    response = door.speak("hi")
    assert (response.status_code, response.headers["content-type"]) == (200, "audio/wav")
    data = response.content
    assert data[:4] == b"RIFF"
    assert int.from_bytes(data[4:8], "little") == len(data) - 8
    assert int.from_bytes(data[40:44], "little") == len(data) - 44
    assert data[20:24] == b"\1\0\1\0"  # PCM, mono
    assert int.from_bytes(data[34:36], "little") == 16


def test_missing_input_is_400_in_vllms_words(door):
    error = refused(door.post("/v1/audio/speech", json={}), "body.input")
    assert error["message"] == (
        "1 validation error:\n  {'type': 'missing', 'loc': 'body.input', 'msg': 'Field required', 'input': '<dict of 0 items>'}"
    )
    assert error["type"] == "Bad Request"


@pytest.mark.parametrize("text", ["", "  ", "\n\t"])
def test_blank_input_is_refused(door, text):
    error = refused(door.speak(text), "input")
    assert (error["message"], error["type"]) == ("Input text cannot be empty", "BadRequestError")


def test_input_of_another_type_is_refused(door):
    refused(door.speak(5), "body.input", "'type': 'string_type'")


def test_broken_json_is_refused(door):
    response = door.post("/v1/audio/speech", content="{", headers={"content-type": "application/json"})
    assert refused(response, "body.1", "'type': 'json_invalid'")["type"] == "Bad Request"


@pytest.mark.parametrize("content_type", ["text/plain", "application/vnd.x+json", ""])
def test_other_content_types_are_refused(door, content_type):
    response = door.post("/v1/audio/speech", content='{"input": "hi"}', headers={"content-type": content_type})
    error = refused(response, None)
    assert error["message"] == "1 validation error:\n  Unsupported Media Type: Only 'application/json' is allowed"


def test_unknown_fields_are_ignored(door):
    assert door.speak(surprise={"a": 1}).status_code == 200


def test_lax_types_are_taken(door):
    assert door.speak(speed="1.5", stream="no", seed="7").status_code == 200


def test_an_unknown_model_is_404(door):
    error = refused(door.speak(model="nope"), "model", status=404)
    assert (error["message"], error["type"]) == ("The model `nope` does not exist.", "NotFoundError")


AAC_REFUSAL = (
    "1 validation error:\n  {'type': 'literal_error', 'loc': 'body.response_format', "
    "'msg': \"Input should be 'wav', 'pcm', 'flac', 'mp3' or 'opus'\", 'input': 'aac', "
    "'ctx': {'expected': \"'wav', 'pcm', 'flac', 'mp3' or 'opus'\"}}"
)


def test_aac_is_refused_by_a_strictly_compatible_server_in_vllms_words(open_door):
    error = refused(open_door(strict_compat=True).speak(response_format="aac"), "body.response_format")
    assert (error["message"], error["type"]) == (AAC_REFUSAL, "Bad Request")


def test_aac_is_refused_where_ffmpeg_has_no_encoder_for_it(door, monkeypatch):
    monkeypatch.setattr(av.codec, "Codec", _no_codec)
    can_stream.cache_clear()
    assert refused(door.speak(response_format="aac"), "body.response_format")["message"] == AAC_REFUSAL
    error = refused(door.speak(response_format="mp3", stream_format="audio"), "response_format")
    assert error["message"] == "This server has no encoder for streams of mp3."
    monkeypatch.undo()
    can_stream.cache_clear()
    assert door.speak(response_format="aac").headers["content-type"] == "audio/aac"


def _no_codec(name: str, mode: str):
    raise av.codec.codec.UnknownCodecError(name)


def test_an_unknown_format_is_refused_with_the_known_ones(door):
    refused(door.speak(response_format="ogg"), "body.response_format", "'wav', 'pcm', 'flac', 'mp3', 'opus' or 'aac'")


def test_speed_has_bounds_and_null_is_one(door):
    for speed in (0.1, 4.01):
        refused(door.speak(speed=speed), "body.speed")
    for speed in (0.25, 4.0, None):
        assert door.speak(speed=speed).status_code == 200


def test_double_speed_halves_the_duration(door):
    whole, half = (len(door.speak(speed=speed, response_format="pcm").content) for speed in (1.0, 2.0))
    assert abs(half - whole / 2) <= 2


def test_a_native_speed_works_in_streams_and_for_one_character(door):
    assert door.speak("x", speed=4.0).status_code == 200
    for fields in ({"stream": True}, {"stream_format": "audio"}):
        assert door.speak(speed=1.5, response_format="pcm", **fields).status_code == 200


FIXED = replace(INFO, id="fixed", options=tuple(option for option in INFO.options if option.name != "speed"))


@pytest.mark.parametrize("speed", [0.25, 1.5, 2.0, 4.0])
def test_an_engine_with_one_pace_is_stretched_in_its_own_pitch(open_door, speed):
    door = open_door(FakeEngine(FIXED))
    text = "hello there, my friend"
    whole = door.speak(text, response_format="pcm").content
    response = door.speak(text, response_format="pcm", speed=speed)
    assert len(response.content) == 2 * round(len(whole) / 2 / speed)
    assert int(response.headers["x-audio-duration-ms"]) == round(len(response.content) / 2 / SAMPLE_RATE * 1000)
    assert heard_pitch(pcm(response.content)) == pytest.approx(440, rel=0.01)


def test_stretched_speech_is_streamed_and_equals_the_whole(open_door, each_chunk_alone):
    door = open_door(FakeEngine(FIXED))
    fields = {"response_format": "pcm", "speed": 1.5}
    whole = door.speak(**fields).content
    assert door.speak(stream_format="audio", **fields).content == whole
    events = events_of(door.speak(stream=True, **fields).text)
    assert b"".join(base64.b64decode(data["audio"]) for _, data in events[:-1]) == whole
    assert len(events) > 3
    assert events[-1][1]["timing"]["audio_seconds"] == pytest.approx(len(whole) / 2 / SAMPLE_RATE, abs=0.001)


@pytest.mark.parametrize("speed", [0.25, 4.0])
def test_one_sample_of_an_engine_with_one_pace_can_be_stretched(open_door, speed):
    door = open_door(FakeEngine(FIXED, seconds_per_character=1 / SAMPLE_RATE))
    assert len(door.speak("x", speed=speed, response_format="pcm").content) == 2 * max(1, round(1 / speed))


def test_strictly_compatible_streams_have_the_speed_of_the_engine(open_door):
    door = open_door(FakeEngine(FIXED), FakeEngine(), strict_compat=True)
    ending = "Use a non-streaming request or remove the speed parameter."
    error = refused(door.speak(stream=True, speed=1.5, response_format="pcm"), "speed")
    assert error["message"] == f"SSE streaming is not supported with speed adjustment. {ending}"
    error = refused(door.speak(stream_format="audio", speed=1.5, response_format="pcm"), "speed")
    assert error["message"] == f"Streaming is not supported with speed adjustment. {ending}"
    whole, faster = (len(door.speak(speed=speed, response_format="pcm").content) for speed in (1.0, 2.0))
    assert abs(faster - whole / 2) <= 2
    assert door.speak(stream=True, speed=1.0, response_format="pcm").status_code == 200
    assert door.speak(stream=True, speed=1.5, response_format="pcm", model="fake").status_code == 200


def test_models_offer_a_speed_for_every_engine(open_door):
    door = open_door(FakeEngine(FIXED), FakeEngine())
    offered = [[option["name"] for option in model["options"]].count("speed") for model in door.get("/v1/models").json()["data"]]
    assert offered == [1, 1]


def test_voice_takes_an_object_with_id(door):
    assert door.speak(voice={"id": "default"}, seed=1).content == door.speak(voice="default", seed=1).content
    refused(door.speak(voice={"x": 1}), "body.voice", "voice dict must contain 'id'")
    refused(door.speak(voice=5), "body.voice", "'type': 'string_type'")


def test_speaker_is_another_name_and_voice_wins(door):
    door.upload("alice")
    assert door.speak(speaker="alice").content == door.speak(voice="alice").content
    assert door.speak(speaker="nobody", voice="alice").status_code == 200


def test_default_means_no_voice_in_particular(door):
    assert door.speak(voice="Default").content == door.speak().content == door.speak(voice="tone").content


def test_an_unknown_voice_is_refused_with_the_built_in_ones(door):
    door.upload("alice")
    error = refused(door.speak(voice="alicia"), "voice")
    assert error["message"] == "Invalid voice 'alicia'. Supported: alice, default, tone"
    assert (error["reason_code"], error["hint"]) == ("speaker_unknown", "Did you mean alice?")


def test_an_unknown_voice_of_a_cloning_engine_is_refused_with_the_way_to_make_one(open_door):
    door = open_door(FakeEngine(CLONE_ONLY))
    error = refused(door.speak(voice="bob"), "voice")
    assert error["message"] == (
        "Unknown voice 'bob'. Clone Only has no built-in speakers. "
        "Upload a voice first via POST /v1/audio/voices, or use ref_audio + ref_text."
    )
    assert error_of(door.speak())["message"] == "Clone Only requires 'ref_audio' (reference audio for voice cloning)"


def test_a_built_in_voice_of_another_engine_is_refused(open_door):
    door = open_door(FakeEngine(), FakeEngine(replace(INFO, id="other", presets=("ryan",), default_preset=None)))
    error = refused(door.speak(voice="Ryan"), "voice", "Invalid voice 'Ryan'. Supported: default, tone")
    assert (error["reason_code"], error["hint"]) == ("preset_unknown", "Choose the engine other.")  # its name is nobody else's
    error = refused(door.speak(voice="nobody", model="other"), "voice")
    assert error["message"] == "Invalid voice 'nobody'. Supported: ryan", "which has no default voice"
    message = "Either 'voice' (preset speaker) or 'ref_audio' (voice cloning) must be provided"
    assert error_of(door.speak(model="other"))["message"] == message


@pytest.mark.parametrize(("stored", "asked"), [("alice", " ALICE "), ("Ren\u00e9", "rene\u0301"), ("stra\u00dfe", "STRASSE")])
def test_spellings_of_a_name_are_one_voice(door, stored, asked):
    door.upload(stored)
    assert door.speak(voice=asked).status_code == 200


@pytest.mark.slow
def test_any_of_seven_rates_is_honored(door):
    native = door.speak(response_format="pcm")
    for rate in (8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000):
        response = door.speak(sample_rate=rate)
        samples, stated = samples_of(response.content)
        assert stated == rate == int(response.headers["x-sample-rate"])
        assert abs(len(samples) - len(native.content) / 2 * rate / SAMPLE_RATE) <= 2
        assert heard_pitch(samples, rate) == pytest.approx(440, abs=3)
    refused(door.speak(sample_rate=0), "body.sample_rate")
    message = "sample_rate=11025 is not supported by the current TTS model; supported rates: 8000, 16000, 22050, 24000, 32000, 44100, 48000"
    assert refused(door.speak(sample_rate=11_025), "sample_rate")["message"] == message


def test_max_new_tokens_has_bounds_and_is_reported_where_it_cannot_be_heeded(door):
    refused(door.speak(max_new_tokens=0), "body.max_new_tokens")
    assert refused(door.speak(max_new_tokens=5000), "max_new_tokens")["message"] == "max_new_tokens cannot exceed 4096"
    assert door.speak(max_new_tokens=4096, instructions="softly").headers["x-ignored-parameters"] == "instructions, max_new_tokens"
    assert "x-ignored-parameters" not in door.speak().headers


def test_a_seed_is_64_bit_and_repeats_the_audio(door):
    for seed in (2**63, -(2**63) - 1):
        refused(door.speak(seed=seed), "body.seed")
    assert door.speak(seed=-(2**63)).status_code == 200
    assert door.speak(seed=5).content == door.speak(seed=5).content != door.speak(seed=6).content


def test_extra_params_reach_the_engine_and_unknown_ones_are_named(open_door):
    temperature = Option("temperature", "float", 0.8, "Randomness.", minimum=0.0, maximum=2.0)
    door = open_door(FakeEngine(replace(INFO, options=(*INFO.options, temperature))))
    refused(door.speak(extra_params="x"), "body.extra_params", "'type': 'dict_type'")
    refused(door.speak(extra_params={"temperature": -5}), "temperature", "temperature is -5")
    refused(door.speak(extra_params={"tempo": 1}), "tempo", "no setting tempo")
    assert door.speak(extra_params={"speed": 2.0}).content == door.speak(speed=2.0).content
    assert door.speak(extra_params={"temperature": 0.1}).status_code == 200


def test_task_type_is_case_sensitive_and_voice_design_is_refused(door):
    refused(door.speak(task_type="base"), "body.task_type", "'CustomVoice', 'VoiceDesign' or 'Base'")
    refused(door.speak(task_type="VoiceDesign"), "task_type")
    assert door.speak(task_type="Base").status_code == 200


STREAMS = [{"stream": True}, {"stream_format": "audio"}, {"stream_format": "sse"}]


def stream_refusal(response_format: str, n_fields: int) -> str:
    sentence = (
        "Streaming (stream=true, stream_format='audio', or stream_format='sse') requires response_format='pcm' or 'wav'. "
        f"Got response_format='{response_format}'."
    )
    return (
        f"1 validation error:\n  {{'type': 'value_error', 'loc': 'body', 'msg': \"Value error, {sentence}\", "
        f"'input': '<dict of {n_fields} items>', 'ctx': {{'error': ValueError(\"{sentence}\")}}}}"
    )


@pytest.mark.parametrize("fields", STREAMS)
@pytest.mark.parametrize("response_format", ["mp3", "opus", "flac", "aac"])
def test_a_stream_may_be_of_any_format(door, response_format, fields):
    assert door.speak(response_format=response_format, **fields).status_code == 200


def test_a_strictly_compatible_server_streams_pcm_and_wav_alone_in_vllms_words(open_door):
    door = open_door(strict_compat=True)
    for fields in STREAMS:
        error = refused(door.speak(response_format="mp3", **fields), "body")
        assert (error["message"], error["type"]) == (stream_refusal("mp3", 3), "Bad Request")
    assert door.speak(response_format="mp3").status_code == 200


def test_a_text_beyond_the_cap_is_refused_and_the_cap_named(open_door):
    door = open_door(most_text_characters=20)
    refused(door.speak("x" * 21), "input", "20")
    assert door.speak("x" * 20).status_code == 200


def test_demands_that_would_change_what_is_heard_are_refused(door):
    for fields in ({"ref_audio_2": "data:,"}, {"ambient_sound": "rain"}, {"duration_seconds": 3.0}, {"x_vector_only_mode": True}):
        (name,) = fields
        assert refused(door.speak(**fields), name)["message"] == f"{name} is not supported by the current TTS model"
    assert door.speak(x_vector_only_mode=False).status_code == 200


def test_instructions_have_a_bound(door):
    assert error_of(door.speak(instructions="x" * 501))["message"] == "Instructions too long (max 500 characters)"


@pytest.mark.parametrize("language", ["de", "DE", "German", "german", "de-AT", "Auto", "auto", None, ""])
def test_languages_go_by_code_or_name_and_reach_the_engine(door, language):
    assert door.speak(language=language).status_code == 200
    assert door.engine.options[-1]["language"] == ("de" if language and language[0] in "dDgG" else None)


def test_an_unknown_language_is_refused_with_the_known_ones(door):
    error = refused(door.speak(language="Klingon"), "language")
    assert error["message"] == "Invalid language 'Klingon'. Supported: Auto, English, German"
    assert "language cannot be 5" in refused(door.speak(extra_params={"language": 5}), "language")["message"]  # which is no text


def test_a_language_is_checked_where_the_engine_has_no_such_option(open_door):
    door = open_door(FakeEngine(replace(INFO, id="mono", options=INFO.options[:2], languages=("en",))))
    assert door.speak(language="English").status_code == 200
    refused(door.speak(language="de"), "language", "Supported: Auto, English")


def test_schema_messages_are_truncated(door):
    error = refused(
        door.speak(["x"] * 3, voice=7, seed="y" * 500, speed={}, model=1), "body.input", "5 validation errors:", "<list of 3 items>"
    )
    assert len(error["message"]) <= 1000
    assert "y" * 200 + "..." in error["message"]
    assert "y" * 201 not in error["message"]


def test_at_most_ten_schema_errors_are_listed(door):
    names = ("model", "voice", "instructions", "ref_text", "language", "ref_audio_2", "ambient_sound", "task_type")
    fields = {name: [] for name in names} | {"seed": "x", "speed": "x", "sample_rate": "x", "stream": "x"}
    error = error_of(door.speak([], **fields))
    assert error["message"].startswith("13 validation errors:")
    assert error["message"].count("\n") == 11
    assert error["message"].endswith("\n  ...and 3 more errors")
    short = {"type": "t", "loc": ("body", "a"), "msg": "m", "input": 1}
    refusal = schema_error([short] * 12)
    assert refusal.fact.startswith("12 validation errors:")
    assert refusal.fact.count("\n") == 11


def test_text_that_is_no_unicode_is_refused(door):
    for field in ("input", "voice"):
        content = json.dumps({"input": "hi"} | {field: "\ud800"})
        response = door.post("/v1/audio/speech", content=content, headers={"content-type": "application/json"})
        refused(response, f"body.{field}", "must be valid Unicode text")


def test_a_full_queue_is_503_with_retry_after(open_door):
    gate = Gate()
    door = open_door(FakeEngine(before_chunk=gate), most_waiting=1)
    door.studio.load()
    running = door.studio.speak(SpeechRequest("one"))
    gate.wait_for_arrival()  # it has its turn: no longer waiting
    waiting = door.studio.speak(SpeechRequest("two"))
    response = door.speak("three")
    gate.open()
    assert response.status_code == 503
    assert int(response.headers["retry-after"]) >= 1
    assert error_of(response)["reason_code"] == "engine_busy"
    assert [len(speech.read_all()) > 0 for speech in (running, waiting)] == [True, True]


def test_an_uploaded_voice_speaks_in_its_own_pitch(door):
    door.upload("alice", wav(1.5, hz=300))
    samples, rate = samples_of(door.speak("hello there, this is long", voice="alice").content)
    assert heard_pitch(samples, rate) == pytest.approx(pitch_of_voice(door, "alice"), abs=3)
    assert np.max(np.abs(samples)) > 0.4
