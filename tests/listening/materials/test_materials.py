"""What is done to sounds, measured on what comes out."""

import io

import numpy as np
import pytest
import soundfile

from studio.audio.loudness import integrated_loudness
from studio.audio.lowpass import bandwidth_hz, lowpassed
from studio.listening.plan.gold import gold_of
from studio.listening.plan.materials import (
    MOST_LOWERED_DB,
    MOST_PEAK_DB,
    SAMPLE_RATE,
    SILENCE_SECONDS,
    Level,
    PreparedSound,
    as_heard,
    lowered_db,
    shaped,
    wav_bytes,
)
from studio.listening.plan.plan import Plan
from studio.listening.plan.speech_bounds import speech_bounds

PLAN = Plan(name="Test", method="ab")


def sine(hz: float, seconds: float, peak_db: float = -20.0, rate: int = SAMPLE_RATE) -> np.ndarray:
    return (10 ** (peak_db / 20) * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate)) / rate)).astype(np.float32)


def syllables(seconds: float, rate: int = SAMPLE_RATE, *, top_hz: float = 9000.0) -> np.ndarray:
    """Noise that comes and goes four times a second, as speech does, loud at both ends."""
    noise = np.random.default_rng(0).standard_normal(round(seconds * rate)).astype(np.float32)
    envelope = 0.55 + 0.45 * np.cos(2 * np.pi * 4 * np.arange(len(noise)) / rate)
    return (0.1 * lowpassed(noise, rate, top_hz) * envelope).astype(np.float32)


def silence(seconds: float, rate: int = SAMPLE_RATE) -> np.ndarray:
    return np.zeros(round(seconds * rate), np.float32)


def db(samples: np.ndarray) -> float:
    return 10 * np.log10(np.mean(np.square(samples, dtype=np.float64)) + 1e-20)


def matched(sounds: list[np.ndarray], plan: Plan) -> list[PreparedSound]:
    """Of one test."""
    levels = [Level.of(samples) for samples in sounds]
    lowered = lowered_db(levels, plan)
    return [as_heard(samples, level, plan, lowered) for samples, level in zip(sounds, levels, strict=True)]


# The two filters of BS.1770-4, annex 1, tables 1 and 2, at 48 kHz: numerator and denominator.
SHELF = ((1.53512485958697, -2.69169618940638, 1.19839281085285), (1.0, -1.69065929318241, 0.73248077421585))
HIGH_PASS = ((1.0, -2.0, 1.0), (1.0, -1.99004745483398, 0.99007225036621))


def k_weighting(hz: float) -> float:
    """dB of both filters at that pitch."""
    z = np.exp(-2j * np.pi * hz / SAMPLE_RATE * np.arange(3))
    return 20 * sum(np.log10(abs(np.dot(b, z) / np.dot(a, z))) for b, a in (SHELF, HIGH_PASS))


@pytest.mark.parametrize("rate", [24_000, 44_100, 48_000])
def test_a_sine_has_the_loudness_of_the_recommendation(rate):
    """BS.1770-4, annex 1: 0 dBFS at 997 Hz in one channel gives -3.01 LUFS; both channels of EBU Tech 3341, case 1: 3.01 LU more."""
    assert integrated_loudness(sine(997, 3, 0.0, rate), rate) == pytest.approx(-3.01, abs=0.05)
    assert integrated_loudness(sine(997, 3, -23.0, rate), rate) + 3.01 == pytest.approx(-23.0, abs=0.05)


def test_pitches_weigh_as_the_recommendation_says():
    for hz in (40, 100, 500, 2000, 6000):
        assert integrated_loudness(sine(hz, 2, -23.0), SAMPLE_RATE) == pytest.approx(-0.691 - 26.01 + k_weighting(hz), abs=0.02), hz


def test_what_is_soft_beside_the_rest_does_not_count_and_silence_has_no_loudness():
    """EBU Tech 3341, case 3: -36, -23, -36 dBFS; the soft parts are below the relative gate."""
    tones = np.concatenate([sine(997, 1, -36), sine(997, 6, -23), sine(997, 1, -36)])
    assert integrated_loudness(tones, SAMPLE_RATE) == pytest.approx(-26.01, abs=0.4)
    assert integrated_loudness(silence(2), SAMPLE_RATE) is None
    assert integrated_loudness(sine(997, 0.39), SAMPLE_RATE) is None
    assert integrated_loudness(sine(997, 0.4), SAMPLE_RATE) is not None


