"""Turns VocoderFrames into samples, by pulses and noise through minimum-phase filters. Blocks of the stream join without a seam.

Pulses stand at sub-sample positions where the integrated F0 crosses a whole number; the noise is a function of seed and absolute
sample. So the samples do not depend on how frames are grouped into calls. Output gain is that of the envelope: white noise of unit
power has log power 0.
"""

from itertools import pairwise

import numpy as np

from engines.kit.signal.spectrum import (
    BAND_EDGES_HZ,
    FFT_SAMPLES,
    HOP_SAMPLES,
    LINE_HZ,
    MEL_HZ,
    N_BANDS,
    N_LINES,
    N_MELS,
    SAMPLE_RATE,
    interpolation,
)

__all__ = ["DELAY_SAMPLES", "Vocoder"]

DELAY_SAMPLES = 24  # room for what rings before a sub-sample pulse; taken off again at the start of the stream
_CHUNK_FRAMES = 128
_ROWS = 8  # OpenBLAS rounds a row alike wherever among 8 it stands; among 16 it does not, with one thread on Haswell's kernels
_TAPE_SAMPLES = 1 << 14
_SILENT_HZ = 100.0  # the phase goes on while unvoiced
_SECONDS = np.arange(HOP_SAMPLES + 1) / SAMPLE_RATE  # of a frame, its end included
_LEAST_SHARE, _MOST_SHARE = 1e-3, 1.0  # of noise in a band


