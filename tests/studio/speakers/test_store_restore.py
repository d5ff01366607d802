"""The speaker store at its start: what it restores, from whom, and which file of a name wins."""

import errno
import os
import shutil

import numpy as np
import pytest
import safetensors.numpy

from engines.clips.clip import Transcript
from engines.contract.prompt import embedding_digest
from studio.errors import SpeakerUnknown
from studio.speakers import file as speaker_file
from studio.speakers import registry
from studio.speakers.metadata import LAST_CREATED_AT
from studio.speakers.speaker import Enrollment
from studio.speakers.store import SpeakerStore
from studio.speakers.tensor import SpeakerTensor
from tests.studio.speakers.store_subjects import OMNI_NAME, clip_of, everything, omni_file, prompt_for, recording, refuse, speaker_files

# --- ours


def test_a_restart_restores_every_speaker_as_it_was(tmp_path):
    store = SpeakerStore(tmp_path)
    for seed, name in enumerate(("Alice", "Zoë", "中文")):
        store.add(recording(name, seed, transcript=Transcript.of("words", "en"), description="d"))
    store.add(Enrollment("Eve", "c1", tensor=SpeakerTensor.of(np.ones(4, np.float32))))
    again = SpeakerStore(tmp_path)
    for before, after in zip(store.speakers(), again.speakers(), strict=True):
        assert (before.name, before.generation, before.created_at) == (after.name, after.generation, after.created_at)
        assert (before.transcript, before.description, before.clip_digest) == (after.transcript, after.description, after.clip_digest)
    assert again.quarantined == ()


def test_the_samples_of_our_own_files_are_not_read_at_the_start(tmp_path, monkeypatch):
    SpeakerStore(tmp_path).add(recording())
    monkeypatch.setattr(speaker_file, "_values", refuse)
    assert len(SpeakerStore(tmp_path).speakers()) == 1


def test_the_newest_file_of_a_name_wins_and_the_others_go(tmp_path):
    store = SpeakerStore(tmp_path)
    store.add(recording("alice"))
    old = tmp_path / speaker_files(tmp_path)[0]
    shutil.copy(old, tmp_path / "kept")
    newest, _ = store.add(recording("zz", seed=2)), None
    newest, _ = store.add(recording("ALICE", seed=3))
    os.rename(tmp_path / "kept", old)  # as if killed between rename and unlink
    again = SpeakerStore(tmp_path)
    assert again.get("alice").generation == newest.generation
    assert not old.exists()
    assert again.quarantined == ()


def test_a_copy_of_a_speakers_file_does_not_cost_it_its_prompts(tmp_path):
    store = SpeakerStore(tmp_path)
    speaker, _ = store.add(recording())
    key, prompt = prompt_for(speaker)
    store.write_prompt(speaker.generation, key, prompt)
    shutil.copy(tmp_path / speaker_files(tmp_path)[0], tmp_path / "backup.safetensors")
    again = SpeakerStore(tmp_path)
    assert len(speaker_files(tmp_path)) == 1
    assert again.get("alice").read_clip().digest == clip_of(1).digest
    assert again.read_prompt(speaker.generation, key) is not None


def test_two_names_cannot_share_a_generation(tmp_path):
    SpeakerStore(tmp_path).add(recording("alice"))
    original = tmp_path / speaker_files(tmp_path)[0]
    (tmp_path / "bobby.safetensors").write_bytes(original.read_bytes().replace(b'"alice"', b'"bobby"'))
    store = SpeakerStore(tmp_path)
    assert len(store.speakers()) == 1
    assert [reason for _, reason in store.quarantined] == ["its generation id belongs to another speaker"]


def test_leftovers_of_a_killed_process_are_removed(tmp_path):
    store = SpeakerStore(tmp_path)
    speaker, _ = store.add(recording())
    store.write_prompt(speaker.generation, *prompt_for(speaker))
    whole = everything(tmp_path)
    (tmp_path / ".partial-0123456789abcdef").write_bytes(b"half a speaker")
    (tmp_path / "prompts" / ".partial-0123456789abcdef").write_bytes(b"half a prompt")
    orphan = tmp_path / "prompts" / ("0" * 32)
    orphan.mkdir()
    (orphan / "fake-x.safetensors").write_bytes(b"of a speaker who is gone")
    SpeakerStore(tmp_path)
    assert everything(tmp_path) == whole
    assert not orphan.exists()


