"""Phones that a text asks for, as Kokoro's symbols."""

import pytest

from engines.errors import TextUnspeakable
from engines.kokoro import symbols as module
from engines.kokoro.symbols import read_phones, symbols_of


def element(ipa: str) -> str:
    return f'<phoneme alphabet="ipa" ph="{ipa}">x</phoneme>'


def of(text: str, language: str) -> str:
    return symbols_of(read_phones(text, language), language).symbols


@pytest.mark.parametrize(
    ("language", "ipa", "symbols"),
    [
        ("en-us", "təˈmeɪtoʊ", "təmˈAtO"),
        ("en-us", "təˈmɑːtəʊ", "təmˈɑtQ"),
        ("en-gb", "təˈmɑːtəʊ", "təmˈɑːtQ"),
        ("en-gb", "bed t͡ʃeə", "bˈɛd ʧˈɛː"),
        ("fr", "bɔ̃ʒuʁ", "bɔ̃ʒˈuʁ"),
        ("es", "baɾθeˈlona", "baɾθelˈona"),
        ("it", "ˈdʒɛlʉ", "ʤˈɛlu"),
        ("pt-br", "sɐ̃w̃", "sˈɐ̃w̃"),
        ("hi", "ˈdʱaːn", "dʰˈaːn"),
    ],
)
def test_ipa_is_written_in_the_symbols_of_its_language(language, ipa, symbols):
    assert of(f"{element(ipa)}, {element(ipa)}", language) == f"{symbols}, {symbols}"


def test_the_words_around_are_read_as_before_such_a_word():
    assert of(f"The {element('ˈæpəl')}, a {element('kæt')}. The {element('kæt')}!", "en-us") == "ðɪ ˈæpəl, ə kˈæt. ðə kˈæt!"
    assert of(f"les {element('ami')} sont", "fr") == "lez amˈi sˈɔ̃" and of(f"les {element('ʃa')} sont", "fr") == "le ʃˈa sˈɔ̃"


def test_a_front_end_reads_what_stands_between(monkeypatch):
    monkeypatch.setattr(module, "INSTALLED", ("ja",))
    monkeypatch.setattr(module, "phonemes", lambda text, language: text.replace("と", "to").replace("は", "wa"))
    assert of(f"と{element('ˈto')}は", "ja") == "totˈowa"


def test_a_sound_without_a_symbol_is_refused_by_its_sign():
    with pytest.raises(TextUnspeakable, match="“ǃ” in"):
        read_phones(element("aǃa"), "en-us")
