"""POST /v1/audio/transcriptions; and voices that are made without words, where somebody can write them down."""

import base64

import pytest

from studio.audio.spoken_sounds import SpokenSounds
from studio.speakers.enrollment import API_RULE
from studio.ui.programs.endpoints import Endpoints
from studio.ui.speak.relay import Relays
from tests.api.door import error_of, wav
from tests.stand_ins.whisper_stand_in import WORDS, install
from tests.ui.clips.clips import wav_bytes

SPEECH = wav_bytes(1.5)


@pytest.fixture
def whisper(monkeypatch, tmp_path):
    return install(monkeypatch, tmp_path / "weights")


@pytest.fixture
def delivery(open_door, whisper):
    """A door with a transcriber."""
    return open_door(transcriber=whisper.checkpoint)


def ask(door, data: bytes = SPEECH, name: str = "a.wav", mime_type: str = "audio/wav", **fields):
    return door.post("/v1/audio/transcriptions", files={"file": (name, data, mime_type)}, data=fields)


@pytest.mark.slow
def test_words_come_as_openai_has_them_or_as_plain_text(delivery, whisper):
    from openai.types.audio import Transcription

    told = ask(delivery, model="whisper-1").json()
    assert Transcription.model_validate(told).text == told["text"] == WORDS
    assert (told["language"], told["model"], told["usage"]) == ("en", "weights", {"type": "duration", "seconds": 2})
    plain = ask(delivery, response_format="text", language="German")
    assert (plain.text, plain.headers["content-type"].partition(";")[0]) == (WORDS, "text/plain")
    assert whisper.asked[-1]["language"] == "de"
    whisper.sentences = ()
    assert ask(delivery).json()["text"] == ""


def test_without_a_transcriber_it_is_said_how_to_come_by_one(door):
    answer = ask(door, b"not even audio")
    error = error_of(answer)
    assert (answer.status_code, error["reason_code"]) == (404, "transcriber_missing")
    assert "STUDIO_TRANSCRIBER" in error["hint"]


def test_what_is_no_speech_to_write_down_is_refused_as_an_upload_is(delivery):
    long = API_RULE.most_seconds + 1
    for data, code in ((b"no sound", "audio_undecodable"), (wav(0.5), "clip_too_short"), (wav(long, rate=8_000), "clip_too_long")):
        error = error_of(ask(delivery, data))
        assert (error["param"], error["reason_code"]) == ("file", code)
    assert error_of(ask(delivery, b"a letter", name="a.txt", mime_type="text/plain"))["param"] == "file"
    assert error_of(ask(delivery, language="Klingon"))["param"] == "language"
    assert ask(delivery, response_format="srt").status_code == 400


@pytest.mark.slow
def test_a_voice_without_words_is_given_those_that_fit_and_the_answer_says_so(delivery, whisper):
    whisper.sentences = (" the words of a second and a half",)
    voice = delivery.upload("alice", SPEECH).json()["voice"]
    assert (voice["ref_text"], voice["ref_text_by"]) == ("the words of a second and a half", "transcriber")
    assert delivery.get("/v1/audio/voices/alice").json()["ref_text"] == voice["ref_text"]
    told = delivery.upload("bert", SPEECH, ref_text="what I said").json()["voice"]
    assert told["ref_text"] == "what I said" and "ref_text_by" not in told and len(whisper.asked) == 1
    whisper.sentences = (" thank you for watching" * 40,)
    assert "ref_text" not in delivery.upload("cleo", SPEECH).json()["voice"]


def test_an_endpoint_of_the_page_gives_words_as_well_and_strict_compatibility_gives_none(open_door, delivery, whisper):
    whisper.sentences = (" the words of a second and a half",)
    endpoints = Endpoints(delivery.studio, Relays(), SpokenSounds())
    endpoints.create_voice("dora", base64.b64encode(SPEECH).decode(), "c1")
    assert delivery.studio.speaker("dora").transcript.text == "the words of a second and a half"
    strict = open_door(transcriber=whisper.checkpoint, strict_compat=True)
    assert "ref_text" not in strict.upload("alice", SPEECH).json()["voice"]