def _log_power_to_filter() -> tuple[np.ndarray, np.ndarray]:
    """Two (N_MELS, N_LINES) matrices: log amplitude at mel points to log amplitude and to minimum phase at the FFT's lines."""
    to_lines = interpolation(MEL_HZ, LINE_HZ).astype(np.float64)
    cepstrum = np.fft.irfft(to_lines, FFT_SAMPLES, axis=0)
    cepstrum[1 : FFT_SAMPLES // 2] *= 2  # fold the anticausal half (Oppenheim and Schafer, homomorphic processing)
    cepstrum[FFT_SAMPLES // 2 + 1 :] = 0
    phase = np.fft.rfft(cepstrum, FFT_SAMPLES, axis=0).imag
    return to_lines.T.astype(np.float32), phase.T.astype(np.float32)


_TO_AMPLITUDE, _TO_PHASE = _log_power_to_filter()
_BAND_CENTERS_HZ = np.array([(low + high) / 2 for low, high in pairwise(BAND_EDGES_HZ)])
_BANDS_TO_MEL = interpolation(_BAND_CENTERS_HZ, MEL_HZ).T
_RUMBLE_FILTER = np.log(np.clip((MEL_HZ / 70.0) ** 2, 0.03, 1)).astype(np.float32)  # nothing below 70 Hz is speech
_RADIANS_PER_SAMPLE = (2 * np.pi * np.arange(N_LINES) / FFT_SAMPLES).astype(np.float32)
_HANN = np.hanning(2 * HOP_SAMPLES + 1)[:-1].astype(np.float32)  # sums to one at a hop's distance
_DC_SHAPE = (np.hanning(FFT_SAMPLES) / np.hanning(FFT_SAMPLES).sum()).astype(np.float32)


class Vocoder:
    """The state of one stream: phase of the pulses, ringing of the filters, position on the noise tape.

    seed: 0 to 2**63 - 1, draws the noise.
    """

    def __init__(self, seed: int):
        self._tape = _NoiseTape(seed)
        self._phase = 0.0  # of the pulses, in periods
        self._ringing = np.zeros((2, FFT_SAMPLES), np.float32)  # of pulses and of noise: one sum each, in the order of time
        self._frame = 0

    def push(self, f0: np.ndarray, log_power: np.ndarray, noise_share: np.ndarray) -> np.ndarray:
        """F * HOP_SAMPLES samples, late by DELAY_SAMPLES, from F frames and the one after them.

        f0: (F + 1,) Hz, 0 where unvoiced. log_power: (F + 1, N_MELS) natural. noise_share: (F + 1, N_BANDS) amplitude.
        """
        n_frames = len(f0) - 1
        n_samples = n_frames * HOP_SAMPLES
        buffer = np.zeros((2, n_samples + FFT_SAMPLES), np.float32)
        buffer[:, :FFT_SAMPLES] = self._ringing
        log_amplitude = (0.5 * log_power + _RUMBLE_FILTER).astype(np.float32)
        share = np.clip(noise_share, _LEAST_SHARE, _MOST_SHARE).astype(np.float32)
        self._add_pulses(buffer[0], f0, log_amplitude, share)
        self._add_noise(buffer[1], f0, log_amplitude, share)
        self._ringing = buffer[:, n_samples:].copy()
        self._frame += n_frames
        return buffer[0, :n_samples] + buffer[1, :n_samples]

    def finish(self) -> np.ndarray:
        """(FFT_SAMPLES,) what still rings after the last frame."""
        ringing, self._ringing = self._ringing, np.zeros_like(self._ringing)
        return ringing[0] + ringing[1]

    def _add_pulses(self, buffer: np.ndarray, f0: np.ndarray, log_amplitude: np.ndarray, share: np.ndarray) -> None:
        n_frames = len(f0) - 1
        pulses, late, periods = self._crossings(f0)
        gain = np.sqrt(periods).astype(np.float32)
        frame = np.minimum(pulses // HOP_SAMPLES, n_frames - 1)
        mix = (pulses / HOP_SAMPLES - frame).astype(np.float32)[:, None]
        tone = np.log(np.sqrt(np.maximum(1 - share**2, 1e-4)))
        shape = log_amplitude + _at_mel_points(tone)
        shape = shape[frame] * (1 - mix) + shape[frame + 1] * mix
        for start in range(0, len(pulses), _CHUNK_FRAMES):
            part = slice(start, start + _CHUNK_FRAMES)
            shift = _RADIANS_PER_SAMPLE * (_whole_rows(late[part, None]) - DELAY_SAMPLES)
            responses = np.fft.irfft(_filters(_whole_rows(shape[part]), shift) * _whole_rows(gain[part, None]), FFT_SAMPLES)
            responses -= responses.sum(1, keepdims=True) * _DC_SHAPE  # a smooth shape, so that no step is heard
            for position, response in zip(pulses[part], responses, strict=False):
                buffer[position : position + FFT_SAMPLES] += response

    def _crossings(self, f0: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The samples (P,) before which a pulse lies, how long before (in samples, float32), and the period there in samples.

        F0 goes linearly from frame to frame and stays where no voiced frame follows, so t samples into a frame of T the phase has grown
        by f0 t + (f1 - f0) t^2 / 2T.
        """
        start_hz = np.where(f0[:-1] > 0, f0[:-1], _SILENT_HZ)
        rise_hz = np.where((f0[:-1] > 0) & (f0[1:] > 0), f0[1:] - f0[:-1], 0)
        # never wrapped: the same sums in whatever blocks
        starts = np.cumsum(np.concatenate([[self._phase], (start_hz + rise_hz / 2) * (HOP_SAMPLES / SAMPLE_RATE)]))
        self._phase = float(starts[-1])
        phase = starts[:-1, None] + start_hz[:, None] * _SECONDS + rise_hz[:, None] * (_SECONDS**2 / (2 * _SECONDS[-1]))
        phase[:, -1] = starts[1:]  # exactly where the next frame begins, so that no crossing is missed or counted twice
        whole = np.floor(phase)
        frame, sample = np.nonzero((whole[:, 1:] > whole[:, :-1]) & (f0[:-1, None] > 0))
        hz = start_hz[frame] + rise_hz[frame] * ((sample + 1) / HOP_SAMPLES)
        late = (phase[frame, sample + 1] - whole[frame, sample + 1]) / (hz / SAMPLE_RATE)
        return frame * HOP_SAMPLES + sample, late.astype(np.float32), SAMPLE_RATE / hz

    def _add_noise(self, buffer: np.ndarray, f0: np.ndarray, log_amplitude: np.ndarray, share: np.ndarray) -> None:
        """One Hann segment of the tape per frame, centered on it; the first frame of all is the only one not yet drawn."""
        first = 0 if self._frame == 0 else 1
        shape = log_amplitude + _at_mel_points(np.log(np.where(f0[:, None] > 0, share, 1)))
        tape = self._tape.read((self._frame + first) * HOP_SAMPLES, (self._frame + len(f0) + 1) * HOP_SAMPLES)
        segments = np.lib.stride_tricks.sliding_window_view(tape, 2 * HOP_SAMPLES)[::HOP_SAMPLES] * _HANN
        for start in range(0, len(segments), _CHUNK_FRAMES):
            filters = _filters(_whole_rows(shape[first + start : first + start + _CHUNK_FRAMES]), 0)
            part = segments[start : start + _CHUNK_FRAMES]
            filtered = np.fft.irfft(np.fft.rfft(_whole_rows(part), FFT_SAMPLES) * filters, FFT_SAMPLES)
            for k, response in enumerate(filtered[: len(part)], first + start):
                begin = (k - 1) * HOP_SAMPLES + DELAY_SAMPLES
                buffer[max(0, begin) : begin + FFT_SAMPLES] += response[max(0, -begin) :]


def _whole_rows(rows: np.ndarray) -> np.ndarray:
    """(N, D) with rows of zeros up to a multiple of _ROWS: a product of matrices rounds a row by itself only where it is one of as many."""
    return np.concatenate([rows, np.zeros((-len(rows) % _ROWS, rows.shape[1]), rows.dtype)])


def _at_mel_points(bands: np.ndarray) -> np.ndarray:
    """(F, N_BANDS) to (F, N_MELS)."""
    return (_whole_rows(bands).reshape(-1, _ROWS, N_BANDS) @ _BANDS_TO_MEL).reshape(-1, N_MELS)[: len(bands)]


def _filters(log_amplitude: np.ndarray, phase_shift: np.ndarray | int) -> np.ndarray:
    """(F, N_LINES) complex minimum-phase responses of log amplitudes (F, N_MELS); phase_shift (F, N_LINES) radians is added."""
    rows = log_amplitude.reshape(-1, _ROWS, N_MELS)
    amplitude = np.exp((rows @ _TO_AMPLITUDE).reshape(-1, N_LINES))
    phase = (rows @ _TO_PHASE).reshape(-1, N_LINES) + phase_shift
    response = np.empty(amplitude.shape, np.complex64)
    np.multiply(amplitude, np.cos(phase), out=response.real)
    np.multiply(amplitude, np.sin(phase), out=response.imag)
    return response


class _NoiseTape:
    """White noise of unit power by absolute position, from a counter-based generator (Philox, Salmon et al. 2011)."""

    def __init__(self, seed: int):
        self._seed = seed
        self._sheets: dict[int, np.ndarray] = {}

    def read(self, first: int, last: int) -> np.ndarray:
        """(last - first,) float32; first >= 0."""
        sheets = range(first // _TAPE_SAMPLES, (last - 1) // _TAPE_SAMPLES + 1)
        self._sheets = {number: self._sheets[number] if number in self._sheets else self._draw(number) for number in sheets}
        begin = sheets.start * _TAPE_SAMPLES
        return np.concatenate([self._sheets[number] for number in sheets])[first - begin : last - begin]

    def _draw(self, number: int) -> np.ndarray:
        generator = np.random.Generator(np.random.Philox(key=self._seed, counter=[0, 0, 0, number]))
        return generator.standard_normal(_TAPE_SAMPLES, dtype=np.float32)
