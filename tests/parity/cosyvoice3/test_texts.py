"""Texts of CosyVoice3 beside the official code's: ids, and the pieces that are spoken one after another.

Ids are equal, control tokens apart, which ours refuses in a text. Pieces are cut by another rule, and numbers are left as they are
unless asked for: compared is what is said, in texts that both read alike.
"""

import unicodedata
from pathlib import Path

import pytest

from engines.cosyvoice3.normalization import normalized
from engines.cosyvoice3.tokenizer import CosyVoice3Tokenizer
from engines.errors import TextUnspeakable
from tests.engines.cosyvoice3.tiny_checkpoint import write_tiny_checkpoint
from tests.parity import golden
from tests.parity.cosyvoice3.cases import GOLDEN, TOKEN_TEXTS, from_json
from tests.parity.cosyvoice3.texts import TEXTS


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory) -> CosyVoice3Tokenizer:
    return CosyVoice3Tokenizer(write_tiny_checkpoint(tmp_path_factory.mktemp("texts")))


@pytest.fixture(scope="module")
def theirs() -> dict:
    return {name: from_json(values) for name, values in golden.read(GOLDEN / "texts.safetensors").items()}


@pytest.mark.parametrize("number", range(len(TOKEN_TEXTS)))
def test_texts_have_the_official_ids(tokenizer, theirs, number):
    text, ids, end = TOKEN_TEXTS[number], theirs["ids"][number], "<|endofprompt|>"
    if text.count(end) == 1:
        before, behind = text.split(end)
        assert [*tokenizer.ids(before), tokenizer.special("endofprompt"), *tokenizer.ids(behind)] == ids
    elif "<|" in text:
        with pytest.raises(TextUnspeakable):
            tokenizer.ids(text)
    else:
        assert tokenizer.ids(text) == ids
