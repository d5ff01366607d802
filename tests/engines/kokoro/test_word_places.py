"""Which symbols say which word of a text, though words are said as one, and numbers as several."""

import pytest

from engines.kokoro.symbols import symbols_of
from engines.kokoro.word_places import said_words


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("en-us", "Out of the blue, it was a man.", [("Out", "ˌWT"), ("of", "əv"), ("the", "ðə"), ("blue,", "blˈu")]),
        (
            "en-us",
            "He has 123 of them.",
            [("He", "hi"), ("has", "hɐz"), ("123", "wˈʌnhˈʌndɹɪd twˈɛnti θɹˈi"), ("of", "ʌv"), ("them.", "ðˌɛm")],
        ),
        ("fr", "Ferme la porte, s'il te plaît.", [("Ferme", "fˈɛʁm"), ("la", "la"), ("porte,", "pˈɔʁt")]),
    ],
)
def test_each_word_has_its_symbols(language, text, words):
    symbols = symbols_of(text, language).symbols
    found = said_words(text, symbols, language)
    told = [(text[word.start : word.end], symbols[word.first : word.last]) for word in found]
    assert [word for word, _ in told[: len(words)]] == [word for word, _ in words]
    assert sum(said == expected for (_, said), (_, expected) in zip(told, words, strict=False)) >= len(words) - 1
    assert text[found[-1].start : found[-1].end] == text.split()[-1]


def test_a_text_without_sounds_has_no_words():
    assert said_words("—", "—", "en-us") == []
