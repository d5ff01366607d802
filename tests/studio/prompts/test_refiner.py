"""Refiner: voices become more alike beside speech, over a fake engine whose steps are let go one by one."""

import os
import sys
import threading
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from engines.clips.clip import Transcript
from engines.contract.prompt import SpeakerPrompt
from engines.contract.refinement import Refinement, refinement_of
from engines.errors import ClipUnusable, PromptInvalid
from studio.analysis.quiet_worker import NICENESS
from studio.errors import LearningUnfinished
from studio.prompts import refiner
from studio.prompts.refiner import Learning, learn_seconds
from studio.prompts.source import from_speaker
from studio.service import Studio
from studio.settings import Settings
from studio.speakers.speaker import Speaker
from studio.speech.request import SpeechRequest
from tests.api.door import Gate, eventually
from tests.stand_ins.fake_engine import N_STEPS, REFINER, STEP_HZ, FakeEngine, heard_pitch, pitch_of
from tests.stand_ins.held_steps import HeldSteps
from tests.studio.test_service import clip_of, hear, recording

DONE = Learning(N_STEPS, N_STEPS, 0.0)


@pytest.fixture
def open_studio(open_studio, monkeypatch):
    monkeypatch.setattr(refiner, "SETTLE_SECONDS", 0.0)
    return partial(open_studio, warm_uploads=False)


@pytest.fixture
def steps(open_studio):
    steps = HeldSteps()
    yield steps
    steps.free()  # before the studio is closed, which waits for the step under way


@pytest.fixture
def begun(open_studio, steps) -> tuple[Studio, FakeEngine, Speaker]:
    """A voice that was just learned, with the first step held."""
    engine = FakeEngine(REFINER, before_step=steps)
    studio = open_studio(engine)
    speaker = studio.enroll(recording())
    studio.warm("alice")
    steps.wait_for(1)
    return studio, engine, speaker


def in_memory(studio: Studio, name: str = "alice") -> SpeakerPrompt | None:
    return studio._cache.peek(key_of(studio, name))


def on_disk(studio: Studio, speaker: Speaker) -> list[Refinement]:
    studio.prompts.flush()
    return [refinement_of(prompt) for _, prompt in studio.store.prompts(speaker.generation)]


def key_of(studio: Studio, name: str = "alice"):
    return from_speaker(studio.speaker(name)).key(studio._pool.worker("refiner").extractor)


def learning(studio: Studio, name: str = "alice") -> Learning | None:
    return studio.prompts.refiner.learning(key_of(studio, name))


def comes_to_rest(studio: Studio) -> bool:
    return eventually(lambda: not studio.prompts.refiner._line)


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


def test_speech_under_way_goes_on_in_what_it_began_with_which_is_forgotten_behind_it(open_studio, steps, monkeypatch):
    gate = Gate()
    engine = FakeEngine(REFINER, before_step=steps, before_chunk=lambda index: index == 3 and gate())
    studio = open_studio(engine)
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


ENDS: dict[str, Callable[[Studio], object]] = {
    "the voice deleted": lambda studio: studio.forget("alice"),
    "the voice replaced": lambda studio: studio.enroll(recording(seed=2)),
    "the prompt dropped": lambda studio: studio.evict("alice"),
    "memory freed": lambda studio: studio.prompts.forget_in_memory("alice", "refiner"),
    "others need the room": lambda studio: (studio.enroll(recording("bob", 3)), hear(studio, speaker="bob")),
    "the engine unloaded": lambda studio: studio.unload("refiner"),
}


@pytest.mark.parametrize("end", ENDS)
def test_it_stops_within_a_step_and_stores_nothing_once(open_studio, steps, end):
    engine = FakeEngine(REFINER, before_step=steps)
    studio = open_studio(engine, cache_max_entries=1)
    speaker = studio.enroll(recording())
    studio.warm("alice")
    steps.wait_for(1)
    steps.let_go(1)
    key = key_of(studio)
    ENDS[end](studio)
    files = on_disk(studio, speaker)
    steps.free()
    assert eventually(lambda: key not in studio.prompts.refiner._line)
    assert [step for digest, step in engine.steps if digest == speaker.clip_digest] == ([1] if engine.closed else [1, 2])
    kept = studio._cache.peek(key)
    assert refinement_of(kept).step == 0 if end == "the engine unloaded" else kept is None
    assert on_disk(studio, speaker) == files and all(reached.step == 0 for reached in files)


def test_an_engine_that_does_not_notice_that_it_is_being_closed_is_asked_for_no_further_step(begun, steps, monkeypatch):
    studio, engine, _ = begun
    monkeypatch.setattr(engine, "close", lambda: None)
    studio.unload("refiner")
    steps.free()
    assert comes_to_rest(studio)
    assert [step for _, step in engine.steps] == [1]


