"""Silences between the pieces of a text last as long as was asked for, whatever the voice is silent by itself, and are counted."""

from dataclasses import replace

import numpy as np
import pytest

from engines.contract.options import resolve_options
from studio.reading.reader import read
from studio.speech.in_turn import ONSET_SECONDS, parts_of, spoken_in_turn
from studio.speech.utterance import TextUtterance
from tests.stand_ins.fake_engine import DURATION, INFO, SAMPLE_RATE, FakeEngine

TEXT = "One. [pause 2s] Two."


class Breathing(FakeEngine):
    """Is silent before and behind its words."""

    before, behind = 0.3, 0.2

    def stream(self, text, prompt, options):
        yield np.full(int(self.before * SAMPLE_RATE), 1e-4, np.float32)
        yield from super().stream(text, prompt, options)
        yield np.zeros(int(self.behind * SAMPLE_RATE), np.float32)


def spoken(engine: FakeEngine, text: str, pace: float = 1.0, **options) -> np.ndarray:
    asked = resolve_options(engine.info.options, options)
    return np.concatenate(list(spoken_in_turn(engine, parts_of(read(text, INFO), INFO), engine.preset("tone"), asked, pace=pace)))


def silences(samples: np.ndarray) -> list[float]:
    """Seconds of each silence between sounds."""
    loud = np.flatnonzero(np.abs(samples) > 0.01)
    gaps = np.diff(loud)
    return [float(gap) / SAMPLE_RATE for gap in gaps[gaps > 0.05 * SAMPLE_RATE]]


@pytest.mark.parametrize("text", [TEXT, 'One. <break time="2s"/> Two.', "One. <#2#> Two.", "One. [pause:2000ms] Two."])
def test_a_silence_that_is_asked_for_lasts_as_long(text):
    assert silences(spoken(FakeEngine(), text)) == pytest.approx([2.0], abs=ONSET_SECONDS)


def test_what_the_voice_is_silent_by_itself_is_part_of_it():
    samples = spoken(Breathing(), TEXT)
    assert silences(samples) == pytest.approx([2.0], abs=2 * ONSET_SECONDS)
    longer = type("Slow", (Breathing,), {"behind": 3.0})()
    assert silences(spoken(longer, TEXT))[0] == pytest.approx(3.0, abs=2 * ONSET_SECONDS)
    np.testing.assert_array_equal(samples, spoken(Breathing(), TEXT))


def test_lines_items_and_paragraphs_are_apart_and_wrapped_prose_is_not():
    engine = FakeEngine()
    assert len(silences(spoken(engine, "Red\nGreen\n\n- blue\n- yellow"))) == 3
    spoken(engine, "It was the best of times, it was the worst of times,\nit was the age of wisdom, it was the age of\nfoolishness.")
    assert len(engine.texts) == 5


def test_a_silence_before_and_behind_all_words_is_kept_where_it_was_asked_for():
    samples = spoken(FakeEngine(), "[pause 1s] One. [pause 2s]")
    loud = np.flatnonzero(np.abs(samples) > 0.01)
    assert loud[0] / SAMPLE_RATE == pytest.approx(1.0, abs=ONSET_SECONDS)
    assert (len(samples) - loud[-1]) / SAMPLE_RATE == pytest.approx(2.0, abs=ONSET_SECONDS)


def test_a_pace_that_is_made_afterwards_does_not_shorten_it():
    assert silences(spoken(FakeEngine(), TEXT, pace=2.0)) == pytest.approx([4.0], abs=ONSET_SECONDS)


def test_silences_are_part_of_what_a_speech_is_thought_to_last_and_of_a_duration_that_was_asked_for():
    seconds = [TextUtterance.of(read(text, INFO), INFO).seconds({}, ()) for text in (TEXT, "One. Two.")]
    assert seconds[0] == pytest.approx(seconds[1] + 2.0, abs=0.05)
    engine = FakeEngine(replace(INFO, options=(*INFO.options, DURATION)))
    spoken(engine, TEXT, duration=6.0)
    assert sum(options["duration"] for options in engine.options) == pytest.approx(4.0)
