"""Claims about the texts to read aloud while recording."""

import pytest

from studio.ui.clips.reading_texts import LENGTHS, reading_texts


def test_there_is_something_to_read_in_three_lengths_in_each_language():
    answer = reading_texts()
    assert {"de", "en", "es", "fr", "hi", "ja", "pt", "zh"} <= set(answer["texts"])
    for texts in answer["texts"].values():
        assert len(texts) == len(LENGTHS)
        assert sorted(texts, key=len) == texts and all(text.strip() == text for text in texts)


def test_an_english_text_takes_about_as_long_to_read_as_is_said():
    for text, seconds in zip(reading_texts()["texts"]["en"], LENGTHS.values(), strict=True):
        assert len(text.split()) / 2.5 == pytest.approx(seconds, rel=0.15)
