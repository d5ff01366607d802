"""Editing, setting aside and putting back: the recording and what was learned from it stay whole."""

import os

import numpy as np
import pytest

from engines.clips.clip import Transcript
from engines.errors import OptionInvalid
from studio.errors import ClipMissing, NameInvalid, NameReserved, NameTaken, SpeakerLimitReached, SpeakerUnknown
from studio.speakers import registry as registry_module
from studio.speakers.edit import SpeakerEdit, tags_of
from studio.speakers.speaker import Enrollment
from studio.speakers.store import SpeakerStore
from studio.speakers.tensor import SpeakerTensor
from tests.stand_ins.fake_engine import INFO
from tests.studio.speakers.store_subjects import OMNI_NAME, clip_of, everything, omni_file, prompt_for, recording, refuse, speaker_files


@pytest.fixture
def store(tmp_path):
    return SpeakerStore(tmp_path)


def test_words_about_a_speaker_change_and_its_generation_and_prompts_stay(store):
    made, _ = store.add(recording())
    store.write_prompt(made.generation, *prompt_for(made))
    words = Transcript.of("other words", "en")
    new, old = store.edit("alice", SpeakerEdit("Alice", "warm", ("a", "b"), words))
    assert old.transcript is None and new.generation == made.generation and new.created_at == made.created_at
    for speaker in (new, store.get("Alice"), SpeakerStore(store.directory).get("Alice")):
        assert (speaker.description, speaker.tags, speaker.transcript) == ("warm", ("a", "b"), words)
        assert (speaker.consent, speaker.read_clip().digest) == ("c1", clip_of(1).digest)
        assert store.read_prompt(speaker.generation, prompt_for(made)[0]) is not None
    assert len(speaker_files(store.directory)) == 1


@pytest.mark.parametrize("name", ["Bea", "ALICE", "Chloé"])
def test_a_renamed_speaker_is_found_by_its_new_name_alone(store, name):
    made, _ = store.add(recording())
    store.write_prompt(made.generation, *prompt_for(made))
    new, _ = store.edit("Alice", SpeakerEdit(name))
    for found in (store, SpeakerStore(store.directory)):
        assert [speaker.name for speaker in found.speakers()] == [name]
        assert found.read_prompt(new.generation, prompt_for(made)[0]) is not None
        assert found.get(name).read_clip().digest == clip_of(1).digest
    assert len(speaker_files(store.directory)) == 1


def test_an_edit_that_changes_nothing_writes_nothing(store):
    store.add(recording(description="warm", tags=("a",)))
    before = everything(store.directory)
    store.edit("alice", SpeakerEdit("Alice", "warm", ("a",)))
    assert everything(store.directory) == before


def test_a_name_that_is_taken_built_in_or_no_name_is_refused_and_nothing_changes(tmp_path):
    store = SpeakerStore(tmp_path, engines=lambda: (INFO,))
    store.add(recording())
    store.add(recording("Ben", 2))
    before = everything(tmp_path)
    for name, error in (("ben", NameTaken), ("tone", NameReserved), ("a/b", NameInvalid), ("", NameInvalid)):
        with pytest.raises(error):
            store.edit("Alice", SpeakerEdit(name))
    with pytest.raises(SpeakerUnknown):
        store.edit("nobody", SpeakerEdit("Nobody"))
    with pytest.raises(OptionInvalid):
        store.edit("Alice", SpeakerEdit("Alice", "x" * (1 << 20)))
    assert everything(tmp_path) == before


def test_a_reader_from_before_the_rename_still_reads_the_clip(store):
    made, _ = store.add(recording())
    store.edit("Alice", SpeakerEdit("Bea"))
    assert made.read_clip().digest == clip_of(1).digest


def test_what_vllm_omni_wrote_can_be_edited_and_keeps_its_generation(tmp_path):
    omni_file(tmp_path)
    store = SpeakerStore(tmp_path)
    before = store.get("Alice")
    new, _ = store.edit("Alice", SpeakerEdit("Alice", "deeper"))
    assert new.generation_id == before.generation_id and new.clip_digest == before.clip_digest
    assert speaker_files(tmp_path) == [OMNI_NAME]
    assert SpeakerStore(tmp_path).get("alice").description == "deeper"


def test_an_embedding_can_be_renamed(store):
    store.add(Enrollment("Eve", "c1", tensor=SpeakerTensor.of(np.arange(8, dtype=np.float32))))
    store.edit("Eve", SpeakerEdit("Eva"))
    assert SpeakerStore(store.directory).get("eva").tensor.read().tolist() == list(range(8))


