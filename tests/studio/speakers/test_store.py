"""The speaker store while it runs: names, limits, replacement, deletion."""

import os
from dataclasses import replace

import numpy as np
import pytest
import safetensors

from engines.clips.clip import Clip, Transcript
from engines.errors import ClipUnusable, EmbeddingUnusable, OptionInvalid
from studio.errors import (
    ClipMissing,
    ConsentMissing,
    NameInvalid,
    NameReserved,
    SpeakerExists,
    SpeakerLimitReached,
    SpeakerUnknown,
)
from studio.speakers.speaker import Enrollment
from studio.speakers.store import SpeakerStore
from studio.speakers.tensor import SpeakerTensor
from tests.stand_ins.fake_engine import INFO
from tests.studio.speakers.store_subjects import clip_of, everything, prompt_for, recording, refuse, speaker_files

RULE = "must be non-empty, no path separators or NUL"


@pytest.fixture
def store(tmp_path):
    return SpeakerStore(tmp_path)


# --- adding


def test_a_stored_speaker_is_found_with_all_that_was_said(store):
    words = Transcript.of("hello there", "en")
    made, replaced = store.add(recording(transcript=words, description="warm", tags=("a", "é"), filename="a.wav", file_bytes=96_044))
    assert replaced is None
    for speaker in (made, store.get("alice"), SpeakerStore(store.directory).get("alice")):
        assert (speaker.name, speaker.consent, speaker.transcript, speaker.description) == ("Alice", "c1", words, "warm")
        assert (speaker.tags, speaker.filename, speaker.file_bytes, speaker.mime_type) == (("a", "é"), "a.wav", 96_044, "audio/wav")
        assert (speaker.clip_digest, speaker.seconds, speaker.sample_rate) == (clip_of(1).digest, pytest.approx(0.1), 24_000)
        assert (speaker.generation_id, speaker.created_at) == (made.generation_id, made.created_at)
        assert speaker.read_clip().digest == clip_of(1).digest


def test_an_embedding_is_a_speaker_without_a_clip(store):
    values = np.arange(8, dtype=np.float32)
    store.add(Enrollment("Eve", "c1", tensor=SpeakerTensor.of(values)))
    values[:] = 0
    for speaker in (store.get("eve"), SpeakerStore(store.directory).get("eve")):
        assert speaker.tensor.read().tolist() == list(range(8))
        assert not speaker.tensor.read().flags.writeable
        assert (speaker.clip_digest, speaker.seconds, speaker.sample_rate) == (None, None, None)
        with pytest.raises(LookupError):
            speaker.read_clip()


def test_the_file_is_named_and_filled_as_vllm_omni_expects(tmp_path):
    store = SpeakerStore(tmp_path, clock=lambda: 1_795_195_729.9)
    store.add(recording("Zoë Ж", consent="c/1", transcript=Transcript.of("hi", "en"), description="warm", filename="a.wav", file_bytes=44))
    assert speaker_files(tmp_path) == ["Zo____c_1_1795195729.safetensors"]
    with safetensors.safe_open(tmp_path / "Zo____c_1_1795195729.safetensors", "np") as file:
        audio, metadata = file.get_tensor("audio"), file.metadata()
    assert (audio.dtype, audio.shape) == (np.float32, (2_400,))
    expected = {
        "name": "Zoë Ж",
        "voice_name_lower": "zoë ж",
        "consent": "c/1",
        "created_at": "1795195729",
        "mime_type": "audio/wav",
        "original_filename": "a.wav",
        "file_size": "44",
        "sample_rate": "24000",
        "ref_text": "hi",
        "embedding_source": "audio",
        "speaker_description": "warm",
    }
    assert expected.items() <= metadata.items()
    assert {"embedding_dim", "tags"}.isdisjoint(metadata)  # absent, not "None"


