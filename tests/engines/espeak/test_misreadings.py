"""Languages that eSpeak NG reads wrongly are declared, and what is declared is so."""

import unicodedata

import pytest

from engines.catalog import engine_info
from engines.contract.language_limit import limits_met
from engines.espeak.reading.misreadings import LIMITS
from engines.kit.phonemes import espeak_library
from engines.kit.phonemes.languages import CODES, language_of
from engines.text.spoken_pieces import speakable

BY_CODE = {limit.code: limit for limit in LIMITS if limit.code}
# Of two words that no speaker of the language would take for each other, and that eSpeak reads alike, or by names that it has for signs.
ALIKE = {"ja": ("今日", "東京"), "ko": ("漢字", "中國"), "hak": ("今", "日"), "chr": ("ᏣᎳᎩ", "ᎠᎹ")}
NAMED = {"kok": ("आसा", "kaːɾ"), "mt": ("dar", "de"), "hyw": ("է", "ɑːmiːniən"), "ku": ("ماڵ", "aɹəbɪk"), "pa": ("پنجاب", "aɹəbɪk")}
LOST = {"th": ("นา", "aː"), "my": ("လာ", "a"), "he": ("הבית", "a")}  # a word, and the vowel of it that is not heard
WELL_READ = {
    "zh": "今天天气很好，我们去公园散步。", "yue": "今日天氣好好。", "ja": "きょうはてんきがいい。", "ko": "오늘 날씨가 좋습니다.",
    "hi": "घर बड़ा है।", "ar": "البيت كبير.", "ru": "Дом большой.", "ta": "வீடு பெரியது.", "ku": "Mal mezin e.",
    "hak": "Ngài he hak-kâ-ngìn.", "bn": "হয়", "as": "হয়",
}  # fmt: skip


def heard(code: str, text: str) -> str:
    """Names of the sounds, in a row, without length of pauses."""
    return "".join(name for _, name in espeak_library.speak(speakable(text), language_of(text, code).voice).phones if name != "_")


def test_every_limit_is_of_a_language_on_offer_and_each_was_listened_to():
    assert engine_info("espeak").language_limits == LIMITS
    assert set(BY_CODE) == {*ALIKE, *NAMED, *LOST} <= set(CODES)


@pytest.mark.parametrize("code", ALIKE)
def test_different_words_are_read_alike(code):
    one, other = (heard(code, word) for word in ALIKE[code])
    assert one in other or other in one
    assert BY_CODE[code].is_met(ALIKE[code][0], code)


@pytest.mark.parametrize(("text", "misread"), [("Karl XII", "Roman numbers"), ("10^6", "powers")])
def test_in_any_language_roman_numbers_are_spelled_and_powers_lost(text, misread):
    assert heard("sv", text) != heard("sv", text.replace("XII", "12").replace("^", " upphöjt till "))
    assert [limit.misread for limit in limits_met(LIMITS, text, "sv")] == [misread]
    assert limits_met(LIMITS, "Vitamin C, MIX, I am, X-ray, 10 of 6", "sv") == []


@pytest.mark.parametrize("code", [*NAMED, *LOST])
def test_signs_are_read_by_their_names_and_vowels_are_lost(code):
    word, sound = (NAMED | LOST)[code]
    assert (sound in heard(code, word)) == (code in NAMED)
    assert BY_CODE[code].is_met(word, code)


@pytest.mark.parametrize("code", WELL_READ)
def test_what_is_read_well_meets_no_limit_and_no_letter_is_named(code):
    text = WELL_READ[code]
    assert limits_met(LIMITS, text, code) == []
    assert not any(name in heard(code, text) for name in ("tʃaɪniːz", "letə", "aɹəbɪk", "ontosto"))


def test_without_a_language_a_limit_counts_where_the_engine_would_take_the_text_for_it():
    def met(text: str) -> list[str]:
        return [limit.code for limit in limits_met(LIMITS, text, None)]

    for text in ("今日はいい天気。", "สวัสดี", "ᏣᎳᎩ", "שלום", "မင်္ဂလာပါ"):
        assert met(text) == [language_of(text, None).code]
    assert met("今天天气很好。") == met("Hello there.") == []


def test_letters_that_normal_forms_take_apart_are_whole_again():
    """Unicode has no composed normal form for them, and eSpeak's Assamese reads their dot by its name."""
    assert unicodedata.normalize("NFC", "হ\u09df") == "হ\u09af\u09bc"
    assert speakable("হ\u09af\u09bc") == speakable("হ\u09df") == "হ\u09df"
