"""Text in, sound out, as Home Assistant asks for it: at once, and in pieces."""

import asyncio
import re
from dataclasses import replace

import numpy as np
import pytest
from wyoming.audio import AudioStart
from wyoming.event import Event
from wyoming.ping import Ping
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop, SynthesizeVoice

from tests.api.door import Gate, eventually, pcm
from tests.stand_ins.fake_engine import INFO, FakeEngine, pitch_of
from tests.wyoming.wyoming_visit import Visit, heard, kinds, sound_of, visited

WHOLE = ["audio-start", "audio-chunk", "audio-stop"]
SLOW_RATE = replace(INFO, id="other", title="Other", sample_rate=16_000, presets=("hum",), default_preset="hum")


@pytest.mark.usefixtures("each_chunk_alone")
def test_a_text_is_heard_as_http_answers_it_at_the_engines_rate_and_the_log_has_its_ttfp(door, caplog):
    sounds = []

    async def visit(visit: Visit) -> None:
        events = await visit.hear(Synthesize("one two"))
        assert kinds(events) == WHOLE
        start = AudioStart.from_event(events[0])
        assert (start.rate, start.width, start.channels) == (INFO.sample_rate, 2, 1)
        assert len(events) > 3, "each chunk goes when it is made"
        sounds.append(sound_of(events))

    with caplog.at_level("INFO", "studio.request"):
        visited(door, visit)
    whole = pcm(door.speak("one two", response_format="pcm").content)
    np.testing.assert_allclose(sounds[0], whole, atol=1e-4)
    line = next(record.message for record in caplog.records if "delivery=wyoming" in record.message)
    assert "status=200" in line and re.search(r"first_audio_ms=[\d.]+", line) and "end=ended" in line
    assert 'vllm_omni:speech_stream_completed_total{model_name="fake"} 1.0' in door.get("/metrics").text


def test_a_stored_voice_speaks_by_its_name_and_an_engine_with_its_speaker(open_door):
    door = open_door(FakeEngine(), FakeEngine(info=SLOW_RATE))
    door.upload("Ana")

    async def visit(visit: Visit) -> None:
        for voice, rate, hz in (
            (SynthesizeVoice("Ana"), 24_000, pitch_of(door.studio.speaker("Ana").clip_digest)),
            (SynthesizeVoice("Ana@de"), 24_000, pitch_of(door.studio.speaker("Ana").clip_digest)),
            (SynthesizeVoice("other", speaker="Ana"), 16_000, pitch_of(door.studio.speaker("Ana").clip_digest)),
            (SynthesizeVoice("hum"), 16_000, None),
            (SynthesizeVoice("default"), 24_000, None),
            (SynthesizeVoice(language="de"), 24_000, None),
        ):
            events = await visit.hear(Synthesize("one two three", voice))
            assert AudioStart.from_event(events[0]).rate == rate, voice
            sound = sound_of(events)
            heard_hz = np.argmax(np.abs(np.fft.rfft(sound))) * 24_000 / len(sound)  # for which it makes its sines
            assert hz is None or abs(heard_hz - hz) < 5, voice

    visited(door, visit)


def test_the_language_of_a_listed_voice_is_spoken(door):
    async def visit(visit: Visit) -> None:
        await visit.hear(Synthesize("one", SynthesizeVoice("default@de")))
        await visit.hear(SynthesizeStart(SynthesizeVoice("tone@de")), SynthesizeChunk("two"), SynthesizeStop())

    visited(door, visit)
    assert [spoken["language"] for spoken in door.engine.options] == ["de", "de"]


@pytest.mark.parametrize(
    ("voice", "code", "said"),
    [
        ({"name": "Nobody"}, "speaker_unknown", "Nobody"),
        ({"name": "Nobody@de"}, "speaker_unknown", "Nobody"),
        ({"name": "nowhere", "speaker": "tone"}, "engine_unknown", "no engine “nowhere”"),
        ({"language": "xx"}, "language_unsupported", "xx"),
        ({"name": 7}, "event_invalid", "object of texts"),
        ("tone", "event_invalid", "object of texts"),
    ],
)
def test_whoever_is_not_here_is_refused_in_the_studios_words_and_the_connection_ends(door, voice, code, said):
    async def visit(visit: Visit) -> None:
        for kind, data in (("synthesize", {"text": "one"}), ("synthesize-start", {})):
            client = await visit.client()
            await client.write_event(Event(kind, data | {"voice": voice}))
            if kind == "synthesize-start":
                for event in (SynthesizeChunk("one"), SynthesizeStop()):
                    await client.write_event(event.event())
            (error,) = await heard(client, "")
            assert (error.type, error.data["code"]) == ("error", code) and said in error.data["text"]

    visited(door, visit)
    assert not door.engine.texts


