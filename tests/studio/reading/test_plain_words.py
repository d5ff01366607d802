"""Words that are handed over one by one: none that could be read otherwise with what follows, and in the end the same as of the whole."""

import pytest

from studio.reading.parts import Reading, Words
from studio.reading.plain_words import plain_end
from studio.reading.reader import Manner, Reader, read
from tests.stand_ins.fake_engine import READER

MANNER = Manner("en")
TEXTS = [
    "Dr. Smith paid $5 on May 5, didn't he? Well, I think so.",
    "Type I errors, and World War I. Henry VIII, in Chapter IV on page 12.",
    "He was born in the year 1990, in room 101; see No. 5. NASA said so.",
    'She said: "Hello there!" and **went**... Look at _that_ one.\n\n# Then\n\nI\'ll be back.',
    "twenty 5 cent coins, minus 5 degrees: half a dozen 12 inch pipes at 10 a.m. sharp",
]


def said(*readings: Reading) -> str:
    """Without its blanks."""
    return "".join("".join(part.text for reading in readings for part in reading.parts if isinstance(part, Words)).split())


@pytest.mark.parametrize("text", TEXTS)
def test_in_pieces_it_is_read_as_the_whole(text):
    for size in (1, 7):
        reader = Reader(READER, MANNER, "clause", by_word=True)
        pieces = [reader.feed(text[at : at + size]) for at in range(0, len(text), size)]
        assert said(*pieces, reader.rest()) == said(read(text, READER, MANNER))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello there ", "Hello "),
        ("Hello the", ""),
        ("on page ", "on "),
        ("the last World War ", "the last "),
        ("I think that ", "I think "),
        ("schön wäre’s, wenn ", "schön wäre’s, "),
        ("we met Dr. Smith there ", ""),
        ("it has 5 big ", "it "),
        ("NASA has been ", ""),
        ("*so it is ", ""),
    ],
)
def test_a_word_is_handed_over_once_the_next_has_come_and_is_plain_too(text, words):
    end = plain_end(text, is_start=True)
    assert text[:end] == words
