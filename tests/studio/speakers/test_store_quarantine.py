"""Files that cannot be trusted: each is moved to quarantine with its reason, and none keeps the others from being served."""

import json
import os

import numpy as np
import pytest
import safetensors.numpy

from studio.speakers import file as speaker_file
from studio.speakers.speaker import Enrollment
from studio.speakers.store import SpeakerStore
from studio.speakers.tensor import SpeakerTensor
from tests.studio.speakers.store_subjects import OMNI, clip_of, omni_file, recording, refuse, speaker_files


def raw_file(header: object, data: bytes = b"", length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


AUDIO = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
EIGHT = b"\0" * 8
BAD_BYTES = {
    "empty": b"",
    "three bytes": b"abc",
    "text": b"this is no safetensors file at all, but a text",
    "header longer than the file": raw_file({"audio": AUDIO}, EIGHT, length=5_000),
    "huge header": raw_file(b"{}", length=1 << 40),
    "header over a megabyte": raw_file(json.dumps({"__metadata__": OMNI | {"x": "y" * (1 << 20)}, "audio": AUDIO}).encode(), EIGHT),
    "no json": raw_file(b"{nope}", EIGHT),
    "not utf-8": raw_file(b'{"\xff": 1}', EIGHT),
    "nested too deep": raw_file(b"[" * 100_000),
    "list": raw_file([1, 2, 3]),
    "null metadata": raw_file({"__metadata__": None, "audio": AUDIO}, EIGHT),
    "metadata of numbers": raw_file({"__metadata__": OMNI | {"name": 5}, "audio": AUDIO}, EIGHT),
    "no tensor": raw_file({"__metadata__": OMNI}),
    "another tensor": raw_file({"__metadata__": OMNI, "codes": AUDIO}, EIGHT),
    "another type": raw_file({"__metadata__": OMNI, "audio": AUDIO | {"dtype": "I16", "shape": [4]}}, EIGHT),
    "shape and offsets disagree": raw_file({"__metadata__": OMNI, "audio": AUDIO | {"shape": [1_000_000_000]}}, EIGHT),
    "shape that overflows": raw_file({"__metadata__": OMNI, "audio": AUDIO | {"shape": [1 << 62, 4]}}, EIGHT),
    "negative shape": raw_file({"__metadata__": OMNI, "audio": AUDIO | {"shape": [-2, -1]}}, EIGHT),
    "shape of words": raw_file({"__metadata__": OMNI, "audio": AUDIO | {"shape": ["2"]}}, EIGHT),
    "offsets before the data": raw_file({"__metadata__": OMNI, "audio": AUDIO | {"data_offsets": [-8, 0]}}, EIGHT),
    "one offset": raw_file({"__metadata__": OMNI, "audio": AUDIO | {"data_offsets": [8]}}, EIGHT),
    "truncated": raw_file({"__metadata__": OMNI, "audio": AUDIO}, EIGHT[:-1]),
    "more than announced": raw_file({"__metadata__": OMNI, "audio": AUDIO}, EIGHT + b"\0"),
    "no samples": raw_file({"__metadata__": OMNI, "audio": {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}}),
    "scalar": raw_file({"__metadata__": OMNI, "audio": {"dtype": "F32", "shape": [], "data_offsets": [0, 4]}}, b"\0" * 4),
    "no metadata": raw_file({"audio": AUDIO}, EIGHT),
}
BAD_METADATA = [
    {"name": ""},
    {"name": "  "},
    {"name": ".."},
    {"name": "a/b"},
    {"name": "a\nb"},
    {"name": "x" * 256},
    {"name": "default"},
    {"created_at": "yesterday"},
    {"created_at": ""},
    {"created_at": "-1"},
    {"created_at": "1.5"},
    {"created_at": "1e9"},
    {"created_at": " 1"},
    {"created_at": "1_000"},
    {"created_at": "٣"},
    {"created_at": "9" * 20},
    {"created_at": "999999999999999"},
    {"sample_rate": "0"},
    {"sample_rate": "-24000"},
    {"sample_rate": "fast"},
    {"sample_rate": "4000000000"},
    {"sample_rate": "999"},
    {"generation_id": "../../../../etc"},
    {"generation_id": ""},
    {"generation_id": "0" * 31},
    {"generation_id": "0" * 32},  # ours, but without a digest of its clip
    {"generation_id": "0" * 32, "clip_digest": "abc"},
]
BAD_TENSORS = {
    "NaN": np.full(100, np.nan, np.float32),
    "one Inf": np.array([0, 1, np.inf], np.float32),
    "Inf in stereo": np.array([[np.inf, -np.inf]] * 50, np.float32),
    "three dimensions": np.zeros((2, 3, 4), np.float32),
    "channels first": np.zeros((2, 4_800), np.float32),
    "no channels": np.zeros((100, 0), np.float32),
    "double": np.zeros(100, np.float64),
    "half": np.zeros(100, np.float16),
}


def assert_only_this_is_quarantined(tmp_path, name: str = "bad.safetensors") -> None:
    omni_file(tmp_path, "good.safetensors", name="Good")
    store = SpeakerStore(tmp_path)
    assert [speaker.name for speaker in store.speakers()] == ["Good"]
    ((file_name, reason),) = store.quarantined
    assert file_name == name
    assert reason
    assert str(tmp_path) not in reason
    assert os.path.lexists(tmp_path / "quarantine" / name)
    assert reason in (tmp_path / "quarantine" / f"{name}.reason.txt").read_text()
    assert speaker_files(tmp_path) == ["good.safetensors"]
    assert SpeakerStore(tmp_path).quarantined == ()


@pytest.mark.parametrize("kind", BAD_BYTES)
def test_bytes_that_are_no_speaker_are_quarantined(tmp_path, kind):
    (tmp_path / "bad.safetensors").write_bytes(BAD_BYTES[kind])
    assert_only_this_is_quarantined(tmp_path)


@pytest.mark.parametrize("changes", BAD_METADATA, ids=lambda changes: str(changes)[:40].encode("unicode_escape").decode())
def test_metadata_that_cannot_be_are_quarantined(tmp_path, changes):
    omni_file(tmp_path, "bad.safetensors", **changes)
    assert_only_this_is_quarantined(tmp_path)


@pytest.mark.parametrize("missing", ["name", "sample_rate"])
def test_a_file_that_lacks_what_is_needed_is_quarantined(tmp_path, missing):
    omni_file(tmp_path, "bad.safetensors", drop=[missing])
    assert_only_this_is_quarantined(tmp_path)


@pytest.mark.parametrize("kind", BAD_TENSORS)
def test_audio_that_is_none_is_quarantined(tmp_path, kind):
    omni_file(tmp_path, "bad.safetensors", BAD_TENSORS[kind])
    assert_only_this_is_quarantined(tmp_path)


@pytest.mark.parametrize("values", [np.array([np.nan]), np.zeros((2, 2)), np.zeros(4097), np.zeros(0)])
def test_an_embedding_that_is_none_is_quarantined(tmp_path, values):
    safetensors.numpy.save_file({"speaker_embedding": values.astype(np.float32)}, tmp_path / "bad.safetensors", {"name": "Eve"})
    assert_only_this_is_quarantined(tmp_path)


def test_our_embedding_with_a_flipped_bit_is_quarantined(tmp_path):
    SpeakerStore(tmp_path).add(Enrollment("Eve", "c1", tensor=SpeakerTensor.of(np.ones(8, np.float32))))
    path = tmp_path / speaker_files(tmp_path)[0]
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.unlink()
    (tmp_path / "bad.safetensors").write_bytes(data)
    assert_only_this_is_quarantined(tmp_path)


@pytest.mark.parametrize("cut", [1, 4, 2_000, 9_700])
def test_our_file_cut_short_is_quarantined(tmp_path, cut):
    SpeakerStore(tmp_path).add(recording())
    path = tmp_path / speaker_files(tmp_path)[0]
    (tmp_path / "bad.safetensors").write_bytes(path.read_bytes()[:-cut])
    path.unlink()
    assert_only_this_is_quarantined(tmp_path)


def test_what_is_no_file_is_quarantined(tmp_path):
    (tmp_path / "bad.safetensors").mkdir()
    assert_only_this_is_quarantined(tmp_path)


@pytest.mark.posix_files
def test_a_fifo_does_not_hold_the_start(tmp_path):
    os.mkfifo(tmp_path / "bad.safetensors")
    assert_only_this_is_quarantined(tmp_path)


@pytest.mark.posix_files
def test_a_link_to_nowhere_is_quarantined(tmp_path):
    os.symlink(tmp_path / "nowhere", tmp_path / "bad.safetensors")
    assert_only_this_is_quarantined(tmp_path)


def test_a_file_over_the_size_limit_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(speaker_file, "MOST_FILE_BYTES", 20_000)
    omni_file(tmp_path, "bad.safetensors", clip_of(1, seconds=1).samples)
    assert_only_this_is_quarantined(tmp_path)


def test_what_a_parser_did_not_foresee_costs_one_file_only(tmp_path, monkeypatch):
    omni_file(tmp_path, "bad.safetensors", name="Bad")
    checked = speaker_file.checked
    monkeypatch.setattr(speaker_file, "checked", lambda speaker, **how: 1 / 0 if speaker.name == "Bad" else checked(speaker, **how))
    assert_only_this_is_quarantined(tmp_path)


def test_a_machine_without_memory_for_a_file_finds_no_fault_with_it(tmp_path, monkeypatch):
    omni_file(tmp_path)

    def no_memory(*_arguments, **_how):
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(speaker_file, "checked", no_memory)
        store = SpeakerStore(tmp_path)
        assert (store.speakers(), store.quarantined) == ((), ())
    assert [speaker.name for speaker in store.speakers()] == ["Alice"]


def test_quarantine_keeps_all_files_of_one_name_and_long_names(tmp_path):
    for _ in range(3):
        (tmp_path / "bad.safetensors").write_bytes(b"bad")
        SpeakerStore(tmp_path)
    long_name = "é" * 121 + ".safetensors"
    (tmp_path / long_name).write_bytes(b"bad")
    assert [name for name, _ in SpeakerStore(tmp_path).quarantined] == [long_name]
    kept = sorted(path.name for path in (tmp_path / "quarantine").iterdir())
    assert [name for name in kept if name.startswith("bad")] == [
        f"bad{n}.safetensors{end}" for n in ("-1", "-2", "") for end in ("", ".reason.txt")
    ]
    assert len(kept) == 8


def test_what_cannot_be_moved_is_not_served_and_not_fatal(tmp_path, monkeypatch):
    omni_file(tmp_path, "bad.safetensors", created_at="yesterday")
    omni_file(tmp_path, "good.safetensors", name="Good")
    monkeypatch.setattr(os, "replace", refuse)
    store = SpeakerStore(tmp_path)
    assert [speaker.name for speaker in store.speakers()] == ["Good"]
    assert [name for name, _ in store.quarantined] == ["bad.safetensors"]
