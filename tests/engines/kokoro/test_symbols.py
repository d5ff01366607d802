"""Texts as Kokoro's symbols: marks that make a pause are kept, marks within a word are read, and nothing is lost without being told."""

from random import Random

import pytest

from engines.errors import LanguageUnsupported
from engines.kokoro import symbols as module
from engines.kokoro.config import VOCAB
from engines.kokoro.symbols import ESPEAK_VOICES, numbers_of, symbols_of

LETTERS = {
    "en-us": "abcdefghijklmnopqrstuvwxyz'",
    "en-gb": "abcdefghijklmnopqrstuvwxyz'",
    "es": "abcdefghijklmnopqrstuvwxyzáéíóúñü",
    "fr": "abcdefghijklmnopqrstuvwxyzàâçéèêëîïôùûüœæ",
    "hi": "".join(map(chr, range(0x0901, 0x0940))) + "ािीुूृेैोौ्ँंः़" * 2,
    "it": "abcdefghijklmnopqrstuvwxyzàèéìòù",
    "pt-br": "abcdefghijklmnopqrstuvwxyzáâãàçéêíóôõú",
}


def of(text: str, language: str = "en-us") -> str:
    return symbols_of(text, language).symbols


@pytest.mark.parametrize(
    ("text", "pause"),
    [
        ("cat, dog", ", "), ("cat; dog", "; "), ("cat... dog", "... "), ("cat… dog", "… "), ("cat — dog", " — "), ("cat – dog", " — "),
        ("cat - dog", " — "), ("cat--dog", "—"), ("cat\u2014dog", "—"), ("cat (dog)", " ("), ("cat [dog]", " ("), ('cat "dog"', ' "'),
        ("cat «dog»", " “"), ("cat,dog", ","), ("cat?! dog", "?! "), ("cat\n\n dog", " "),
    ],
)  # fmt: skip
def test_marks_that_make_a_pause_are_kept(text, pause):
    assert of(text).startswith(f"kˈæt{pause}dˈɑɡ")


@pytest.mark.parametrize("text", ["3.50", "3:50", "1,000", "U.S.A", "e.g", "me@example.com", "2.0.1"])
def test_marks_within_numbers_and_abbreviations_are_read_and_make_no_pause(text):
    said = of(f"it is {text} here.")
    assert not set(".,:") & set(said[:-1]) and said.endswith("hˈɪɹ.")


def test_a_full_stop_is_a_pause_only_where_a_sentence_ends():
    assert of("Dr. Smith. He left.") == "dˈɑktəɹ smˈɪθ. hi lˈɛft."
    assert of("मैं ठीक हूँ। धन्यवाद!", "hi").count(".") == 1


def test_inverted_marks_have_no_symbol_and_the_others_say_it():
    assert of("¿Qué? ¡No!", "es") == "kˈe? nˈo!"


@pytest.mark.parametrize("language", ESPEAK_VOICES)
def test_whatever_is_written_nothing_is_lost(language):
    random = Random(0)
    words = ["".join(random.choices(LETTERS[language], k=random.randint(1, 8))) for _ in range(1_000)]
    others = ["лаз", "миль", "φως", "שלום", "سلام", "こんにちは", "中文", "한국", "ไทย", "ऌ ऴ", "1984", "€5", "☺", "ß", "ø", "ž"]
    read = symbols_of(" ".join((*words, *others)), language)
    assert read.lost == "" and set(read.symbols) <= VOCAB.keys()


@pytest.mark.parametrize(
    ("unit", "language"),
    [("kalamo", "en-us"), ("1234567890", "it"), ("कमल", "hi"), ("na-na", "fr"), ("你好", "en-us"), ("1234567890 ", "en-us"), ("99 ", "fr")],
)
def test_what_has_no_end_for_long_is_read_to_its_end(unit, language):
    """eSpeak itself reads 32 digits in a row, 79 to 132 letters, and of a clause 1000 sounds."""
    once, often = len(of(unit * 8, language)), len(of(unit * 80, language))
    assert often > 9.5 * once > 100


def test_a_sound_without_a_symbol_becomes_the_nearest_and_else_is_told(monkeypatch):
    assert symbols_of("ऴ्", "hi") == module.SymbolText("l", "")
    monkeypatch.setattr(module, "_NEAREST", {})
    assert symbols_of("ऴ्", "hi") == module.SymbolText("", "ɭ")


def test_numbers_stand_between_zeros_and_a_symbol_that_is_not_there_is_no_number():
    assert numbers_of("ab ") == [0, 43, 44, 16, 0]
    assert numbers_of("z", {"z": 7}) == [0, 7, 0]
    with pytest.raises(KeyError):
        numbers_of("ɭ")


def test_blank_texts_have_no_symbols():
    assert of("") == of(" \n ") == ""


def test_marks_take_time_in_proportion_to_the_text():
    assert of(" . " * 3_000 + "a") and of('"' * 10_000) and of("-" * 10_000 + "a") and of("." * 10_000)


def test_another_language_is_refused_by_name():
    with pytest.raises(LanguageUnsupported, match=r"does not speak ja\."):
        symbols_of("a", "ja")
