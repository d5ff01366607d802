"""Tokenizers of both files: the same ids, and files that are damaged or another model's."""

import json
from pathlib import Path

import pytest

from engines.errors import CheckpointInvalid
from engines.pocket_tts.tokenizer import read_tokenizer
from tests.engines.pocket_tts.vocabulary import SIZE, pieces, write_tokenizer

KINDS = ("tokenizers", "sentencepiece")
TEXTS = ("Hello world, the voice and the end.", "  two  blanks ", "café — “yes”… 3.50!", "漢字 😀", "", "One; two: three? Zz")


def test_both_files_give_the_same_ids(tmp_path):
    from_json, from_model = (read_tokenizer(write_tokenizer(tmp_path, kind), SIZE) for kind in KINDS)
    for text in TEXTS:
        assert from_json.ids(text.strip()) == from_model.ids(text), text
    words = [pieces()[index][0] for index in from_model.ids("the voice x")]
    assert words == ["▁the", "▁voice", "▁", "x"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_of_another_model_is_refused(tmp_path, kind):
    with pytest.raises(CheckpointInvalid, match=f"{SIZE} tokens, 4000 are expected"):
        read_tokenizer(write_tokenizer(tmp_path, kind), 4000)


@pytest.mark.parametrize("name", ["tokenizer.json", "tokenizer.model"])
@pytest.mark.parametrize("content", [None, b"", b"{}", b'{"version": "1.0", "model": {}}', b"\xff" * 100])
def test_a_file_that_is_missing_or_damaged_is_refused(tmp_path: Path, name, content):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(CheckpointInvalid, match=name):
        read_tokenizer(tmp_path / name, SIZE)


def test_a_file_that_cuts_texts_off_is_refused(tmp_path):
    file = write_tokenizer(tmp_path)
    content = json.loads(file.read_text(encoding="utf-8"))
    content["truncation"] = {"direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0}
    file.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(CheckpointInvalid, match="cuts texts off"):
        read_tokenizer(file, SIZE)
