"""Speakers of several recordings: one file that knows where each begins, through restart, edit, undo and bundles."""

import json
from dataclasses import replace

import numpy as np
import pytest

from engines.clips.clip import Clip, Transcript
from engines.errors import TranscriptMismatch
from studio.errors import BundleUnusable, ClipMissing, RecordingsTooMany
from studio.library.bundle import read_bundle, write_bundle
from studio.library.bundle_archive import pack, unpack
from studio.speakers.consent import record_consent
from studio.speakers.edit import SpeakerEdit
from studio.speakers.store import SpeakerStore
from tests.studio.speakers.store_subjects import clip_of, omni_file, recording, speaker_files

JOINTS = (600, 1500)  # of 2400 samples
SEVERAL = Clip(clip_of(1).samples, 24_000, JOINTS)
WORDS = Transcript("One.\nTwo.\nThree.", "en")


def stored(folder, **more):
    record = record_consent("own", "Alice", SEVERAL.digest)
    store = SpeakerStore(folder)
    return store, store.add(recording(clip=SEVERAL, transcript=WORDS, consent_record=record, **more))[0]


def test_joints_stay_through_restart_edit_and_undo(tmp_path):
    store, _ = stored(tmp_path)
    store.edit("Alice", SpeakerEdit("Anna", description="warm", transcript=Transcript("Eins.\nZwei.\nDrei.")))
    aside = tmp_path / "aside"
    aside.mkdir()
    removed = store.remove("Anna", into=aside)
    store.put_back(aside / f"{removed.generation_id}.safetensors")
    speaker = SpeakerStore(tmp_path).get("anna")
    assert (speaker.joints, speaker.n_recordings, speaker.recording_seconds) == (JOINTS, 3, (0.025, 0.0375, 0.0375))
    assert speaker.read_clip().digest == SEVERAL.digest == speaker.consent_record.clip_digest
    assert [len(part.samples) for part in speaker.read_clip().recordings()] == [600, 900, 900]


def test_words_are_given_for_each_recording_when_it_is_stored_and_when_it_is_edited(tmp_path):
    with pytest.raises(TranscriptMismatch, match="words of 1 recording, and this voice has 3"):
        SpeakerStore(tmp_path).add(recording(clip=SEVERAL, transcript=Transcript("All in one.")))
    store, _ = stored(tmp_path)
    with pytest.raises(TranscriptMismatch, match="words of 2 recordings, and this voice has 3"):
        store.edit("Alice", SpeakerEdit("Alice", transcript=Transcript("One.\n\nThree.")))
    assert store.edit("Alice", SpeakerEdit("Alice"))[0].transcript is None


def test_more_than_four_are_refused(tmp_path):
    with pytest.raises(RecordingsTooMany, match="There are 5 recordings, and 4 are the limit"):
        SpeakerStore(tmp_path).add(recording(clip=replace(SEVERAL, joints=(1, 2, 3, 4))))


def with_joints(folder, joints: str) -> None:
    """The one speaker's file with other joints in its header."""
    path = folder / speaker_files(folder)[0]
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    header["__metadata__"]["joints"] = joints
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data[start:])


@pytest.mark.parametrize("joints", ["", "[0]", "[2400]", "[1500, 600]", "[1.5]", "[true]", '["7"]', "600", "[1, 2, 3, 4]", "[" * 100_000])
def test_joints_that_cannot_be_are_quarantined(tmp_path, joints):
    stored(tmp_path)
    with_joints(tmp_path, joints)
    store = SpeakerStore(tmp_path)
    assert [reason for _, reason in store.quarantined] == ["its joints are not those of 2 to 4 recordings"]
    assert store.speakers() == ()


def test_joints_of_other_recordings_are_quarantined_once_they_are_read(tmp_path):
    stored(tmp_path)
    with_joints(tmp_path, "[601, 1500]")
    store = SpeakerStore(tmp_path)
    with pytest.raises(ClipMissing):
        store.get("Alice").read_clip()
    assert [reason for _, reason in store.quarantined] == ["its samples do not match their digest"]


def test_joints_in_a_file_of_another_server_mean_nothing(tmp_path):
    omni_file(tmp_path, joints="[7]")
    speaker = SpeakerStore(tmp_path).get("Alice")
    assert speaker.joints == speaker.read_clip().joints == ()


def test_a_bundle_holds_the_joints_and_one_of_a_single_recording_is_as_ever(tmp_path):
    _, speaker = stored(tmp_path)
    data = write_bundle(speaker, [])
    read = read_bundle(data).recording
    assert (read.clip.joints, read.clip.digest, read.transcript) == (JOINTS, SEVERAL.digest, WORDS)
    assert read.consent_record == speaker.consent_record
    single = SpeakerStore(tmp_path).add(recording("Bob"))[0]
    manifest = json.loads(unpack(write_bundle(single, []))["manifest.json"])
    assert (manifest["format"], "joints" in manifest["recording"]) == ("speaker-bundle/1", False)


@pytest.mark.parametrize(("joints", "sentence"), [([600], "bundle_altered"), ([0], "bundle_damaged"), ("600", "bundle_damaged")])
def test_a_bundle_with_other_joints_is_refused(tmp_path, joints, sentence):
    members = unpack(write_bundle(stored(tmp_path)[1], []))
    manifest = json.loads(members["manifest.json"])
    manifest["recording"]["joints"] = joints
    with pytest.raises(BundleUnusable) as refused:
        read_bundle(pack(members | {"manifest.json": json.dumps(manifest).encode()}))
    assert refused.value.values["sentence"] == sentence


def test_recordings_lie_in_the_file_one_behind_the_other_as_any_server_reads_them(tmp_path):
    _, speaker = stored(tmp_path)
    assert np.array_equal(speaker.read_clip().samples, clip_of(1).samples)
