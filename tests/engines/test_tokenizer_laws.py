"""Laws of tokenizers of Qwen3's kind: words and bytes as the file cuts them, and what only looks like control."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from engines.errors import CheckpointInvalid
from engines.fish_speech.tokenizer import FishTokenizer
from engines.omnivoice.text.tokenizer import OmniVoiceTokenizer
from tests.engines.fish_speech import vocabulary as fish_speech
from tests.engines.omnivoice.text import vocabulary as omnivoice
from tests.released.release import FACTS


@dataclass(frozen=True)
class TokenizerSubject:
    """release: folder of FACTS. unknown: of another model's control tokens. wanted: pattern of one that a file without any lacks."""

    read: Callable[[Path], FishTokenizer | OmniVoiceTokenizer]
    write: Callable[[Path, dict], None]
    release: str
    unknown: str
    wanted: str


SUBJECTS = {
    "fish_speech": TokenizerSubject(FishTokenizer, fish_speech.write_tokenizer, "fish_s2_pro", "<|semantic:4096|>", "phoneme_start"),
    "omnivoice": TokenizerSubject(OmniVoiceTokenizer, omnivoice.write_tokenizer, "omnivoice", "<|audio_start|>", r"<\|denoise\|>"),
}


@pytest.fixture(scope="module", params=SUBJECTS)
def subject(request) -> TokenizerSubject:
    return SUBJECTS[request.param]


@pytest.fixture(scope="module")
def folder(subject, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("tokenizer")
    subject.write(folder, json.loads((FACTS / subject.release / "config.json").read_text()))
    return folder


@pytest.fixture(scope="module")
def tokenizer(subject, folder) -> FishTokenizer | OmniVoiceTokenizer:
    return subject.read(folder)


def test_words_are_cut_by_the_files_rule_and_the_rest_is_bytes(folder, tokenizer):
    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    expected = ["the", "Ġvoice", "Ġ", "1", "2", "Ġ", "[", "Ã", "©", "]", "Ċ"]
    assert tokenizer.ids("the voice 12 [é]\n") == [vocabulary[token] for token in expected]
    assert tokenizer.ids("") == []


def test_composed_and_decomposed_letters_are_the_same(tokenizer):
    assert tokenizer.ids("caf\u0065\u0301 \uac01") == tokenizer.ids("caf\u00e9 \u1100\u1161\u11a8")


def test_a_control_token_that_is_not_there_is_named(subject, tokenizer):
    with pytest.raises(CheckpointInvalid, match=r"no token <\|another\|>"):
        tokenizer.special("another")


@pytest.mark.parametrize("token", ["<think>", "</think>", "<tool_call>", "<|unknown|>", "another's", "<| im_end |>", "<|", "|>"])
def test_what_only_looks_like_control_is_read_letter_by_letter(subject, tokenizer, token):
    token = subject.unknown if token == "another's" else token
    alone, between = tokenizer.ids(token), tokenizer.ids(f"1{token}2")
    assert between == [*tokenizer.ids("1"), *alone, *tokenizer.ids("2")]
    assert max(alone) < tokenizer.special("endoftext") and len(alone) > 1


@pytest.mark.parametrize(
    "content", [None, "", "{}", '{"version": "1.0", "added_tokens": [], "model": {"type": "BPE", "vocab": {}, "merges": []}}']
)
def test_a_file_that_is_missing_damaged_or_another_models_is_refused(subject, tmp_path, content):
    if content is not None:
        (tmp_path / "tokenizer.json").write_text(content)
    with pytest.raises(CheckpointInvalid, match=rf"tokenizer\.json|{subject.wanted}") as refused:
        subject.read(tmp_path)
    assert refused.value.hint
