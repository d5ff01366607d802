"""Claims about the words in which two texts differ, and the text that a take has."""

import unicodedata

import pytest

from engines.contract.editing import checked_edit, edited_words
from studio.scripts.mending.take_text import take_text
from studio.scripts.mending.word_changes import moved_words, word_changes, written_words
from studio.scripts.script.take import LineTake
from studio.speech.timed_words import TimedWord
from tests.stand_ins.fake_engine import EDITS


def told(text: str, other: str) -> list[tuple[str, str, str]]:
    """(kind, the words that it is about, the new words)."""
    return [(one.kind, text[one.start : one.end], one.text) for one in word_changes(text, other)]


def letters(text: str) -> list[str]:
    """Engines have rules of their own for blanks and signs."""
    return [c for c in text.casefold() if unicodedata.category(c)[0] in "LMN"]


def timed(text: str) -> tuple[TimedWord, ...]:
    words = written_words(text)
    return tuple(TimedWord(n, n + 1, text[one.start : one.end], one.key, one.start, one.end) for n, one in enumerate(words))


@pytest.mark.parametrize(
    ("text", "other", "changes"),
    [
        ("I was here.", "I was not here!", [("insert", "", "not")]),
        ("I was here.", "I was here now.", [("insert", "", "now")]),
        ("One, two, three.", "Two - three…", [("remove", "One", "")]),
        ("It costs $5.", "It costs €5.", [("replace", "$5", "€5")]),
        ("It was 3.5 m.", "It was -3.5 m.", [("replace", "3.5", "-3.5")]),
        ("The old man and the old dog.", "The young man and the dog.", [("replace", "old", "young"), ("remove", "old", "")]),
        ("我爱北京天安门。", "我爱上海天安门！", [("replace", "北京", "上海")]),
        ("สวัสดีครับ", "สวัสดีค่ะ", [("replace", "ครับ", "ค่ะ")]),
        ("हिन्दी में", "हिन्दा में", [("replace", "हिन्दी", "हिन्दा")]),
        ("Well — it’s “fine”, he said…", "well: it's fine! He said.", []),
    ],
)
def test_words_that_differ_are_operations_and_signs_are_none(text, other, changes):
    assert told(text, other) == changes
    operations = word_changes(text, other)
    said = edited_words(checked_edit("an engine", EDITS, text, operations), EDITS).text if operations else text
    assert letters(said) == letters(other)


def test_words_keep_their_times_where_the_signs_between_them_are_others():
    moved = moved_words(timed("Well it costs $5 there"), "Well it costs $5 there", "“Well”, it costs… $5 there!")
    assert moved is not None
    assert [(word.start_seconds, word.written, word.start) for word in moved] == [
        (0, "Well", 1),
        (1, "it", 8),
        (2, "costs", 11),
        (3, "$5", 18),
        (4, "there", 21),
    ]
    together = moved_words(timed("It was-3.5 m"), "It was-3.5 m", "It was -3.5 m.")
    assert together is not None and [word.written for word in together] == ["It", "was", "3.5", "m"]
    assert moved_words(timed("one two"), "one two", "one three") is None


def test_a_take_of_an_earlier_version_is_told_by_its_words():
    def take(words: tuple[TimedWord, ...] | None, text: str = "") -> LineTake:
        return LineTake("t", "key", "", 1.0, 8_000, 0, 0.0, "fake", words=words, text=text)

    said = timed("Good evening, Anna.")
    assert take_text(take(said, "Good evening, Anna."), "Bad morning.", is_fresh=False) == "Good evening, Anna."
    assert take_text(take(None), "Good evening.", is_fresh=True) == "Good evening."
    assert take_text(take(said), "Good evening, Anna!", is_fresh=False) == "Good evening, Anna!"
    assert take_text(take(said), "Good evening, Anna, dear.", is_fresh=False) == "Good evening  Anna"
    assert take_text(take(None), "Good evening.", is_fresh=False) is None