def test_an_embedding_file_is_direct_and_states_its_width(store, tmp_path):
    store.add(Enrollment("Eve", "c1", tensor=SpeakerTensor.of(np.ones(5, np.float32))))
    with safetensors.safe_open(tmp_path / speaker_files(tmp_path)[0], "np") as file:
        assert list(file.keys()) == ["speaker_embedding"]
        assert (file.metadata()["embedding_source"], file.metadata()["embedding_dim"]) == ("direct", "5")


@pytest.mark.parametrize("name", ["", " ", "\t\n", ".", "..", " .. ", "a/b", "a\\b", "a\0b", "../etc", "/"])
def test_names_that_are_no_file_names_are_refused_with_vllm_omnis_rule(store, name):
    with pytest.raises(NameInvalid) as caught:
        store.add(recording(name))
    assert caught.value.rule == RULE


@pytest.mark.parametrize("name", ["a\nb", "a\x1bb", "a\x7fb", "a\u0085b", "a\u2028b", "a\u202eb", "a\ud800b"])
def test_control_characters_are_refused(store, name):
    with pytest.raises(NameInvalid, match="control characters"):
        store.add(recording(name))


@pytest.mark.parametrize("name", ["x" * 256, "é" * 128, "字" * 86, "x" * 300])
def test_a_name_over_255_bytes_is_refused(store, name):
    with pytest.raises(NameInvalid, match="255 bytes"):
        store.add(recording(name))


@pytest.mark.parametrize(
    "name", ["x" * 255, "é" * 127, "字" * 85, "a|b", "a:b", "中文", "bob.wav", ".hidden", "-rf", "👩‍🔬", "x" * 255 + " "]
)
def test_odd_names_up_to_255_bytes_are_kept(store, name):
    store.add(recording(name, consent="y" * 300))
    assert SpeakerStore(store.directory).get(name).name == name.strip()
    assert all(len(file) <= 255 and file.isascii() and not file.startswith(".") for file in speaker_files(store.directory))


@pytest.mark.parametrize("name", ["default", "DEFAULT", " None ", "auto"])
def test_placeholders_are_refused(store, name):
    with pytest.raises(NameInvalid, match="no voice in particular"):
        store.add(recording(name))


def test_built_in_speakers_are_reserved_in_any_spelling(tmp_path):
    with pytest.raises(NameReserved):
        SpeakerStore(tmp_path, engines=lambda: (replace(INFO, presets=("Vivian",)),)).add(recording(" vIVIAN"))


@pytest.mark.parametrize("consent", ["", "  "])
def test_no_speaker_without_consent(store, consent):
    with pytest.raises(ConsentMissing):
        store.add(recording(consent=consent))


@pytest.mark.parametrize("values", [[], [[1.0, 2.0]], [np.nan], [np.inf], [0.0] * 4097])
def test_an_embedding_must_be_a_row_of_numbers(store, values):
    with pytest.raises(EmbeddingUnusable):
        store.add(Enrollment("Eve", "c1", tensor=SpeakerTensor.of(np.array(values, np.float32))))


def test_an_empty_clip_is_refused(store):
    with pytest.raises(ClipUnusable):
        store.add(recording(clip=Clip(np.zeros(0, np.float32), 24_000)))


@pytest.mark.parametrize("words", ["x" * 600_000, "\ud800"])
def test_words_that_a_file_cannot_hold_are_refused(store, words):
    with pytest.raises(OptionInvalid):
        store.add(recording(description=words))
    assert everything(store.directory) == {}


@pytest.mark.parametrize("both", [True, False])
def test_a_recording_is_a_clip_or_a_tensor(store, both):
    with pytest.raises(ValueError, match="a clip or a tensor"):
        store.add(Enrollment("x", "c1", clip_of(1) if both else None, tensor=SpeakerTensor.of(np.ones(3)) if both else None))


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("Alice", " aLICE\n"),
        ("Ren\u00e9", "Rene\u0301"),
        ("Rene\u0301", "Ren\u00e9"),
        ("STRASSE", "straße"),
        ("straße", "STRASSE"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("ﬁona", "FIONA"),
    ],
)
def test_one_speaker_in_every_spelling(store, stored, asked):
    first, _ = store.add(recording(stored))
    assert store.get(asked).generation == first.generation
    second, replaced = store.add(recording(asked, seed=2))
    assert replaced.generation == first.generation
    assert [speaker.generation_id for speaker in store.speakers()] == [second.generation_id]
    assert len(speaker_files(store.directory)) == 1


