"""One speaker store in many threads, and one directory in two processes."""

import os
import threading

import pytest

from engines import durable
from studio.errors import SpeakerExists, SpeakerLimitReached, SpeakersUnreachable, SpeakerUnknown
from studio.speakers.directory import SpeakerDirectory
from studio.speakers.edit import SpeakerEdit
from studio.speakers.speaker import Speaker
from studio.speakers.store import SpeakerStore
from tests.studio.speakers.store_subjects import clip_of, prompt_for, recording, refuse, speaker_files


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


def test_what_another_process_did_is_so_at_the_next_name_that_is_asked_for(tmp_path):
    here, there, gone = SpeakerStore(tmp_path), SpeakerStore(tmp_path), []
    here.live_generations.when_gone(gone.append)
    for turn in range(20):
        added, _ = there.add(recording(seed=turn))
        assert here.get("alice").read_clip().digest == clip_of(turn).digest
        replaced, _ = there.add(recording(seed=100 + turn))
        assert here.get("alice").read_clip().digest == clip_of(100 + turn).digest
        there.edit("alice", SpeakerEdit("Alice", description=f"in place {turn}"))
        assert here.get("alice").description == f"in place {turn}"
        there.edit("alice", SpeakerEdit("Bea"))
        assert here.find("alice") is None and here.get("bea").generation_id == replaced.generation_id
        there.remove("bea")
        assert here.find("bea") is None and here.speakers() == ()
        ids = [generation.id for generation in gone[4 * turn :]]
        assert ids == [added.generation_id] + 2 * [replaced.generation_id]
        gone += [None]


def test_what_another_process_replaced_or_removed_keeps_no_prompt(tmp_path):
    here, there = SpeakerStore(tmp_path), SpeakerStore(tmp_path)
    speaker, _ = here.add(recording())
    there.remove("alice")
    assert not here.write_prompt(speaker.generation, *prompt_for(speaker))  # before it has looked again
    assert here.find("alice") is None
    assert not here.write_prompt(speaker.generation, *prompt_for(speaker))
    assert not list(tmp_path.glob("prompts/*"))


def test_a_file_that_a_person_removes_replaces_or_writes_over_is_so_at_once(store):
    speaker, _ = store.add(recording())
    (name,) = speaker_files(store.directory)
    whole = (store.directory / name).read_bytes()
    os.utime(store.directory, (1_000, 1_000))
    assert store.get("alice").generation == speaker.generation
    store.add(recording("bob", 2))
    (other,) = set(speaker_files(store.directory)) - {name}
    (store.directory / other).unlink()
    assert store.find("bob") is None
    os.utime(store.directory, (1_000, 1_000))
    assert store.find("bob") is None
    (store.directory / name).write_bytes(whole.replace(b"Alice", b"Carol"))  # which the directory does not tell
    assert store.find("alice") is None and store.get("carol")


def test_who_asks_while_another_process_writes_waits_for_nobody_and_gets_what_is_there(tmp_path):
    here, there = SpeakerStore(tmp_path), SpeakerStore(tmp_path)
    first, _ = there.add(recording())
    assert here.get("alice").generation == first.generation
    second, _ = there.add(recording(seed=2))
    with durable.locked_directory(tmp_path):
        found = here.get("alice")
        assert (found.generation, found.read_clip().digest) == (second.generation, clip_of(2).digest)
        (tmp_path / speaker_files(tmp_path)[0]).unlink()
        assert here.find("alice") is None
        assert first.generation in here.live_generations  # a look that holds no lock changes nothing
    assert here.find("alice") is None and first.generation not in here.live_generations


def test_a_folder_that_cannot_be_looked_at_is_told_and_speaks_for_nobody(tmp_path):
    store = SpeakerStore(tmp_path / "voices")
    speaker, _ = store.add(recording())
    (tmp_path / "voices").rename(tmp_path / "away")
    for ask in (lambda: store.get("alice"), lambda: store.get("nobody"), store.speakers):
        with pytest.raises(SpeakersUnreachable, match="No such file"):
            ask()
    assert store.find("alice", as_known=True).generation == speaker.generation
    (tmp_path / "away").rename(tmp_path / "voices")
    assert store.get("alice").generation == speaker.generation


def test_what_this_process_removed_is_not_told_as_gone(tmp_path):
    store, gone = SpeakerStore(tmp_path), []
    store.live_generations.when_gone(gone.append)
    store.add(recording())
    store.add(recording(seed=2))
    store.remove("alice")
    assert gone == []


def test_a_name_in_a_quiet_directory_costs_two_stats(store, monkeypatch):
    store.add(recording())
    os.utime(store.directory, (1_000, 1_000))
    store.get("alice")
    asked, stat = [], os.stat
    for name in ("scandir", "open", "listdir"):
        monkeypatch.setattr(os, name, refuse)
    monkeypatch.setattr(os, "stat", lambda path, **more: (asked.append(path), stat(path, **more))[1])
    store.get("alice")
    assert len(asked) == 2
    store.speakers()
    assert len(asked) == 3


def test_two_processes_keep_limit_policy_and_order(tmp_path):
    stores = {"most_speakers": 2, "clock": lambda: 1_000.0}
    here, there = SpeakerStore(tmp_path, **stores), SpeakerStore(tmp_path, **stores)
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


def test_a_voice_that_is_replaced_after_the_folder_was_listed_is_there_all_the_time(tmp_path, monkeypatch):
    store = SpeakerStore(tmp_path)
    store.add(recording("alice", 1))
    directory = SpeakerDirectory(tmp_path, lambda speaker, path: None)
    names, made = directory._names, []

    def listed_before_it_is_replaced() -> list[str]:
        listed = names()
        if not made:
            made.append(store.add(recording("alice", 2))[0])
        return listed

    monkeypatch.setattr(directory, "_names", listed_before_it_is_replaced)
    look = directory.look(())
    assert [stored.speaker.clip_digest for stored in look.live.values()] == [made[0].clip_digest]
