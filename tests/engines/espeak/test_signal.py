"""Pitch, envelope and vocoder on signals whose truth is known."""

import numpy as np
import pytest

from engines.espeak.synthesis import soft_limit
from engines.espeak.vocoder import DELAY_SAMPLES, Vocoder
from engines.kit.signal import pitch
from engines.kit.signal.spectrum import (
    HOP_SAMPLES,
    MEL_HZ,
    N_BANDS,
    N_MELS,
    SAMPLE_RATE,
    aperiodicity,
    cepstra_of,
    envelope,
    envelope_and_harmonicity,
    envelope_of,
)

N_FRAMES = 400
MIDDLE = slice(60, -60)
FALLING = -np.minimum(MEL_HZ / 1000, 8).astype(np.float32)  # a spectral slope as of a voice, natural log power


def resynthesized(f0: float, shape: np.ndarray = FALLING, noise_share: float = 1e-3, seed: int = 1) -> np.ndarray:
    pitch_hz, log_power = np.full(N_FRAMES + 1, f0), np.tile(shape, (N_FRAMES + 1, 1))
    return Vocoder(seed).push(pitch_hz, log_power, np.full((N_FRAMES + 1, N_BANDS), noise_share))


@pytest.mark.parametrize("hz", [75.0, 110.0, 187.3, 301.0, 420.0])
def test_the_pitch_of_a_pulse_train_is_found_within_one_percent(hz):
    f0, _ = pitch.track(resynthesized(hz), N_FRAMES)
    assert np.all(np.abs(f0[MIDDLE] / hz - 1) < 0.01)


def test_a_mans_falls_and_faint_endings_are_voiced_in_his_octave():
    """Falls to 60 % of his median, endings 34 dB down, and stretches in which every other period is stronger, as in a creaky voice."""
    time = np.arange(N_FRAMES + 1)
    f0 = 105 * 2 ** (0.5 * np.sin(2 * np.pi * time / 100) - 0.1)
    log_power = FALLING - 8 * (0.5 - 0.5 * np.cos(2 * np.pi * time / 100))[:, None] ** 3
    share = np.full((N_FRAMES + 1, N_BANDS), 0.2)
    samples = Vocoder(1).push(f0, log_power.astype(np.float32), share)
    creak = (time % 100 > 30) & (time % 100 < 42)
    samples += Vocoder(2).push(np.where(creak, f0 / 2, 0), (log_power - np.where(creak, 0.5, 30)[:, None]).astype(np.float32), share)
    found, _ = pitch.track(samples, N_FRAMES)
    voiced = found[MIDDLE] > 0
    octaves = np.abs(np.log2(found[MIDDLE][voiced] / f0[:-1][MIDDLE][voiced]))
    assert voiced.mean() > 0.98
    assert (octaves < 0.05).mean() > 0.98


def test_noise_has_no_pitch():
    f0, _ = pitch.track(resynthesized(0.0), N_FRAMES)
    assert (f0[MIDDLE] > 0).mean() < 0.05


def test_a_pitch_segment_does_not_change_with_what_follows_its_look_ahead():
    samples = resynthesized(150.0)
    changed = samples.copy()
    first_step = 2 * pitch.SEGMENT_STEPS
    last_step = first_step + pitch.SEGMENT_STEPS + pitch.LOOK_AHEAD_STEPS
    changed[last_step * pitch.STEP_FRAMES * HOP_SAMPLES + pitch.CONTEXT_SAMPLES :] = 0.3
    read = []
    for signal in (samples, changed):
        candidates = pitch.find_candidates(signal, 0, last_step)
        read.append(pitch.segments_f0([candidates], first_step, 0.5))
    assert np.array_equal(*read)


@pytest.mark.parametrize("hz", [90.0, 160.0, 280.0])
def test_the_envelope_of_resynthesized_pulses_is_the_one_put_in(hz):
    """Within 1 dB from the first harmonic up to 8 kHz."""
    measured = envelope(resynthesized(hz), np.full(N_FRAMES, hz))[MIDDLE].mean(0)
    heard = (max(hz, 150) < MEL_HZ) & (MEL_HZ < 8000)
    assert np.abs(measured - FALLING)[heard].max() * 4.34 < 1.0


def test_resynthesized_pulses_and_noise_have_the_power_put_in():
    flat = np.zeros(N_MELS, np.float32)
    for samples in (resynthesized(150.0, flat), resynthesized(0.0, flat)):
        assert abs(20 * np.log10(samples[4000:-4000].std())) < 0.5


def test_pulses_measure_as_periodic_and_noise_as_aperiodic():
    flat = np.zeros(N_MELS, np.float32)
    shares = [
        aperiodicity(envelope_and_harmonicity(resynthesized(hz, flat), np.full(N_FRAMES, 150.0))[1])[MIDDLE].mean(0) for hz in (150.0, 0.0)
    ]
    assert np.all(shares[0] < 0.35)
    assert np.all(shares[1] > 2 * shares[0])


def test_vocoder_blocks_join_exactly():
    random = np.random.default_rng(0)
    f0 = np.where(random.random(N_FRAMES + 1) < 0.3, 0, 80 + 200 * random.random(N_FRAMES + 1))
    log_power = random.standard_normal((N_FRAMES + 1, N_MELS)).astype(np.float32)
    share = random.random((N_FRAMES + 1, N_BANDS))
    whole = Vocoder(5).push(f0, log_power, share)
    vocoder, parts, start = Vocoder(5), [], 0
    for size in (1, 7, 100, 3, 200, 89):
        block = slice(start, start + size + 1)
        parts.append(vocoder.push(f0[block], log_power[block], share[block]))
        start += size
    assert start == N_FRAMES
    assert np.array_equal(np.concatenate(parts), whole)


def test_the_phase_of_a_rising_pitch_is_the_integral_of_it():
    """Against the fundamental itself, to 3 % of a period; F0 held over each frame would lose half a period on the way."""
    f0 = np.linspace(300, 500, N_FRAMES + 1)
    share = np.full((N_FRAMES + 1, N_BANDS), 1e-3)
    samples = Vocoder(1).push(f0, np.zeros((N_FRAMES + 1, N_MELS), np.float32), share)
    seconds = np.arange(len(samples)) / SAMPLE_RATE - DELAY_SAMPLES / SAMPLE_RATE
    periods = 300 * seconds + 200 * seconds**2 / (2 * N_FRAMES * HOP_SAMPLES / SAMPLE_RATE)
    at_rest = (samples * np.exp(-2j * np.pi * periods)).reshape(-1, 2400) @ np.hanning(2400)
    drift = np.unwrap(np.angle(at_rest))[1:-1] / (2 * np.pi)
    assert np.ptp(drift) < 0.03


def test_cepstra_hold_a_smooth_envelope():
    smooth = np.cos(np.linspace(0, 6, N_MELS))[None].astype(np.float32)
    assert np.abs(envelope_of(cepstra_of(smooth)) - smooth).max() < 0.01


def test_the_limiter_keeps_quiet_samples_and_never_passes_full_scale():
    quiet = np.linspace(-0.5, 0.5, 101, dtype=np.float32)
    assert np.array_equal(soft_limit(quiet), quiet)
    loud = soft_limit(np.linspace(-9, 9, 1001, dtype=np.float32))
    assert np.abs(loud).max() <= 1
    assert np.all(np.diff(loud) >= 0)


def test_the_grid_is_five_milliseconds():
    assert abs(HOP_SAMPLES / SAMPLE_RATE - 0.005) < 1e-4