def test_nothing_is_begun_while_engines_are_being_closed(begun, steps):
    studio, engine, _ = begun
    studio.prompts.stop_learning()
    steps.free()
    studio.prompts.refiner._thread.join(60)
    assert [step for _, step in engine.steps] == [1]


def test_closing_the_studio_waits_for_a_step_at_most_and_a_restart_goes_on_from_the_disk_at_the_next_use(open_studio, begun, steps):
    studio, engine, _ = begun
    steps.let_go(3)
    closing = threading.Thread(target=studio.close)
    closing.start()
    assert eventually(lambda: engine.closed)
    steps._allowed.release()
    closing.join(60)
    assert [step for _, step in engine.steps] == [1, 2, 3]
    engine = FakeEngine(REFINER)
    again = open_studio(engine)
    again.load()
    assert (engine.steps, learning(again)) == ([], None), "nothing that nobody asked for"
    assert hear(again, speaker="alice")[1] == "disk"
    assert comes_to_rest(again)
    assert [step for _, step in engine.steps] == [3, 4, 5, 6]
    assert learning(again) == DONE


def test_what_is_as_good_as_it_gets_is_left_alone(begun, steps):
    studio, engine, _ = begun
    steps.free()
    assert comes_to_rest(studio)
    hear(studio, speaker="alice")
    studio.warm("alice")
    assert not studio.prompts.refiner._line and len(engine.steps) == N_STEPS


def test_without_seconds_nothing_is_refined(open_studio):
    engine = FakeEngine(REFINER)
    studio = open_studio(engine, learn_seconds=0)
    studio.enroll(recording())
    studio.warm("alice")
    assert (studio.prompts.refiner._thread, learning(studio), engine.steps) == (None, None, [])


def test_the_seconds_are_one_budget_whatever_restarts_there_are(open_studio, monkeypatch):
    def opened(engine: FakeEngine) -> Studio:
        studio = open_studio(engine, learn_seconds=3)
        ticks = iter(range(1_000))
        monkeypatch.setattr(studio.prompts.refiner, "_cpu_clock", lambda: float(next(ticks)))  # each step takes a second
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


def test_it_waits_for_a_listener_who_would_run_dry_and_goes_on_afterwards(begun, steps, monkeypatch):
    studio, engine, _ = begun
    asked = threading.Semaphore(0)
    monkeypatch.setattr(refiner, "LOOK_SECONDS", 0.001)
    monkeypatch.setattr(studio._pool, "is_pressed", lambda: (asked.release(), True)[1])
    steps.free()
    for _ in range(3):
        assert asked.acquire(timeout=60)
    assert [step for _, step in engine.steps] == [1]
    monkeypatch.setattr(studio._pool, "is_pressed", lambda: False)
    assert comes_to_rest(studio) and learning(studio) == DONE


def test_a_voice_that_was_just_asked_for_is_spoken_with_before_it_is_refined(open_studio, monkeypatch):
    engine = FakeEngine(REFINER)
    studio = open_studio(engine)
    monkeypatch.setattr(refiner, "SETTLE_SECONDS", 600.0)
    studio.enroll(recording())
    studio.warm("alice")
    assert hear(studio, speaker="alice")[1] == "hit"
    assert (engine.steps, learning(studio)) == ([], Learning(0, N_STEPS, is_under_way=True))


