"""The official OpenAI client against a real server: whole files, streams, events, and errors that arrive as its own exceptions.

The client is imported where it is used: every process of a run collects these tests, and one has them.
"""

import asyncio
import base64
import contextlib
import io
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from tests.api.door import Gate, data_url, events_of, pcm, pitch_of_voice, samples_of, served, wav
from tests.stand_ins.fake_engine import CHUNK_SAMPLES, INFO, SAMPLE_RATE, FakeEngine, heard_pitch

TEXT = "hello there, my friend"  # 1.1 s, 14 chunks
KEY = "a key of the studio"


@pytest.fixture
def client(door):
    with client_of(door) as client:
        yield client


@contextlib.contextmanager
def client_of(door, api_key: str = "none is needed"):
    import openai

    with served(door) as url, openai.OpenAI(base_url=f"{url}/v1", api_key=api_key, max_retries=0, timeout=60) as client:
        yield client


def events_of_client(client) -> Iterator:
    """By the client's own reader of events; its method for speech gives bytes alone."""
    import openai

    class Event(openai.BaseModel):
        """The client has no types for events of speech; it reads them into one of ours."""

        type: str
        audio: str = ""
        usage: dict[str, object] | None = None

    body = {"model": "fake", "voice": "tone", "input": TEXT, "response_format": "pcm", "stream_format": "sse"}
    return client.post("/audio/speech", cast_to=Event, body=body, stream=True, stream_cls=openai.Stream[Event])


def alice(door) -> float:
    """Hz of the voice of alice, uploaded here."""
    door.upload("alice", wav(1.5, hz=300))
    return pitch_of_voice(door, "alice")


@pytest.mark.slow
def test_a_file_comes_back_in_the_voice_asked_for(door, client, tmp_path):
    pitch = alice(door)
    answer = client.audio.speech.create(model="fake", voice="alice", input=TEXT)
    assert answer.response.headers["content-type"] == "audio/wav"  # the client names no format; its own server's default would be mp3
    assert heard_pitch(*samples_of(answer.content)) == pytest.approx(pitch, abs=3)
    assert answer.content == door.speak(TEXT, voice="alice").content
    answer.write_to_file(tmp_path / "speech.wav")
    assert (tmp_path / "speech.wav").read_bytes() == answer.content


@pytest.mark.parametrize("format", ["mp3", "opus", "flac", "wav", "pcm"])
def test_formats_speed_and_voice_objects_are_taken(door, client, format):
    alice(door)
    answer = client.audio.speech.create(model="fake", voice={"id": "alice"}, input=TEXT, response_format=format, speed=2.0)
    alone = door.speak(TEXT, voice="alice", response_format=format, speed=2.0)
    if format == "pcm":
        assert answer.content == alone.content
    else:  # an Ogg stream has a random number
        assert np.array_equal(samples_of(answer.content)[0], samples_of(alone.content)[0])


def test_a_streaming_response_is_written_to_a_file(door, client, tmp_path):
    with client.audio.speech.with_streaming_response.create(model="fake", voice="tone", input=TEXT, response_format="flac") as answer:
        assert answer.headers["x-sample-rate"] == str(SAMPLE_RATE)
        answer.stream_to_file(tmp_path / "speech.flac")
    samples, rate = samples_of((tmp_path / "speech.flac").read_bytes())
    assert (rate, len(samples)) == (SAMPLE_RATE, round(len(TEXT) * 0.05 * SAMPLE_RATE))


def test_raw_bytes_arrive_while_the_engine_still_speaks(open_door):
    gate = Gate()
    door = open_door(FakeEngine(before_chunk=lambda index: gate() if index == 1 else None))
    request = {"model": "fake", "voice": "tone", "input": TEXT, "response_format": "pcm", "stream_format": "audio"}
    with client_of(door) as client, client.audio.speech.with_streaming_response.create(**request) as answer:
        parts = answer.iter_bytes()
        first = next(parts)
        assert len(pcm(first)) == CHUNK_SAMPLES
        gate.open()
        whole = first + b"".join(parts)
    assert whole == door.speak(TEXT, response_format="pcm").content


