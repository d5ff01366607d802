"""Texts in parts: long texts, whatever the unit of an engine's sound, and nothing lost on the way."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engines.contract.contract import HeardOut
from engines.contract.options import Option, resolve_options
from engines.contract.speech_end import ENDED, SpeechEnd
from engines.errors import EngineFailed, TextUnspeakable
from studio.errors import NoAudio
from studio.lexicons.kept_lexicon import KeptLexicon, lexicon_files
from studio.settings import Settings
from studio.speech.in_turn import SpokenParts, parts_of, seed_of_part, spoken_in_turn
from studio.speech.utterance import Readings
from tests.stand_ins.fake_engine import INFO, FakeEngine

NO_ROOM = SpeechEnd.without_room(2.0).warning
SHORT = replace(INFO, most_text_characters=20)
TEXT = "The first one. And a second! Is this the third?"


SEEDS = [(7 + n * 0x9E3779B97F4A7C15) % 2**63 for n in range(3)]  # of the parts of a speech that was asked for with seed 7


def texts_of(text: str, info, most: int = 100_000) -> tuple[str, ...]:
    return parts_of(Readings(Settings(most_text_characters=most), KeptLexicon(lexicon_files(Path("nowhere")))).read(text, info), info).texts


def spoken(engine: FakeEngine, parts: tuple[str, ...], seed: int = 7):
    return spoken_in_turn(
        engine, SpokenParts(parts, (0.0,) * len(parts)), engine.preset("tone"), resolve_options(INFO.options, {"seed": seed})
    )


@pytest.mark.parametrize("unit", ["frame", "block", "chunk", "patch", "sentence"])
def test_an_engine_is_given_the_text_untouched_whatever_comes_of_it_at_a_time(unit):
    assert texts_of(f" {TEXT}\n", replace(INFO, streams=unit)) == (TEXT,)


def test_a_text_beyond_what_the_engine_takes_is_cut_at_its_sentences():
    assert texts_of(TEXT, SHORT) == ("The first one.", "And a second!", "Is this the third?")


def test_a_text_beyond_what_the_engine_takes_is_cut_between_words_and_none_is_lost():
    text = " ".join(f"Word{number}, and" + ("." if number % 7 == 0 else "") for number in range(2000))
    parts = texts_of(text, replace(INFO, most_text_characters=300))
    assert max(map(len, parts)) <= 300
    assert " ".join(parts).split() == text.split()


@pytest.mark.parametrize("info", [INFO, SHORT])
def test_a_text_beyond_the_cap_is_refused_with_the_cap(info):
    with pytest.raises(TextUnspeakable, match="21 characters, and 20 are the limit"):
        texts_of("x" * 21, info, 20)
    with pytest.raises(TextUnspeakable):
        texts_of(" \n ", info, 20)


def test_the_first_part_is_heard_before_the_second_is_begun():
    engine = FakeEngine(SHORT)
    chunks = spoken(engine, texts_of(TEXT, SHORT))
    next(chunks)
    assert engine.texts == ["The first one."]
    chunks.close()
    assert engine.streams_closed == 1


def test_all_parts_are_one_stream_in_order():
    engine = FakeEngine(SHORT)
    parts = texts_of(TEXT, SHORT)
    alone = [np.concatenate(list(spoken(engine, (part,), seed=seed))) for part, seed in zip(parts, SEEDS, strict=True)]
    np.testing.assert_array_equal(np.concatenate(list(spoken(engine, parts))), np.concatenate(alone))


def test_every_part_has_a_seed_of_its_own_and_the_first_the_one_that_was_asked_for():
    engine = FakeEngine(SHORT)
    list(spoken(engine, texts_of(TEXT, SHORT)))
    assert [options["seed"] for options in engine.options] == SEEDS and SEEDS[0] == 7
    bounds = Option("seed", "int", 1, "", minimum=1, maximum=16)
    assert sorted(seed_of_part(bounds, 10, index) for index in range(16)) == list(range(1, 17))


class Ending(FakeEngine):
    """Ends each text as it was told."""

    def __init__(self, *ends: SpeechEnd | None):
        super().__init__(SHORT)
        self.ends = iter(ends)

    def stream(self, text, prompt, options):
        yield from super().stream(text, prompt, options)
        return next(self.ends)


def test_the_end_of_parts_is_the_first_that_was_no_plain_one_and_the_others_are_spoken_all_the_same():
    parts = texts_of(TEXT, SHORT)
    for ends, expected in (
        ((None, ENDED, None), ENDED),
        ((ENDED, SpeechEnd.without_room(2.0), SpeechEnd.silent(2.0)), SpeechEnd("no_room", f"Part 2 of 3: {NO_ROOM}")),
    ):
        engine = Ending(*ends)
        chunks = HeardOut(spoken(engine, parts))
        list(chunks)
        assert (chunks.end, engine.texts) == (expected, list(parts))
    alone = HeardOut(spoken(Ending(SpeechEnd.without_room(2.0)), parts[:1]))
    list(alone)
    assert alone.end == SpeechEnd.without_room(2.0)


class Hoarse(FakeEngine):
    """Has no sound for one part."""

    def stream(self, text, prompt, options):
        yield from () if "second" in text else super().stream(text, prompt, options)


def test_a_part_without_audio_is_an_error_and_not_a_shorter_text():
    with pytest.raises(NoAudio, match="second"):
        list(spoken(Hoarse(SHORT), texts_of(TEXT, SHORT)))


def test_a_failure_in_a_later_part_ends_the_stream():
    engine = FakeEngine(SHORT, fail_at_chunk=0)
    with pytest.raises(EngineFailed):
        list(spoken(engine, texts_of(TEXT, SHORT)))
    assert engine.texts == ["The first one."]
