"""F0 by normalised autocorrelation and a Viterbi path (Boersma 1993, "Accurate short-term analysis of the fundamental frequency").

Two readings of the same tracker: `track` looks at a whole clip; `track_segment` decides a fixed stretch of frames from a bounded
window around it, so that what was decided never depends on what comes later or on how far a stream has got.
"""

from dataclasses import dataclass

import numpy as np

from engines.espeak.spectrum import HOP_SAMPLES, SAMPLE_RATE

__all__ = [
    "CONTEXT_SAMPLES",
    "LOOK_AHEAD_STEPS",
    "LOOK_BACK_STEPS",
    "SEGMENT_FRAMES",
    "SEGMENT_STEPS",
    "STEP_FRAMES",
    "Candidates",
    "find_candidates",
    "segment_f0",
    "track",
]

LOWEST_HZ, HIGHEST_HZ = 60.0, 500.0
STEP_FRAMES = 2  # candidates every 10 ms, F0 between them interpolated
SEGMENT_STEPS, LOOK_BACK_STEPS, LOOK_AHEAD_STEPS = 10, 15, 8
SEGMENT_FRAMES = SEGMENT_STEPS * STEP_FRAMES

_HALF_RATE = SAMPLE_RATE / 2
_WINDOW = int(3 / LOWEST_HZ * _HALF_RATE) // 2 * 2  # three periods of the lowest F0, samples at half the rate
_FFT = 1 << int(np.ceil(np.log2(_WINDOW * 1.5)))
_FIRST_LAG, _LAST_LAG = int(_HALF_RATE / HIGHEST_HZ), int(_HALF_RATE / LOWEST_HZ) + 1
_N_CANDIDATES = 6
# Boersma's parameters (his table of defaults), jump cost per octave raised for 10 ms steps
_VOICING_THRESHOLD, _SILENCE_THRESHOLD = 0.45, 0.03
_OCTAVE_COST, _OCTAVE_JUMP_COST, _VOICING_COST = 0.02, 0.5, 0.2
_IMPOSSIBLE = -1e3


def _half_band_filter() -> np.ndarray:
    n = np.arange(-15, 16)
    taps = np.sinc(n / 2) / 2 * np.hamming(31)
    return (taps / taps.sum()).astype(np.float32)


_HALF_BAND = _half_band_filter()
_HANN = np.hanning(_WINDOW + 2)[1:-1].astype(np.float32)
_HANN_CORRELATION = np.fft.irfft(np.abs(np.fft.rfft(_HANN, _FFT)) ** 2, _FFT)[: _LAST_LAG + 2]
_HANN_CORRELATION = (_HANN_CORRELATION / _HANN_CORRELATION[0]).astype(np.float32)
_LAG_COST = (_OCTAVE_COST * np.log2(np.arange(_FIRST_LAG, _LAST_LAG + 1) * LOWEST_HZ / _HALF_RATE)).astype(np.float32)
CONTEXT_SAMPLES = _WINDOW + 32  # either side of a step's centre, at the full rate


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
        return Candidates(
            *(np.concatenate([getattr(part, name) for part in parts]) for name in ("log2_hz", "strength", "harmonicity", "amplitude"))
        )


