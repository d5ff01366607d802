"""OpenAI's own client for Python: whole and as a stream, in every format, by name of a voice, and what it lists."""

import base64
import io

import openai
from hearing import PRINTED, PRINTED_FILE, TEXT, Sound, case, run_block, tell


@case("as printed", format="mp3", voice="high")
def as_printed(sound: Sound) -> None:
    sound.text = PRINTED
    run_block()
    sound.add(PRINTED_FILE.read_bytes())


def client() -> openai.OpenAI:
    return run_block("client")["client"]


def streamed(sound: Sound, **asked: object) -> None:
    speech = client().audio.speech.with_streaming_response
    with speech.create(**{"model": "gpt-4o-mini-tts", "voice": "alloy", "input": TEXT} | asked) as answer:
        for piece in answer.iter_bytes():
            sound.add(piece)


@case("streamed mp3", format="mp3", streams=True, voice="high")
def streamed_mp3(sound: Sound) -> None:
    streamed(sound, stream_format="audio")


@case("streamed opus", format="opus", streams=True, voice="high")
def streamed_opus(sound: Sound) -> None:
    streamed(sound, response_format="opus", stream_format="audio")


@case("streamed pcm", format="pcm", streams=True, voice="high")
def streamed_pcm(sound: Sound) -> None:
    streamed(sound, response_format="pcm", stream_format="audio")


@case("wav", format="wav", voice="high")
def wav(sound: Sound) -> None:
    streamed(sound, response_format="wav")


@case("flac", format="flac", voice="high")
def flac(sound: Sound) -> None:
    streamed(sound, response_format="flac")


@case("aac", format="aac", voice="high")
def aac(sound: Sound) -> None:
    streamed(sound, response_format="aac")


@case("events of mp3", format="mp3", streams=True, voice="high")
def events(sound: Sound) -> None:
    """As the API describes them: speech.audio.delta with `audio`, then speech.audio.done."""

    class Event(openai.BaseModel):
        type: str
        audio: str = ""

    body = {"model": "gpt-4o-mini-tts", "voice": "alloy", "input": TEXT, "stream_format": "sse"}
    came = client().post("/audio/speech", cast_to=Event, body=body, stream=True, stream_cls=openai.Stream[Event])
    kinds = []
    for event in came:
        kinds.append(event.type)
        if event.type == "speech.audio.delta":
            sound.add(base64.b64decode(event.audio))
    assert kinds[-1] == "speech.audio.done", kinds


@case("a voice by its own name", format="mp3", voice="low")
def own_name(sound: Sound) -> None:
    streamed(sound, voice="am_michael")


@case("an alias of a voice", format="mp3", voice="low")
def alias(sound: Sound) -> None:
    streamed(sound, voice="onyx")


@case("models", format="")
def models(sound: Sound) -> None:
    listed = [model.id for model in client().models.list()]
    assert {"tts-1", "tts-1-hd", "gpt-4o-mini-tts"} <= set(listed), listed
    assert client().models.retrieve("tts-1").id == "tts-1"
    sound.note = ", ".join(listed)


@case("an unknown model is its own error", format="")
def unknown_model(sound: Sound) -> None:
    try:
        client().audio.speech.create(model="nothing-1", voice="alloy", input=TEXT)
    except openai.NotFoundError as refused:
        sound.note = refused.message
        return
    raise AssertionError("it was spoken")


@case("a voice from a recording", format="mp3")
def created(sound: Sound) -> None:
    """A consent recording first, then the sample; the voice is spoken with by its id and deleted."""
    asked = client()
    recording = io.BytesIO(recorded())
    recording.name = "me.wav"
    consent = asked.audio.voice_consents.create(name="me", language="en-US", recording=recording)
    recording.seek(0)
    voice = asked.audio.voices.create(name="Mine", audio_sample=recording, consent=consent.id)
    try:
        streamed(sound, voice={"id": voice.id})
    finally:
        asked.audio.voices.delete(voice.id)


def recorded() -> bytes:
    """Some seconds of speech: the studio's own, so that a program needs no file."""
    answer = client().audio.speech.create(model="tts-1", voice="am_michael", input=TEXT, response_format="wav")
    return answer.read()


tell()