def test_speakers_come_sorted_by_key(store):
    for name in ("bob", "Alice", "élan", "Carol", "aaron"):
        store.add(recording(name))
    assert [speaker.name for speaker in store.speakers()] == ["aaron", "Alice", "bob", "Carol", "élan"]


def test_an_unknown_name_gets_the_nearest_ones(store):
    for name in ("Alice", "Alicia", "Bob"):
        store.add(recording(name))
    with pytest.raises(SpeakerUnknown) as caught:
        store.get("alici")
    assert caught.value.nearest == ("Alicia", "Alice")


# --- replacing, limits


def test_a_new_recording_replaces_file_name_and_prompts(store):
    first, _ = store.add(recording("alice"))
    key, prompt = prompt_for(first)
    assert store.write_prompt(first.generation, key, prompt)
    second, replaced = store.add(recording("Alice", seed=2))
    assert replaced.generation == first.generation
    assert second.generation_id != first.generation_id
    assert second.created_at > first.created_at
    assert store.get("alice").name == "Alice"
    assert store.get("alice").read_clip().digest == clip_of(2).digest
    assert len(speaker_files(store.directory)) == 1
    assert not (store.directory / "prompts" / first.generation_id).exists()
    assert first.generation not in store.live_generations
    with pytest.raises(ClipMissing):
        first.read_clip()


def test_the_limit_counts_names_and_lets_a_name_be_replaced(tmp_path, monkeypatch):
    store = SpeakerStore(tmp_path, most_speakers=2)
    store.add(recording("a"))
    store.add(recording("b"))
    with monkeypatch.context() as patch, pytest.raises(SpeakerLimitReached) as caught:
        patch.setattr(os, "write", refuse)  # refused before a byte is written
        store.add(recording("c"))
    assert caught.value.limit == 2
    store.add(recording("B", seed=2))
    store.remove("a")
    store.add(recording("c"))


def test_an_immutable_speaker_must_be_deleted_first(tmp_path):
    store = SpeakerStore(tmp_path, policy="immutable")
    store.add(recording())
    before = everything(tmp_path)
    with pytest.raises(SpeakerExists):
        store.add(recording("ALICE", seed=2))
    assert everything(tmp_path) == before
    store.remove("alice")
    store.add(recording("ALICE", seed=2))


def test_an_unknown_policy_is_refused(tmp_path):
    with pytest.raises(ValueError, match="policy"):
        SpeakerStore(tmp_path, policy="sometimes")


@pytest.mark.parametrize("times", [[100.0] * 4, [100.0, 50.0, 1.0, 100.5], [100.9, 101.0, 101.1, 500.0]])
def test_created_at_strictly_increases_whatever_the_clock_does(tmp_path, times):
    now = [0.0]
    store = SpeakerStore(tmp_path, clock=lambda: now[0])
    stamps = []
    for index, now[0] in enumerate(times):
        stamps.append(store.add(recording(f"n{index}"))[0].created_at)
    assert stamps == sorted(set(stamps))
    assert all(stamp >= int(time) for stamp, time in zip(stamps, times, strict=True))
    now[0] = 1.0
    assert SpeakerStore(tmp_path, clock=lambda: now[0]).add(recording("late"))[0].created_at == stamps[-1] + 1


def test_failed_uploads_consume_no_timestamp(tmp_path):
    store = SpeakerStore(tmp_path, clock=lambda: 100.0)
    for _ in range(30):
        with pytest.raises(ConsentMissing):
            store.add(recording(consent=""))
    assert store.add(recording())[0].created_at == 100