def test_an_offset_is_taken_away_since_speech_does_not_stand_out_from_it():
    sound = np.concatenate([silence(0.5), syllables(1), silence(0.5)])
    moved = shaped(sound + np.float32(0.2), SAMPLE_RATE, PLAN)
    assert len(moved) == len(shaped(sound, SAMPLE_RATE, PLAN)) and np.allclose(moved, shaped(sound, SAMPLE_RATE, PLAN), atol=1e-3)
    assert bandwidth_hz(np.ones(1, np.float32), SAMPLE_RATE) == 0  # the window is 0 there


def test_anchors_are_filtered_as_bs_1534_says():
    """3.5 kHz: ripple at most 0.1 dB up to it, 25 dB down at 4 kHz, 50 dB at 4.5 kHz; 7 kHz: the same at twice that. No delay."""
    impulse = silence(0.2)
    impulse[4800] = 1
    for hz in (3500.0, 7000.0):
        filtered = lowpassed(impulse, SAMPLE_RATE, hz)
        response = 20 * np.log10(np.abs(np.fft.rfft(filtered, SAMPLE_RATE)) + 1e-9)
        assert np.abs(response[: int(hz)]).max() < 0.1
        assert response[int(hz * 8 / 7) :].max() < -50 and np.argmax(filtered) == 4800 and len(filtered) == len(impulse)
        for share in (2.5 / 3.5, 3.4 / 3.5):
            assert db(lowpassed(sine(hz * share, 0.1), SAMPLE_RATE, hz)[1000:-1000]) == pytest.approx(-23.01, abs=0.1)
        assert db(lowpassed(sine(hz * 8 / 7, 0.1), SAMPLE_RATE, hz)[1000:-1000]) < -23 - 50
    assert lowpassed(impulse, SAMPLE_RATE, 22_000.0) is impulse


@pytest.mark.parametrize("rate", [16_000, 24_000, 44_100, 48_000])
@pytest.mark.parametrize("noise", [0.0, 1e-4, 3e-3])
def test_speech_has_150_ms_of_silence_on_both_sides_whatever_lies_under_it(rate, noise):
    chance = np.random.default_rng(1)
    for before, after in ((0.0, 0.05), (0.4, 0.0), (0.03, 1.2), (1.0, 0.3)):
        sound = np.concatenate([silence(before, rate), syllables(1.0, rate, top_hz=6000), silence(after, rate)])
        sound = sound + (noise * chance.standard_normal(len(sound))).astype(np.float32)
        made = shaped(sound, rate, PLAN)
        assert len(made) == pytest.approx(1.3 * SAMPLE_RATE, abs=0.02 * SAMPLE_RATE)
        speech = made[round(SILENCE_SECONDS * SAMPLE_RATE) :][: round(0.05 * SAMPLE_RATE)]
        assert db(speech) > db(made[: round(0.13 * SAMPLE_RATE)]) + 15
        assert db(made[-round(0.2 * SAMPLE_RATE) : -round(0.16 * SAMPLE_RATE)]) > db(made[-round(0.13 * SAMPLE_RATE) :]) + 15


def test_what_was_cut_off_comes_and_goes_softly_and_what_was_not_stays_as_it_is():
    hum = sine(50, 1, -50) + np.float32(1e-3)
    sound = np.concatenate([hum, syllables(0.5), hum])
    made = shaped(sound, SAMPLE_RATE, PLAN)
    assert abs(made[0]) < 1e-5 > abs(made[-1]) and np.abs(made[300:400]).max() > 1e-3
    assert shaped(sound, SAMPLE_RATE, PLAN.model_copy(update={"trim_silence": False})) is sound
    assert speech_bounds(silence(1), SAMPLE_RATE) is None and len(shaped(silence(1), SAMPLE_RATE, PLAN)) == SAMPLE_RATE


