"""Claims about the consent that is recorded with a speaker."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from safetensors import safe_open

from engines.clips.clip import Clip
from studio.errors import ConsentMissing
from studio.speakers.consent import REASONS, STATEMENT_VERSION, ConsentRecord, record_consent
from studio.speakers.speaker import Enrollment
from studio.speakers.store import SpeakerStore

NOON = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


def clip(pitch: float = 200.0) -> Clip:
    return Clip(np.sin(np.arange(48_000) * 2 * np.pi * pitch / 24_000).astype(np.float32), 24_000)


def recording(record: ConsentRecord, clip: Clip) -> Enrollment:
    return Enrollment("Ana", record.text, clip=clip, consent_record=record)


def test_a_record_names_its_words_their_version_the_time_and_the_clip():
    record = record_consent("own", "  Ana Kovač,\n recorded today ", clip().digest, NOON)
    assert (record.version, record.statement) == (STATEMENT_VERSION, REASONS["own"].statement)
    assert (record.given_at, record.clip_digest) == ("2026-03-01T12:00:00+00:00", clip().digest)
    assert record.text == "My own voice: Ana Kovač, recorded today"


@pytest.mark.parametrize(("reason", "who"), [(None, "Ana"), ("because", "Ana"), ("own", " "), ("own", None), ("own", "a" * 501)])
def test_without_a_reason_and_a_person_there_is_no_consent(reason, who):
    with pytest.raises(ConsentMissing):
        record_consent(reason, who, clip().digest)


def test_the_record_survives_a_restart_beside_the_string_that_vllm_omni_reads(tmp_path):
    record = record_consent("licensed", "Zoë, 鈴木", clip().digest, NOON)
    SpeakerStore(tmp_path).add(recording(record, clip()))
    assert SpeakerStore(tmp_path).get("ana").consent_record == record
    with safe_open(next(tmp_path.glob("*.safetensors")), "np") as file:
        assert file.metadata()["consent"] == record.text
        assert json.loads(file.metadata()["consent_record"])["reason"] == "licensed"


def test_a_speaker_without_a_record_has_none(tmp_path):
    speaker, _ = SpeakerStore(tmp_path).add(Enrollment("Ana", "own", clip=clip()))
    assert speaker.consent_record is None
    assert SpeakerStore(tmp_path).get("ana").consent_record is None


def test_a_record_of_another_clip_is_refused_and_never_read(tmp_path):
    record = record_consent("own", "Ana", clip(300).digest)
    with pytest.raises(ValueError, match="about the clip"):
        SpeakerStore(tmp_path).add(recording(record, clip(200)))
    assert ConsentRecord.from_json(record.to_json(), clip(200).digest) is None
    assert ConsentRecord.from_json(record.to_json(), clip(300).digest) == record


@pytest.mark.parametrize("text", [None, "", "{", "[]", "null", '{"version": "1"}', "[" * 100_000])
def test_what_is_no_record_counts_as_none(text):
    assert ConsentRecord.from_json(text, clip().digest) is None


def test_a_record_with_values_that_are_no_words_counts_as_none():
    record = record_consent("own", "Ana", clip().digest)
    assert ConsentRecord.from_json(replace(record, who=7).to_json(), clip().digest) is None
