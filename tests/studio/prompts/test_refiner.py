"""Refiner: what becomes of a voice that an engine learns in steps: in memory, on disk, and in the ears of who listens."""

import numpy as np
import pytest

from engines.clips.clip import Transcript
from engines.contract.refinement import Refinement, refinement_of
from engines.errors import ClipUnusable, PromptInvalid
from studio.prompts.refiner import Learning, learn_seconds
from studio.service import Studio
from studio.settings import Settings
from studio.speech.request import SpeechRequest
from tests.api.door import Gate, eventually
from tests.stand_ins.fake_engine import N_STEPS, REFINER, STEP_HZ, FakeEngine, heard_pitch, pitch_of
from tests.studio.prompts.refining import DONE, comes_to_rest, in_memory, key_of, learning, on_disk
from tests.studio.test_service import clip_of, hear, recording


def test_a_better_prompt_is_heard_by_the_next_speech_and_kept_in_memory_and_on_disk(begun, steps):
    studio, engine, speaker = begun
    first, at_once = in_memory(studio), pitch_of(speaker.clip_digest)
    assert hear(studio, speaker="alice") == (pytest.approx(at_once, abs=1), "hit")
    steps.let_go(2)
    better = in_memory(studio)
    assert (refinement_of(better), on_disk(studio, speaker)) == (Refinement(2, N_STEPS), [Refinement(2, N_STEPS)])
    assert hear(studio, speaker="alice") == (pytest.approx(at_once + 2 * STEP_HZ, abs=1), "hit")
    assert eventually(lambda: engine.prepared == {better.content_digest} != {first.content_digest})
    steps.free()
    assert comes_to_rest(studio)
    assert hear(studio, speaker="alice") == (pytest.approx(at_once + N_STEPS * STEP_HZ, abs=1), "hit")
    assert (engine.extractions, learning(studio)) == (1, DONE)
    assert [step for _, step in engine.steps] == [1, 2, 3, 4, 5, 6]


def test_speech_under_way_goes_on_in_what_it_began_with_which_is_forgotten_behind_it(open_refining, steps, monkeypatch):
    gate = Gate()
    engine = FakeEngine(REFINER, before_step=steps, before_chunk=lambda index: index == 3 and gate())
    studio = open_refining(engine)
    monkeypatch.setattr(studio._pool, "is_pressed", lambda: False)
    speaker = studio.enroll(recording())
    with studio.speak(SpeechRequest("A sentence to say.", speaker="alice")) as speech:
        gate.wait_for_arrival()
        steps.wait_for(1)
        steps.let_go(2)
        gate.open()
        samples = speech.read_all()
    assert heard_pitch(samples) == pytest.approx(pitch_of(speaker.clip_digest), abs=1)
    assert eventually(lambda: engine.prepared == {in_memory(studio).content_digest})


def test_a_speech_that_begins_after_its_prompt_was_replaced_leaves_nothing_prepared_of_the_old_one(begun, steps, monkeypatch):
    studio, engine, speaker = begun
    gate = Gate()
    monkeypatch.setattr(studio._pool, "is_pressed", lambda: False)
    monkeypatch.setattr(engine, "_before_chunk", lambda index: index == 0 and gate())
    with studio.speak(SpeechRequest("The engine is held here.")) as first:
        gate.wait_for_arrival()
        with studio.speak(SpeechRequest("A sentence to say.", speaker="alice")) as second:
            steps.let_go(2)
            gate.open()
            first.read_all()
            assert heard_pitch(second.read_all()) == pytest.approx(pitch_of(speaker.clip_digest), abs=1)
    kept = {in_memory(studio).content_digest, engine.preset("tone").content_digest}
    assert eventually(lambda: engine.prepared == kept)


def test_what_is_as_good_as_it_gets_is_left_alone(begun, steps):
    studio, engine, _ = begun
    steps.free()
    assert comes_to_rest(studio)
    hear(studio, speaker="alice")
    studio.warm("alice")
    assert not studio._parts.supply.refiner._line and len(engine.steps) == N_STEPS


def test_without_seconds_nothing_is_refined(open_refining):
    engine = FakeEngine(REFINER)
    studio = open_refining(engine, learn_seconds=0)
    studio.enroll(recording())
    studio.warm("alice")
    assert (studio._parts.supply.refiner._thread, learning(studio), engine.steps) == (None, None, [])


