"""F0 by normalized autocorrelation and a Viterbi path (Boersma 1993, "Accurate short-term analysis of the fundamental frequency").

Two readings of the same tracker: `track` looks at a whole clip, twice; `segments_f0` decides fixed stretches of frames from a bounded
window around each, so that what was decided never depends on what comes later or on how far a stream has got.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np

from engines.kit.signal.spectrum import HOP_SAMPLES, SAMPLE_RATE, rows_at, windows_at

__all__ = [
    "CONTEXT_SAMPLES",
    "LOOK_AHEAD_STEPS",
    "LOOK_BACK_STEPS",
    "SEGMENT_FRAMES",
    "SEGMENT_STEPS",
    "STEP_FRAMES",
    "Candidates",
    "find_candidates",
    "log_f0_range",
    "segments_f0",
    "track",
]

LOWEST_HZ, HIGHEST_HZ = 60.0, 500.0
STEP_FRAMES = 2  # candidates every 10 ms, F0 between them interpolated
SEGMENT_STEPS, LOOK_BACK_STEPS, LOOK_AHEAD_STEPS = 10, 15, 8
SEGMENT_FRAMES = SEGMENT_STEPS * STEP_FRAMES

_HALF_RATE = SAMPLE_RATE / 2
_FIRST_LAG = int(_HALF_RATE / HIGHEST_HZ)
_N_CANDIDATES = 6
_OCTAVE_COST, _OCTAVE_JUMP_COST, _VOICING_COST = 0.02, 0.5, 0.2  # Boersma's table of defaults, jumps raised for 10 ms steps
_IMPOSSIBLE = -1e3
_OCTAVE_ERROR = 0.7  # of log F0: further from the median, the tracker erred
# The second look at a clip: its windows hold three periods of 0.6 of the first look's median, since shorter ones blur less; it looks
# lower than that, since voices fall; and its candidates lie near what the first look found around them, since a generous threshold
# alone lets octaves in (studio/measure/DIARY.md).
_WINDOW_OF_MEDIAN, _WINDOW_RANGE_HZ, _LOWEST_OF_WINDOW = 0.6, (LOWEST_HZ, 150.0), 0.7
_VOICING_THRESHOLD, _SILENCE_THRESHOLD = 0.2, 0.005
_FREE_OCTAVES, _GUIDE_COST = 0.3, 1.0  # per octave further away from the first look than is free


def _half_band_filter() -> np.ndarray:
    n = np.arange(-15, 16)
    taps = np.sinc(n / 2) / 2 * np.hamming(31)
    return (taps / taps.sum()).astype(np.float32)


_HALF_BAND = _half_band_filter()


@dataclass(frozen=True)
class Search:
    """What is looked for, and how finely.

    window_hz: three periods of it are looked at. lowest_hz: not below two thirds of that. step_frames: between two steps, 1 or 2.
    Thresholds: Boersma's.
    """

    window_hz: float = LOWEST_HZ
    lowest_hz: float = LOWEST_HZ
    step_frames: int = STEP_FRAMES
    voicing_threshold: float = 0.45
    silence_threshold: float = 0.03

    @cached_property
    def window(self) -> int:
        """Samples at half the rate."""
        return int(3 / self.window_hz * _HALF_RATE) // 2 * 2

    @cached_property
    def fft(self) -> int:
        """Long enough for a lag of half a window, which no period exceeds."""
        from scipy.fft import next_fast_len  # 0.1 s, which who declares a check of clips need not wait for

        return cast(int, next_fast_len(self.window * 3 // 2 + 2, real=True))  # a stub in SciPy's Python

    @cached_property
    def last_lag(self) -> int:
        return int(_HALF_RATE / self.lowest_hz) + 1

    @cached_property
    def hann(self) -> np.ndarray:
        return np.hanning(self.window + 2)[1:-1].astype(np.float32)

    @cached_property
    def hann_correlation(self) -> np.ndarray:
        correlation = np.fft.irfft(np.abs(np.fft.rfft(self.hann, self.fft)) ** 2, self.fft)[: self.last_lag + 2]
        return (correlation / correlation[0]).astype(np.float32)

    @cached_property
    def lag_cost(self) -> np.ndarray:
        return (_OCTAVE_COST * np.log2(np.arange(_FIRST_LAG, self.last_lag + 1) * self.lowest_hz / _HALF_RATE)).astype(np.float32)

    @cached_property
    def context_samples(self) -> int:
        """Either side of a step's center, at the full rate."""
        return self.window + 32


_FIRST_LOOK = Search()
CONTEXT_SAMPLES = _FIRST_LOOK.context_samples


_CANDIDATE_FIELDS = ("log2_hz", "strength", "harmonicity", "amplitude")


