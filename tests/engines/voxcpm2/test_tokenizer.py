"""Texts as token ids: as the file cuts them, Chinese words by characters, control tokens spelled out. Ids are the official tokenizer's."""

import json
from pathlib import Path

import pytest

from engines.errors import CheckpointInvalid
from engines.voxcpm2.text.tokenizer import VoxCpm2Tokenizer
from tests.engines.voxcpm2.vocabulary import CONTROL, write_tokenizer


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("tokenizer")
    write_tokenizer(folder)
    return folder


@pytest.fixture(scope="module")
def vocabulary(folder) -> dict[str, int]:
    return json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]


TEXTS = {  # text -> its tokens by voxcpm 2.0.3 on transformers 5.23 (mask_multichar_chinese_tokens), which obeys nothing here
    "hello world": "▁hello ▁world",
    "1 2": "▁ 1 ▁ 2",
    "é": "▁ <0xC3> <0xA9>",
    "你好世界": "你 好 世 界",
    "x声音 声音你好": "▁ x 声 音 ▁声音 你 好",
}


@pytest.mark.parametrize("text", TEXTS)
def test_ids_are_those_of_the_official_tokenizer(folder, vocabulary, text):
    assert VoxCpm2Tokenizer(folder).ids(text) == [vocabulary[token] for token in TEXTS[text].split()]


def test_the_files_own_rule_holds_for_a_text_that_begins_with_a_space(folder, vocabulary):
    assert VoxCpm2Tokenizer(folder).ids(" hello") == [vocabulary["▁"], vocabulary["▁hello"]]


@pytest.mark.parametrize("token", ["<s>", "</s>", "<unk>", *CONTROL])
def test_a_text_that_spells_a_control_token_is_read_letter_by_letter_and_what_stands_beside_as_ever(folder, vocabulary, token):
    letters = [vocabulary[letter] for letter in token]
    assert VoxCpm2Tokenizer(folder).ids(f"hello{token} world") == [vocabulary["▁hello"], *letters, vocabulary["▁world"]]
    assert VoxCpm2Tokenizer(folder).ids(token) == [vocabulary["▁"], *letters]


def test_a_control_token_that_plain_letters_merge_to_is_spelled_out_too(folder, vocabulary, tmp_path):
    content = json.loads((folder / "tokenizer.json").read_text())
    content["model"]["merges"] += [["<", "s"], ["<s", ">"]]
    content["model"]["vocab"]["<s"] = len(vocabulary)
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    assert VoxCpm2Tokenizer(tmp_path).ids("a<s>") == [vocabulary[token] for token in ["▁", "a", "<", "s", ">"]]


def test_a_character_of_a_word_that_has_no_token_is_unknown_as_in_the_official_tokenizer(folder, vocabulary, tmp_path):
    content = json.loads((folder / "tokenizer.json").read_text())
    del content["model"]["vocab"]["界"]
    content["model"] |= {"merges": [], "ignore_merges": True}  # so that the word is a token of its own making
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    assert VoxCpm2Tokenizer(tmp_path).ids("世界") == [vocabulary["世"], vocabulary["<unk>"]]


@pytest.mark.parametrize("content", [None, "", "{}", '{"added_tokens": []}'])
def test_a_file_that_is_missing_or_damaged_is_refused(tmp_path, content):
    if content is not None:
        (tmp_path / "tokenizer.json").write_text(content)
    with pytest.raises(CheckpointInvalid, match=r"tokenizer\.json") as refused:
        VoxCpm2Tokenizer(tmp_path)
    assert refused.value.hint


def test_a_tokenizer_without_a_token_for_the_unknown_is_refused(folder, tmp_path):
    content = json.loads((folder / "tokenizer.json").read_text())
    content["model"]["unk_token"] = None
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    with pytest.raises(CheckpointInvalid, match="for what is unknown"):
        VoxCpm2Tokenizer(tmp_path)
