"""Studio.edit: an engine says a recording anew, and what changed of it is taken."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
import soxr

from engines.clips.clip import Clip
from engines.contract.editing import EditOperation
from engines.errors import ClipUnusable, EditInvalid, EditUnsupported
from engines.kit.phonemes import espeak_library
from studio.errors import RecordedSpeechUnusable, SpeechCancelled, WordTimesUnknown
from studio.running.jobs.stop_signal import StopSignal
from studio.speech.editing.edit_request import EditRequest
from studio.speech.editing.edited_sound import EditedSound
from tests.stand_ins.fake_engine import CHANGED_RATIO, EDITOR, INFO, FakeEngine, heard_pitch, pitch_of
from tests.studio.editing.spoken_tones import RATE, tones
from tests.studio.test_service import recording

TEXT = "one two three four five six"
SOURCE = tones(TEXT, hz=440.0)
CLIP = Clip(SOURCE.samples, RATE)
OTHER_FIVE = EditOperation("replace", 19, 23, "seven")


def request(*operations: EditOperation, **more) -> EditRequest:
    return EditRequest(CLIP, TEXT, operations or (OTHER_FIVE,), SOURCE.words, **more)


def other_words() -> np.ndarray:
    """(T,) float32 at RATE; said in full, so that they are seen to be others."""
    espeak_library.load()
    said = espeak_library.speak("Hush, she sells sea shells.", "en")
    return np.asarray(soxr.resample(said.samples / np.abs(said.samples).max() / 2, espeak_library.SAMPLE_RATE, RATE), np.float32)


def heard(edited: EditedSound, place: int) -> float:
    word = edited.words[place]
    return heard_pitch(edited.samples[round((word.start_seconds + 0.05) * RATE) : round((word.end_seconds - 0.05) * RATE)], RATE)


def test_the_changed_word_is_the_engines_in_the_voice_of_the_recording_and_all_else_the_recordings(open_studio):
    studio = open_studio(engine := FakeEngine(EDITOR))
    edited = studio.edit(request(options={"seed": 7}))
    assert (edited.text, edited.sample_rate, edited.engine.id, edited.seed) == ("one two three four seven six", RATE, "editor", 7)
    assert heard(edited, 4) == pytest.approx(CHANGED_RATIO * pitch_of(CLIP.digest), abs=4)
    [(start, end)] = edited.changed
    assert np.array_equal(edited.samples[: round(start * RATE)], CLIP.samples[: round(start * RATE)])
    n_behind = len(edited.samples) - round(end * RATE)
    assert n_behind > 0.2 * RATE and np.array_equal(edited.samples[-n_behind:], CLIP.samples[-n_behind:])
    assert engine.changes[0].operations == (OTHER_FIVE,) and engine.extractions == 1
    assert pickle.loads(pickle.dumps(engine.changes[0])) == engine.changes[0]  # for an engine in another process


def test_a_stored_voice_speaks_where_one_is_named(open_studio):
    studio = open_studio(FakeEngine(EDITOR))
    speaker = studio.enroll(recording())
    edited = studio.edit(request(speaker="Alice"))
    assert heard(edited, 4) == pytest.approx(CHANGED_RATIO * pitch_of(speaker.clip_digest), abs=4)


def test_the_whole_is_the_engines_where_that_is_asked_for_or_all_of_it_is_changed(open_studio):
    studio = open_studio(FakeEngine(EDITOR))
    for asked in (request(whole=True), request(EditOperation("denoise", 0, 0)), EditRequest(CLIP, TEXT, (OTHER_FIVE,), whole=True)):
        edited = studio.edit(asked)
        seconds = len(edited.samples) / RATE
        assert edited.changed == ((0.0, seconds),) and seconds == pytest.approx(0.05 * len(edited.text), abs=0.001)
        assert [word.written for word in edited.words] == edited.text.split()


def test_words_that_are_not_in_the_recording_are_refused_with_what_can_be_done(open_studio):
    studio = open_studio(FakeEngine(EDITOR))
    with pytest.raises(WordTimesUnknown) as refused:
        studio.edit(EditRequest(Clip(other_words(), RATE), TEXT, (OTHER_FIVE,)))
    assert refused.value.values["sentence"] == "word_times_unlike" and "whole=true" in refused.value.hint


def test_what_the_engine_says_otherwise_than_it_was_asked_is_not_taken(open_studio):
    class Deaf(FakeEngine):
        def edit(self, clip, change, prompt, options):
            yield other_words()

    studio = open_studio(Deaf(replace(EDITOR, marks_words=False, sample_rate=RATE)))
    with pytest.raises(WordTimesUnknown) as refused:
        studio.edit(request())
    assert refused.value.values["sentence"] in ("edit_unlike", "edit_words_unfound") and "seed" in refused.value.hint


def test_what_cannot_be_changed_is_refused_before_anything_is_learned(open_studio):
    studio = open_studio(engine := FakeEngine(EDITOR))
    with pytest.raises(EditInvalid):
        studio.edit(request(EditOperation("shout", 0, 3)))
    for clip, code in (
        (Clip(np.zeros(RATE, np.float32), RATE), "clip_silent"),
        (Clip(np.ones(31 * RATE, np.float32), RATE), "clip_too_long"),
    ):
        with pytest.raises(RecordedSpeechUnusable) as unusable:
            studio.edit(replace(request(), source=clip))
        assert (unusable.value.code, unusable.value.parameter) == (code, "source")
    assert engine.extractions == 0
    short = Clip(CLIP.samples[: RATE // 2], RATE)
    with pytest.raises(RecordedSpeechUnusable) as unusable:  # nobody can learn a voice of that
        studio.edit(replace(request(), source=short))
    assert unusable.value.code == "clip_too_short"
    with pytest.raises(ClipUnusable) as of_voice:
        studio.edit(request(clip=short))
    assert of_voice.value.parameter == "clip"


def test_an_engine_that_cannot_edit_is_refused_and_the_first_that_can_is_taken(open_studio):
    infos = {info.id: info for info in (INFO, EDITOR)}
    studio = open_studio(infos=infos, open_engine=lambda name: FakeEngine(infos[name]))
    with pytest.raises(EditUnsupported) as refused:
        studio.edit(request(engine="fake"))
    assert (refused.value.values["sentence"], refused.value.values["others"]) == ("edit_by_others", ("Editor",))
    assert studio.editor().id == "editor" and studio.edit(request()).engine.id == "editor"
    alone = open_studio(FakeEngine(), "alone")
    with pytest.raises(EditUnsupported) as none:
        alone.editor()
    assert none.value.values["sentence"] == "edit_by_none"


def test_whoever_stops_it_stops_the_engine(open_studio):
    stop = StopSignal()
    studio = open_studio(engine := FakeEngine(EDITOR, before_chunk=lambda index: stop.give() if index == 1 else None))
    with pytest.raises(SpeechCancelled):
        studio.edit(request(), stop=stop)
    studio.close()
    assert engine.chunks_made < 5
