"""One speaker store in many threads, and one directory in two processes."""

import os
import threading

import pytest

from studio.errors import (
    ClipMissing,
    SpeakerExists,
    SpeakerLimitReached,
    SpeakerUnknown,
)
from studio.speakers.speaker import Speaker
from studio.speakers.store import SpeakerStore
from studio.storage import durable
from tests.studio.store_subjects import clip_of, prompt_for, recording, refuse, speaker_files


@pytest.fixture
def store(tmp_path):
    return SpeakerStore(tmp_path)


# --- threads


def test_many_threads_leave_one_file_per_name_and_distinct_times(store):
    made: list[Speaker] = []

    def work(seed: int) -> None:
        for turn in range(6):
            speaker, _ = store.add(recording(f"n{(seed + turn) % 4}", seed=seed * 10 + turn))
            made.append(speaker)
            store.write_prompt(speaker.generation, *prompt_for(speaker))
            if turn % 3 == 2:
                try:
                    store.remove(f"n{seed % 4}")
                except SpeakerUnknown:
                    continue

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({speaker.created_at for speaker in made}) == len(made) == 48
    again = SpeakerStore(store.directory)
    assert [s.generation for s in again.speakers()] == [s.generation for s in store.speakers()]
    assert len(speaker_files(store.directory)) == len(store.speakers())
    assert all(speaker.read_clip().digest == speaker.clip_digest for speaker in again.speakers())
    live = {speaker.generation_id for speaker in store.speakers()}
    assert {path.name for path in (store.directory / "prompts").iterdir()} <= live
    assert again.quarantined == ()


def test_concurrent_uploads_never_pass_the_limit(tmp_path):
    store = SpeakerStore(tmp_path, most_speakers=3)
    refused = []

    def work(index: int) -> None:
        try:
            store.add(recording(f"n{index}"))
        except SpeakerLimitReached:
            refused.append(index)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(store.speakers()), len(refused), len(speaker_files(tmp_path))) == (3, 7, 3)


def test_readers_do_not_wait_for_a_disk_that_hangs(store, monkeypatch):
    store.add(recording())
    hanging, go_on, fsync = threading.Event(), threading.Event(), os.fsync

    def slow(descriptor):
        hanging.set()
        assert go_on.wait(60)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", slow)
    uploading = threading.Thread(target=lambda: store.add(recording("bob")))
    uploading.start()
    try:
        assert hanging.wait(60)
        assert store.get("alice").read_clip()
        assert len(store.speakers()) == 1
        assert store.get("alice").generation in store.live_generations
    finally:
        go_on.set()
        uploading.join()
    assert len(store.speakers()) == 2


# --- a second process on the directory (two stores behave as two processes: each has its own registry, lock and descriptors)


class Clock:
    def __init__(self):
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_what_another_process_added_is_found_on_a_miss_at_most_every_second(tmp_path, monkeypatch):
    clock = Clock()
    here, there = SpeakerStore(tmp_path, clock=clock), SpeakerStore(tmp_path, clock=clock)
    there.add(recording("a"))
    assert here.get("a").read_clip()
    there.add(recording("b"))
    with pytest.raises(SpeakerUnknown):
        here.get("b")
    clock.now += 1.0
    assert here.get("b").read_clip()


def test_what_another_process_replaced_is_missing_until_a_rescan_and_never_anothers_clip(tmp_path):
    here, gone = SpeakerStore(tmp_path), []
    here.live_generations.when_gone(gone.append)
    first, _ = here.add(recording())
    there = SpeakerStore(tmp_path)
    second, replaced = there.add(recording(seed=2))
    assert replaced.generation == first.generation
    with pytest.raises(ClipMissing):
        here.get("alice").read_clip()
    here.rescan()
    assert here.get("alice").generation == second.generation
    assert here.get("alice").read_clip().digest == clip_of(2).digest
    assert gone == [first.generation]


def test_what_another_process_removed_is_gone_after_a_rescan(tmp_path):
    here, gone = SpeakerStore(tmp_path), []
    here.live_generations.when_gone(gone.append)
    speaker, _ = here.add(recording())
    SpeakerStore(tmp_path).remove("alice")
    assert not here.write_prompt(speaker.generation, *prompt_for(speaker))
    here.rescan()
    assert here.speakers() == ()
    assert gone == [speaker.generation]


def test_what_this_process_removed_is_not_told_as_gone(tmp_path):
    store, gone = SpeakerStore(tmp_path), []
    store.live_generations.when_gone(gone.append)
    store.add(recording())
    store.add(recording(seed=2))
    store.remove("alice")
    assert gone == []


def test_a_rescan_of_a_quiet_directory_reads_nothing(store, monkeypatch):
    store.add(recording())
    os.utime(store.directory, (1_000, 1_000))
    store.rescan()
    monkeypatch.setattr(os, "scandir", refuse)
    store.rescan()


def test_two_processes_keep_limit_policy_and_order(tmp_path):
    clock = Clock()
    here, there = SpeakerStore(tmp_path, most_speakers=2, clock=clock), SpeakerStore(tmp_path, most_speakers=2, clock=clock)
    first, _ = here.add(recording("a"))
    second, _ = there.add(recording("b"))
    third, _ = here.add(recording("b", seed=2))
    assert first.created_at < second.created_at < third.created_at
    with pytest.raises(SpeakerLimitReached):
        there.add(recording("c"))
    with pytest.raises(SpeakerExists):
        SpeakerStore(tmp_path, policy="immutable").add(recording("a"))


def test_a_store_that_starts_leaves_the_unfinished_file_of_a_living_process(tmp_path):
    staged = durable.StagedFile(tmp_path, [b"unfinished"])
    SpeakerStore(tmp_path)
    staged.publish(tmp_path / "kept")
    assert (tmp_path / "kept").read_bytes() == b"unfinished"
