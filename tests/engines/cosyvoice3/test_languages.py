"""Japanese that is not in katakana is said to be misread; other texts are not."""

import pytest

from engines.contract.language_limit import limits_met
from engines.cosyvoice3.options import LANGUAGES, LIMITS


@pytest.mark.parametrize(("text", "is_misread"), [
    ("今日はいい天気です。", True), ("きょうワ", True), ("東京タワー", True), ("キョウ ワ イイ テンキ デス。", False),
    ("今天天气很好。", False), ("Hello 안녕 Привет", False),
])  # fmt: skip
def test_japanese_is_read_in_katakana(text, is_misread):
    assert bool(limits_met(LIMITS, text, None)) == is_misread
    assert {limit.code for limit in LIMITS} <= set(LANGUAGES)
