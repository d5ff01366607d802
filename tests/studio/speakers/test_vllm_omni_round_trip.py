"""Voices that vLLM-Omni 0.30.0's own code wrote are restored here, and ours there.

The samples beside this file were written by that code; tests that run it need an importable vllm_omni (samples/README.md has the command).
"""

import base64
import hashlib
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
import safetensors

from engines.clips.clip import Clip, Transcript
from studio.audio.decode import decode_clip
from studio.speakers.speaker import Enrollment, Speaker
from studio.speakers.store import SpeakerStore
from studio.speakers.tensor import SpeakerTensor
from tests.studio.speakers.vllm_omni_samples import EMBEDDING, SAMPLES, UPLOADS, package_folder, vllm_omni

every_upload = pytest.mark.parametrize("key", UPLOADS)
its_code = pytest.mark.skipif(
    package_folder() is None, reason="vllm_omni cannot be imported; tests/studio/speakers/samples/README.md has the command"
)
OURS_ALONE = {"generation_id", "clip_digest", "embedding_digest", "seconds", "language", "tags"}


def sample_file(key: str) -> Path:
    (file,) = (SAMPLES / key).glob("*.safetensors")
    return file


def header_and_tensors(file: Path) -> tuple[dict[str, str], dict[str, np.ndarray]]:
    """As the safetensors library reads them."""
    with safetensors.safe_open(str(file), framework="np") as opened:
        return dict(opened.metadata()), {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118


def clip_in(upload: dict) -> Clip:
    return decode_clip(base64.b64decode(upload["data"]))


def recording_of(upload: dict) -> Enrollment:
    """What our door makes of the same upload."""
    words, description = upload.get("ref_text"), (upload.get("speaker_description") or "").strip() or None
    about = {"name": upload["name"], "consent": upload["consent"], "transcript": Transcript.of(words), "description": description}
    if "embedding" in upload:
        tensor = SpeakerTensor.of(np.array(json.loads(upload["embedding"]), np.float32))
        return Enrollment(**about, tensor=tensor, mime_type="application/x-safetensors")
    size = len(base64.b64decode(upload["data"]))
    return Enrollment(**about, clip=clip_in(upload), mime_type=upload["content_type"], filename=upload["filename"], file_bytes=size)


def stored_here(folder: Path, key: str, created_at: int = 1_795_000_000) -> tuple[Speaker, Path]:
    speaker, _ = SpeakerStore(folder, clock=lambda: float(created_at)).add(recording_of(UPLOADS[key]))
    (file,) = folder.glob("*.safetensors")
    return speaker, file


def check_restored(speaker: Speaker, key: str, file: Path) -> None:
    """Every field of an upload, in a speaker that a store of ours restored."""
    upload, wanted = UPLOADS[key], recording_of(UPLOADS[key])
    assert (speaker.name, speaker.consent, speaker.description) == (upload["name"], upload["consent"], wanted.description)
    size = wanted.file_bytes if wanted.clip is not None else file.stat().st_size
    assert (speaker.transcript, speaker.mime_type, speaker.file_bytes) == (wanted.transcript, wanted.mime_type, size)
    if wanted.clip is None:
        assert np.array_equal(speaker.tensor.read(), EMBEDDING)
        assert (speaker.clip_digest, speaker.seconds) == (None, None)
        return
    assert (speaker.filename, speaker.sample_rate, speaker.seconds) == (upload["filename"], wanted.clip.sample_rate, wanted.clip.seconds)
    assert speaker.read_clip().digest == wanted.clip.digest  # every sample, and of two channels the mean


# --- stored samples


@every_upload
def test_a_sample_of_vllm_omni_is_restored_here_with_every_field(tmp_path, key):
    shutil.copy(sample_file(key), tmp_path)
    store = SpeakerStore(tmp_path)
    (speaker,) = store.speakers()
    assert store.quarantined == ()
    assert str(speaker.created_at) == sample_file(key).stem.rpartition("_")[2]
    check_restored(speaker, key, sample_file(key))


@every_upload
def test_the_same_upload_has_the_same_file_name_and_header_here(tmp_path, key):
    theirs, their_tensors = header_and_tensors(sample_file(key))
    _, file = stored_here(tmp_path, key, created_at=int(theirs["created_at"]))
    ours, our_tensors = header_and_tensors(file)
    assert file.name == sample_file(key).name
    if key == "embedding":  # it names the file itself there; here nothing was uploaded that has a name
        assert (theirs.pop("original_filename"), ours.pop("original_filename")) == (file.name, "")
    assert {name: value for name, value in ours.items() if name not in OURS_ALONE} == theirs
    (tensor,) = their_tensors
    mono = their_tensors[tensor] if their_tensors[tensor].ndim == 1 else their_tensors[tensor].mean(axis=1)
    assert list(our_tensors) == [tensor]
    assert our_tensors[tensor].dtype == their_tensors[tensor].dtype == np.float32
    assert np.array_equal(our_tensors[tensor], mono)


@every_upload
def test_our_file_meets_every_condition_of_vllm_omnis_loader(tmp_path, key):
    """The loader's conditions as facts: where it looks, what it takes for the name, what it converts, which tensor it asks for."""
    upload = UPLOADS[key]
    speaker, file = stored_here(tmp_path, key)
    assert [file] == sorted(tmp_path.glob("*.safetensors"))  # it reads these and no folder below; of one name the last file counts
    header, tensors = header_and_tensors(file)
    assert header["voice_name_lower"] == upload["name"].lower()  # the registry's key, which is asked for with str.lower
    assert header["name"] == upload["name"]
    assert all(int(header[name]) >= 0 for name in ("created_at", "file_size", "sample_rate", "embedding_dim") if name in header)
    assert int(header["created_at"]) == speaker.created_at  # an unguarded int(): anything else would stop its start
    assert header["embedding_source"] == ("direct" if "embedding" in upload else "audio")
    assert "file_path" not in header  # it sets its own
    assert "None" not in header.values()  # what is absent has no key
    if "embedding" in upload:
        assert np.array_equal(tensors["speaker_embedding"], EMBEDDING)
        assert int(header["embedding_dim"]) == tensors["speaker_embedding"].squeeze().shape[0]
        assert "file_size" not in header  # it then takes the file's
        return
    assert int(header["sample_rate"]) > 0
    assert (tensors["audio"].ndim, tensors["audio"].dtype) == (1, np.float32)
    assert header.get("ref_text") == (upload["ref_text"].strip() or None)


@every_upload
def test_samples_are_small(key):
    assert sample_file(key).stat().st_size < 50_000


# --- its own code


@its_code
@every_upload
def test_what_vllm_omni_uploads_now_is_restored_here_with_every_field(tmp_path, key):
    (answer,) = vllm_omni("upload", tmp_path, [UPLOADS[key]])
    (speaker,) = SpeakerStore(tmp_path).speakers()
    assert speaker.created_at == answer["created_at"]
    check_restored(speaker, key, next(tmp_path.glob("*.safetensors")))


@its_code
@every_upload
def test_vllm_omni_still_writes_what_the_samples_hold(tmp_path, key):
    (answer,) = vllm_omni("upload", tmp_path, [UPLOADS[key]])
    (written,) = tmp_path.glob("*.safetensors")
    now, tensors = header_and_tensors(written)
    then, sampled = header_and_tensors(sample_file(key))
    then_at, now_at = then["created_at"], str(answer["created_at"])
    assert now == {name: value.replace(then_at, now_at) for name, value in then.items()}
    assert written.name == sample_file(key).name.replace(then_at, now_at)
    for name, values in sampled.items():
        assert np.array_equal(tensors[name], values)


@its_code
@every_upload
def test_what_is_stored_here_vllm_omni_restores_with_every_field(tmp_path, key):
    speaker, file = stored_here(tmp_path, key)
    ((name, voice),) = vllm_omni("restore", tmp_path).items()
    upload, known = UPLOADS[key], voice["metadata"]
    assert (name, voice["file"]) == (upload["name"].lower(), file.name)
    assert (known["name"], known["consent"], known["created_at"]) == (upload["name"], upload["consent"], speaker.created_at)
    assert known.get("ref_text") == (speaker.transcript.text if speaker.transcript else None)
    assert known.get("speaker_description") == speaker.description
    assert known["mime_type"] == speaker.mime_type
    if "embedding" in upload:
        assert np.array_equal(np.array(voice["embedding"], np.float32), EMBEDDING)
        assert (known["embedding_source"], known["embedding_dim"]) == ("direct", len(EMBEDDING))
        assert known["file_size"] == file.stat().st_size
        return
    clip = clip_in(upload)
    digest = hashlib.sha256(clip.samples.astype("<f4").tobytes()).hexdigest()
    assert voice["audio"] == {"sha256": digest, "shape": [len(clip.samples)], "rate": clip.sample_rate}
    assert (known["file_size"], known["original_filename"]) == (speaker.file_bytes, upload["filename"])
    assert voice["refused"] is None  # it would clone from this voice, with these words
    assert voice["request"] == {"ref_audio": True, "ref_text": speaker.transcript.text}


@its_code
def test_each_replaces_and_deletes_what_the_other_stored(tmp_path):
    store = SpeakerStore(tmp_path)
    ours, _ = store.add(recording_of(UPLOADS["mono"]))
    (answer,) = vllm_omni("upload", tmp_path, [UPLOADS["mono"] | {"name": "ALICE", "ref_text": None}])
    theirs = store.get("alice")
    assert (theirs.name, theirs.transcript, theirs.created_at) == ("ALICE", None, answer["created_at"])
    assert theirs.created_at > ours.created_at
    assert ours.generation not in store.live_generations
    again, replaced = store.add(recording_of(UPLOADS["mono"]))
    assert replaced.generation_id == theirs.generation_id
    assert list(vllm_omni("restore", tmp_path)) == ["alice"]
    assert vllm_omni("delete", tmp_path, ["Alice"]) == [True]
    assert store.find("alice") is None and store.speakers() == () and again.generation not in store.live_generations
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".safetensors")]
