"""Texts as token ids: bytes and words as the file cuts them, what is refused, and what is read letter by letter."""

import json
from pathlib import Path

import pytest
import torch

from engines.errors import CheckpointInvalid, TextUnspeakable
from engines.omnivoice.config import released_config
from engines.omnivoice.networks import read_networks
from engines.omnivoice.text.tokenizer import OmniVoiceTokenizer
from tests.engines.omnivoice.text.vocabulary import OMNIVOICE, control_tokens, write_tokenizer
from tests.engines.omnivoice.tiny_checkpoint import write_tiny_checkpoint
from tests.released.release import FACTS

RELEASED = json.loads((FACTS / "omnivoice/config.json").read_text())
IDS = {  # of the released tokenizer.json (engine's reference; those of Qwen3 as in any of its tokenizers)
    "endoftext": 151643, "im_start": 151644, "im_end": 151645, "denoise": 151669, "lang_start": 151670, "lang_end": 151671,
    "instruct_start": 151672, "instruct_end": 151673, "text_start": 151674, "text_end": 151675,
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("tokenizer")
    write_tokenizer(folder, RELEASED)
    return folder


@pytest.fixture(scope="module")
def tokenizer(folder) -> OmniVoiceTokenizer:
    return OmniVoiceTokenizer(folder)


def test_control_tokens_are_found_by_name(tokenizer):
    assert {name: tokenizer.special(name) for name in IDS} == IDS
    with pytest.raises(CheckpointInvalid, match=r"no token <\|audio_start\|>"):
        tokenizer.special("audio_start")


def test_every_control_token_of_a_text_is_refused_by_its_name(tokenizer):
    marks = [token for token in control_tokens(RELEASED) if token.startswith("<|")]
    assert len(marks) == 27 and set(OMNIVOICE) <= set(marks)
    for mark in marks:
        with pytest.raises(TextUnspeakable, match="is a command to the model") as refused:
            tokenizer.ids(f"the <|<{mark}")
        assert refused.value.values["token"] == mark and refused.value.hint


def test_a_file_with_more_ids_than_the_table_has_rows_is_another_models(tokenizer, tmp_path):
    tokenizer.check_fits(released_config("0.6B"))
    write_tokenizer(write_tiny_checkpoint(tmp_path), RELEASED)
    with pytest.raises(CheckpointInvalid, match=r"ids go to 151675, and config\.json has a vocabulary of 1033"):
        read_networks(tmp_path, torch.device("cpu"), torch.float32)