def test_events_are_those_of_the_client(door, client):
    *deltas, done = events_of_client(client)
    assert {delta.type for delta in deltas} == {"speech.audio.delta"}
    audio = b"".join(base64.b64decode(delta.audio) for delta in deltas)
    assert audio == door.speak(TEXT, response_format="pcm").content
    assert done.type == "speech.audio.done"
    assert done.usage["input_tokens"] == len(TEXT)
    assert done.usage["total_tokens"] == done.usage["input_tokens"] + done.usage["output_tokens"]


def test_events_are_read_as_lines_where_the_method_for_speech_is_used(door, client, each_chunk_alone):
    request = {"model": "fake", "voice": "tone", "input": TEXT, "response_format": "pcm", "stream_format": "sse"}
    with client.audio.speech.with_streaming_response.create(**request) as answer:
        assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
        events = events_of("\n".join(answer.iter_lines()))
    assert [name for name, _ in events] == ["speech.audio.delta"] * 14 + ["speech.audio.done"]


def test_a_stream_of_events_that_breaks_raises_in_the_client(open_door, each_chunk_alone):
    import openai

    door = open_door(FakeEngine(fail_at_chunk=3))
    with client_of(door) as client:
        events = iter(events_of_client(client))
        assert [next(events).type for _ in range(3)] == ["speech.audio.delta"] * 3
        with pytest.raises(openai.APIError, match="The fake engine was told to fail"):
            next(events)


def test_fields_beyond_openais_go_through_extra_body(door, client):
    own = {"ref_audio": data_url(wav(1.5, hz=500)), "ref_text": "hello", "sample_rate": 16_000, "seed": 7}
    answer = client.audio.speech.create(model="fake", voice="tone", input=TEXT, extra_body=own)
    assert answer.content == door.speak(TEXT, **own).content
    assert answer.content != door.speak(TEXT, sample_rate=16_000, seed=7).content


@pytest.mark.parametrize("model", ["tts-1", "tts-1-hd", "gpt-4o-mini-tts"])
def test_models_of_openai_are_not_found(client, model):
    import openai

    with pytest.raises(openai.NotFoundError) as caught:
        client.audio.speech.create(model=model, voice="tone", input=TEXT)
    assert caught.value.body["message"] == f"The model `{model}` does not exist."
    assert (caught.value.param, caught.value.type, caught.value.code) == ("model", "NotFoundError", "404")


@pytest.mark.parametrize("voice", ["alloy", "nova"])
def test_voices_of_openai_are_refused_with_those_there_are(client, voice):
    import openai

    with pytest.raises(openai.BadRequestError) as caught:
        client.audio.speech.create(model="fake", voice=voice, input=TEXT)
    assert caught.value.body["message"] == f"Invalid voice '{voice}'. Supported: default, tone"
    assert caught.value.param == "voice"


def test_mistakes_are_bad_requests_in_our_words(client):
    import openai

    with pytest.raises(openai.BadRequestError, match="Input text cannot be empty"):
        client.audio.speech.create(model="fake", voice="tone", input=" ")
    with pytest.raises(openai.BadRequestError, match="'wav', 'pcm', 'flac', 'mp3'"):
        client.audio.speech.create(model="fake", voice="tone", input=TEXT, response_format="nonsense")
    with pytest.raises(openai.BadRequestError, match="Instructions too long"):
        client.audio.speech.create(model="fake", voice="tone", input=TEXT, instructions="x" * 501)


def test_instructions_that_an_engine_cannot_follow_are_named_in_a_header(client):
    answer = client.audio.speech.create(model="fake", voice="tone", input=TEXT, instructions="Speak softly.")
    assert answer.response.headers["x-ignored-parameters"] == "instructions"


def test_a_failing_engine_is_an_internal_server_error(open_door):
    import openai

    door = open_door(FakeEngine(fail_at_chunk=0))
    failure = pytest.raises(openai.InternalServerError, match="Speech generation failed: The fake engine was told to fail")
    with client_of(door) as client, failure:
        client.audio.speech.create(model="fake", voice="tone", input=TEXT)