def find_candidates(samples: np.ndarray, first_sample: int, n_steps: int) -> Candidates:
    """Candidates of the steps centred at first_sample + k * STEP_FRAMES * HOP_SAMPLES; zeros stand outside the samples."""
    start = first_sample - CONTEXT_SAMPLES
    stop = first_sample + (n_steps - 1) * STEP_FRAMES * HOP_SAMPLES + CONTEXT_SAMPLES + 2
    piece = samples[max(0, start) : max(0, stop)]
    piece = np.pad(piece, (max(0, -start), max(0, stop - start - max(0, -start) - len(piece))))
    halved = np.convolve(piece, _HALF_BAND, "same")[::2].astype(np.float32)
    centres = (CONTEXT_SAMPLES + np.arange(n_steps) * STEP_FRAMES * HOP_SAMPLES) // 2
    windows = np.lib.stride_tricks.sliding_window_view(halved, _WINDOW)[centres - _WINDOW // 2]
    windows = windows - windows.mean(1, keepdims=True)
    amplitude = np.abs(windows[:, _WINDOW // 4 : 3 * _WINDOW // 4]).max(1)
    spectra = np.fft.rfft(windows * _HANN, _FFT)
    correlation = np.fft.irfft(spectra.real**2 + spectra.imag**2, _FFT)[:, : _LAST_LAG + 2]
    correlation = correlation / _HANN_CORRELATION / (correlation[:, :1] + 1e-10)
    return _peaks(correlation.astype(np.float32), amplitude)


def _peaks(correlation: np.ndarray, amplitude: np.ndarray) -> Candidates:
    """The strongest peaks of each row of a normalised autocorrelation, refined by a parabola."""
    inner = correlation[:, _FIRST_LAG : _LAST_LAG + 1]
    is_peak = (
        (inner > correlation[:, _FIRST_LAG - 1 : _LAST_LAG]) & (inner >= correlation[:, _FIRST_LAG + 1 : _LAST_LAG + 2]) & (inner > 0.2)
    )
    best = np.argpartition(-np.where(is_peak, inner - _LAG_COST, -1), _N_CANDIDATES, 1)[:, :_N_CANDIDATES]
    lag = best + _FIRST_LAG
    before, at, after = (np.take_along_axis(correlation, lag + offset, 1) for offset in (-1, 0, 1))
    bend = before - 2 * at + after
    shift = (0.5 * (before - after) / np.where(np.abs(bend) > 1e-6, bend, 1)).clip(-0.5, 0.5)
    log2_hz = np.log2(_HALF_RATE / (lag + np.where(np.abs(bend) > 1e-6, shift, 0)))
    height = at - 0.25 * (before - after) * shift  # between lags too, or short periods lose to their multiples
    strength = np.where(np.take_along_axis(is_peak, best, 1), height - _LAG_COST[best], _IMPOSSIBLE)
    return Candidates(log2_hz, strength, at, amplitude)


def _best_path(candidates: Candidates, loudest: float) -> tuple[np.ndarray, np.ndarray]:
    """F0 in Hz (0 where unvoiced) and harmonicity of every step along the cheapest path; state 0 is "unvoiced"."""
    n_steps = len(candidates.amplitude)
    quiet = 2 - (candidates.amplitude / loudest) / (_SILENCE_THRESHOLD / (1 + _VOICING_THRESHOLD))
    unvoiced = _VOICING_THRESHOLD + np.maximum(0, quiet)
    scores = np.concatenate([unvoiced[:, None], candidates.strength], 1)
    pitch = candidates.log2_hz
    jump = np.zeros((n_steps, _N_CANDIDATES + 1, _N_CANDIDATES + 1))
    jump[1:, 1:, 1:] = _OCTAVE_JUMP_COST * np.abs(pitch[:-1, :, None] - pitch[1:, None, :])
    jump[1:, 0, 1:] = jump[1:, 1:, 0] = _VOICING_COST
    back = np.zeros((n_steps, _N_CANDIDATES + 1), np.int8)
    columns = np.arange(_N_CANDIDATES + 1)
    total = scores[0]
    for step in range(1, n_steps):
        arriving = total[:, None] - jump[step]
        back[step] = came_from = arriving.argmax(0)
        total = arriving[came_from, columns] + scores[step]
    path = np.zeros(n_steps, np.int64)
    path[-1] = total.argmax()
    for step in range(n_steps - 1, 0, -1):
        path[step - 1] = back[step, path[step]]
    chosen = np.maximum(path - 1, 0)[:, None]
    voiced = path > 0
    hz = np.where(voiced, 2 ** np.take_along_axis(pitch, chosen, 1)[:, 0], 0)
    return hz, np.where(voiced, np.take_along_axis(candidates.harmonicity, chosen, 1)[:, 0], 0)


def _to_frames(step_hz: np.ndarray) -> np.ndarray:
    """((S - 1) * STEP_FRAMES,) F0 on the frame grid: geometric means inside voiced stretches, the earlier step's decision elsewhere."""
    now, later = step_hz[:-1], step_hz[1:]
    between = np.where((now > 0) & (later > 0), np.sqrt(now * later), later)
    return np.stack([now, between], 1).reshape(-1)


def segment_f0(candidates: Candidates, first_step: int, loudest: float) -> np.ndarray:
    """(SEGMENT_FRAMES,) F0 of a segment that begins at first_step of candidates, which hold the look-back and look-ahead too."""
    hz, _ = _best_path(candidates, loudest)
    return _to_frames(hz[first_step : first_step + SEGMENT_STEPS + 1])


def track(samples: np.ndarray, n_frames: int) -> tuple[np.ndarray, np.ndarray]:
    """F0 (n_frames,) in Hz, 0 where unvoiced, and harmonicity (n_frames,) of a whole clip at SAMPLE_RATE."""
    n_steps = n_frames // STEP_FRAMES + 2
    candidates = find_candidates(samples, 0, n_steps)
    loudest = float(np.percentile(candidates.amplitude, 99)) + 1e-9
    hz, harmonicity = _best_path(candidates, loudest)
    return _to_frames(hz)[:n_frames], np.repeat(harmonicity, STEP_FRAMES)[:n_frames]