def test_created_at_never_falls_below_what_was_restored(tmp_path):
    omni_file(tmp_path, created_at="9000000000")
    speaker, _ = SpeakerStore(tmp_path, clock=lambda: 8_999_990_000.0).add(recording("bob"))
    assert speaker.created_at == 9_000_000_001


@pytest.mark.parametrize("created_at", [9_000_000_000, LAST_CREATED_AT - 1, LAST_CREATED_AT])
def test_a_wrong_clocks_created_at_drags_nobody_along(tmp_path, created_at):
    omni_file(tmp_path, "Alice.safetensors", name="Alice", created_at=str(created_at))
    store = SpeakerStore(tmp_path, clock=lambda: 1_800_000_000.0)
    assert store.get("alice").created_at == created_at
    stamps = [store.add(recording(name))[0].created_at for name in ("bob", "carol")]
    assert stamps == [1_800_000_000, 1_800_000_001]
    again, _ = store.add(recording("alice", seed=2))
    restarted = SpeakerStore(tmp_path, clock=lambda: 1_800_000_010.0)
    assert restarted.get("alice").generation == again.generation and not restarted.quarantined
    assert len(restarted.speakers()) == 3


def test_a_file_of_a_wrong_clock_does_not_come_back_for_a_newer_one(tmp_path):
    """As a sudden end leaves them, between writing the new one and removing the old one."""
    now = 1_800_000_000.0
    made, _ = SpeakerStore(tmp_path, clock=lambda: now).add(recording("Alice"))
    omni_file(tmp_path, "old.safetensors", name="Alice", created_at=str(LAST_CREATED_AT))
    assert SpeakerStore(tmp_path, clock=lambda: now).get("alice").generation == made.generation


def test_more_speakers_than_the_limit_are_all_restored(tmp_path):
    store = SpeakerStore(tmp_path)
    for index in range(4):
        store.add(recording(f"n{index}"))
    assert len(SpeakerStore(tmp_path, most_speakers=2).speakers()) == 4


# --- vLLM-Omni's


def test_a_speaker_of_vllm_omni_is_restored_with_all_it_says(tmp_path):
    omni_file(tmp_path)
    speaker = SpeakerStore(tmp_path).get("ALICE")
    assert (speaker.name, speaker.consent, speaker.created_at, speaker.description) == ("Alice", "c1", 1_795_195_729, "warm")
    assert speaker.transcript == Transcript("hello there", None)
    assert (speaker.mime_type, speaker.filename, speaker.file_bytes) == ("audio/wav", "a.wav", 96_044)
    assert (speaker.clip_digest, speaker.sample_rate, speaker.seconds) == (clip_of(7).digest, 24_000, pytest.approx(0.1))
    assert speaker.read_clip().digest == clip_of(7).digest


def test_a_stereo_speaker_of_vllm_omni_is_averaged(tmp_path):
    stereo = np.stack([np.full(2_400, 0.5), np.full(2_400, 0.1)], axis=1).astype(np.float32)
    omni_file(tmp_path, tensor=stereo)
    speaker = SpeakerStore(tmp_path).get("alice")
    clip = speaker.read_clip()
    assert clip.samples.shape == (2_400,)
    assert np.allclose(clip.samples, 0.3)
    assert (speaker.seconds, speaker.clip_digest) == (pytest.approx(0.1), clip.digest)


def test_an_embedding_of_vllm_omni_is_restored(tmp_path):
    values = np.arange(6, dtype=np.float32)
    metadata = {"name": "Eve", "consent": "c1", "created_at": "5", "embedding_source": "direct", "embedding_dim": "6"}
    safetensors.numpy.save_file({"speaker_embedding": values}, tmp_path / "eve.safetensors", metadata)
    assert SpeakerStore(tmp_path).get("eve").tensor.source_digest == embedding_digest(values)


def test_the_generation_of_a_foreign_file_is_its_content(tmp_path):
    path = omni_file(tmp_path)
    first = SpeakerStore(tmp_path).get("alice").generation
    os.rename(path, tmp_path / "renamed.safetensors")
    assert SpeakerStore(tmp_path).get("alice").generation == first
    (tmp_path / "renamed.safetensors").unlink()
    omni_file(tmp_path, ref_text="other words")
    assert SpeakerStore(tmp_path).get("alice").generation != first


