"""What Home Assistant is told of: one program of each kind, with voices by language."""

from dataclasses import replace

import numpy as np
import pytest
from wyoming.event import Event
from wyoming.info import Describe, Info, SelectProgram
from wyoming.ping import Ping
from wyoming.tts import Synthesize, SynthesizeVoice

from engines.clips.clip import Clip
from engines.errors import EngineUnavailable
from studio.errors import SpeakersUnreachable
from studio.speakers.speaker import Enrollment
from studio.wyoming import voices
from studio.wyoming.info import PROGRAM
from tests.stand_ins.fake_engine import BLENDER, DESIGNER, INFO, FakeEngine
from tests.stand_ins.whisper_stand_in import install
from tests.wyoming.wyoming_visit import Visit, visited


def told(door) -> Info:
    """By `describe`."""
    found = []

    async def visit(visit: Visit) -> None:
        client = await visit.client()
        await client.write_event(Describe().event())
        found.append(Info.from_event(await client.read_event()))

    visited(door, visit)
    return found[0]


def test_one_program_has_the_voices_of_all_engines_that_can_speak_each_under_the_languages_it_speaks(open_door, tmp_path):
    away = replace(INFO, id="away", title="Away", presets=("gone",))
    door = open_door(FakeEngine(), FakeEngine(info=BLENDER), FakeEngine(info=DESIGNER), FakeEngine(info=away))

    def refuse(name: str) -> None:
        if name == "away":
            raise EngineUnavailable("Its weights are not here.")

    door.before_opening = refuse
    door.upload("Ana")
    with pytest.raises(EngineUnavailable):
        door.studio.load("away")
    info = told(door)
    (program,) = info.tts
    assert (program.name, program.installed, program.supports_synthesize_streaming, info.asr) == (PROGRAM, True, True, [])
    by_language = {code: [voice.name for voice in program.voices if code in voice.languages] for code in ("en", "de")}
    german, anywhere = "carl", "doro@de"
    assert by_language["de"] == ["default@de", "Ana@de", "tone@de", german, anywhere]
    owned = [voice for voice in program.voices if voice.name in BLENDER.presets]
    assert owned and all(len(voice.languages) == 1 for voice in owned), "a voice of a language stands under that"
    assert all(voice.installed and voice.attribution.name for voice in program.voices)
    assert not any("design" in voice.name or "gone" in voice.name for voice in program.voices)


def test_too_many_voices_stand_once_each_under_all_their_languages(door, monkeypatch):
    monkeypatch.setattr(voices, "MOST_LISTED", 3)
    (program,) = told(door).tts
    assert [(voice.name, voice.languages) for voice in program.voices] == [("default", ["en", "de"]), ("tone", ["en", "de"])]


def test_voices_of_visitors_who_are_kept_apart_are_neither_listed_nor_spoken(open_door):
    door = open_door(workspaces="private")
    door.studio.within("key:ana").enroll(Enrollment("Ana", "own", clip=Clip(np.full(24_000, 0.1, np.float32), 24_000)))
    assert [voice.name for voice in told(door).tts[0].voices] == ["default@en", "default@de", "tone@en", "tone@de"]

    async def visit(visit: Visit) -> None:
        (error,) = await visit.hear(Synthesize("one", SynthesizeVoice("Ana")))
        assert error.data["code"] == "speaker_unknown"

    visited(door, visit)


def test_the_transcriber_is_a_program_with_the_languages_of_its_files(open_door, tmp_path, monkeypatch):
    hearsay = install(monkeypatch, tmp_path / "whisper")
    (tmp_path / "whisper/tokenizer.json").write_text('{"content": "<|en|>"}, "<|de|>", "<|jw|>", "<|translate|>"')
    (program,) = told(open_door(transcriber=hearsay.checkpoint)).asr
    (model,) = program.models
    assert (program.installed, model.name, model.languages) == (True, "whisper", ["en", "de", "jv"])


def test_a_program_can_be_selected_and_what_is_unknown_is_dropped(open_door):
    door = open_door(FakeEngine(), FakeEngine(info=replace(INFO, id="other", title="Other", sample_rate=16_000)))

    async def visit(visit: Visit) -> None:
        for name, rate in ((PROGRAM, 24_000), ("other", 16_000)):
            events = await visit.hear(SelectProgram(name), Synthesize("one"))
            assert events[0].data["rate"] == rate
        client = await visit.client()
        for event in (Event("detect"), Event("something-new", {"x": 1}, b"abc"), Ping("x").event()):
            await client.write_event(event)
        assert (await client.read_event()).data == {"text": "x"}
        (error,) = await visit.hear(SelectProgram("piper"))
        assert error.data["code"] == "engine_unknown"

    visited(door, visit)


def test_voices_that_nobody_can_read_are_not_there_and_built_in_ones_are(door, monkeypatch):
    def fail(*arguments):
        raise SpeakersUnreachable("x")

    monkeypatch.setattr(type(door.studio), "speakers", fail)
    assert told(door).tts[0].voices
