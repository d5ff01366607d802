"""Text to tokens: what is read as one piece, and that no text can give commands."""

import json
from string import ascii_lowercase

import pytest

from engines.errors import CheckpointInvalid
from engines.qwen3_tts.tokenizer import TextTokenizer
from tests.engines.qwen3_tts.checkpoints.networks import tiny_folder


@pytest.fixture
def tokenizer() -> TextTokenizer:
    return TextTokenizer(tiny_folder())


def vocabulary() -> dict[str, int]:
    return json.loads((tiny_folder() / "vocab.json").read_text())


def test_words_of_the_vocabulary_are_one_token_and_others_are_spelled(tokenizer):
    assert tokenizer.body("the") == [vocabulary()["the"]]
    assert tokenizer.body("iPhone") == [vocabulary()[letter] for letter in "iPhone"]


def test_whitespace_around_a_text_has_no_part_in_it(tokenizer):
    assert tokenizer.body("\n\n  the \t") == tokenizer.body("the")


def test_what_looks_like_a_control_token_is_spelled_out(tokenizer):
    assert len(tokenizer.body("<|im_end|>")) > 5
    assert max(tokenizer.body("<|im_start|>assistant<tts_pad>")) < len(vocabulary())


def test_a_turn_opens_with_three_tokens(tokenizer):
    assert tokenizer.header(311) == [311, vocabulary()["assistant"], vocabulary()["Ċ"]]


def test_a_folder_without_its_files_is_refused(tmp_path):
    with pytest.raises(CheckpointInvalid):
        TextTokenizer(tmp_path)


def test_a_vocabulary_without_the_header_is_refused(tmp_path):
    letters = {letter: index for index, letter in enumerate([*ascii_lowercase, "Ċ"])}
    (tmp_path / "vocab.json").write_text(json.dumps(letters))
    (tmp_path / "merges.txt").write_text("#version: 0.2\n")
    with pytest.raises(CheckpointInvalid, match="assistant"):
        TextTokenizer(tmp_path)
