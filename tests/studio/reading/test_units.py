"""Sentences that are spoken one at a time, of a text that comes in pieces."""

import pytest

from engines.espeak import PACKAGE
from studio.reading.reader import AS_WRITTEN, Manner, Reader
from studio.reading.units import BETWEEN_SECONDS, UnitReader

PIECES = ("Hello there. How are", " you? It rains.\n\nA paragraph. [pause 2s] And the end.")


def leads(*, manner: Manner = Manner(), as_one: bool = True, granularity: str = "sentence") -> list[tuple[str, float]]:
    """(text, silence before it) of each unit."""
    reader = UnitReader(Reader(PACKAGE.info, manner, granularity), granularity, as_one=as_one)
    units = [unit for piece in PIECES for unit in reader.feed(piece)] + list(reader.rest())
    return [(unit.text, unit.lead) for unit in units]


def test_sentences_of_one_sound_stand_apart_where_nothing_else_does_it():
    assert leads() == [
        ("Hello there.", 0.0),
        ("How are you?", BETWEEN_SECONDS),
        ("It rains.", BETWEEN_SECONDS),
        ("A paragraph.", 0.0),  # the silence of a paragraph lies behind the one before
        ("And the end.", 2.0),
    ]


@pytest.mark.parametrize("asked", [{"as_one": False}, {"manner": AS_WRITTEN}])
def test_sentences_by_themselves_and_texts_that_are_not_read_have_no_more_than_their_own(asked):
    assert BETWEEN_SECONDS not in [lead for _, lead in leads(**asked)]


def test_a_clause_that_goes_on_is_not_set_apart():
    assert [lead for text, lead in leads(granularity="clause") if text.startswith(("It", "How"))] == [BETWEEN_SECONDS] * 2
