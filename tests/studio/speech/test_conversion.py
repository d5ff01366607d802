"""TimbreMapping: recorded speech said again in another voice, by the same ways as a text. Who speaks is heard by pitch."""

import json
from dataclasses import replace

import numpy as np
import pytest

from engines.clips.clip import Clip
from engines.errors import ClipUnusable, ConversionUnsupported
from studio.errors import EngineUnknown, RecordedSpeechUnusable, SpeakerUnknown, SpeechCancelled
from studio.running.scheduler import EagerScheduler
from studio.running.stream import EngineStream, StreamJob
from studio.running.worker import EngineWorker
from studio.speech.conversion import ConversionRequest
from studio.speech.request import SpeechRequest
from studio.timeline import Timeline
from tests.stand_ins.fake_engine import CONVERTER, DESIGNER, INFO, SAMPLE_RATE, FakeEngine, heard_pitch, pitch_of
from tests.studio.running.gate import Gate
from tests.studio.test_service import recording


def source(seconds: float = 1.0, peak: float = 0.25) -> Clip:
    return Clip((peak * np.sin(np.arange(round(seconds * 16_000)) / 10)).astype(np.float32), 16_000)


def converted(studio, clip: Clip | None = None, **request):
    """(samples, Speech) of a conversion that is heard out."""
    with studio.convert(ConversionRequest(clip or source(), **request)) as speech:
        return speech.read_all(), speech


def test_it_speaks_in_the_voice_as_long_as_the_source_and_knows_the_voice_the_second_time(open_studio):
    studio = open_studio(engine := FakeEngine(CONVERTER))
    speaker = studio.enroll(recording())
    for outcome in ("miss", "hit"):
        samples, speech = converted(studio, source(1.5, peak=0.125), speaker="Alice")
        assert heard_pitch(samples) == pytest.approx(pitch_of(speaker.clip_digest), abs=1)
        assert (len(samples), np.abs(samples).max()) == (1.5 * SAMPLE_RATE, pytest.approx(0.125, rel=1e-3))
        assert (speech.timeline.cache, speech.timeline.ttfp_seconds > 0, speech.end.reason) == (outcome, True, "ended")
    assert [clip.seconds for clip in engine.converted] == [1.5, 1.5] and engine.extractions == 1 and not engine.texts


def test_what_is_kept_tells_the_length_of_the_source_and_is_read_again_as_older_entries_are(open_studio):
    studio = open_studio(FakeEngine(CONVERTER), "first")
    studio.enroll(recording())
    converted(studio, speaker="Alice", keep=True)
    studio.speak(SpeechRequest("A text.", speaker="Alice", keep=True)).read_all()
    studio.history.settle()
    entries = {entry.text: entry for entry in studio.history.entries()}
    assert (entries[""].source_seconds, entries[""].seconds, entries["A text."].source_seconds) == (1.0, 1.0, None)
    facts = studio.history.directory / f"{entries['A text.'].id}.json"
    old = {name: value for name, value in json.loads(facts.read_bytes()).items() if name != "source_seconds"}
    facts.write_text(json.dumps(old))
    studio.close()
    again = open_studio(FakeEngine(CONVERTER), "first")
    assert {entry.text: entry.source_seconds for entry in again.history.entries()} == {"": 1.0, "A text.": None}


@pytest.mark.parametrize(
    ("clip", "code"),
    [
        (source(30.1), "clip_too_long"),
        (source(peak=0.0), "clip_silent"),
        (Clip(np.zeros(0, np.float32), 16_000), "clip_silent"),
    ],
    ids=["long", "silent", "empty"],
)
def test_a_source_with_no_sound_or_too_much_is_refused_before_anything_is_learned(open_studio, clip, code):
    studio = open_studio(engine := FakeEngine(CONVERTER))
    studio.enroll(recording())
    with pytest.raises(RecordedSpeechUnusable) as refused:
        studio.convert(ConversionRequest(clip, speaker="Alice"))
    assert (refused.value.code, refused.value.parameter) == (code, "source")
    assert engine.extractions == 0
    assert len(converted(studio, source(30.0), speaker="Alice")[0]) == 30 * SAMPLE_RATE  # all of the most that is taken


def test_what_the_engine_finds_wrong_with_the_source_is_told_of_the_source(open_studio):
    class Picky(FakeEngine):
        def convert(self, clip, prompt, options):
            raise ClipUnusable("clip_no_speech", "No speech in it.", "Speak.")
            yield

    studio = open_studio(Picky(CONVERTER))
    with pytest.raises(RecordedSpeechUnusable, match="No speech in it") as refused:
        converted(studio)
    assert (refused.value.code, refused.value.hint) == ("clip_no_speech", "Speak.")


