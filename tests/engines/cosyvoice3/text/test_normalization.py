"""A text in its normal form: paragraphs in one line with a final mark, Chinese without blanks; numbers as words only where asked for."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from engines.cosyvoice3.text.normalization import PARAGRAPH, normalized
from engines.errors import OptionInvalid

TEXTS = {
    "你好 世界": "你好世界。",
    "你好，\n世界": "你好，世界。",
    "用 Python 3 写 hello world 吧": "用Python 3写hello world吧。",
    "面积5²，体积3³": "面积5平方，体积3立方。",
    "好.真的.": "好。真的。",
    "圆周率3.14，见www.a.com": "圆周率3.14，见www.a.com。",
    "甲 - 乙（丙）【丁】——`戊`": "甲，乙丙丁 戊。",
    "等等，、,": "等等。",
    "他说“好”": "他说“好”。",
    "他说：“好。”": "他说：“好。”",
    "东京 2024": "东京2024。",
    "東京タワー へ": "東京タワー へ。",
    "漢字 한국": "漢字 한국.",
    "レキシ テキ セカイ": "レキシ テキ セカイ。",
    "Hello \t you\nthere": "Hello you there.",
    "Hello , ,": "Hello.",
    'He said "yes."': 'He said "yes."',
    "He said (yes)": "He said (yes).",
    "Ha ha. [laughter]": "Ha ha. [laughter]",
    "Ha ha [laughter]": "Ha ha [laughter].",
    "<strong>Never!</strong>": "<strong>Never!</strong>",
    "嗯。[breath]": "嗯。[breath]",
    "报道[j][ǐ]予好评": "报道[j][ǐ]予好评。",
    "A price: 5.50 (net)": "A price: 5.50 (net).",
}


@pytest.mark.parametrize("text", TEXTS)
def test_texts_take_their_normal_form(text):
    assert normalized(text) == TEXTS[text]


def test_every_paragraph_is_read_by_its_own_rules_and_those_without_words_are_dropped():
    text = "A title\r\n\r\nThe first line\nand more.\n \n* * *\n\n中文 标题\u2029Ende,"
    assert normalized(text).split(PARAGRAPH) == ["A title.", "The first line and more.", "中文标题。", "Ende."]


@pytest.mark.parametrize("text", ["", " \n ", "...", "（！）", "🙂"])
def test_without_a_letter_or_a_digit_there_is_nothing(text):
    assert normalized(text) == ""


def test_a_row_of_signs_takes_no_time():
    assert normalized("x" + ")" * 20_000).endswith(").")
    assert normalized("你" + " " * 20_000 + "[a" * 20_000).endswith("a。")


class Grammars:
    """Write 3 as a word, take blanks at the edges away as wetext 0.1.8 does, and cannot read @. given: what they have read."""

    def __init__(self, folder: Path):
        (folder / "fsts").mkdir()
        self.__file__ = str(folder / "__init__.py")
        self.given: list[str] = []

    def Normalizer(self, lang: str, operator: str, *, remove_erhua: bool = True) -> SimpleNamespace:
        assert operator == "tn" and (lang == "en" or not remove_erhua), "upstream leaves 儿 where it is"

        def normalize(text: str) -> str:
            assert "@" not in text
            self.given.append(text)
            return text.strip().replace("3", {"zh": "三", "en": "three"}[lang])

        return SimpleNamespace(normalize=normalize)


@pytest.fixture
def wetext(monkeypatch, tmp_path) -> Grammars:
    library = Grammars(tmp_path)
    monkeypatch.setitem(sys.modules, "wetext", library)
    return library


def test_numbers_become_words_where_that_is_asked_for_and_marks_stay(wetext):
    text = "I am 3 [AA3] <strong>and 3 </strong> so on.\n\n我 3 岁 [laughter] 了"
    in_words = "I am three [AA3] <strong>and three </strong> so on.\n\n我三岁[laughter]了。"
    assert normalized(text, numbers_as_words=True) == in_words
    assert not any("[" in part or "<" in part or "so on" in part for part in wetext.given)
    assert "3" in normalized(text), "not asked for"


def test_what_the_grammar_cannot_read_is_refused(wetext):
    for text in ("3 @ home", "Привет, 3 раза"):
        with pytest.raises(OptionInvalid, match="cannot read this text"):
            normalized(text, numbers_as_words=True)


def test_without_the_library_it_is_refused_where_it_is_asked_for_and_only_there(monkeypatch):
    monkeypatch.setitem(sys.modules, "wetext", None)
    assert normalized("3 cats") == "3 cats."
    with pytest.raises(OptionInvalid, match="not installed"):
        normalized("3 cats", numbers_as_words=True)
