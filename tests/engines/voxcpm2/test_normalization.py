"""Text normalization: which grammar reads a text, what is done around it, what is refused. wetext itself is a fake here."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from engines.errors import OptionInvalid
from engines.voxcpm2.text.normalization import normalized


class Wetext:
    """Grammars that write 3 as a word of their language and quotes as wetext 0.1.8 does, and fail where `fails` is in the text."""

    def __init__(self, folder: Path):
        (folder / "fsts").mkdir()
        self.__file__ = str(folder / "__init__.py")
        self.fails, self.made = "@", []

    def Normalizer(self, **kwargs: object) -> SimpleNamespace:
        def normalize(text: str) -> str:
            assert self.fails not in text
            return text.replace("3", {"zh": "三", "en": "three"}[kwargs["lang"]]).replace('"', '\\"')

        self.made.append(kwargs)
        return SimpleNamespace(normalize=normalize)


@pytest.fixture
def wetext(monkeypatch, tmp_path) -> Wetext:
    library = Wetext(tmp_path)
    monkeypatch.setitem(sys.modules, "wetext", library)
    return library


def test_the_grammar_is_chinese_where_any_character_is_and_english_elsewhere(wetext):
    assert normalized("3 cats") == "three cats"
    assert normalized("3 chats à Paris") == "three chats à Paris", "as upstream does"
    assert normalized("东京 3") == "东京三"
    assert normalized("4 cats") == "4 cats"
    assert sorted(kwargs["lang"] for kwargs in wetext.made) == ["en", "zh"], "grammars are opened once"
    assert {"lang": "zh", "operator": "tn", "remove_erhua": True} in wetext.made


# As TextNormalizer of voxcpm 2.0.3 with wetext 0.1.8 has it, but for the words of marks, which stay.
TEXTS = {
    "[a link](http://x.y) and ![3](z.png)": "a link and three",
    "# Title with `code` and <b>bold</b>": "Title with code and bold",
    "- one 🙂 two ✨": "one  two",
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