def test_a_file_name_that_is_taken_is_never_overwritten(tmp_path):
    store = SpeakerStore(tmp_path, clock=lambda: 100.0)
    taken = tmp_path / "Alice_c1_100.safetensors"
    taken.write_bytes(b"somebody is writing this")
    speaker, _ = store.add(recording())
    assert speaker.created_at == 101
    assert taken.read_bytes() == b"somebody is writing this"
    assert SpeakerStore(tmp_path).get("alice").created_at == 101


# --- removing


def test_removing_leaves_nothing_of_the_speaker_on_disk(store):
    speaker, _ = store.add(recording())
    assert store.write_prompt(speaker.generation, *prompt_for(speaker))
    assert store.remove("ALICE").generation == speaker.generation
    assert everything(store.directory) == {}
    assert speaker.generation not in store.live_generations
    for again in (store.get, store.remove):
        with pytest.raises(SpeakerUnknown):
            again("alice")


def test_a_superseded_file_that_would_not_go_does_not_come_back_after_a_delete(store, monkeypatch):
    store.add(recording())
    unlink = os.unlink
    monkeypatch.setattr(os, "unlink", lambda path, **more: refuse() if str(path).endswith(".safetensors") else unlink(path, **more))
    store.add(recording(seed=2))
    assert len(speaker_files(store.directory)) == 2
    assert store.get("alice").read_clip().digest == clip_of(2).digest
    monkeypatch.undo()
    store.remove("alice")
    assert speaker_files(store.directory) == []


def test_a_speaker_is_not_deleted_while_its_superseded_file_would_come_back(store, monkeypatch):
    store.add(recording())
    (old,) = speaker_files(store.directory)
    unlink = os.unlink
    monkeypatch.setattr(os, "unlink", lambda path, **more: refuse() if str(path).endswith(old) else unlink(path, **more))
    store.add(recording(seed=2))
    with pytest.raises(OSError, match="injected"):
        store.remove("alice")
    assert SpeakerStore(store.directory).get("alice").read_clip().digest == clip_of(2).digest


def test_a_speaker_whose_file_cannot_be_deleted_stays(store, monkeypatch):
    store.add(recording())
    monkeypatch.setattr(os, "unlink", lambda path, **more: refuse())
    with pytest.raises(OSError, match="injected"):
        store.remove("alice")
    assert store.get("alice").read_clip()


def test_a_speaker_whose_file_was_deleted_by_hand_can_be_removed(store):
    speaker, _ = store.add(recording())
    (store.directory / speaker_files(store.directory)[0]).unlink()
    assert store.remove("alice").generation == speaker.generation


def test_a_prompt_of_other_tools_is_read_when_it_is_wanted_and_quarantined_where_it_is_damaged(store):
    values = np.arange(12).reshape(3, 4)
    store.add(Enrollment("Eve", "c1", tensor=SpeakerTensor.of(values, "codes", 4)))
    speaker = SpeakerStore(store.directory).get("eve")
    (file,) = store.directory.glob("*.safetensors")
    assert (speaker.tensor.form, speaker.tensor.n_frames, speaker.tensor.shape) == ("codes", 4, (3, 4))
    assert speaker.tensor.read().tolist() == values.tolist() and speaker.file_bytes == file.stat().st_size
    data = file.read_bytes()
    file.write_bytes(data[:-2] + b"zz")
    damaged = SpeakerStore(store.directory)
    with pytest.raises(ClipMissing):
        damaged.get("eve").tensor.read()
    assert [reason for _, reason in damaged.quarantined] == ["its samples do not match their digest"]
    file.write_bytes(data.replace(b'"prompt_frames": "4"', b'"prompt_frames": "7"'))
    assert "7 frames" in SpeakerStore(store.directory).quarantined[-1][1]
