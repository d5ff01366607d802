"""A stretched voice: another length, the same pitch and level, the same however it came in."""

import numpy as np
import pytest

from studio.audio.time_stretch import SPEED, TimeStretcher, at_speed, with_speed
from studio.errors import NoAudio
from tests.stand_ins.fake_engine import INFO, heard_pitch
from tests.stand_ins.vocoded_speaker import vocoded_speaker

SAMPLE_RATE = 24_000
SPEEDS = [0.25, 0.4, 0.5, 0.75, 1.1, 1.5, 2.0, 3.0, 4.0]


def sine(seconds: float = 2.0) -> np.ndarray:
    return (0.5 * np.sin(2 * np.pi * 440 * np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE)).astype(np.float32)


def stretch(samples: np.ndarray, speed: float, sample_rate: int = SAMPLE_RATE, chunk_samples: int = 1_920) -> np.ndarray:
    stretcher = TimeStretcher(sample_rate, speed)
    parts = [stretcher.push(samples[start : start + chunk_samples]) for start in range(0, len(samples), chunk_samples)]
    return np.concatenate([*parts, stretcher.finish()])


def decibels(samples: np.ndarray) -> float:
    return float(10 * np.log10(np.mean(samples**2)))


def steepest(samples: np.ndarray) -> float:
    return float(np.abs(np.diff(samples)).max())


@pytest.mark.parametrize("speed", SPEEDS)
def test_a_tone_keeps_pitch_level_and_smoothness_and_has_the_exact_length(speed):
    slow = stretch(sine(), speed)
    assert len(slow) == round(2 * SAMPLE_RATE / speed)
    assert heard_pitch(slow) == pytest.approx(440, rel=0.01)
    assert decibels(slow) == pytest.approx(decibels(sine()), abs=1)
    assert steepest(slow) <= 1.5 * steepest(sine())


@pytest.mark.slow
@pytest.mark.parametrize("speed", SPEEDS)
def test_speech_keeps_pitch_level_and_smoothness_and_has_the_exact_length(speed):
    speaker = vocoded_speaker()
    speech, rate = speaker.samples, speaker.sample_rate
    other = stretch(speech, speed, rate)
    assert len(other) == round(len(speech) / speed)
    assert median_pitch(other, rate) == pytest.approx(median_pitch(speech, rate), rel=0.01)
    assert decibels(other) == pytest.approx(decibels(speech), abs=1)
    assert steepest(other) <= 1.1 * steepest(speech)


def median_pitch(speech: np.ndarray, rate: int) -> float:
    """Hz of the voiced frames of 40 ms, by autocorrelation from 70 to 300 Hz."""
    found = []
    for start in range(0, len(speech) - rate // 25, rate // 50):
        frame = speech[start : start + rate // 25] * np.hanning(rate // 25)
        power = np.fft.irfft(np.abs(np.fft.rfft(frame, 2 * len(frame))) ** 2)
        lag = rate // 300 + int(np.argmax(power[rate // 300 : rate // 70]))
        if power[0] > 1 and power[lag] > 0.5 * power[0]:
            found.append(rate / lag)
    return float(np.median(found))


@pytest.mark.slow
@pytest.mark.parametrize("speed", [0.25, 0.5, 1.3, 4.0])
@pytest.mark.parametrize("chunk_samples", [1, 77, 240, 48_000])
def test_a_sound_is_the_same_however_it_was_cut(speed, chunk_samples):
    samples = sine(0.7)
    assert np.array_equal(stretch(samples, speed, chunk_samples=chunk_samples), stretch(samples, speed))


@pytest.mark.parametrize("speed", [0.25, 0.5, 2.0, 4.0])
@pytest.mark.parametrize("n_samples", [1, 2, 3, 239, 240, 241, 384, 1_000])
def test_any_length_from_one_sample_works(speed, n_samples):
    assert len(stretch(sine()[1 : n_samples + 1], speed)) == max(1, round(n_samples / speed))


def test_nothing_stays_nothing():
    assert len(stretch(np.zeros(0, np.float32), 2.0)) == 0


def test_the_end_is_heard():
    """A tone that begins late must end as late, as it would not if the filter kept its last window."""
    tone = np.concatenate([np.zeros(SAMPLE_RATE, np.float32), sine(1.0)])
    loud = np.abs(stretch(tone, 0.5)) > 0.25
    assert np.flatnonzero(loud)[-1] / len(loud) > 0.98
    assert np.flatnonzero(loud)[0] / len(loud) == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(("speed", "most_seconds"), [(0.25, 0.1), (0.75, 0.06), (1.5, 0.08), (4.0, 0.25)])
def test_little_is_held_back(speed, most_seconds):
    stretcher = TimeStretcher(SAMPLE_RATE, speed)
    n_samples = 0
    while not len(stretcher.push(sine()[n_samples : n_samples + 240])):
        n_samples += 240
    assert n_samples / SAMPLE_RATE <= most_seconds


def test_what_is_no_number_is_an_error_and_not_a_noise():
    with pytest.raises(NoAudio):
        stretch(np.full(5_000, np.nan, np.float32), 2.0)


def test_closing_a_stretched_stream_closes_its_source():
    closed = []

    def chunks():
        try:
            while True:
                yield sine(0.08)
        finally:
            closed.append(True)

    for speed in (1.0, 2.0):
        source = chunks()
        stream = at_speed(source, SAMPLE_RATE, speed)
        assert len(next(stream)) > 0
        stream.close()
    assert closed == [True, True]


def test_every_engine_is_offered_with_a_speed_and_its_own_wins():
    assert with_speed(INFO.options) is INFO.options
    assert with_speed(INFO.options[:1]) == (*INFO.options[:1], SPEED)
