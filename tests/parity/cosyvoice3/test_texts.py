"""Texts of CosyVoice3 beside the official code's: ids, and what is made of a text before it is spoken.

Ids are equal; control tokens are told by the engine, and refused in a text. Where a text is cut is our own affair, and so are the numbers,
which the goldens have without wetext and inflect here: what is compared is what is said, mark by mark in texts that both read alike.
"""

import re

import pytest

from engines.cosyvoice3.text.normalization import normalized
from engines.cosyvoice3.text.text_pieces import text_pieces
from engines.cosyvoice3.text.tokenizer import CosyVoice3Tokenizer
from engines.errors import TextUnspeakable
from tests.engines.cosyvoice3.tiny_checkpoint import write_tiny_checkpoint
from tests.parity import golden
from tests.parity.cosyvoice3.cases import GOLDEN, TOKEN_TEXTS, from_json
from tests.parity.cosyvoice3.texts import TEXTS

END = "<|endofprompt|>"
# What upstream makes of them, and ours does not: a full stop out of a decimal point, a comma out of a dash, two marks out of a comma at the
# end; and it leaves a text with a control token as it is.
OTHERWISE = ("25.5℃", " - ", "comma,  ", END)


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory) -> CosyVoice3Tokenizer:
    return CosyVoice3Tokenizer(write_tiny_checkpoint(tmp_path_factory.mktemp("texts")))


@pytest.fixture(scope="module")
def theirs() -> dict:
    return {name: from_json(values) for name, values in golden.read(GOLDEN / "texts.safetensors").items()}


@pytest.mark.parametrize("number", range(len(TOKEN_TEXTS)))
def test_texts_have_the_official_ids(tokenizer, theirs, number):
    text, ids = TOKEN_TEXTS[number], theirs["ids"][number]
    if text.count(END) == 1:
        before, behind = text.split(END)
        assert [*tokenizer.ids(before), tokenizer.special("endofprompt"), *tokenizer.ids(behind)] == ids
    elif "<|" in text:
        with pytest.raises(TextUnspeakable):
            tokenizer.ids(text)
    else:
        assert tokenizer.ids(text) == ids


@pytest.mark.parametrize("number", range(len(TEXTS)))
def test_a_text_is_said_as_the_official_code_has_it(theirs, number):
    """Word for word, and mark for mark but for repeated ones, of which upstream keeps the first; a line's end is a blank here."""
    text, official = TEXTS[number], "".join(theirs["pieces.plain"][number])
    mine = normalized(text)
    assert re.findall(r"\w+", mine) == re.findall(r"\w+", official)
    if not any(part in text for part in OTHERWISE):
        assert re.sub(r"([.?!。？！])[.?!。？！]+", r"\1", mine).split() == official.split()


@pytest.mark.parametrize("number", range(len(TEXTS)))
def test_no_letter_is_lost_between_pieces(tokenizer, theirs, number):
    text, official = TEXTS[number], theirs["pieces.plain"][number]
    if not official or END in text:
        with pytest.raises(TextUnspeakable):
            list(map(tokenizer.ids, text_pieces(text, lambda part: len(tokenizer.ids(part)))))
        return
    pieces = list(text_pieces(text, lambda part: len(tokenizer.ids(part))))
    assert re.findall(r"\w", " ".join(pieces)) == re.findall(r"\w", " ".join(official))


def test_texts_reach_one_piece_and_several(theirs):
    for pieces in (theirs["pieces.wetext"], theirs["pieces.numbers"], theirs["pieces.plain"]):
        assert {min(len(found), 2) for found in pieces} == {0, 1, 2}
