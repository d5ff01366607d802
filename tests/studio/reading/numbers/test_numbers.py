"""Numbers as words: the tables of lines, and what holds for every text."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.measure.reading.lines import NUMBERS_KINDS_APART, TABLES, is_said, lines_of, numbers_said
from studio.reading.numbers.grammar import Form, SpellingMissing
from studio.reading.numbers.languages.russian import Russian
from studio.reading.numbers.numbers import number_replacements

# Language and line: what is said otherwise than the table wants.
KNOWN_WRONG: frozenset[tuple[str, str]] = frozenset()
# What numbers are written with, so that something is found in them.
_PIECES = "1|0|42|1,234.5|1.234,5|007|1990|3.|14:30|$|€|%|°C|km|½|²|^6|-|–|−|+|=|<|/|(|)|#|'|’|:|.|,| |\n|\u00a0|x|I|VIII|MIX|Henry "
_PIECES += "|May |3. Mai|год|No. |@|a|é|век"
PIECES = st.sampled_from(_PIECES.split("|"))


@pytest.mark.parametrize("language", sorted(table.stem for table in TABLES.glob("*.tsv")))
def test_a_line_of_the_table_is_said_as_it_is_wanted(language):
    lines = [line for line in lines_of(language) if line.kind not in NUMBERS_KINDS_APART]
    wrong = {(language, line.written) for line in lines if not is_said(numbers_said(line.written, language), line.wanted)}
    assert wrong == {known for known in KNOWN_WRONG if known[0] == language}


@settings(max_examples=40, deadline=None, database=None)
@given(st.sampled_from(("en", "de", "ru", "fr")), st.lists(PIECES, max_size=24).map("".join) | st.text(max_size=40))
@pytest.mark.slow
def test_replacements_are_in_order_and_do_not_overlap_and_none_is_empty(language, text):
    found = number_replacements(text, language)
    assert all(0 <= one.start < one.end <= len(text) and one.said.strip() for one in found)
    assert all(one.end <= after.start for one, after in pairwise(found))


@pytest.mark.timeout(20)
@pytest.mark.parametrize("language", ["en", "de"])
def test_long_runs_of_digits_and_signs_take_milliseconds_and_not_minutes(language):
    for piece in ("1", "1.2-", "1,", "1/", "1:", "<", "^", "a-1", "I", "1x", "$", "a1@", "-"):
        number_replacements(piece * (20_000 // len(piece)), language)
    number_replacements("1+" * 2_000, language)


def test_a_run_of_digits_is_said_digit_by_digit():
    (found,) = number_replacements("4" * 400, "en")
    assert found.said == " ".join(["four"] * 400)


def test_what_cldr_has_no_words_for_is_told_and_its_errors_are_mended():
    with pytest.raises(SpellingMissing):
        Russian().ordinal(40_000)
    said = [Russian().ordinal(n, Form("n", "p")) for n in (40, 80, 200, 1900)]
    assert said == ["сороковые", "восьмидесятые", "двухсотые", "тысяча девятисотые"]
    assert Russian().ordinal(3, Form("d", "m")) == "третьему"
    assert Russian().ordinal(40, Form("p", "m")) == "сороковом"


def test_a_language_that_is_not_read_stays_as_it_is_written():
    assert number_replacements("5 km", "sw") == []


def test_a_dialect_reads_as_its_language_and_in_its_own_order_of_day_and_month():
    assert numbers_said("3/4/2025", "en-us") == numbers_said("3/4/2025", "en_US") == "March fourth, twenty twenty-five"
    assert numbers_said("3/4/2025", "en-gb") == "the third of April twenty twenty-five"
    assert numbers_said("It has 101.", "en-gb") == "It has one hundred and one."


def test_a_sentence_keeps_the_stop_that_belongs_to_a_number_too():
    assert numbers_said("We left at 2 p.m. He stayed.", "en") == "We left at two PM. He stayed."
    assert numbers_said("Das war Ludwig XIV. Er baute.", "de") == "Das war Ludwig der Vierzehnte. Er baute."
    assert numbers_said("Bis zum 3.5. Danach nicht.", "de") == "Bis zum dritten Mai. Danach nicht."


@pytest.mark.parametrize(
    ("language", "written"),
    [
        ("de", "Nur 1 Dings."),
        ("de", "Nur 1 Tag."),
        ("ru", "1941–1945 гг."),
        ("en", "On 12/25 we rest."),
        ("en", "as of 1.000.000"),
        ("en", "1,2,3"),
        ("en", "UTC+2"),
    ],
)
def test_what_nobody_can_be_sure_of_stays_as_it_is_written(language, written):
    assert numbers_said(written, language) == written
