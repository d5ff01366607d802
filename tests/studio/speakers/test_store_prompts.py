"""Prompts beside their speakers: they outlive restarts, never their generation, and never answer for another one."""

import os
from dataclasses import replace

import pytest

from engines import durable
from engines.clips.clip import Transcript
from engines.contract.prompt import SpeakerPrompt
from engines.errors import PromptInvalid
from studio.prompt_key import PromptKey
from studio.speakers.edit import SpeakerEdit
from studio.speakers.speaker import Generation
from studio.speakers.store import SpeakerStore
from tests.studio.speakers.store_subjects import everything, prompt_for, recording


@pytest.fixture
def store(tmp_path):
    return SpeakerStore(tmp_path)


def test_a_prompt_comes_back_after_a_restart(store):
    speaker, _ = store.add(recording())
    key, prompt = prompt_for(speaker)
    assert store.read_prompt(speaker.generation, key) is None
    assert store.write_prompt(speaker.generation, key, prompt)
    assert SpeakerStore(store.directory).read_prompt(speaker.generation, key).content_digest == prompt.content_digest
    path = store.directory / "prompts" / speaker.generation_id / f"fake-{key.digest}.safetensors"
    [file] = store.prompt_files(speaker.generation)
    assert (file.engine, file.digest, file.n_bytes) == ("fake", key.digest, path.stat().st_size)
    assert file.read_key() == key


def test_prompts_are_removed_for_one_engine_or_for_all(store):
    speaker, _ = store.add(recording())
    for engine in ("fake", "fake-2", "other"):
        store.write_prompt(speaker.generation, *prompt_for(speaker, engine))
    store.remove_prompts(speaker.generation, "fake")
    assert sorted(file.engine for file in store.prompt_files(speaker.generation)) == ["fake-2", "other"]
    store.remove_prompts(speaker.generation)
    store.remove_prompts(speaker.generation)
    assert store.prompt_files(speaker.generation) == ()
    assert store.get("alice").read_clip()


def test_a_prompt_of_a_forgotten_generation_is_not_written(store):
    first, _ = store.add(recording())
    key, prompt = prompt_for(first)
    store.add(recording(seed=2))
    before = everything(store.directory)
    assert not store.write_prompt(first.generation, key, prompt)
    assert not store.write_prompt(Generation("nobody", "0" * 32), key, prompt)
    assert everything(store.directory) == before
    assert store.read_prompt(first.generation, key) is None


def test_forgetting_beats_a_prompt_write_in_flight(store, monkeypatch):
    speaker, _ = store.add(recording())
    key, prompt = prompt_for(speaker)
    stage = durable.StagedFile.__init__

    def forgotten_while_staging(*args):
        stage(*args)
        monkeypatch.undo()
        store.remove("alice")

    monkeypatch.setattr(durable.StagedFile, "__init__", forgotten_while_staging)
    assert not store.write_prompt(speaker.generation, key, prompt)
    assert everything(store.directory) == {}


@pytest.mark.parametrize("content", [b"", b"\0" * 7, b"\xff" * 64, b"\x10\0\0\0\0\0\0\0" + b"[" * 16, b"\x02\0\0\0\0\0\0\0{}"])
def test_a_damaged_prompt_is_quarantined_and_counts_as_absent(store, content):
    speaker, _ = store.add(recording())
    key, prompt = prompt_for(speaker)
    store.write_prompt(speaker.generation, key, prompt)
    path = store.directory / "prompts" / speaker.generation_id / f"fake-{key.digest}.safetensors"
    path.write_bytes(content)
    assert store.read_prompt(speaker.generation, key) is None
    assert [name for name, _ in store.quarantined] == [path.name]
    assert not path.exists()
    assert store.write_prompt(speaker.generation, key, prompt)
    assert store.read_prompt(speaker.generation, key) is not None


def test_a_prompt_under_another_ones_name_is_not_served(store):
    alice, _ = store.add(recording())
    bob, _ = store.add(recording("bob", seed=2))
    store.write_prompt(alice.generation, *prompt_for(alice))
    key = prompt_for(bob)[0]
    folder = store.directory / "prompts"
    (folder / bob.generation_id).mkdir()
    os.rename(next((folder / alice.generation_id).iterdir()), folder / bob.generation_id / f"fake-{key.digest}.safetensors")
    assert store.read_prompt(bob.generation, key) is None
    assert len(store.quarantined) == 1
    with pytest.raises(PromptInvalid):
        store.write_prompt(bob.generation, key, prompt_for(alice)[1])


def test_an_engine_id_cannot_lead_out_of_the_folder(store):
    speaker, _ = store.add(recording())
    with pytest.raises(ValueError, match="engine"):
        store.write_prompt(speaker.generation, *prompt_for(speaker, "../../evil"))
    assert len(everything(store.directory)) == 1


def test_a_prompt_of_other_words_that_is_written_late_leaves_the_one_of_todays(store):
    speaker, _ = store.add(recording(transcript=Transcript("old words")))
    without = prompt_for(speaker)
    old, new = (shaped_by(Transcript(text), *without) for text in ("old words", "new words"))
    assert store.write_prompt(speaker.generation, *old)
    store.edit("alice", SpeakerEdit("Alice", transcript=Transcript("new words")))
    assert store.write_prompt(speaker.generation, *new)
    assert not store.write_prompt(speaker.generation, *old)
    assert [file.read_key() for file in store.prompt_files(speaker.generation)] == [new[0]]
    store.write_prompt(speaker.generation, *without)
    assert new[0] in [file.read_key() for file in store.prompt_files(speaker.generation)]


def shaped_by(words: Transcript, key: PromptKey, prompt: SpeakerPrompt) -> tuple[PromptKey, SpeakerPrompt]:
    return replace(key, transcript_digest=words.digest), prompt.with_transcript(words)