def test_the_seconds_are_one_budget_whatever_restarts_there_are(open_refining, monkeypatch):
    def opened(engine: FakeEngine) -> Studio:
        studio = open_refining(engine, learn_seconds=3)
        ticks = iter(range(1_000))
        monkeypatch.setattr(studio._parts.supply.refiner, "_cpu_clock", lambda: float(next(ticks)))  # each step takes a second
        return studio

    engine = FakeEngine(REFINER)
    studio = opened(engine)
    speaker = studio.enroll(recording())
    studio.warm("alice")
    assert comes_to_rest(studio)
    assert ([step for _, step in engine.steps], learning(studio)) == ([1, 2, 3], Learning(2, N_STEPS, 0.0))
    hear(studio, speaker="alice")
    assert len(engine.steps) == 3
    assert hear(studio, speaker="alice")[0] == pytest.approx(pitch_of(speaker.clip_digest) + 2 * STEP_HZ, abs=1)
    studio.close()
    engine = FakeEngine(REFINER)
    again = opened(engine)
    hear(again, speaker="alice")
    assert (engine.steps, learning(again)) == ([], Learning(2, N_STEPS, 0.0))


def test_a_failure_is_not_tried_again_before_the_voice_is_extracted_again(open_refining, caplog):
    errors = [ClipUnusable("clip_noisy", "The clip is noise.", "Record again.")]

    def fail_once(step: int) -> None:
        if errors:
            raise errors.pop()

    engine = FakeEngine(REFINER, before_step=fail_once)
    studio = open_refining(engine)
    studio.enroll(recording())
    studio.warm("alice")
    assert comes_to_rest(studio)
    assert hear(studio, speaker="alice")[1] == "hit"
    assert (engine.steps, learning(studio)) == ([], Learning(0, N_STEPS))
    assert studio._parts.supply.refiner.failure(key_of(studio)).fact == "The clip is noise."
    [status] = studio.matrix.rows().rows[0].statuses
    assert (status.state, status.fact, status.code) == ("memory", "The clip is noise.", "clip_noisy")
    studio.prompts.extract("alice", "refiner")
    assert eventually(lambda: learning(studio) == DONE)
    assert studio._parts.supply.refiner.failure(key_of(studio)) is None


def test_a_prompt_of_somebody_else_takes_no_place(open_refining, monkeypatch):
    engine = FakeEngine(REFINER)
    studio = open_refining(engine)
    speaker = studio.enroll(recording())
    real = engine._learned
    monkeypatch.setattr(engine, "_learned", lambda digest, hz, facts: real(digest if not facts["learned_steps"] else "0" * 64, hz, facts))
    studio.warm("alice")
    assert comes_to_rest(studio)
    assert isinstance(studio._parts.supply.refiner.failure(key_of(studio)), PromptInvalid)
    assert (learning(studio), on_disk(studio, speaker)) == (Learning(0, N_STEPS), [Refinement(0, N_STEPS)])


def test_what_is_no_recording_of_a_stored_voice_is_not_refined(open_refining):
    engine = FakeEngine(REFINER)
    studio = open_refining(engine)
    for request in ({"clip": clip_of(5)}, {"embedding": np.ones(8, np.float32)}, {}):
        hear(studio, **request)
    assert studio._parts.supply.refiner._thread is None


def test_it_learns_with_the_words_of_the_voice_and_not_with_those_of_one_request(open_refining):
    engine = FakeEngine(REFINER)
    studio = open_refining(engine)
    words = Transcript("these are the words")
    studio.enroll(recording(transcript=words))
    hear(studio, speaker="alice", transcript=Transcript("other words"))
    assert comes_to_rest(studio)
    assert engine.refined_words == [words]
    studio.prompts.flush()
    [(_, kept)] = studio.store.prompts(studio.speaker("alice").generation)
    assert kept.transcript == words and refinement_of(kept).is_complete


def test_every_owner_of_a_recording_has_the_better_prompt_on_disk_but_where_it_was_deleted(begun, steps):
    studio, _, speaker = begun
    others = [studio.enroll(recording(name)) for name in ("bob", "carol")]
    for name in ("bob", "carol"):
        hear(studio, speaker=name)
    studio.prompts.delete_files("carol", "refiner")
    steps.let_go(2)
    assert [on_disk(studio, each) for each in (speaker, *others)] == [[Refinement(2, N_STEPS)], [Refinement(2, N_STEPS)], []]


def test_another_studio_on_the_folder_that_is_further_is_not_set_back(begun, steps):
    studio, _, speaker = begun
    [(key, prompt)] = studio.store.prompts(speaker.generation)
    further = FakeEngine(REFINER)
    *_, last = further.refine(speaker.read_clip(), None, prompt)
    studio.store.write_prompt(speaker.generation, key, last.prompt)
    steps.let_go(2)
    assert on_disk(studio, speaker) == [Refinement(N_STEPS, N_STEPS)]


def test_a_space_without_a_gpu_spends_less_unless_told_otherwise(tmp_path):
    def seconds(*, gpu: bool = False, **more) -> float:
        return learn_seconds(Settings(speakers_dir=tmp_path, **more), lambda: gpu)

    assert [seconds(), seconds(space_id="a/b"), seconds(space_id="a/b", gpu=True), seconds(space_id="a/b", learn_seconds=7)] == [
        90,
        30,
        90,
        7,
    ]
