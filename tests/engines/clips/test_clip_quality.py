"""Each number of ClipQuality against signals whose answer is known; what it says, and that it never fails."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from engines.advice.clip_advice import overall, verdicts
from engines.clips.clip import SILENT_DBFS, Clip, check_audible, loudest_dbfs
from engines.clips.clip_quality import ClipQuality, measure_clip
from engines.errors import ClipUnusable

RATES = (8_000, 16_000, 22_050, 44_100, 48_000, 96_000)
at_every_rate = pytest.mark.parametrize("rate", RATES)


def read_only(samples: np.ndarray) -> np.ndarray:
    """Made once: several tests hear the same."""
    samples.flags.writeable = False
    return samples


@lru_cache(32)
def shaped_noise(n_samples: int, rate: int, seed: int, band_hz: tuple[float, float] = (80.0, np.inf)) -> np.ndarray:
    """(T,) of power 1 with the slope of long-term speech: flat to 500 Hz, then -9 dB per octave. Nothing outside the band."""
    lines = np.fft.rfft(np.random.default_rng(seed).standard_normal(n_samples))
    hertz = np.fft.rfftfreq(n_samples, 1 / rate)
    lines *= np.maximum(hertz / 500, 1.0) ** -1.5 * ((hertz >= band_hz[0]) & (hertz <= band_hz[1]))
    noise = np.fft.irfft(lines, n_samples)
    return read_only(noise / np.sqrt(np.mean(np.square(noise))))


@lru_cache(32)
def spoken(seconds: float, rate: int, *, band_hz=(80.0, np.inf), seed: int = 1) -> np.ndarray:
    """(T,) of power 1 while it lasts: words of 0.7 s with 0.3 s between them, which begin and end within 20 ms."""
    n_samples = round(seconds * rate)
    speaking = (np.arange(n_samples) / rate + 0.15) % 1.0 >= 0.3
    edge = np.hanning(round(0.02 * rate))
    return read_only(shaped_noise(n_samples, rate, seed, band_hz) * np.convolve(speaking, edge / edge.sum(), "same"))


def clip_of(samples: np.ndarray, rate: int) -> Clip:
    return Clip(np.asarray(samples, np.float32), rate)


def noisy(snr_db: float, rate: int, seconds: float = 3.0, seed: int = 1, white: bool = False) -> Clip:
    speech = spoken(seconds, rate, seed=seed)
    n_samples = len(speech)
    noise = np.random.default_rng(99).standard_normal(n_samples) if white else shaped_noise(n_samples, rate, seed + 50)
    return clip_of(0.05 * (speech + noise * 10 ** (-snr_db / 20)), rate)


# --- signal to noise


@at_every_rate
@pytest.mark.parametrize("snr_db", [10, 20, 30, 45])
@pytest.mark.parametrize("white", [False, True], ids=["shaped", "white"])
def test_a_known_ratio_of_speech_to_noise_is_found_within_two_decibels(rate, snr_db, white):
    assert measure_clip(noisy(snr_db, rate, white=white)).snr_db == pytest.approx(snr_db, abs=2)


@pytest.mark.parametrize("snr_db", [10, 20, 30])
@pytest.mark.parametrize("seed", range(5))
def test_one_second_is_enough_for_the_ratio(snr_db, seed):
    assert measure_clip(noisy(snr_db, 24_000, seconds=1.0, seed=seed)).snr_db == pytest.approx(snr_db, abs=3)


def test_the_ratio_does_not_depend_on_the_level():
    clip = noisy(25, 16_000)
    assert measure_clip(clip_of(clip.samples / 30, 16_000)).snr_db == pytest.approx(measure_clip(clip).snr_db, abs=0.01)


def test_the_ratio_is_not_off_to_one_side():
    found = [measure_clip(noisy(20, 24_000, seed=seed)).snr_db for seed in range(20)]
    assert np.mean(found) == pytest.approx(20, abs=0.5)


@pytest.mark.parametrize(("rate", "offset"), [(22_050, 0.0), (22_050, 0.1), (22_050, 0.7), (96_000, -0.95)])  # the last rounds upwards
def test_digital_silence_around_a_noisy_recording_does_not_hide_its_noise(rate, offset):
    clip, hush = noisy(20, rate), np.zeros(rate)
    padded = np.concatenate([hush, clip.samples, hush]) + offset
    assert measure_clip(clip_of(padded, rate)).snr_db == pytest.approx(20, abs=2)


def test_digital_silence_between_words_says_sixty_decibels_and_no_more():
    assert measure_clip(clip_of(0.05 * spoken(6.0, 16_000), 16_000)).snr_db == 60


@pytest.mark.parametrize("rate", [8_000, 48_000])
def test_noise_alone_has_no_speech_and_no_ratio(rate):
    quality = measure_clip(clip_of(0.05 * shaped_noise(6 * rate, rate, 3), rate))
    assert (quality.speech_seconds, quality.sound_seconds, quality.snr_db, quality.silence_percent) == (0, 0, 0, 0)
    assert (quality.other_percent, quality.n_speakers) == (100, 0)


# --- sound, silence and level; what of it is speech is in test_speech_activity


@at_every_rate
def test_silence_is_the_share_of_time_without_sound(rate):
    speech = 0.05 * shaped_noise(4 * rate, rate, 1)
    hush = 1e-5 * shaped_noise(3 * rate, rate, 2)
    quality = measure_clip(clip_of(np.concatenate([hush, speech, hush]), rate))
    assert quality.seconds == 10
    assert quality.sound_seconds == pytest.approx(4, abs=0.1)
    assert quality.silence_percent == pytest.approx(60, abs=1)


def test_short_gaps_belong_to_the_sound_and_long_ones_do_not():
    rate = 16_000
    speech, hush = 0.05 * shaped_noise(rate, rate, 1), 1e-5 * shaped_noise(rate, rate, 3)
    for gap_seconds, expected in ((0.1, 2.1), (0.5, 2.0)):
        gap = 1e-5 * shaped_noise(int(gap_seconds * rate), rate, 2)
        joined = np.concatenate([hush, speech, gap, speech, hush])
        assert measure_clip(clip_of(joined, rate)).sound_seconds == pytest.approx(expected, abs=0.05)


def test_a_breath_far_below_the_speech_does_not_count():
    rate = 16_000
    speech, hush = 0.05 * shaped_noise(2 * rate, rate, 1), 1e-5 * shaped_noise(rate, rate, 2)
    breath = 0.05 * 10 ** (-25 / 20) * shaped_noise(rate, rate, 3)
    quality = measure_clip(clip_of(np.concatenate([hush, breath, hush, speech, hush]), rate))
    assert quality.sound_seconds == pytest.approx(2, abs=0.05)


@at_every_rate
def test_the_level_is_that_of_the_speech_without_its_pauses_and_background(rate):
    for snr_db in (30, 7):
        assert measure_clip(noisy(snr_db, rate)).level_dbfs == pytest.approx(20 * np.log10(0.05), abs=0.4)


def test_the_peak_is_that_of_the_largest_sample_beyond_full_scale_too():
    samples = 0.01 * shaped_noise(16_000, 16_000, 1)
    samples[5_000] = -2.0
    assert measure_clip(clip_of(samples, 16_000)).peak_dbfs == pytest.approx(6.02, abs=0.01)


def test_a_constant_part_changes_nothing_but_the_peak():
    clip = noisy(20, 16_000)
    moved = measure_clip(clip_of(clip.samples + 0.25, 16_000))
    for name, value in vars(replace(measure_clip(clip), peak_dbfs=moved.peak_dbfs)).items():
        assert getattr(moved, name) == pytest.approx(value, rel=1e-3, abs=1e-3), name


# --- clipping


@at_every_rate
@pytest.mark.parametrize("drive", [1.05, 1.5, 4.0])
def test_the_clipped_share_of_a_sine_is_found(rate, drive):
    share = 100 * (1 - 2 / np.pi * np.arcsin(1 / drive))
    sine = np.clip(drive * np.sin(2 * np.pi * 97.3 * np.arange(2 * rate) / rate), -1, 1)
    for scale in (1.0, 0.1):
        assert measure_clip(clip_of(scale * sine, rate)).clipping_percent == pytest.approx(share, abs=1.5)


def test_one_polarity_alone_may_clip():
    sine = np.minimum(np.sin(2 * np.pi * 97.3 * np.arange(32_000) / 16_000), 0.5)
    assert measure_clip(clip_of(sine, 16_000)).clipping_percent == pytest.approx(100 / 3, abs=1)


@at_every_rate
@pytest.mark.parametrize("amplitude", [0.9, 0.003])
def test_nothing_is_clipped_in_a_clean_sine_of_16_bits_or_in_clean_speech(rate, amplitude):
    for hertz in (50.0, 220.0, 1000.0):
        sine = np.rint(32768 * amplitude * np.sin(2 * np.pi * hertz * np.arange(rate) / rate)) / 32768
        assert measure_clip(clip_of(sine, rate)).clipping_percent == 0, hertz
    assert measure_clip(noisy(30, rate)).clipping_percent < 0.01


def test_clipped_speech_is_measured_by_its_flat_samples():
    clip = noisy(40, 24_000)
    driven = clip.samples / np.abs(clip.samples).max() * 3
    share = 100 * np.mean(np.abs(driven) >= 1)
    assert measure_clip(clip_of(driven.clip(-1, 1), 24_000)).clipping_percent == pytest.approx(share, rel=0.1)


# --- bandwidth


@pytest.mark.parametrize(
    ("rate", "band_hz"), [(rate, band) for rate in RATES for band in (1_500, 3_400, 4_000, 7_000, 11_000, 16_000) if band < rate / 2]
)
@pytest.mark.parametrize("snr_db", [60, 40])
def test_where_a_low_pass_cut_the_spectrum_is_found(rate, band_hz, snr_db):
    speech = spoken(3.0, rate, band_hz=(80.0, band_hz))
    hiss = 10 ** (-snr_db / 20) * shaped_noise(len(speech), rate, 7) if snr_db < 60 else 0
    assert measure_clip(clip_of(0.05 * (speech + hiss), rate)).bandwidth_hz == pytest.approx(band_hz, abs=250)


@at_every_rate
def test_a_whole_band_ends_at_half_the_rate(rate):
    quality = measure_clip(clip_of(0.05 * spoken(3.0, rate), rate))
    assert quality.bandwidth_hz == pytest.approx(rate / 2, abs=100)


def test_noise_in_the_band_of_the_speech_does_not_narrow_it():
    speech = spoken(6.0, 24_000, band_hz=(80.0, 7_000))
    noise = 0.1 * shaped_noise(len(speech), 24_000, 7)
    assert measure_clip(clip_of(0.05 * (speech + noise), 24_000)).bandwidth_hz == pytest.approx(7_000, abs=250)


def test_hiss_above_the_speech_does_not_widen_the_band():
    speech = spoken(3.0, 48_000, band_hz=(80.0, 4_000))
    hiss = 0.01 * np.random.default_rng(1).standard_normal(len(speech))
    assert measure_clip(clip_of(0.05 * (speech + hiss), 48_000)).bandwidth_hz < 4_300


# --- silence


@pytest.mark.parametrize(
    "samples",
    [np.zeros(0), np.zeros(5), np.zeros(16_000), np.full(16_000, 0.5), 1e-4 * shaped_noise(16_000, 16_000, 1)],
    ids=["empty", "short", "zeros", "DC", "faint"],
)
def test_silence_is_refused_with_its_level_and_the_limit(samples):
    clip = clip_of(samples, 16_000)
    quality = measure_clip(clip)
    assert (quality.speech_seconds, quality.silence_percent, quality.clipping_percent, quality.bandwidth_hz) == (0, 100, 0, 0)
    assert (quality.sound_seconds, quality.other_percent, quality.n_speakers) == (0, 0, 0)
    with pytest.raises(ClipUnusable) as caught:
        check_audible(clip)
    assert caught.value.code == "clip_silent"
    level = f"its level is {loudest_dbfs(clip):.0f} dBFS, and must be above -70 dBFS"
    assert caught.value.fact == f"We hear nothing in this recording: {level}."


def test_whatever_is_louder_than_the_limit_is_no_silence():
    for samples in (
        np.sin(2 * np.pi * 220 * np.arange(16_000) / 16_000) * 10 ** ((SILENT_DBFS + 4) / 20),
        np.concatenate([np.zeros(200_000), 0.01 * shaped_noise(1_600, 16_000, 1)]),
    ):
        check_audible(clip_of(samples, 16_000))


@pytest.mark.parametrize("n_samples", [1, 2, 159, 160, 161, 320, 321, 479, 1_000, 3_200])
@pytest.mark.parametrize("rate", [1_000, 16_000, 192_000])
def test_every_length_can_be_measured(n_samples, rate):
    for samples in (np.ones(n_samples), shaped_noise(max(n_samples, 8), rate, 1)[:n_samples], np.eye(1, n_samples)[0]):
        quality = measure_clip(clip_of(samples, rate))
        assert all(np.isfinite(value).all() for value in map(np.array, vars(quality).values()))
        assert 0 <= quality.silence_percent <= 100
        assert quality.bandwidth_hz <= rate / 2


# --- advice

GOOD = ClipQuality(10.0, 9.0, 9.0, 10.0, -20.0, -3.0, 40.0, 0.0, 12_000.0, 0.0, 1)


def line(quality: ClipQuality, measure: str):
    return next(verdict for verdict in verdicts(quality) if verdict.measure == measure)


def test_a_good_clip_is_good_in_every_line():
    assert {verdict.grade for verdict in verdicts(GOOD)} == {"good"}
    assert overall(verdicts(GOOD)) == "good"


@pytest.mark.parametrize(
    ("measure", "grades"),
    [
        ("speech_seconds", {2.9: "poor", 3.0: "fair", 5.9: "fair", 6.0: "good", 20.0: "good", 20.1: "fair"}),
        ("other_percent", {30.0: "good", 31.0: "fair", 71.0: "poor"}),
        ("n_speakers", {1: "good", 2: "fair"}),
        ("silence_percent", {40.0: "good", 41.0: "fair", 71.0: "poor"}),
        ("level_dbfs", {-37.0: "poor", -25.0: "fair", -24.0: "good", -12.0: "good", -11.0: "fair", -5.0: "poor"}),
        ("snr_db", {20.0: "good", 19.0: "fair", 9.9: "poor"}),
        ("hum_db", {30.0: "good", 29.0: "fair", 14.0: "poor"}),
        ("hiss_db", {20.0: "good", 19.0: "fair", 9.9: "poor"}),
        ("music_percent", {35.0: "good", 36.0: "fair", 71.0: "poor"}),
        ("reverberation_seconds", {0.0: "good", 0.4: "good", 0.41: "fair", 0.8: "poor"}),
        ("clipping_percent", {0.1: "good", 0.2: "fair", 6.0: "poor"}),
        ("bandwidth_hz", {7_000.0: "good", 6_900.0: "fair", 4_000.0: "poor"}),
    ],
)
def test_each_line_is_graded_by_its_own_number_and_the_worst_line_counts(measure, grades):
    for value, grade in grades.items():
        quality = replace(GOOD, **{measure: value})
        assert line(quality, measure).grade == grade, value
        assert overall(verdicts(quality)) == grade


def test_advice_is_one_sentence_with_the_number_in_it():
    quality = ClipQuality(10.0, 2.0, 4.0, 80.0, -40.0, -3.0, 5.0, 6.0, 3_400.0, 50.0, 2)
    said = {verdict.measure: verdict.advice for verdict in verdicts(quality)}
    assert said["speech_seconds"].startswith("Only 2.0 s of speech found; record at least 3 s")
    assert said["clipping_percent"].startswith("6.0 % of the samples are clipped; move back or lower the input")
    assert "80 %" in said["silence_percent"]
    assert "-40 dBFS is quiet" in said["level_dbfs"]
    assert "3.4 kHz" in said["bandwidth_hz"]
    assert "50 % of what is heard is music or noise" in said["other_percent"]
    assert said["n_speakers"].startswith("More than one speaker?")
    assert all(text.endswith(".") and ". " not in text for text in said.values())
    assert "is loud" in line(replace(GOOD, level_dbfs=-4.0), "level_dbfs").advice
    assert "Nothing stands out" in line(replace(GOOD, speech_seconds=0.0, sound_seconds=0.0), "snr_db").advice


def lines_of(samples: np.ndarray) -> dict[str, tuple[str, str]]:
    return {line.measure: (line.grade, line.advice) for line in verdicts(measure_clip(clip_of(samples, 24_000)))}


def test_no_line_calls_speech_what_is_silence_noise_or_music():
    time = np.arange(4 * 24_000) / 24_000
    chords = sum(np.sin(2 * np.pi * hz * time) for hz in (220, 277, 330)) * np.exp(-2 * (time % 1))
    for samples in (np.zeros(4 * 24_000), 0.05 * shaped_noise(4 * 24_000, 24_000, 3), 0.1 * chords):
        lines = lines_of(samples)
        assert lines["speech_seconds"] == ("poor", "No speech was found; record at least 3 s, 8 to 15 s work best.")
        assert {lines[measure][0] for measure in ("other_percent", "n_speakers", "snr_db")} == {"poor"}
        assert not [advice for _, advice in lines.values() if "Speech " in advice or "below the speech" in advice]


def test_what_is_silent_steady_or_music_is_called_that():
    assert lines_of(np.zeros(24_000))["silence_percent"] == ("poor", "All of the clip is silence.")
    noise = lines_of(0.05 * shaped_noise(4 * 24_000, 24_000, 3))
    assert noise["silence_percent"] == ("poor", "It sounds the same throughout; speech has pauses.")
    assert "100 % of what is heard is music or noise" in noise["other_percent"][1]
    assert "is no speech" in lines_of(0.05 * spoken(4.0, 24_000))["snr_db"][1]
