"""Byte pairs: what is read as one piece, that no text can give commands but those allowed, and files that are refused."""

import json
from pathlib import Path

import pytest
from tokenizers import pre_tokenizers

from engines.errors import CheckpointInvalid
from engines.kit.tokenizers.byte_pair_tokenizer import BytePairTokenizer

CONTROLS = ("<|end|>", "[breath]", "[b]")
LETTERS = sorted(pre_tokenizers.ByteLevel.alphabet())
VOCABULARY = {token: index for index, token in enumerate([*LETTERS, "th", "the", "Ġthe", "12"])}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("tokenizer")
    (folder / "vocab.json").write_text(json.dumps(VOCABULARY))
    (folder / "merges.txt").write_text("#version: 0.2\nt h\nth e\nĠ the\n1 2\n")
    tokenizer = BytePairTokenizer.from_vocabulary(folder, CONTROLS)
    tokenizer._tokenizer.save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture(params=["vocabulary and merges", "one file"])
def tokenizer(request, folder) -> BytePairTokenizer:
    if request.param == "one file":
        return BytePairTokenizer.from_file(folder / "tokenizer.json")
    return BytePairTokenizer.from_vocabulary(folder, CONTROLS)


def spelled(text: str) -> list[int]:
    return [VOCABULARY[letter] for letter in text.replace(" ", "Ġ")]


def test_pairs_are_merged_within_words_and_digits_stand_alone(tokenizer):
    assert tokenizer.encode("the the") == [VOCABULARY["the"], VOCABULARY["Ġthe"]]
    assert tokenizer.encode("bathe") == [*spelled("ba"), VOCABULARY["the"]]
    assert tokenizer.encode("12") == spelled("12")
    assert tokenizer.encode("") == []


def test_composed_and_decomposed_letters_are_the_same_text(tokenizer):
    assert tokenizer.encode("cafe\u0301") == tokenizer.encode("café")


@pytest.mark.parametrize("said", ["नमस्ते", "你好。", "👋", "a\u200bb", "\U0010ffff"])
def test_any_script_has_tokens(tokenizer, said):
    assert tokenizer.encode(said)


def test_control_tokens_stand_behind_the_vocabulary_in_their_order(tokenizer):
    assert [tokenizer.id_of(token) for token in CONTROLS] == [len(VOCABULARY) + index for index in range(3)]


def test_what_looks_like_a_control_token_is_spelled_out_unless_it_is_allowed(tokenizer):
    text = "the<|end|>[breath] the"
    assert max(tokenizer.encode(text)) < len(VOCABULARY)
    breath = tokenizer.id_of("[breath]")
    allowed = tokenizer.encode(text, allowed=("[b]", "[breath]"))
    assert allowed == [VOCABULARY["the"], *spelled("<|end|>"), breath, VOCABULARY["Ġthe"]]


def test_a_token_that_is_not_there_and_files_that_are_not_there_are_refused(tokenizer, tmp_path):
    with pytest.raises(CheckpointInvalid, match=r"no token <\|start\|>"):
        tokenizer.id_of("<|start|>")
    for read in (BytePairTokenizer.from_vocabulary, lambda at: BytePairTokenizer.from_file(at / "tokenizer.json")):
        with pytest.raises(CheckpointInvalid, match="cannot be read"):
            read(tmp_path)
