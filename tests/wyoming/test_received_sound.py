"""Sound in, words out, where the transcriber is."""

import numpy as np
import pytest
from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop

from tests.stand_ins.whisper_stand_in import WORDS, install
from tests.wyoming.wyoming_visit import Visit, heard, visited

FORM = {"rate": 16_000, "width": 2, "channels": 1}


def tone(seconds: float, rate: int = 16_000) -> np.ndarray:
    return 0.5 * np.sin(2 * np.pi * 440 * np.arange(round(seconds * rate)) / rate)


@pytest.fixture
def hearsay(monkeypatch, tmp_path):
    return install(monkeypatch, tmp_path / "whisper")


async def hear(visit: Visit, *said) -> list:
    """What a client hears, to a transcript or the end."""
    client = await visit.client()
    for event in said:
        await client.write_event(event.event())
    return await heard(client, "transcript")


def test_words_come_back_as_home_assistant_asks_for_them(open_door, hearsay):
    async def visit(visit: Visit) -> None:
        pcm = (tone(0.5) * 32768).astype("<i2").tobytes()
        chunks = [AudioChunk(audio=pcm[at : at + 2048], **FORM) for at in range(0, len(pcm), 2048)]
        (event,) = await hear(visit, Transcribe(language="de"), AudioStart(**FORM), *chunks, AudioStop())
        assert Transcript.from_event(event) == Transcript(WORDS, language="de")

    visited(open_door(transcriber=hearsay.checkpoint), visit)
    assert hearsay.asked[0]["language"] == "de"
    np.testing.assert_allclose(hearsay.heard[0], tone(0.5), atol=1e-3)


@pytest.mark.parametrize(("width", "channels"), [(1, 1), (2, 2), (4, 1)])
def test_sound_of_other_forms_is_heard_alike(open_door, hearsay, width, channels):
    full, kind = {1: (127, "u1"), 2: (32767, "<i2"), 4: (2**31 - 1, "<i4")}[width]
    samples = np.repeat(tone(0.3)[:, None], channels, axis=1) * full + (128 if width == 1 else 0)
    form = FORM | {"width": width, "channels": channels}

    async def visit(visit: Visit) -> None:
        (event,) = await hear(visit, AudioStart(**form), AudioChunk(audio=samples.astype(kind).tobytes(), **form), AudioStop())
        assert event.data["text"] == WORDS

    visited(open_door(transcriber=hearsay.checkpoint), visit)
    np.testing.assert_allclose(hearsay.heard[0], tone(0.3), atol=0.02)


def test_of_no_sound_and_of_no_words_there_is_the_empty_text(open_door, hearsay):
    hearsay.sentences = ()

    async def visit(visit: Visit) -> None:
        for chunks in ((), (AudioChunk(audio=bytes(3200), **FORM),)):
            (event,) = await hear(visit, Transcribe(), AudioStart(**FORM), *chunks, AudioStop())
            assert (event.type, event.data["text"]) == ("transcript", "")

    visited(open_door(transcriber=hearsay.checkpoint), visit)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ([AudioStart(**FORM), *[AudioChunk(audio=bytes(320_000), **FORM)] * 4], "clip_too_long"),
        ([AudioStart(**FORM | {"width": 3})], "audio_invalid"),
        ([AudioStart(**FORM | {"rate": 10**9})], "audio_invalid"),
        ([AudioStart(**FORM), AudioChunk(audio=b"ab", **FORM | {"rate": 8000})], "audio_invalid"),
        ([AudioStop()], "event_unexpected"),
        (
            [Transcribe(language="Klingonish"), AudioStart(**FORM), AudioChunk(audio=bytes(3200), **FORM), AudioStop()],
            "language_unsupported",
        ),
    ],
)
def test_what_cannot_be_heard_is_refused(open_door, hearsay, said, code):
    async def visit(visit: Visit) -> None:
        (error,) = await hear(visit, *said)
        assert (error.type, error.data["code"]) == ("error", code)

    visited(open_door(transcriber=hearsay.checkpoint), visit)


def test_where_no_transcriber_is_that_is_told_before_anything_is_sent(door):
    async def visit(visit: Visit) -> None:
        (error,) = await hear(visit, Transcribe())
        assert error.data["code"] == "transcriber_missing"

    visited(door, visit)