@dataclass(frozen=True)
class Candidates:
    """Per step: log2 F0 of each candidate (S, K), its strength (S, K), its harmonicity (S, K), the peak amplitude (S,)."""

    log2_hz: np.ndarray
    strength: np.ndarray
    harmonicity: np.ndarray
    amplitude: np.ndarray

    def steps(self, first: int, last: int) -> "Candidates":
        return Candidates(self.log2_hz[first:last], self.strength[first:last], self.harmonicity[first:last], self.amplitude[first:last])

    @staticmethod
    def joined(parts: list["Candidates"]) -> "Candidates":
        """One after the other."""
        return Candidates(*(np.concatenate([getattr(part, name) for part in parts]) for name in _CANDIDATE_FIELDS))

    @staticmethod
    def stacked(parts: list["Candidates"]) -> "Candidates":
        """Side by side, (N, S, K) and (N, S)."""
        return Candidates(*(np.stack([getattr(part, name) for part in parts]) for name in _CANDIDATE_FIELDS))


def find_candidates(samples: np.ndarray, first_sample: int, n_steps: int, search: Search = _FIRST_LOOK) -> Candidates:
    """Candidates of the steps centered at first_sample + k * step_frames * HOP_SAMPLES; zeros stand outside the samples."""
    context, window, step = search.context_samples, search.window, search.step_frames * HOP_SAMPLES
    n_samples = (n_steps - 1) * step + 2 * context + 2
    (piece,) = windows_at(samples, np.array([first_sample - context]), n_samples)
    halved = np.convolve(piece, _HALF_BAND, "same")[::2].astype(np.float32)
    centers = (context + np.arange(n_steps) * step) // 2
    windows = rows_at(halved, centers - window // 2, window)
    windows -= windows.mean(1, keepdims=True)
    amplitude = np.abs(windows[:, window // 4 : 3 * window // 4]).max(1)
    spectra = np.fft.rfft(windows * search.hann, search.fft)
    correlation = np.fft.irfft(spectra.real**2 + spectra.imag**2, search.fft)[:, : search.last_lag + 2]
    correlation = correlation / search.hann_correlation / (correlation[:, :1] + 1e-10)
    return _peaks(correlation.astype(np.float32), amplitude, search)


def _peaks(correlation: np.ndarray, amplitude: np.ndarray, search: Search) -> Candidates:
    """The strongest peaks of each row of a normalized autocorrelation, refined by a parabola."""
    last_lag, lag_cost = search.last_lag, search.lag_cost
    inner = correlation[:, _FIRST_LAG : last_lag + 1]
    is_peak = (inner > correlation[:, _FIRST_LAG - 1 : last_lag]) & (inner >= correlation[:, _FIRST_LAG + 1 : last_lag + 2]) & (inner > 0.2)
    best = np.argpartition(-np.where(is_peak, inner - lag_cost, -1), _N_CANDIDATES, 1)[:, :_N_CANDIDATES]
    lag = best + _FIRST_LAG
    rows = np.arange(len(best))[:, None]
    before, at, after = (correlation[rows, lag + offset] for offset in (-1, 0, 1))
    bend = before - 2 * at + after
    shift = (0.5 * (before - after) / np.where(np.abs(bend) > 1e-6, bend, 1)).clip(-0.5, 0.5)
    log2_hz = np.log2(_HALF_RATE / (lag + np.where(np.abs(bend) > 1e-6, shift, 0)))
    height = at - 0.25 * (before - after) * shift  # between lags too, or short periods lose to their multiples
    strength = np.where(is_peak[rows, best], height - lag_cost[best], _IMPOSSIBLE)
    return Candidates(log2_hz, strength, at, amplitude)


def _best_paths(candidates: Candidates, loudest: float, search: Search = _FIRST_LOOK) -> tuple[np.ndarray, np.ndarray]:
    """F0 in Hz (N, S), 0 where unvoiced, and harmonicity (N, S) of every step along the cheapest of the paths of N stretches of S steps.

    candidates: of (N, S, K) and (N, S) instead of (S, K) and (S,). State 0 is "unvoiced".
    """
    n_paths, n_steps = candidates.amplitude.shape
    quiet = 2 - (candidates.amplitude / loudest) / (search.silence_threshold / (1 + search.voicing_threshold))
    unvoiced = search.voicing_threshold + np.maximum(0, quiet)
    scores = np.concatenate([unvoiced[..., None], candidates.strength], 2).swapaxes(0, 1).copy()
    pitch = candidates.log2_hz
    jump = np.zeros((n_steps, n_paths, _N_CANDIDATES + 1, _N_CANDIDATES + 1))  # to a step, by the states there and before
    away = pitch[:, 1:, :, None] - pitch[:, :-1, None, :]
    jump[1:, :, 1:, 1:] = _OCTAVE_JUMP_COST * np.abs(away).swapaxes(0, 1)
    jump[1:, :, 0, 1:] = jump[1:, :, 1:, 0] = _VOICING_COST
    back = np.zeros((n_steps, n_paths, _N_CANDIDATES + 1), np.int64)
    total, arriving = scores[0], np.empty(jump.shape[1:])
    before = total[:, None]
    for step in range(1, n_steps):
        np.subtract(before, jump[step], arriving)
        arriving.argmax(2, back[step])
        np.maximum.reduce(arriving, 2, None, total)
        total += scores[step]
    paths = np.arange(n_paths)
    path = np.zeros((n_steps, n_paths), np.int64)
    path[-1] = total.argmax(1)
    for step in range(n_steps - 1, 0, -1):
        path[step - 1] = back[step, paths, path[step]]
    path = path.T
    chosen = paths[:, None], np.arange(n_steps), np.maximum(path - 1, 0)
    voiced = path > 0
    return np.where(voiced, 2 ** pitch[chosen], 0), np.where(voiced, candidates.harmonicity[chosen], 0)


def _best_path(candidates: Candidates, loudest: float, search: Search = _FIRST_LOOK) -> tuple[np.ndarray, np.ndarray]:
    """The same of one stretch: (S,) and (S,)."""
    hz, harmonicity = _best_paths(Candidates.stacked([candidates]), loudest, search)
    return hz[0], harmonicity[0]


def _to_frames(step_hz: np.ndarray) -> np.ndarray:
    """(N, (S - 1) * STEP_FRAMES) F0 on the frame grid: geometric means inside voiced stretches, the earlier step's decision elsewhere."""
    now, later = step_hz[:, :-1], step_hz[:, 1:]
    between = np.where((now > 0) & (later > 0), np.sqrt(now * later), later)
    return np.stack([now, between], 2).reshape(len(step_hz), -1)


def segments_f0(windows: list[Candidates], first_step: int, loudest: float) -> np.ndarray:
    """(N, SEGMENT_FRAMES) F0 of segments that begin at first_step of their candidates, which hold the look-back and look-ahead too and are
    equally many.
    """
    hz, _ = _best_paths(Candidates.stacked(windows), loudest)
    return _to_frames(hz[:, first_step : first_step + SEGMENT_STEPS + 1])


def track(samples: np.ndarray, n_frames: int) -> tuple[np.ndarray, np.ndarray]:
    """F0 (n_frames,) in Hz, 0 where unvoiced, and harmonicity (n_frames,) of a whole clip at SAMPLE_RATE.

    In two looks, the second at every frame and no lower than the speaker is likely to fall: its voicing is generous, since a weak
    harmonic turned to noise is heard more than noise with a weak harmonic (the aperiodicity tells).
    """
    candidates = find_candidates(samples, 0, n_frames // STEP_FRAMES + 1)
    loudest = float(np.percentile(candidates.amplitude, 99)) + 1e-9
    first, _ = _best_path(candidates, loudest)
    if not first.any():
        return np.zeros(n_frames), np.zeros(n_frames)
    window_hz = float(np.clip(_WINDOW_OF_MEDIAN * np.median(first[first > 0]), *_WINDOW_RANGE_HZ))
    search = Search(window_hz, _LOWEST_OF_WINDOW * window_hz, 1, _VOICING_THRESHOLD, _SILENCE_THRESHOLD)
    return _best_path(_guided(find_candidates(samples, 0, n_frames, search), first), loudest, search)


def _guided(candidates: Candidates, first_look: np.ndarray) -> Candidates:
    """The candidates of every frame, weaker the further they lie from the first look's F0, (S,) Hz, which goes on where it is unvoiced."""
    voiced = np.nonzero(first_look)[0]
    expected = np.interp(np.arange(len(candidates.amplitude)), voiced * STEP_FRAMES, np.log2(first_look[voiced]))
    away = np.maximum(np.abs(candidates.log2_hz - expected[:, None]) - _FREE_OCTAVES, 0)
    return replace(candidates, strength=candidates.strength - _GUIDE_COST * away)


LogRange = tuple[np.floating, np.floating]  # median and deviation


def log_f0_range(f0: np.ndarray) -> LogRange:
    """Median and deviation, of f0's precision, of log F0 where f0 (F,) is voiced.

    What lies further than _OCTAVE_ERROR from the median is no part of the deviation.
    """
    log_f0 = np.log(f0[f0 > 0])
    median = np.median(log_f0)
    return median, log_f0[np.abs(log_f0 - median) < _OCTAVE_ERROR].std()
