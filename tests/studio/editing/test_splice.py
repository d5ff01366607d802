"""What changed is put into a recording between words that stay. Words are tones, so that a test can hear which is where."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from studio.errors import WordTimesUnknown
from studio.speech.editing.cuts import FADE_SECONDS
from studio.speech.editing.splice import MOST_GAIN_DB, Spliced, spliced
from studio.speech.editing.timed_sound import TimedSound
from tests.stand_ins.fake_engine import heard_pitch
from tests.studio.editing.spoken_tones import PEAK, RATE, edit, hz_of, later, tones

TEXT = "one two three four five six"


def heard(result: Spliced, place: int) -> float:
    """Hz in the middle of a word."""
    word = result.words[place]
    middle, quarter = (word.start_seconds + word.end_seconds) / 2, (word.end_seconds - word.start_seconds) / 4
    return heard_pitch(result.samples[round((middle - quarter) * RATE) : round((middle + quarter) * RATE)], RATE)


def check(result: Spliced, source: TimedSound, text: str) -> None:
    """All words are heard where they are said to be, all samples outside of what changed are the source's, and nothing clicks."""
    assert " ".join(word.written for word in result.words) == text.strip()
    for place, word in enumerate(result.words):
        assert heard(result, place) == pytest.approx(hz_of(word.said), abs=8), word
    kept = _kept(result)
    assert np.array_equal(kept[0], source.samples[: len(kept[0])]) and np.array_equal(
        kept[-1], source.samples[len(source.samples) - len(kept[-1]) :]
    )
    for piece in kept[1:-1]:
        windows = np.lib.stride_tricks.sliding_window_view(source.samples, 100)
        starts = np.flatnonzero((windows[: len(windows) - len(piece) + 100] == piece[:100]).all(axis=1))
        assert any(np.array_equal(source.samples[start : start + len(piece)], piece) for start in starts)
    steepest = 2 * np.pi * 1950 / RATE * PEAK
    assert np.abs(np.diff(result.samples)).max() <= 1.3 * steepest


def _kept(result: Spliced) -> list[np.ndarray]:
    bounds = [0, *(round(seconds * RATE) for span in result.changed for seconds in span), len(result.samples)]
    return [result.samples[start:end] for start, end in list(pairwise(bounds))[::2]]


@pytest.mark.parametrize(
    "changes",
    [
        [("replace", "three", "seventeen nine")],
        [("replace", "one", "nine")],
        [("replace", "six", "nine")],
        [("remove", "three four", "")],
        [("remove", "one", "")],
        [("remove", "six", "")],
        [("insert", "four", "nine ")],
        [("insert", "one", "nine ")],
        [("insert", "", "nine")],
        [("replace", "two", "nine"), ("replace", "three", "eleven")],  # with no word between them
        [("replace", "two", "nine"), ("remove", "five", "")],
        [("replace", TEXT, "seven eight nine")],
    ],
    ids=lambda changes: "-".join(f"{kind}-{what.replace(' ', '_')}" for kind, what, _ in changes),
)
def test_what_changed_is_new_and_all_else_stays_sample_by_sample(changes):
    for gap in (0.08, 0.0):
        source, edited = tones(TEXT, gap=gap), edit(TEXT, *changes)
        result = spliced(source, later(tones(edited.text, gap=gap), 0.07), edited.spans)
        check(result, source, edited.text)
        new = sum(end - start for start, end in result.changed)
        n_new = sum(len(edited.text[span.other_start : span.other_end].split()) for span in edited.spans)
        assert 0.2 * n_new <= new <= 0.5 * n_new + 0.4 * len(changes)
        assert len(result.changed) == len(changes) - (len(changes) == 2 and changes[1][1] == "three")


def test_what_comes_back_unchanged_leaves_no_trace():
    """No sample is lost or doubled at a cut, and fades of a sound into itself are that sound."""
    source = tones(TEXT)
    result = spliced(source, tones(TEXT), edit(TEXT, ("emotion", "three", ""), ("emotion", "six", "")).spans)
    assert len(result.changed) == 2
    assert [word.start_seconds for word in result.words] == pytest.approx([word.start_seconds for word in source.words], abs=1e-6)
    np.testing.assert_allclose(result.samples, source.samples, atol=1e-6)


def test_a_pause_is_longer_and_no_word_is_new():
    source, edited = tones(TEXT), edit(TEXT, ("pause", "four", ""))
    at = round(source.words[2].end_seconds * RATE)
    samples = np.concatenate([source.samples[:at], np.zeros(round(0.3 * RATE), np.float32), source.samples[at:]])
    words = [*source.words[:3], *later(source, 0.3).words[3:]]
    result = spliced(source, replace(source, samples=samples, words=words), edited.spans)
    check(result, source, TEXT)
    gap = result.words[3].start_seconds - result.words[2].end_seconds
    assert gap == pytest.approx(words[3].start_seconds - words[2].end_seconds, abs=0.02) and gap > 0.3


def test_a_piece_is_as_loud_as_the_words_around_it_within_bounds():
    source, edited = tones(TEXT), edit(TEXT, ("replace", "three", "nine"))
    for peak, expected in ((PEAK / 2, PEAK), (PEAK * 2, PEAK), (PEAK / 16, PEAK / 16 * 10 ** (MOST_GAIN_DB / 20))):
        result = spliced(source, tones(edited.text, peak=peak), edited.spans)
        word = result.words[2]
        piece = result.samples[round((word.start_seconds + 0.05) * RATE) : round((word.end_seconds - 0.05) * RATE)]
        assert np.abs(piece).max() == pytest.approx(expected, rel=0.02)


def test_silence_around_the_words_stays_the_recordings_own():
    source, edited = later(tones(TEXT), 0.5), edit(TEXT, ("replace", "one", "nine"))
    result = spliced(source, tones(edited.text), edited.spans)
    assert result.changed[0][0] > 0.3 and result.words[0].start_seconds == pytest.approx(0.6, abs=0.05)


def test_words_that_are_not_where_they_are_said_to_be_are_said_anew_and_too_many_are_refused():
    edited = edit(TEXT, ("replace", "three", "nine"))
    made = tones(edited.text)
    for source in (tones(TEXT, without=["four"]), _misplaced(tones(TEXT))):
        result = spliced(source, made, edited.spans)
        assert result.changed[0][1] - result.changed[0][0] > 0.5  # with the word behind it
        check(result, source, edited.text)
    with pytest.raises(WordTimesUnknown) as refused:
        spliced(tones(TEXT, without=TEXT.split()), made, edited.spans)
    assert refused.value.values["sentence"] == "edit_words_unfound" and "whole=true" in refused.value.hint


def _misplaced(said: TimedSound) -> TimedSound:
    """Its fourth word is said to be where the silence before it and its first half are."""
    words = list(said.words)
    words[3] = replace(words[3], start_seconds=words[2].end_seconds, end_seconds=words[2].end_seconds + 0.07)
    return replace(said, words=words)


def test_a_text_without_blanks_is_changed_character_by_character():
    text = "我们明天去公园"
    source, edited = tones(text), edit(text, ("replace", "公园", "海边"), ("remove", "明天", ""))
    result = spliced(source, tones(edited.text), edited.spans)
    assert edited.text == "我们去海边"
    check(result, source, "我 们 去 海 边")


def test_the_fade_is_as_long_as_it_says():
    source, edited = tones(TEXT), edit(TEXT, ("remove", "three", ""))
    result = spliced(source, tones(edited.text, gap=0.0), edited.spans)
    assert result.changed[0][1] - result.changed[0][0] >= FADE_SECONDS - 1 / RATE
