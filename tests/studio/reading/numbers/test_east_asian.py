"""Numbers of Chinese, Japanese and Korean: what a table of lines cannot say."""

from itertools import pairwise

import pytest

from studio.measure.reading.lines import NUMBERS_KINDS_APART, is_said, lines_of
from studio.reading.numbers.numbers import number_replacements
from studio.reading.traced_text import Replacement, TracedText

LANGUAGES = ("zh", "yue", "ja", "ko")


def said(text: str, language: str) -> str:
    return TracedText(text).replaced(number_replacements(text, language)).text


@pytest.mark.parametrize("language", ["zh", "ja", "ko"])
def test_every_line_of_the_table_is_said_as_wanted(language: str):
    lines = [line for line in lines_of(language) if line.kind not in NUMBERS_KINDS_APART]
    assert not [line.written for line in lines if not is_said(said(line.written, language), line.wanted)]


def test_a_number_is_replaced_with_its_sign_and_its_unit_and_nothing_around_it():
    assert number_replacements("这件¥199，那件-5℃。", "zh") == [Replacement(2, 6, "一百九十九元"), Replacement(9, 12, "零下五摄氏度")]
    assert number_replacements("りんごを2つと、30%引き", "ja") == [Replacement(4, 5, "二"), Replacement(8, 11, "三十パーセント")]
    assert number_replacements("사과 3개와 5kg", "ko") == [Replacement(3, 4, "세 "), Replacement(7, 10, "오 킬로그램")]


def test_a_line_ends_where_it_ended():
    for written in ("GPT\n2024-03-04\n3人", "A\n1/3以上\n2-0で勝利\n7:05"):
        assert said(written, "ja").count("\n") == written.count("\n")
        assert not any(letter.isdigit() for letter in said(written, "ja"))
    assert said("3\n-5℃\n3\n=5", "zh") == "三\n零下五摄氏度\n三\n=五"


def test_the_sign_of_a_range_is_said_between_two_counters_of_a_kind():
    assert said("8月30日～9月2日", "zh") == "八月三十日到九月二日"
    assert said("3日〜5日", "ja") == "三日から五日"
    assert said("3월~5월", "ko") == "삼 월에서 오 월"
    assert said("3万-5万元", "zh") == "三万到五万元"
    assert said("1億〜2億円", "ja") == "一億から二億円"
    assert said("3만~5만 원", "ko") == "삼만 원에서 오만 원"
    assert said("3天-7人", "zh") == "三天-7人"


def test_cantonese_is_said_in_traditional_letters_where_the_text_has_none_of_the_others():
    assert said("3.5kg", "yue") == "三點五公斤"
    assert said("3.5kg", "zh") == "三点五公斤"
    assert said("个3.5kg", "yue") == "个三点五公斤"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "text", ["9" * 20_000, "9," * 999 + "9", "9." * 9_999, "1,111" * 4_000, "1+" * 999, "-" * 19_999 + "1", "1/0", "99:99", "²½⅓"]
)
def test_no_digits_are_too_many_or_too_odd(text: str, language: str):
    replacements = number_replacements(text, language)
    assert all(one.end <= other.start for one, other in pairwise(replacements))


def test_an_order_may_be_written_in_roman_numbers_and_nothing_else():
    assert [said(text, "zh") for text in ("第II卷", "第Ⅳ章", "CIV")] == ["第二卷", "第四章", "CIV"]
    assert said("제II부", "ko") == "제이부"


def test_a_sign_in_front_and_its_word_behind_are_said_once():
    assert said("¥300元", "zh") == "三百元"
    assert said("¥300円", "ja") == "三百円"
    assert said("₩300원", "ko") == "삼백 원"


def test_what_is_unsure_stays_whole_never_in_part():
    for text in (
        "3-2-501",
        "1.2.3",
        "192.168.1.300",
        "2024-13-40",
        "12:30:45",
        "5m/s2x",
        "3/4",
        "3·15",
        "1.0×10³kg/m³",
        "a:8080",
        "120°30′",
        "2022.5",
    ):
        assert [number_replacements(text, language) for language in LANGUAGES] == [[]] * len(LANGUAGES), text


def test_digits_of_full_width_are_read_in_their_places():
    text = "共１，２３４人，－５℃"
    assert number_replacements(text, "zh") == number_replacements(text.translate(str.maketrans("１２３４５，－", "12345,-")), "zh")