def test_the_voice_that_was_asked_for_last_comes_first_once_nothing_is_lost_by_turning_to_it(begun, steps):
    studio, engine, _ = begun
    for number, name in enumerate(("bob", "carol"), 2):
        studio.enroll(recording(name, number))
        studio.warm(name)
    steps.free()
    assert comes_to_rest(studio)
    names = {clip_of(seed).digest: name for seed, name in enumerate(("alice", "bob", "carol"), 1)}
    order = [(names[digest], step) for digest, step in engine.steps]
    assert order == [
        *(("alice", step) for step in (1, 2)),
        *(("carol", step) for step in range(1, 7)),
        *(("bob", step) for step in range(1, 7)),
        *(("alice", step) for step in (3, 4, 5, 6)),
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone has priorities of threads")
def test_it_computes_with_one_thread_which_makes_way_for_whoever_speaks(open_studio):
    seen, torch = [], pytest.importorskip("torch")
    own = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    def look(step: int) -> None:
        seen.append((os.getpriority(os.PRIO_PROCESS, threading.get_native_id()), torch.get_num_threads()))

    studio = open_studio(FakeEngine(REFINER, before_step=look))
    studio.enroll(recording())
    studio.warm("alice")
    assert comes_to_rest(studio)
    assert {threads for _, threads in seen} == {1}
    assert all(niceness == NICENESS or niceness == own > NICENESS for niceness, _ in seen)
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == own


def test_asking_again_for_a_voice_in_the_line_refines_it_once(begun, steps):
    studio, engine, _ = begun
    for _ in range(3):
        hear(studio, speaker="alice")
    steps.free()
    assert comes_to_rest(studio)
    assert len(engine.steps) == N_STEPS


def test_a_failure_is_not_tried_again_before_the_voice_is_extracted_again(open_studio, caplog):
    errors = [ClipUnusable("clip_noisy", "The clip is noise.", "Record again.")]

    def fail_once(step: int) -> None:
        if errors:
            raise errors.pop()

    engine = FakeEngine(REFINER, before_step=fail_once)
    studio = open_studio(engine)
    studio.enroll(recording())
    studio.warm("alice")
    assert comes_to_rest(studio)
    assert hear(studio, speaker="alice")[1] == "hit"
    assert (engine.steps, learning(studio)) == ([], Learning(0, N_STEPS))
    assert studio.prompts.refiner.failure(key_of(studio)).fact == "The clip is noise."
    [status] = studio.matrix.rows().rows[0].statuses
    assert (status.state, status.fact, status.code) == ("memory", "The clip is noise.", "clip_noisy")
    studio.prompts.extract("alice", "refiner")
    assert eventually(lambda: learning(studio) == DONE)
    assert studio.prompts.refiner.failure(key_of(studio)) is None


def test_a_prompt_of_somebody_else_takes_no_place(open_studio, monkeypatch):
    engine = FakeEngine(REFINER)
    studio = open_studio(engine)
    speaker = studio.enroll(recording())
    real = engine._learned
    monkeypatch.setattr(engine, "_learned", lambda digest, hz, facts: real(digest if not facts["learned_steps"] else "0" * 64, hz, facts))
    studio.warm("alice")
    assert comes_to_rest(studio)
    assert isinstance(studio.prompts.refiner.failure(key_of(studio)), PromptInvalid)
    assert (learning(studio), on_disk(studio, speaker)) == (Learning(0, N_STEPS), [Refinement(0, N_STEPS)])


def test_what_is_no_recording_of_a_stored_voice_is_not_refined(open_studio):
    engine = FakeEngine(REFINER)
    studio = open_studio(engine)
    for request in ({"clip": clip_of(5)}, {"embedding": np.ones(8, np.float32)}, {}):
        hear(studio, **request)
    assert studio.prompts.refiner._thread is None


def test_it_learns_with_the_words_of_the_voice_and_not_with_those_of_one_request(open_studio):
    engine = FakeEngine(REFINER)
    studio = open_studio(engine)
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


def test_the_time_left_is_told_by_the_mean_of_the_steps_so_far(begun, steps):
    studio, _, _ = begun
    assert learning(studio) == Learning(0, N_STEPS, None, is_under_way=True)
    steps.let_go(1)
    job = studio.prompts.refiner._line[key_of(studio)]
    job.wall_seconds, job.cpu_seconds = 3.0, 0.0
    assert learning(studio) == Learning(1, N_STEPS, 15.0, is_under_way=True)
    job.cpu_seconds, job.spent_seconds = 30.0, 30.0
    assert learning(studio).seconds_left == pytest.approx(6.0), "where 60 of 90 s are left"


def test_the_matrix_shows_the_line_and_moves_with_each_step(begun, steps):
    studio, _, _ = begun
    versions = []
    for _ in range(3):
        [status] = studio.matrix.rows().rows[0].statuses
        versions.append(studio.matrix.version())
        assert (status.state, status.learning) == ("refining", learning(studio))
        steps.let_go(1)
    assert len(set(versions)) == 3
    steps.free()
    assert comes_to_rest(studio)
    assert [studio.matrix.rows().rows[0].statuses[0].state, studio.prompts.learning(studio.speaker("alice"))] == [
        "memory",
        {"refiner": DONE},
    ]


def test_waiting_ends_when_it_is_as_good_as_it_gets(begun, steps):
    studio, _, _ = begun
    key, line = key_of(studio), studio.prompts.refiner
    with pytest.raises(LearningUnfinished, match="still learning the voice after"):
        line.wait(key, 0.01)
    waiting = threading.Thread(target=line.wait, args=(key, 60))
    waiting.start()
    steps.free()
    waiting.join(60)
    assert not waiting.is_alive() and learning(studio) == DONE


def test_waiting_ends_when_it_stops(begun, steps):
    studio, _, _ = begun
    key = key_of(studio)
    studio.evict("alice")
    with pytest.raises(LearningUnfinished, match="has stopped"):
        studio.prompts.refiner.wait(key, 60)


def test_a_space_without_a_gpu_spends_less_unless_told_otherwise(tmp_path):
    def seconds(*, gpu: bool = False, **more) -> float:
        return learn_seconds(Settings(speakers_dir=tmp_path, **more), lambda: gpu)

    assert [seconds(), seconds(space_id="a/b"), seconds(space_id="a/b", gpu=True), seconds(space_id="a/b", learn_seconds=7)] == [
        90,
        30,
        90,
        7,
    ]
