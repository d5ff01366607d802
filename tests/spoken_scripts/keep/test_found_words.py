"""Claims about find and replace: capitals, whole words, letters that are written in two ways; and that it can be undone."""

import unicodedata

import pytest

from studio.errors import EditRefused
from studio.scripts.keep.found_words import SoughtWords
from studio.scripts.script.line import MOST_LINE_CHARACTERS
from tests.spoken_scripts.keep.made_scripts import read_of, state_of, texts_of

APART = unicodedata.normalize("NFD", "Café")


@pytest.mark.parametrize(
    ("sought", "text", "found"),
    [
        (SoughtWords("an"), "An ant ran", ["An", "an", "an"]),
        (SoughtWords("an", is_whole=True), "An ant ran", ["An"]),
        (SoughtWords("An", is_case=True), "An ant ran", ["An"]),
        (SoughtWords("café"), f"{APART} CAFÉ cafe", [APART, "CAFÉ"]),
        (SoughtWords("cafe"), APART, []),
        (SoughtWords("strasse"), "Straße STRASSE", ["Straße", "STRASSE"]),
        (SoughtWords("s"), "ß", []),  # half of a letter
        (SoughtWords("猫", is_whole=True), "黑猫和白猫", ["猫", "猫"]),  # no blanks between words
        (SoughtWords("ΣΊΣΥΦΟΣ", is_whole=True), "Ο Σίσυφος.", ["Σίσυφος"]),
        (SoughtWords("--"), "a -- b", ["--"]),
        (SoughtWords("aa"), "aaa", ["aa"]),
        (SoughtWords("."), "a.b", ["."]),
        (SoughtWords("l'eau", is_whole=True), "De l’eau!", ["l’eau"]),
    ],
)
def test_words_are_found_as_they_are_meant(sought, text, found):
    assert [text[start:end] for start, end in sought.places(text)] == found


def test_what_is_not_found_stays_to_the_last_mark():
    text = f"{APART}  au\tlait, {APART}\n"
    assert SoughtWords("lait").replaced(text, "thé") == f"{APART}  au\tthé, {APART}\n"
    assert SoughtWords("tea").replaced(text, "x") is text


def test_a_word_is_replaced_in_all_lines_as_one_step(scripts):
    script = scripts.create(read_of("A cat.", "ANNA: No dog.", "Cats and a cat.", "# The cat")).id
    before = state_of(scripts, script)
    ids = scripts.line_ids(script)
    assert scripts.find_words(script, "cat", is_whole=True) == (ids[0], ids[2], ids[3])
    told = scripts.replace_words(script, "cat", "hen", is_whole=True)
    assert set(told.lines) == {ids[0], ids[2], ids[3]} and texts_of(scripts, script) == ["A hen.", "No dog.", "Cats and a hen.", "The hen"]
    scripts.undo(script)
    assert state_of(scripts, script) == before
    scripts.replace_words(script, "cow", "hen")
    assert state_of(scripts, script) == before and scripts.script(script).can_undo == 0


def test_what_cannot_be_looked_for_or_put_there_is_told(scripts):
    script = scripts.create(read_of("a" * MOST_LINE_CHARACTERS)).id
    for ask in (lambda: scripts.find_words(script, ""), lambda: scripts.replace_words(script, "a", "bb")):
        with pytest.raises(EditRefused):
            ask()
    assert scripts.script(script).revision == 1