def test_home_assistants_stream_is_one_sound_and_the_text_that_it_sends_once_more_is_not_spoken(door):
    async def visit(visit: Visit) -> None:
        text = "One two. Three four."
        pieces = [SynthesizeChunk(word) for word in re.findall(r"\S+\s*", text)]
        events = await visit.hear(SynthesizeStart(), *pieces, Synthesize(text), SynthesizeStop())
        assert kinds(events) == [*WHOLE, "synthesize-stopped"]
        events = await visit.hear(SynthesizeStart(), SynthesizeStop())
        assert kinds(events) == ["synthesize-stopped"], "of no text"

    visited(door, visit)
    assert door.engine.texts == ["One two.", "Three four."]


def test_the_first_sentence_is_heard_while_the_text_still_comes(door):
    async def visit(visit: Visit) -> None:
        client = await visit.client()
        for said in (SynthesizeStart(), SynthesizeChunk("One two. "), SynthesizeChunk("Three")):
            await client.write_event(said.event())
        assert (await client.read_event()).type == "audio-start"
        await client.write_event(Ping("still there").event())
        assert "pong" in [event.type for event in await heard(client, "pong")]
        await client.write_event(SynthesizeChunk(" four.").event())  # and no more: it settles
        assert await asyncio.to_thread(eventually, lambda: len(door.engine.texts) == 2)
        await client.write_event(SynthesizeStop().event())
        assert (await heard(client, "synthesize-stopped"))[-1].type == "synthesize-stopped"

    visited(door, visit)
    assert door.engine.texts == ["One two.", "Three four."]


@pytest.mark.parametrize(
    ("pieces", "rate", "spoken"),
    [
        (["Yes. This is the one. ", "It is so."], 16_000, (["Yes.", "This is the one.", "It is so."], [])),
        (["Ja. Das ist das Licht. Ja."], 24_000, ([], ["Ja.", "Das ist das Licht.", "Ja."])),
        (
            ["Ja. Das ", "ist das Haus und nicht ", "das Licht. Ja. ", "Nein."],
            16_000,
            (["Ja."], ["Das ist das Haus und nicht das Licht.", "Ja.", "Nein."]),
        ),
    ],
)
def test_a_stream_is_spoken_by_one_engine_or_by_the_embedded_one_from_where_it_is_in_no_language_of_the_default(
    open_door, monkeypatch, pieces, rate, spoken
):
    door = open_door(FakeEngine(), FakeEngine(info=replace(SLOW_RATE, languages=("en",))))
    monkeypatch.setattr(door.studio.default, "_chosen", "other")

    async def visit(visit: Visit) -> None:
        events = await visit.hear(SynthesizeStart(), *map(SynthesizeChunk, pieces), SynthesizeStop())
        assert kinds(events) == [*WHOLE, "synthesize-stopped"]
        assert {event.data["rate"] for event in events if event.type in WHOLE[:2]} == {rate}

    visited(door, visit)
    assert (door.engines["other"].texts, door.engine.texts) == spoken


def test_a_hang_up_stops_the_engine(open_door, caplog):
    gate = Gate()
    door = open_door(FakeEngine(before_chunk=lambda index: index and gate()))

    async def visit(visit: Visit) -> None:
        client = await visit.client()
        await client.write_event(Synthesize("one two three four five").event())
        await client.read_event()
        await client.disconnect()
        gate.open()
        assert await asyncio.to_thread(eventually, lambda: door.engine.streams_closed == 1 or "status=499" in caplog.text)

    with caplog.at_level("INFO", "studio.request"):
        visited(door, visit)
    assert "status=499" in caplog.text and "end=cancelled" in caplog.text


def test_half_a_character_waits_for_its_other_half(door):
    async def visit(visit: Visit) -> None:
        client = await visit.client()
        for data in ('{"text": "One \\ud83d"}', '{"text": "\\ude00 two."}'):
            client._writer.write(b'{"type": "synthesize-start"}\n' if "One" in data else b"")
            client._writer.write(b'{"type": "synthesize-chunk", "data": %b}\n' % data.encode())
        await client.write_event(SynthesizeStop().event())
        assert kinds(await heard(client, "synthesize-stopped")) == [*WHOLE, "synthesize-stopped"]

    visited(door, visit)


def test_what_waits_to_be_spoken_is_bounded(open_door):
    gate = Gate()
    door = open_door(FakeEngine(before_chunk=gate), most_text_characters=60)

    async def visit(visit: Visit) -> None:
        client = await visit.client()
        await client.write_event(SynthesizeStart().event())
        for _ in range(5):
            await client.write_event(SynthesizeChunk("One two three four. ").event())
        error = (await heard(client, "error"))[-1]
        assert error.data["code"] == "text_too_long" and "60" in error.data["text"]
        gate.open()

    visited(door, visit)


def test_a_text_that_is_too_long_or_empty_is_refused_as_at_every_door(open_door):
    door = open_door(most_text_characters=60)

    async def visit(visit: Visit) -> None:
        for text, said in (("a" * 61, "61 characters"), (" ", "nothing to say")):
            (error,) = await visit.hear(Synthesize(text))
            assert said in error.data["text"].lower()

    visited(door, visit)