def test_the_key_of_the_client_opens_and_another_does_not(open_door):
    import openai

    door = open_door(api_keys=(KEY,))
    with client_of(door, api_key=KEY) as client:
        assert client.audio.speech.create(model="fake", voice="tone", input=TEXT).content[:4] == b"RIFF"
    with client_of(door, api_key="another") as client, pytest.raises(openai.AuthenticationError):
        client.audio.speech.create(model="fake", voice="tone", input=TEXT)


def test_a_voice_is_created_spoken_and_deleted_by_the_client(door, client):
    import openai

    voice = client.audio.voices.create(audio_sample=("me.wav", wav(1.5, hz=300), "audio/wav"), consent="cons_1234", name="Alice")
    assert (voice.id, voice.name, voice.object, voice.type) == ("Alice", "Alice", "audio.voice", "audio_sample")
    assert voice.created_at == door.studio.speaker("alice").created_at
    answer = client.audio.speech.create(model="fake", voice={"id": voice.id}, input=TEXT)
    assert heard_pitch(*samples_of(answer.content)) == pytest.approx(pitch_of_voice(door, "alice"), abs=3)
    with client.audio.speech.with_streaming_response.create(model="fake", voice=voice.id, input=TEXT) as streamed:
        assert streamed.read() == answer.content
    gone = client.audio.voices.delete(voice.id)
    assert (gone.id, gone.deleted, gone.object) == ("Alice", True, "audio.voice.deleted")
    with pytest.raises(openai.BadRequestError, match="Invalid voice 'Alice'"):
        client.audio.speech.create(model="fake", voice=voice.id, input=TEXT)


def test_a_voice_uploaded_under_a_name_of_openais_speaks_for_clients_that_know_no_other(client):
    import openai

    with pytest.raises(openai.BadRequestError) as caught:
        client.audio.speech.create(model="fake", voice="alloy", input=TEXT)
    assert caught.value.body["hint"].endswith("Or upload a recording under this name, and it speaks.")
    client.audio.voices.create(audio_sample=("me.wav", wav(1.5), "audio/wav"), consent="cons_1234", name="alloy")
    assert client.audio.speech.create(model="fake", voice="alloy", input=TEXT).content[:4] == b"RIFF"


def test_models_are_listed_and_retrieved_by_every_name(open_door):
    import openai

    hub_id = "Maker/Fake-TTS-0.6B"
    door = open_door(FakeEngine(replace(INFO, hub_id=hub_id)), model_aliases={"tts-1": "fake"})
    with client_of(door) as client:
        assert [(model.id, model.root) for model in client.models.list()] == [("fake", hub_id), ("tts-1", hub_id)]
        for name in ("fake", hub_id, "tts-1"):
            assert client.models.retrieve(name).id == name
            assert client.audio.speech.create(model=name, voice="tone", input="hi").content[:4] == b"RIFF"
        with pytest.raises(openai.NotFoundError) as caught:
            client.models.retrieve("tts-1-hd")
    assert (caught.value.param, caught.value.body["message"]) == ("model", "The model `tts-1-hd` does not exist.")


def test_the_engines_are_the_clients_models(client):
    (model,) = client.models.list().data
    assert (model.id, model.object) == ("fake", "model")
    assert model.created > 0


@pytest.mark.slow
def test_the_asynchronous_client_speaks_many_at_once(door):
    import openai

    async def speak(url: str) -> tuple[list[bytes], bytes]:
        async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="x", max_retries=0, timeout=60) as client:
            texts = ["one", "one two", "one two three"]
            whole = await asyncio.gather(*(client.audio.speech.create(model="fake", voice="tone", input=text) for text in texts))
            streaming = client.audio.speech.with_streaming_response
            raw = io.BytesIO()
            request = {"input": TEXT, "response_format": "pcm", "stream_format": "audio"}
            async with streaming.create(model="fake", voice="tone", **request) as answer:
                async for part in answer.iter_bytes():
                    raw.write(part)
            return [answer.content for answer in whole], raw.getvalue()

    with served(door) as url:
        whole, raw = asyncio.run(speak(url))
    assert whole == [door.speak(text).content for text in ("one", "one two", "one two three")]
    assert raw == door.speak(TEXT, response_format="pcm").content
