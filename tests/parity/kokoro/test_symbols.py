"""Symbols beside misaki's: the same in every sentence but for those whose marks misaki takes for pauses, or does not know."""

import json
from pathlib import Path

import pytest

from engines.kokoro.symbols import symbols_of
from tests.parity.kokoro.texts import TEXTS

GOLDEN = Path(__file__).parent / "golden"
OFFICIAL = json.loads((GOLDEN / "symbols.json").read_text(encoding="utf-8"))["symbols"]
# What ours are where they are others. misaki cuts a text at every full stop, colon and comma, those of numbers and abbreviations too, and
# reads what is between by itself: "3.50" as three, a pause, fifty. It knows no danda, so that the sentence ends without a mark.
OURS = json.loads((GOLDEN / "our_symbols.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", TEXTS)
def test_texts_have_the_official_symbols(language):
    for text, official in zip(TEXTS[language], OFFICIAL[language], strict=True):
        symbols, is_ours = symbols_of(text, language).symbols, text in OURS
        assert symbols == (OURS[text] if is_ours else official), text
        assert (symbols != official) == is_ours, text


def test_nothing_that_was_said_has_no_symbol():
    assert not [text for language, texts in TEXTS.items() for text in texts if symbols_of(text, language).lost]
