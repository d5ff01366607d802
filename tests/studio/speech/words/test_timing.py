"""When each written word is heard, of an engine that marks its words: through what is read otherwise, parts, pauses and speeds."""

from dataclasses import replace

import pytest

from studio.reading.reader import read
from studio.speech.body import SpeechBody
from studio.speech.timed_words import TimedWord, shifted
from studio.speech.words.said_words import said_words
from studio.speech.words.timing import timed_words
from studio.timeline import Timeline
from tests.stand_ins.fake_engine import INFO, MARKER, FakeEngine

PER_CHARACTER = 0.05  # seconds, of the fake engine


@pytest.fixture
def say(open_studio):
    def said(text, info=MARKER, **fields):
        speech = open_studio(FakeEngine(info), info.id).say(SpeechBody(input=text, language="en", **fields), Timeline())
        speech.read_all()
        return speech

    return said


def told(words):
    return [(word.written, word.said) for word in words]


def test_a_written_word_has_all_that_is_said_of_it_and_its_place_in_the_text(say):
    text = "It costs $5.50, or **10 km** (see it)."
    words = say(text).words
    assert told(words) == [
        ("It", "It"), ("costs", "costs"), ("$5.50", "five dollars and fifty cents"), ("or", "or"), ("10 km", "ten kilometers"),
        ("see", "see"), ("it", "it"),
    ]  # fmt: skip
    assert [text[word.start : word.end] for word in words] == [word.written for word in words]
    read_as = "It costs five dollars and fifty cents, or"
    price = words[2]
    assert price.start_seconds == pytest.approx(read_as.index("five") * PER_CHARACTER, abs=1e-3)
    assert price.end_seconds == pytest.approx((read_as.index("cents") + 5) * PER_CHARACTER, abs=0.051)  # the comma is of the mark
    assert all(not word.is_guessed for word in words)


def test_parts_begin_behind_the_pauses_between_them_and_leads_count(say):
    speech = say('<break time="0.5s"/>Hello there.\n\nAnother line.')
    first, there, another, line = speech.words
    assert first.start_seconds == pytest.approx(0.5, abs=1e-3)
    assert another.start_seconds == pytest.approx(speech.timeline.part_seconds[1], abs=1e-3)
    assert another.start_seconds > there.end_seconds + 0.3
    assert line.end_seconds <= speech.seconds


def test_a_text_in_several_turns_of_the_engine_has_its_words_in_all_of_them(say):
    text = "One two three. Four five six. Seven eight nine."
    words = say(text, replace(MARKER, most_text_characters=16)).words
    assert [text[word.start : word.end] for word in words] == text.replace(".", "").split()
    starts = [word.start_seconds for word in words]
    assert starts == sorted(starts) and len(set(starts)) == 9


def test_at_another_speed_words_are_heard_sooner(say):
    own, without = say("Hello there.", speed=2.0), say("Hello there.", replace(MARKER, options=INFO.options[:1]), speed=2.0)
    for words in (own.words, without.words):
        assert words[1].start_seconds == pytest.approx(6 * PER_CHARACTER / 2, abs=2e-3)


def test_another_rate_of_samples_moves_no_word(say):
    assert say("Hello there.", sample_rate=16000).words == say("Hello there.").words


def test_a_running_speech_tells_the_words_that_were_said_and_an_engine_without_marks_tells_none(open_studio, say):
    speech = open_studio(FakeEngine(MARKER), "running").say(SpeechBody(input="Hello there, you all. " * 20), Timeline())
    next(speech)
    some = len(speech.words)
    speech.read_all()
    assert 0 < some < len(speech.words) == 80
    assert say("Hello.", INFO).words is None


def test_what_no_mark_tells_lies_between_its_neighbors_and_is_said_to_be_guessed():
    said = said_words(read("one two three four", INFO), INFO)
    words = timed_words(said, [(0.0, 1.0), None, (3.0, 4.0), None], "one two three four", 9.0)
    assert [(word.written, word.start_seconds, word.end_seconds, word.is_guessed) for word in words] == [
        ("one", 0.0, 1.0, False), ("two", 1.0, 3.0, True), ("three", 3.0, 4.0, False),
    ]  # fmt: skip
    assert timed_words(said, [None] * 4, "one two three four", 9.0) == ()


def test_characters_without_blanks_are_words_of_their_own():
    said = said_words(read("今天3月5日。", INFO), INFO)
    words = timed_words(said, [(0.1 * at, 0.1 * at + 0.1) for at in range(len(said))], "今天3月5日。", 9.0)
    assert "".join(word.written for word in words) == "今天3月5日" and len(words) >= 5


def test_words_survive_json_and_a_longer_sound():
    word = TimedWord(0.5, 1.25, "$5", "five dollars", 3, 5)
    assert TimedWord.of(word.members()) == word
    (moved,) = shifted([word], 10.0, 100)
    assert (moved.start_seconds, moved.end_seconds, moved.start, moved.end) == (10.5, 11.25, 103, 105)
    with pytest.raises((KeyError, TypeError)):
        TimedWord.of({**word.members(), "start": "x"})