def test_an_engine_that_cannot_convert_is_refused_and_none_takes_its_place(open_studio):
    infos = {info.id: info for info in (INFO, CONVERTER)}
    studio = open_studio(infos=infos, open_engine=lambda name: FakeEngine(infos[name]))
    with pytest.raises(ConversionUnsupported) as refused:
        studio.convert(ConversionRequest(source(), engine="fake"))
    assert (refused.value.values["others"], refused.value.hint) == (("Converter",), "Choose Converter.")
    with pytest.raises(EngineUnknown):
        studio.convert(ConversionRequest(source(), engine="nobody's"))
    with pytest.raises(SpeakerUnknown):
        studio.convert(ConversionRequest(source(), speaker="Nobody"))
    assert converted(studio)[1].engine.id == "converter"


def test_a_checkpoint_that_turns_out_not_to_convert_says_so(open_studio):
    studio = open_studio(infos={CONVERTER.id: CONVERTER}, open_engine=lambda name: FakeEngine(replace(CONVERTER, converts=False)))
    with pytest.raises(ConversionUnsupported):
        studio.convert(ConversionRequest(source()))


def test_whoever_names_no_engine_gets_the_default_one_or_the_first_that_has_the_speaker(open_studio):
    designer = replace(DESIGNER, converts=True)
    infos = {info.id: info for info in (INFO, designer, CONVERTER)}
    studio = open_studio(infos=infos, open_engine=lambda name: FakeEngine(infos[name]))
    studio.enroll(recording())
    chosen = {name: studio.converter(None, name).id for name in ("Alice", "design", "tone", None, "Nobody")}
    assert chosen == {"Alice": "designer", "design": "designer", "tone": "converter", None: "converter", "Nobody": "designer"}
    assert [studio.converter(None, "Alice", inline).id for inline in ("recording", "embedding")] == ["designer", "converter"]
    other = open_studio(infos=infos, open_engine=lambda name: FakeEngine(infos[name]), default_engine="converter", folder="other")
    assert other.converter(None, "Nobody").id == "converter"


def test_who_hangs_up_stops_the_engine_within_a_chunk(open_studio):
    gate = Gate()
    studio = open_studio(engine := FakeEngine(CONVERTER, before_chunk=gate))
    speech = studio.convert(ConversionRequest(source()))
    gate.pass_one()
    next(speech)
    assert gate.arrived.acquire(timeout=60)  # it is inside of the second chunk
    speech.close()
    gate.release()
    with pytest.raises(SpeechCancelled):
        speech.read_all()
    studio.close()
    assert (engine.chunks_made, engine.streams_closed) == (2, 1)


def test_the_engine_is_told_a_length_that_is_no_estimate(open_studio, monkeypatch):
    asked = []
    stream = EngineWorker.stream
    monkeypatch.setattr(EngineWorker, "stream", lambda *given, **named: asked.append(named) or stream(*given, **named))
    studio = open_studio(FakeEngine(CONVERTER))
    converted(studio, source(3.0))
    converted(studio, source(3.0), options={"speed": 2.0})
    assert [(named["expected_seconds"], named["knows_length"]) for named in asked] == [(3.0, True), (1.5, True)]


def test_lengths_that_texts_turned_out_to_have_say_nothing_of_a_conversion():
    def job(seconds: float, *, knows_length: bool) -> StreamJob:
        stream = EngineStream(100, Timeline(), most_ahead_seconds=1e9, on_wanted=lambda: None)
        return StreamJob(0.0, stream=stream, expected_seconds=seconds, knows_length=knows_length)

    turns = EagerScheduler(0.0)
    spoken = job(600.0, knows_length=False)
    spoken.stream.offer(np.zeros(100, np.float32))
    turns.learn_step([spoken], [0.5], 0.5)  # a second of the engine for one of audio
    turns.learn_length(spoken)  # texts are much shorter than they look
    assert turns.free_in_seconds([job(100.0, knows_length=False)], 0.0, 1) < 20
    assert turns.free_in_seconds([job(100.0, knows_length=True)], 0.0, 1) == 100
    conversion = job(600.0, knows_length=True)
    conversion.stream.offer(np.zeros(60_000, np.float32))
    turns.learn_length(conversion)
    assert turns.free_in_seconds([job(100.0, knows_length=False)], 0.0, 1) < 20