def test_prompts_of_a_foreign_speaker_outlive_a_restart(tmp_path):
    omni_file(tmp_path)
    store = SpeakerStore(tmp_path)
    speaker = store.get("alice")
    key, prompt = prompt_for(speaker)
    assert store.write_prompt(speaker.generation, key, prompt)
    assert SpeakerStore(tmp_path).read_prompt(speaker.generation, key) is not None


@pytest.mark.parametrize(
    "missing", ["created_at", "consent", "file_size", "ref_text", "mime_type", "voice_name_lower", "original_filename"]
)
def test_a_foreign_file_may_lack_what_is_not_needed(tmp_path, missing):
    omni_file(tmp_path, drop=[missing])
    store = SpeakerStore(tmp_path)
    assert store.get("alice").created_at == (0 if missing == "created_at" else 1_795_195_729)
    assert store.quarantined == ()


def test_a_bad_file_size_is_only_a_bad_file_size(tmp_path):
    omni_file(tmp_path, file_size="big")
    assert SpeakerStore(tmp_path).get("alice").file_bytes == 0


def test_a_foreign_speaker_can_be_replaced_and_removed(tmp_path):
    omni_file(tmp_path)
    store = SpeakerStore(tmp_path)
    _, replaced = store.add(recording("alice"))
    assert replaced.created_at == 1_795_195_729
    assert not (tmp_path / OMNI_NAME).exists()
    omni_file(tmp_path, "bob.safetensors", name="bob")
    store.remove("bob")
    assert not (tmp_path / "bob.safetensors").exists()


def test_two_voices_of_vllm_omni_that_are_one_name_here_are_not_deleted(tmp_path):
    omni_file(tmp_path, "a.safetensors", name="straße", created_at="1")
    omni_file(tmp_path, "b.safetensors", name="STRASSE", created_at="2")
    omni_file(tmp_path, "c.safetensors", name="strasse", created_at="3")
    store = SpeakerStore(tmp_path)
    assert store.get("straße").name == "strasse"
    assert [name for name, _ in store.quarantined] == ["a.safetensors"]
    assert (tmp_path / "quarantine" / "a.safetensors").exists()
    assert speaker_files(tmp_path) == ["c.safetensors"]  # of one name for vLLM-Omni too, so the newer one wins there as here


def test_a_file_that_vllm_omni_is_still_writing_is_left_alone_and_found_when_it_is_whole(tmp_path):
    now = [0.0]
    store = SpeakerStore(tmp_path, clock=lambda: now[0])
    path = omni_file(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:1_000])
    os.utime(tmp_path, (1_000, 1_000))  # the directory itself does not change any more
    with pytest.raises(SpeakerUnknown):
        store.get("alice")
    assert store.quarantined == ()
    with open(path, "ab") as file:
        file.write(whole[1_000:])
    now[0] += 1.0
    assert store.get("alice").read_clip().digest == clip_of(7).digest


def test_a_file_that_stays_bad_is_quarantined_by_a_later_look(tmp_path):
    store = SpeakerStore(tmp_path)
    (tmp_path / "bad.safetensors").write_bytes(b"bad")
    store.speakers()
    assert store.quarantined == ()
    os.utime(tmp_path / "bad.safetensors", (1_000, 1_000))
    store.speakers()
    assert [name for name, _ in store.quarantined] == ["bad.safetensors"]


def test_a_file_that_came_within_one_tick_of_the_file_systems_clock_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "file_system_now_ns", lambda directory: os.stat(directory).st_mtime_ns)  # its clock stands still
    store = SpeakerStore(tmp_path)
    tick = os.stat(tmp_path)
    assert store.speakers() == ()
    omni_file(tmp_path)
    os.utime(tmp_path, ns=(tick.st_atime_ns, tick.st_mtime_ns))
    assert len(store.speakers()) == 1


def test_a_start_without_free_descriptors_quarantines_nothing(tmp_path, monkeypatch):
    omni_file(tmp_path)
    opened = os.open
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", lambda path, *args: no_descriptors() if str(path).endswith(".safetensors") else opened(path, *args))
        store = SpeakerStore(tmp_path)
        assert (store.speakers(), store.quarantined) == ((), ())
    assert len(store.speakers()) == 1


def no_descriptors():
    raise OSError(errno.EMFILE, "Too many open files")
