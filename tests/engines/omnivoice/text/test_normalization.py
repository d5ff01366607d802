"""Text normalization of OmniVoice: which language reads a text, and what is held out of it. wetext itself is a fake here."""

import sys

import pytest

from engines.errors import OptionInvalid
from engines.omnivoice.text.normalization import normalized

# As normalize_text of omnivoice 0.2.1 with WeTextProcessing has it.
TEXTS = {
    ("3 cats [laughter] and 3 dogs", None): "three cats [laughter] and three dogs",
    ("the [B EY3 S] guitar 3", None): "the [B EY3 S] guitar three",
    ("我有3只 ZHE3", None): "我有三只 ZHE3",
    ("ZHE3 of 3", "en"): "ZHEthree of three",
    ("3 chats", "fr"): "3 chats",
    ("东京 3", "ja"): "东京 3",
    (" [sigh] ", None): " [sigh] ",
}


@pytest.mark.parametrize("given", TEXTS)
def test_numbers_become_words_and_marks_stay(wetext, given):
    assert normalized(*given) == TEXTS[given]


def test_chinese_keeps_its_erhua(wetext):
    normalized("小孩儿 3", None)
    assert [made["remove_erhua"] for made in wetext.made] == [False]


def test_without_the_library_the_option_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "wetext", None)
    with pytest.raises(OptionInvalid, match="normalize_text needs the library wetext") as refused:
        normalized("3 cats", None)
    assert "pip install" in refused.value.hint
