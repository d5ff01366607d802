"""Refiner: who comes first, what it waits for, and what stops it."""

import os
import sys
import threading
from collections.abc import Callable

import pytest

from engines.contract.refinement import refinement_of
from studio.analysis.quiet_worker import NICENESS
from studio.errors import LearningUnfinished
from studio.prompts import refiner
from studio.prompts.refiner import Learning
from studio.service import Studio
from tests.api.door import eventually
from tests.stand_ins.fake_engine import N_STEPS, REFINER, FakeEngine
from tests.studio.prompts.refining import DONE, comes_to_rest, key_of, learning, on_disk
from tests.studio.test_service import clip_of, hear, recording

ENDS: dict[str, Callable[[Studio], object]] = {
    "the voice deleted": lambda studio: studio.forget("alice"),
    "the voice replaced": lambda studio: studio.enroll(recording(seed=2)),
    "the prompt dropped": lambda studio: studio.evict("alice"),
    "memory freed": lambda studio: studio.prompts.forget_in_memory("alice", "refiner"),
    "others need the room": lambda studio: (studio.enroll(recording("bob", 3)), hear(studio, speaker="bob")),
    "the engine unloaded": lambda studio: studio.unload("refiner"),
}


@pytest.mark.parametrize("end", ENDS)
def test_it_stops_within_a_step_and_stores_nothing_once(open_refining, steps, end):
    engine = FakeEngine(REFINER, before_step=steps)
    studio = open_refining(engine, cache_max_entries=1)
    speaker = studio.enroll(recording())
    studio.warm("alice")
    steps.wait_for(1)
    steps.let_go(1)
    key = key_of(studio)
    ENDS[end](studio)
    files = on_disk(studio, speaker)
    steps.free()
    assert eventually(lambda: key not in studio._parts.supply.refiner._line)
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
    studio._parts.supply.stop_learning()
    steps.free()
    studio._parts.supply.refiner._thread.join(60)
    assert [step for _, step in engine.steps] == [1]


def test_closing_the_studio_waits_for_a_step_at_most_and_a_restart_goes_on_from_the_disk_at_the_next_use(open_refining, begun, steps):
    studio, engine, _ = begun
    steps.let_go(3)
    closing = threading.Thread(target=studio.close)
    closing.start()
    assert eventually(lambda: engine.closed)
    steps._allowed.release()
    closing.join(60)
    assert [step for _, step in engine.steps] == [1, 2, 3]
    engine = FakeEngine(REFINER)
    again = open_refining(engine)
    again.load()
    assert (engine.steps, learning(again)) == ([], None), "nothing that nobody asked for"
    assert hear(again, speaker="alice")[1] == "disk"
    assert comes_to_rest(again)
    assert [step for _, step in engine.steps] == [3, 4, 5, 6]
    assert learning(again) == DONE


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


def test_a_voice_that_was_just_asked_for_is_spoken_with_before_it_is_refined(open_refining, monkeypatch):
    engine = FakeEngine(REFINER)
    studio = open_refining(engine)
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
def test_it_computes_with_one_thread_which_makes_way_for_whoever_speaks(open_refining):
    seen, torch = [], pytest.importorskip("torch")
    own = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    def look(step: int) -> None:
        seen.append((os.getpriority(os.PRIO_PROCESS, threading.get_native_id()), torch.get_num_threads()))

    studio = open_refining(FakeEngine(REFINER, before_step=look))
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


def test_the_time_left_is_told_by_the_mean_of_the_steps_so_far(begun, steps):
    studio, _, _ = begun
    assert learning(studio) == Learning(0, N_STEPS, None, is_under_way=True)
    steps.let_go(1)
    job = studio._parts.supply.refiner._line[key_of(studio)]
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
    key, line = key_of(studio), studio._parts.supply.refiner
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
        studio._parts.supply.refiner.wait(key, 60)


def test_what_a_workspace_wants_at_rest_is_left_as_it_is_and_goes_on_afterwards(begun, steps):
    studio, engine, _ = begun
    with studio.unrefined():
        steps.free()
        assert comes_to_rest(studio)
        hear(studio, speaker="alice")
        assert not studio._parts.supply.refiner._line and len(engine.steps) <= 1  # the one that was under way
    hear(studio, speaker="alice")
    assert eventually(lambda: learning(studio) == DONE)
