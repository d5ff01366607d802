"""Claims about how long a text takes to say."""

import pytest

from engines.text.spoken_length import spoken_seconds


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("The birch canoe slid on the smooth planks.", 2.8), ("今天天气很好,我们一起去公园散步吧。", 3.2), ("", 0.0), ("  \n ", 0.0)],
)
def test_a_sentence_takes_about_as_long_as_a_reader_needs(text, seconds):
    assert spoken_seconds(text) == pytest.approx(seconds, rel=0.2)


def test_space_around_a_text_takes_no_time():
    assert spoken_seconds("  words  ") == spoken_seconds("words")
