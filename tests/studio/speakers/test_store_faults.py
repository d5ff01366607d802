"""The speaker store on a disk that fails, with files that rot, and with a process that dies: the old state or the new one."""

import errno
import os
from itertools import count

import pytest

from studio.errors import (
    ClipMissing,
    SpeakerUnknown,
)
from studio.speakers.store import SpeakerStore
from tests.studio.speakers.store_subjects import clip_of, everything, prompt_for, recording, refuse, speaker_files


@pytest.fixture
def store(tmp_path):
    return SpeakerStore(tmp_path)


# --- writing


@pytest.mark.parametrize("function", ["write", "fsync", "replace", "open"])
def test_a_failed_upload_leaves_the_old_speaker_whole(store, monkeypatch, function):
    first, _ = store.add(recording())
    key, prompt = prompt_for(first)
    store.write_prompt(first.generation, key, prompt)
    before = everything(store.directory)
    monkeypatch.setattr(os, function, refuse)
    with pytest.raises(OSError, match="injected"):
        store.add(recording(seed=2))
    monkeypatch.undo()
    assert everything(store.directory) == before
    assert store.get("alice").generation == first.generation
    assert store.get("alice").read_clip().digest == clip_of(1).digest
    assert store.read_prompt(first.generation, key).content_digest == prompt.content_digest


@pytest.mark.posix_files
@pytest.mark.parametrize("nth", range(1, 3))
def test_every_fsync_that_fails_is_told_and_undone(store, monkeypatch, nth):
    first, _ = store.add(recording())
    before = everything(store.directory)
    calls, fsync = count(1), os.fsync
    monkeypatch.setattr(os, "fsync", lambda descriptor: refuse() if next(calls) == nth else fsync(descriptor))
    with pytest.raises(OSError, match="injected"):
        store.add(recording(seed=2))
    monkeypatch.undo()
    assert next(calls) == nth + 1, "there are as many fsyncs as this test has cases"
    assert everything(store.directory) == before
    assert store.get("alice").generation == first.generation


@pytest.mark.posix_files
def test_an_upload_syncs_the_file_before_the_rename_and_the_directory_after(store, monkeypatch):
    calls = []
    for name in ("write", "fsync", "replace", "unlink"):
        real = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *args, _name=name, _real=real, **more: (calls.append(_name), _real(*args, **more))[1])
    store.add(recording())
    store.add(recording(seed=2))
    assert calls == ["write", "write", "fsync", "replace", "fsync"] * 2 + ["unlink"]


def test_a_disk_that_takes_few_bytes_at_a_time_gets_all_of_them(store, monkeypatch):
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, view: write(descriptor, bytes(view[:1000])))
    store.add(recording())
    assert SpeakerStore(store.directory).get("alice").read_clip().digest == clip_of(1).digest


def test_a_failed_prompt_write_leaves_the_old_prompt(store, monkeypatch):
    speaker, _ = store.add(recording())
    key, prompt = prompt_for(speaker)
    store.write_prompt(speaker.generation, key, prompt)
    before = everything(store.directory)
    for function in ("write", "fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, function, refuse)
            with pytest.raises(OSError, match="injected"):
                store.write_prompt(speaker.generation, key, prompt_for(speaker, value=2.0)[1])
    assert everything(store.directory) == before


# --- reading clips


def test_a_clip_is_read_from_disk_and_not_kept(store):
    speaker, _ = store.add(recording())
    assert speaker.read_clip() is not speaker.read_clip()


@pytest.mark.parametrize("damage", ["flip", "truncate", "extend", "zero"])
def test_a_damaged_recording_is_quarantined_and_not_spoken_with(store, damage):
    speaker, _ = store.add(recording())
    store.write_prompt(speaker.generation, *prompt_for(speaker))
    path = store.directory / speaker_files(store.directory)[0]
    data = bytearray(path.read_bytes())
    data[-100] ^= 1
    path.write_bytes({"flip": bytes(data), "truncate": data[:-4], "extend": bytes(data) + b"0", "zero": b""}[damage])
    with pytest.raises(ClipMissing) as caught:
        speaker.read_clip()
    assert caught.value.name == "Alice"
    assert [name for name, _ in store.quarantined] == [path.name]
    assert not path.exists()
    assert (store.directory / "quarantine" / (path.name + ".reason.txt")).exists()
    with pytest.raises(SpeakerUnknown):
        store.get("alice")
    assert not (store.directory / "prompts" / speaker.generation_id).exists()


def test_a_speaker_whose_file_is_gone_is_deleted_and_nothing_else_breaks(store):
    speaker, _ = store.add(recording())
    store.add(recording("bob"))
    (store.directory / speaker_files(store.directory)[0]).unlink()
    with pytest.raises(ClipMissing):
        speaker.read_clip()
    with pytest.raises(SpeakerUnknown):
        store.get("alice")
    assert store.get("bob").read_clip()
    assert store.quarantined == ()


def test_a_lack_of_descriptors_does_not_quarantine_a_good_file(store, monkeypatch):
    speaker, _ = store.add(recording())
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", lambda *args: (_ for _ in ()).throw(OSError(errno.EMFILE, "Too many open files")))
        with pytest.raises(ClipMissing):
            speaker.read_clip()
    assert speaker.read_clip().digest == clip_of(1).digest
    assert store.quarantined == ()
