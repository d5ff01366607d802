"""What somebody has open, under Windows' file rules: said where a person asked, tried again where something was promised."""

import os
import threading

import pytest

from engines import durable
from engines.durable import replace_file
from studio.errors import DiskReadOnly, FileInUse, SpeakerUnknown, disk_error
from studio.speakers.edit import SpeakerEdit
from studio.speakers.store import SpeakerStore
from studio.storage.trash import Trash
from studio.storage.undo_window import KEPT_SECONDS
from tests.studio.speakers.store_subjects import clip_of, everything, prompt_for, recording, speaker_files

pytestmark = pytest.mark.windows_files


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(durable, "PATIENCE_SECONDS", 0.02)


@pytest.fixture
def store(tmp_path):
    return SpeakerStore(tmp_path)


def file_of(store: SpeakerStore):
    [name] = speaker_files(store.directory)
    return store.directory / name


def test_who_reads_a_file_for_a_moment_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(durable, "PATIENCE_SECONDS", 60.0)
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(b"new")
    target.write_bytes(b"old")
    with target.open("rb") as reader:
        closing = threading.Timer(0.05, reader.close)
        closing.start()
        replace_file(source, target)
        closing.join()
    assert target.read_bytes() == b"new" and not source.exists()


def test_what_stays_open_is_told_as_in_use_and_a_folder_that_may_not_be_written_as_that(tmp_path, monkeypatch):
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(b"new")
    target.write_bytes(b"old")
    with target.open("rb"), pytest.raises(PermissionError) as caught:
        replace_file(source, target)
    assert type(disk_error(caught.value)) is FileInUse and target.read_bytes() == b"old"

    def denied(*_paths) -> None:
        error = PermissionError(13, "Access is denied")
        error.winerror = durable.DENIED
        raise error

    monkeypatch.setattr(os, "replace", denied)
    with pytest.raises(PermissionError) as caught:
        replace_file(source, target)
    assert type(disk_error(caught.value)) is DiskReadOnly


def test_a_speaker_whose_file_is_open_is_neither_edited_nor_deleted_and_nothing_is_left_of_the_try(store, tmp_path):
    store.add(recording())
    before = everything(tmp_path)
    into = Trash(tmp_path / "trash").folder()
    asked = (
        lambda: store.edit("alice", SpeakerEdit("Alice", description="new")),
        lambda: store.remove("alice"),
        lambda: store.remove("alice", into=into),
    )
    for ask in asked:
        with file_of(store).open("rb"), pytest.raises(PermissionError) as caught:
            ask()
        assert type(disk_error(caught.value)) is FileInUse
        assert everything(tmp_path) == before and store.get("alice").read_clip().digest == clip_of(1).digest
    store.remove("alice")
    with pytest.raises(SpeakerUnknown):
        SpeakerStore(tmp_path).get("alice")


def test_a_recording_that_was_replaced_while_it_was_open_goes_when_it_is_closed_and_never_comes_back(store, tmp_path):
    store.add(recording())
    with file_of(store).open("rb"):
        store.add(recording(seed=2))
        assert len(speaker_files(tmp_path)) == 2
        assert store.get("alice").read_clip().digest == SpeakerStore(tmp_path).get("alice").read_clip().digest == clip_of(2).digest
    store.add(recording("bob"))
    assert len(speaker_files(tmp_path)) == 2, "one each"


def test_prompts_of_a_deleted_speaker_go_when_they_are_closed(store, tmp_path):
    speaker, _ = store.add(recording())
    store.write_prompt(speaker.generation, *prompt_for(speaker))
    [prompt] = store.prompt_files(speaker.generation)
    with prompt.path.open("rb"):
        store.remove("alice")
        assert prompt.path.exists()
    store.add(recording("bob"))
    assert not prompt.path.parent.exists()


def test_a_deleted_file_that_is_open_when_its_time_is_over_is_tried_again_until_it_is_gone(tmp_path):
    gone, later = [], []
    trash = Trash(tmp_path / "trash", later=lambda seconds, call: (later.append((seconds, call)), lambda: None)[1])
    trash.when_gone(gone.append)
    path = trash.folder() / "a.safetensors"
    path.write_bytes(b"voice")
    trash.keep("a")
    with path.open("rb"):
        for turn in range(2):
            later[turn][1]()
            assert path.exists() and gone == [] and later[turn + 1][0] == KEPT_SECONDS
    later[2][1]()
    assert not path.exists() and gone == ["a"] and len(later) == 3


@pytest.mark.parametrize("name", ["con", "CON.a", "nul.x", "ends.", "a:b", "n" * 255])
def test_a_voice_may_be_called_what_no_file_may(store, tmp_path, name):
    store.add(recording(name))
    assert SpeakerStore(tmp_path).get(name).read_clip().digest == clip_of(1).digest
