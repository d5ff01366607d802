"""Text normalization: which grammar reads a text, what is done around it, what is refused. wetext itself is a fake here."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engines.errors import OptionInvalid
from engines.voxcpm2.text.normalization import normalized
from tests.engines.text.fake_wetext import Wetext


def test_the_grammar_is_chinese_where_any_character_is_and_english_elsewhere(wetext):
    assert normalized("3 cats") == "three cats"
    assert normalized("3 chats à Paris") == "three chats à Paris", "as upstream does"
    assert normalized("东京 3") == "东京三"
    assert normalized("4 cats") == "4 cats"
    assert sorted(kwargs["lang"] for kwargs in wetext.made) == ["en", "zh"], "grammars are opened once"
    assert {"lang": "zh", "operator": "tn", "remove_erhua": True} in wetext.made


# As TextNormalizer of voxcpm 2.0.3 with wetext 0.1.8 has it, but for the words of marks, which stay, and for blanks around emoji.
TEXTS = {
    "[a link](http://x.y) and ![3](z.png)": "a link and three",
    "# Title with `code` and <b>bold</b>": "Title with code and bold",
    "- one 🙂 two ✨": "one two",  # the English grammar has no way through two blanks, however they come
    "3 cats 🐈 and  dogs\t❤️ ok👍🏽ok 👩🏽‍💻 1️⃣ ↔️ ℹ️ ©2020 🏴󠁧󠁢󠁥󠁮󠁧󠁿": "three cats and dogs ok ok 1 2020",
    "“3” times": '"three" times',
    "5 < 6 and 7 > 6": "5 < 6 and 7 > 6",
    "今天 hello world 天气²好（测试）【x】——3<5": "今天hello world天气平方好 测试  x  三小于5",
    "x-2=5 对": "x - 2等于5对",
    "²": "²",
}


@pytest.mark.parametrize("text", TEXTS)
def test_marks_and_signs_are_read_or_left_out(wetext, text):
    assert normalized(text) == TEXTS[text]


@pytest.mark.parametrize("text", ["Привет, 3 раза", "これは3です", "3 @ home"])
def test_a_text_that_the_grammars_do_not_know_is_refused(wetext, text):
    with pytest.raises(OptionInvalid, match="cannot read this text as Chinese or English") as refused:
        normalized(text)
    assert refused.value.parameter == "normalize" and "off" in refused.value.hint


def absent(monkeypatch, library: Wetext) -> None:
    monkeypatch.setitem(sys.modules, "wetext", None)


def without_grammars(monkeypatch, library: Wetext) -> None:
    library.__file__ = str(Path(library.__file__).parent / "older" / "__init__.py")


@pytest.mark.parametrize("lacking", [absent, without_grammars])
def test_without_the_library_or_its_grammars_it_is_refused_with_the_command_that_gets_them(wetext, monkeypatch, lacking: Callable):
    lacking(monkeypatch, wetext)
    with pytest.raises(OptionInvalid, match=r"normalize needs .*wetext") as refused:
        normalized("3 cats")
    assert "pip install --upgrade wetext" in refused.value.hint
    assert not wetext.made, "which would fetch them"
