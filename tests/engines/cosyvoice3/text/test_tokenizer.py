"""Texts as token ids: words and bytes as Qwen2 cuts them, marks that are obeyed, and control tokens that are not."""

import json
import re
import shutil
import unicodedata
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from engines.cosyvoice3 import PACKAGE
from engines.cosyvoice3.config import TEXT_FOLDER, released_config
from engines.cosyvoice3.text.marks import END_OF_PROMPT, MARKS, MARKUP, SPECIAL_TOKENS
from engines.cosyvoice3.text.tokenizer import CosyVoice3Tokenizer
from engines.errors import CheckpointInvalid, TextUnspeakable
from studio.reading.reader import read as read_text
from tests.engines.cosyvoice3.text.vocabulary import N_SPECIAL, RELEASED_FIRST, WORDS, write_tokenizer
from tests.released.release import FACTS

IDS = {  # by the official tokenizer (CosyVoice @ ace7c47) on the released vocabulary
    "<|endoftext|>": 151643, "<|im_start|>": 151644, "<|im_end|>": 151645, "<|endofprompt|>": 151646, "[breath]": 151647,
    "[laughter]": 151651, "<laughter>": 151656, "<|endofsystem|>": 151663, "[AA]": 151664, "[ǜ]": 151923,
}  # fmt: skip
FIRST = 400
CONTROL = [token for token in SPECIAL_TOKENS if token.startswith("<|")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return written(tmp_path_factory.mktemp("tokenizer"))


@pytest.fixture(scope="module")
def tokenizer(folder) -> CosyVoice3Tokenizer:
    return CosyVoice3Tokenizer(folder)


@pytest.fixture(scope="module")
def vocabulary(folder) -> dict[str, int]:
    return json.loads((folder / TEXT_FOLDER / "vocab.json").read_text())


def written(folder: Path, first: int = FIRST) -> Path:
    (folder / TEXT_FOLDER).mkdir(parents=True)
    write_tokenizer(folder / TEXT_FOLDER, first)
    return folder


def test_ids_of_special_tokens_are_the_released_ones(tmp_path):
    settings = f"{TEXT_FOLDER}/tokenizer_config.json"
    shutil.copyfile(FACTS / "cosyvoice3" / settings, written(tmp_path, RELEASED_FIRST) / settings)
    tokenizer = CosyVoice3Tokenizer(tmp_path)
    marks = {token: tokenizer.ids(token) for token in IDS if token in MARKS}
    assert marks == {token: [IDS[token]] for token in marks} and len(marks) == 5
    assert {token: tokenizer.special(token.strip("<|>")) for token in IDS if token in CONTROL} == {
        token: IDS[token] for token in CONTROL if token in IDS
    }
    tokenizer.check_fits(released_config("0.5B"))


def test_the_released_settings_are_the_published_file():
    content = (FACTS / "cosyvoice3" / TEXT_FOLDER / "tokenizer_config.json").read_bytes()
    assert sha256(content).hexdigest() == "482bd979881423375ca5414e4e0d94cd7c5349dbb17fffd46b4d36d71e62a1bc"


def test_words_are_cut_by_qwen2s_rule_and_the_rest_is_bytes(tokenizer, vocabulary):
    assert all(tokenizer.ids(word) == [vocabulary[word]] for word in WORDS)
    expected = ["the", "Ġ", "voice", "Ġ", "1", "2", "Ġ", "(", "Ã", "©", ")", "Ċ"]
    assert tokenizer.ids("the voice 12 (é)\n") == [vocabulary[token] for token in expected]
    assert tokenizer.ids("") == []
    assert tokenizer.ids("caf\u0065\u0301 \uac01") == tokenizer.ids("caf\u00e9 \u1100\u1161\u11a8")


def test_every_mark_is_one_token_and_cuts_the_text(tokenizer):
    assert len(SPECIAL_TOKENS) == len({*SPECIAL_TOKENS}) == N_SPECIAL and len(MARKS) == N_SPECIAL - 5
    for token in MARKS:
        between = tokenizer.ids(f"the {token}voice")
        assert between == [*tokenizer.ids("the "), FIRST + SPECIAL_TOKENS.index(token), *tokenizer.ids("voice")], token
    assert tokenizer.ids("[j][ǐ]") == [FIRST + SPECIAL_TOKENS.index(token) for token in ("[j]", "[ǐ]")]


def test_marks_are_composed_and_known_in_either_form(tokenizer):
    assert all(unicodedata.is_normalized("NFC", token) for token in SPECIAL_TOKENS)
    assert tokenizer.ids(unicodedata.normalize("NFD", "[ǜ]")) == tokenizer.ids("[ǜ]")


@pytest.mark.parametrize("token", CONTROL)
def test_a_control_token_that_a_text_spells_out_is_refused_by_its_name(tokenizer, token):
    with pytest.raises(TextUnspeakable, match="is a command to the model") as refused:
        tokenizer.ids(f"the [laughter]<|<{token}")
    assert refused.value.values["token"] == token and refused.value.hint
    assert FIRST <= tokenizer.special(token[2:-2]) < FIRST + N_SPECIAL


@pytest.mark.parametrize(
    "text", ["<|unknown|>", "<| endofprompt |>", "<|", "[AAA]", "[Laughter]", "[laughter ]", "<Strong>", "[ [a ]", "<think>"]
)
def test_what_only_looks_like_a_mark_is_read_letter_by_letter(tokenizer, text):
    alone = tokenizer.ids(text)
    assert max(alone) < FIRST and len(alone) > 1
    assert tokenizer.ids(f"1{text}2") == [*tokenizer.ids("1"), *alone, *tokenizer.ids("2")]


def test_marks_reach_the_engine_and_control_tokens_do_not():
    """What a text may hold by EngineInfo.markup."""
    for token in SPECIAL_TOKENS:
        assert sum(bool(re.fullmatch(pattern, token)) for pattern in MARKUP) == (token in MARKS), token
    text = "Well [laughter], <strong>no</strong>. [M][AY0][N] 报道[j][ǐ]予"
    assert read_text(text, PACKAGE.info).text == text
    assert read_text(f"One. {END_OF_PROMPT}Two.", PACKAGE.info).told_marks == (END_OF_PROMPT,)


def test_a_control_token_that_is_not_there_is_named(tokenizer):
    with pytest.raises(CheckpointInvalid, match=r"no token <\|another\|>"):
        tokenizer.special("another")


def test_files_of_two_models_are_refused(tokenizer):
    config = released_config("0.5B")
    small = replace(config, language=replace(config.language, vocab_size=FIRST + N_SPECIAL - 1))
    with pytest.raises(CheckpointInvalid, match=r"ids go to 680, and config\.json has a vocabulary of 680"):
        tokenizer.check_fits(small)


def test_a_vocabulary_that_lacks_a_word_is_refused(tmp_path):
    place, other = (written(tmp_path / str(first), first) / TEXT_FOLDER for first in (FIRST, FIRST - 1))
    for name in ("vocab.json", "merges.txt"):
        shutil.copyfile(other / name, place / name)
    with pytest.raises(CheckpointInvalid, match=r"<\|endoftext\|> is 400 there, 399 by vocab.json"):
        CosyVoice3Tokenizer(place.parent)


def test_a_vocabulary_that_has_a_mark_already_is_refused(tmp_path, vocabulary):
    file = written(tmp_path) / TEXT_FOLDER / "vocab.json"
    file.write_text(json.dumps(vocabulary | {"[laughter]": len(vocabulary)}))
    with pytest.raises(CheckpointInvalid, match="some of the 281 special tokens"):
        CosyVoice3Tokenizer(tmp_path)


@pytest.mark.parametrize("name", ["vocab.json", "merges.txt", "tokenizer_config.json"])
@pytest.mark.parametrize("content", [None, "", "[]", '{"added_tokens_decoder": {"400": 1}}'])
def test_a_file_that_is_missing_or_damaged_is_refused(tmp_path, name, content):
    file = written(tmp_path) / TEXT_FOLDER / name
    if name == "merges.txt" and content is not None:
        content = "a line of three"
    file.unlink() if content is None else file.write_text(content)
    with pytest.raises(CheckpointInvalid, match=r"cannot be read|no token") as refused:
        CosyVoice3Tokenizer(tmp_path)
    assert refused.value.hint