def test_two_speakers_whose_file_names_would_meet_do_not_overwrite_each_other(tmp_path):
    store = SpeakerStore(tmp_path, clock=lambda: 100.0)
    omni_file(tmp_path, "a_b_c1_100.safetensors", name="a b", created_at="100")
    assert store.get("a b")
    omni_file(tmp_path, "x_c1_100.safetensors", name="x", created_at="100", tensor=clip_of(3).samples)
    assert store.get("x")
    store.edit("x", SpeakerEdit("a_b"))
    for found in (store, SpeakerStore(tmp_path)):
        assert {speaker.name: speaker.read_clip().digest for speaker in found.speakers()} == {
            "a b": clip_of(7).digest,
            "a_b": clip_of(3).digest,
        }


@pytest.mark.parametrize("name", ["Bea", "ALICE"])
def test_a_rename_killed_before_the_old_file_went_is_finished_by_the_next_start(store, monkeypatch, name):
    made, _ = store.add(recording())
    store.write_prompt(made.generation, *prompt_for(made))
    with monkeypatch.context() as patched:
        patched.setattr(registry_module, "remove_file", refuse)
        new, _ = store.edit("Alice", SpeakerEdit(name))
    assert len(speaker_files(store.directory)) == 2
    again = SpeakerStore(store.directory)
    assert [speaker.name for speaker in again.speakers()] == [name] and again.quarantined == ()
    assert again.read_prompt(new.generation, prompt_for(made)[0]) is not None
    assert len(speaker_files(store.directory)) == 1


def test_a_deleted_speaker_does_not_come_back_under_its_old_name(store, monkeypatch):
    store.add(recording())
    with monkeypatch.context() as patched:
        patched.setattr(registry_module, "remove_file", refuse)
        store.edit("Alice", SpeakerEdit("Bea"))
    store.remove("Bea")
    assert SpeakerStore(store.directory).speakers() == () and speaker_files(store.directory) == []


def test_a_speaker_whose_old_name_cannot_be_removed_is_not_said_to_be_deleted(store, monkeypatch):
    store.add(recording())
    [old] = speaker_files(store.directory)

    def refuse_old(path):
        refuse() if path.name == old else os.unlink(path)

    monkeypatch.setattr(registry_module, "remove_file", refuse_old)
    store.edit("Alice", SpeakerEdit("Bea"))
    with pytest.raises(OSError, match="injected"):
        store.remove("Bea")
    assert store.get("Bea").read_clip()


def test_a_disk_that_fails_while_writing_leaves_the_speaker_as_it_was(store, monkeypatch):
    store.add(recording())
    before = everything(store.directory)
    with monkeypatch.context() as patched, pytest.raises(OSError, match="injected"):
        patched.setattr(os, "fsync", refuse)
        store.edit("Alice", SpeakerEdit("Bea"))
    assert everything(store.directory) == before and store.get("alice").read_clip()


def test_a_damaged_recording_is_not_written_anew_as_if_it_were_whole(store):
    store.add(recording())
    path = store.directory / speaker_files(store.directory)[0]
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(ClipMissing):
        store.edit("Alice", SpeakerEdit("Bea"))


# --- aside and back


def test_a_speaker_set_aside_is_gone_without_its_prompts_and_comes_back_as_it_was(store, tmp_path):
    made, _ = store.add(recording(description="warm", tags=("a",)))
    store.write_prompt(made.generation, *prompt_for(made))
    aside = tmp_path / "aside"
    aside.mkdir()
    store.remove("Alice", into=aside)
    assert store.speakers() == () == SpeakerStore(tmp_path).speakers()
    assert not (tmp_path / "prompts" / made.generation_id).exists()
    back = store.put_back(aside / f"{made.generation_id}.safetensors")
    for speaker in (back, SpeakerStore(tmp_path).get("alice")):
        assert (speaker.generation, speaker.created_at, speaker.description, speaker.tags) == (
            made.generation,
            made.created_at,
            "warm",
            ("a",),
        )
        assert speaker.read_clip().digest == clip_of(1).digest
    assert list(aside.iterdir()) == []


def test_a_speaker_does_not_come_back_over_another_or_over_the_limit(tmp_path):
    store = SpeakerStore(tmp_path, most_speakers=1)
    made, _ = store.add(recording())
    aside = tmp_path / "aside"
    aside.mkdir()
    store.remove("Alice", into=aside)
    file = aside / f"{made.generation_id}.safetensors"
    store.add(recording("ALICE", 2))
    with pytest.raises(NameTaken):
        store.put_back(file)
    store.remove("alice")
    store.add(recording("Ben", 2))
    with pytest.raises(SpeakerLimitReached):
        store.put_back(file)
    assert file.exists() and [speaker.name for speaker in store.speakers()] == ["Ben"]


def test_tags_are_what_stands_between_commas():
    assert tags_of(" warm ,  low   voice, warm,, ") == ("warm", "low voice")
