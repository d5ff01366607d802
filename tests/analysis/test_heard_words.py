"""Claims about word errors: what is an error, and what is only another way of writing."""

import pytest

from studio.analysis.heard_words import compared_words, counts_characters, word_errors
from studio.analysis.spoken_number import spoken_number


@pytest.mark.parametrize(
    ("said", "heard", "language", "errors"),
    [
        ("the cat sat", "the cat sat", "en", (0, 3)),
        ("the cat sat", "the bat sat", "en", (1, 3)),
        ("the cat sat", "the cat", "en", (1, 3)),
        ("the cat sat", "so the cat sat down", "en", (2, 3)),
        ("the cat", "", "en", (2, 2)),
        ("", "oh", None, (1, 0)),
        ("It's well-known, isn't it?", "its well known isn’t it", "en-GB", (0, 5)),
        ("21 of 1,200 cost 5%.", "Twenty-one of one thousand two hundred cost five percent", "en", (0, 10)),
        ("Ich sah 21 Züge.", "ich sah einundzwanzig züge", "de", (0, 4)),
        ("J’ai 80 ans", "j'ai quatre-vingts ans", "fr", (0, 4)),
        ("Tiene 31.000 libros", "tiene treinta y un mil libros", "es", (0, 6)),
        ("今天有21个人。", "今天有二十一个人", "zh", (0, 8)),
        ("今天天气很好", "今天天汽好", None, (2, 6)),
        ("東京は大きい", "東京は小さい", "ja", (2, 6)),
        ("안녕 하세요", "안녕하세요", "ko", (0, 5)),
        ("Ça va ？ Ｏｋ", "ça va ok", "fr", (0, 3)),
    ],
)
def test_errors_are_words_that_differ(said, heard, language, errors):
    assert word_errors(said, heard, language) == errors


def test_numbers_are_said_in_five_languages():
    said = {
        "en": {0: "zero", 15: "fifteen", 80: "eighty", 101: "one hundred one", 219_000: "two hundred nineteen thousand"},
        "de": {1: "eins", 21: "einundzwanzig", 101: "einhunderteins", 1200: "eintausendzweihundert"},
        "fr": {21: "vingt et un", 71: "soixante et onze", 80: "quatre-vingts", 81: "quatre-vingt-un", 201: "deux cent un", 1000: "mille"},
        "es": {22: "veintidós", 31: "treinta y uno", 100: "cien", 500: "quinientos", 21_000: "veintiún mil", 1001: "mil uno"},
        "zh": {0: "零", 10: "十", 101: "一百零一", 110: "一百一十", 1001: "一千零一", 20_021: "二万零二十一"},
    }  # fmt: skip
    for language, numbers in said.items():
        assert {number: spoken_number(number, language) for number in numbers} == numbers
    assert spoken_number(5, "sv") is None and spoken_number(10**9, "en") is None
    assert compared_words("in 12 rooms", "sv") == ["in", "12", "rooms"] and compared_words("1234567890123", "en") == ["1234567890123"]


def test_where_nobody_says_the_language_its_letters_do():
    assert counts_characters("今天很好, OK") and not counts_characters("It is 好") and not counts_characters("...")
    assert counts_characters("x", "zh-TW") and not counts_characters("好", "en")
