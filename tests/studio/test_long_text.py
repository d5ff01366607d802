"""Texts in parts: sentence engines, long texts, and nothing lost on the way."""

from dataclasses import replace

import numpy as np
import pytest

from engines.errors import EngineFailed, TextUnspeakable
from engines.options import resolve_options
from studio.errors import NoAudio
from studio.text.long_text import parts_of, spoken_in_turn
from tests.fake_engine import INFO, FakeEngine

SENTENCES = replace(INFO, streams="sentence")
TEXT = "The first one. And a second! Is this the third?"


def spoken(engine: FakeEngine, parts: tuple[str, ...]):
    return spoken_in_turn(engine, parts, engine.preset("tone"), resolve_options(INFO.options, {}))


def test_an_engine_that_speaks_by_the_sentence_is_given_sentences():
    assert parts_of(TEXT, SENTENCES, 1000) == ("The first one.", "And a second!", "Is this the third?")


def test_an_engine_that_streams_is_given_the_text_untouched():
    assert parts_of(f" {TEXT}\n", INFO, 1000) == (f" {TEXT}\n",)


def test_a_text_beyond_what_the_engine_takes_is_cut_between_words_and_none_is_lost():
    text = " ".join(f"Word{number}, and" + ("." if number % 7 == 0 else "") for number in range(2000))
    parts = parts_of(text, replace(INFO, most_text_characters=300), 100_000)
    assert max(map(len, parts)) <= 300
    assert " ".join(parts).split() == text.split()


@pytest.mark.parametrize("info", [INFO, SENTENCES])
def test_a_text_beyond_the_cap_is_refused_with_the_cap(info):
    with pytest.raises(TextUnspeakable, match="21 characters; the limit is 20"):
        parts_of("x" * 21, info, 20)
    with pytest.raises(TextUnspeakable):
        parts_of(" \n ", info, 20)


def test_the_first_sentence_is_heard_before_the_second_is_begun():
    engine = FakeEngine(SENTENCES)
    chunks = spoken(engine, parts_of(TEXT, SENTENCES, 1000))
    next(chunks)
    assert engine.texts == ["The first one."]
    chunks.close()
    assert engine.streams_closed == 1


def test_all_parts_are_one_stream_in_order():
    engine = FakeEngine(SENTENCES)
    parts = parts_of(TEXT, SENTENCES, 1000)
    alone = [np.concatenate(list(spoken(engine, (part,)))) for part in parts]
    np.testing.assert_array_equal(np.concatenate(list(spoken(engine, parts))), np.concatenate(alone))


class Hoarse(FakeEngine):
    """Has no sound for one sentence."""

    def stream(self, text, prompt, options):
        yield from () if "second" in text else super().stream(text, prompt, options)


def test_a_sentence_without_audio_is_an_error_and_not_a_shorter_text():
    with pytest.raises(NoAudio, match="second"):
        list(spoken(Hoarse(SENTENCES), parts_of(TEXT, SENTENCES, 1000)))


def test_a_failure_in_a_later_part_ends_the_stream():
    engine = FakeEngine(SENTENCES, fail_at_chunk=0)
    with pytest.raises(EngineFailed):
        list(spoken(engine, parts_of(TEXT, SENTENCES, 1000)))
    assert engine.texts == ["The first one."]