def test_a_click_is_no_beginning():
    sound = np.concatenate([silence(1), syllables(0.5), silence(1)])
    sound[4800:4810] = 0.3
    assert speech_bounds(sound, SAMPLE_RATE)[0] == pytest.approx(SAMPLE_RATE, abs=0.01 * SAMPLE_RATE)


@pytest.mark.parametrize("level", [-45.0, -6.0])
def test_a_sound_comes_out_as_loud_as_planned_and_the_gain_is_told(level):
    for lufs in (-23.0, -30.0):
        sound = shaped(syllables(1.5) * np.float32(10 ** (level / 20)), SAMPLE_RATE, PLAN)
        [made] = matched([sound], PLAN.model_copy(update={"lufs": lufs}))
        assert made.lufs == pytest.approx(lufs, abs=0.01)
        file, rate = soundfile.read(io.BytesIO(wav_bytes(made.samples)), dtype="float32")
        assert integrated_loudness(np.pad(file, (0, rate)), rate) == pytest.approx(lufs, abs=0.1)
        assert made.gain_db == pytest.approx(lufs - prepared_loudness(level), abs=0.05)


def prepared_loudness(level: float) -> float:
    """Of `syllables(1.5)` at that level, as it is in a file."""
    return level + integrated_loudness(np.pad(shaped(syllables(1.5), SAMPLE_RATE, PLAN), (0, SAMPLE_RATE)), SAMPLE_RATE)


def test_where_one_sound_would_clip_all_are_softer_and_nothing_is_cut_off():
    peaky = syllables(1.0)
    peaky[20_000] = 1.0
    sounds = matched([syllables(1.0), peaky], PLAN)
    assert sounds[0].lufs == pytest.approx(sounds[1].lufs, abs=0.01) and -23 - MOST_LOWERED_DB < sounds[0].lufs < -23.5
    assert 20 * np.log10(np.abs(sounds[1].samples).max()) == pytest.approx(MOST_PEAK_DB, abs=0.01)
    peaky[20_000] = 200.0
    ordinary, broken = matched([syllables(1.0), peaky], PLAN)
    assert ordinary.lufs == pytest.approx(-23 - MOST_LOWERED_DB, abs=0.01) and np.abs(broken.samples).max() < 1 and broken.lufs < -30
    loud = PLAN.model_copy(update={"match_loudness": False})
    assert [sound.gain_db for sound in matched([syllables(1.0)] * 2, loud)] == [0, 0]
    assert np.abs(matched([sine(100, 1, 0.0)], loud)[0].samples).max() < 10 ** (MOST_PEAK_DB / 20) + 1e-4


def test_a_file_is_the_same_for_the_same_sound_and_holds_no_digital_silence():
    samples = np.concatenate([syllables(0.3), silence(0.5)])
    data = wav_bytes(samples)
    assert data == wav_bytes(samples.copy()) and len(data) == 44 + 2 * len(samples)
    file, rate = soundfile.read(io.BytesIO(data), dtype="int16")
    assert rate == SAMPLE_RATE and soundfile.info(io.BytesIO(data)).subtype == "PCM_16"
    tail = file[-20_000:]
    assert 0.1 < np.mean(tail != 0) < 0.5 and np.abs(tail).max() <= 1
    assert np.abs(file - 32768 * samples).max() <= 1.5


def test_bandwidth_is_up_to_where_sound_reaches():
    for top in (3500.0, 8000.0, 12_000.0, 18_000.0):
        assert bandwidth_hz(syllables(1.0, top_hz=top), SAMPLE_RATE) == pytest.approx(top * 8 / 7, rel=0.06)
    assert bandwidth_hz(silence(1), SAMPLE_RATE) == 0


def test_gold_is_obviously_bad_and_a_stranger_is_higher():
    sound = syllables(1.0)
    bad = gold_of(sound, "mos")
    assert np.array_equal(bad, gold_of(sound, "mos")) and len(bad) == len(sound) and bandwidth_hz(bad, SAMPLE_RATE) < 4700
    kept = lowpassed(sound, SAMPLE_RATE, 2000.0)
    assert db(bad - kept) > db(kept) - 3  # as much noise as sound
    stranger = gold_of(sine(200, 1), "smos")
    assert np.argmax(np.abs(np.fft.rfft(stranger, SAMPLE_RATE))) == pytest.approx(320, abs=1)
