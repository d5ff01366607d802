"""Claims about the zip of sounds: names that tell nothing, a key that tells all, the same bytes each time."""

import csv
import io
import zipfile

import pytest

from studio.listening.report.sounds_zip import KEY, sounds_zip
from tests.listening.report.sample_tests import HOSTILE, sample_test, say


def test_the_zip_holds_every_sound_under_a_name_that_only_the_key_explains(tmp_path):
    test = sample_test()
    for item in test.items:
        (tmp_path / f"{item.id}.wav").write_bytes(item.id.encode() * 1000)
    data = b"".join(sounds_zip(test, tmp_path, say))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        held = {info.filename: archive.read(info) for info in archive.infolist()}
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert held.pop("README.txt").decode().strip()
    rows = list(csv.DictReader(io.StringIO(held.pop("key.csv").decode(), newline="")))
    assert tuple(rows[0]) == KEY and len(rows) == len(held) == len(test.items)
    by_hash = {item.sha256: item for item in test.items}
    for row in rows:
        item = by_hash[row["sha256"]]
        assert held[row["file"]] == item.id.encode() * 1000
        assert row["system"] == item.system and row["role"] == item.role and item.id not in row["file"]
    assert {row["label"] for row in rows} >= {f"'{HOSTILE[1]}"}, "a formula is guarded"
    for item in test.items:  # as if made at another time
        (tmp_path / f"{item.id}.wav").write_bytes(item.id.encode() * 1000)
    assert b"".join(sounds_zip(test, tmp_path, say)) == data


def test_a_sound_that_is_gone_is_an_error_before_anything_is_sent(tmp_path):
    with pytest.raises(FileNotFoundError):
        next(sounds_zip(sample_test(), tmp_path, say))
