"""The frame grid and the spectral bases that analysis, network and vocoder share, as numbers and matrices. Also the envelope of a frame.

The envelope is after CheapTrick (Morise 2015, Speech Communication 67), aperiodicity from band harmonicity: an F0-adaptive window of three
periods, power below F0 mirrored, power smoothed over 2/3 F0, then liftered so that neither the harmonics nor their positions remain. Every
frame depends on the samples around it and on its own F0 alone.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

__all__ = [
    "BAND_EDGES_HZ",
    "DCT",
    "FFT_SAMPLES",
    "FRAMES_PER_SECOND",
    "HALF_WINDOW_SAMPLES",
    "HOP_SAMPLES",
    "LINE_HZ",
    "MEL_HZ",
    "N_BANDS",
    "N_CEPSTRA",
    "N_LINES",
    "N_MELS",
    "SAMPLE_RATE",
    "aperiodicity",
    "cepstra_of",
    "context",
    "dct_matrix",
    "envelope",
    "envelope_and_harmonicity",
    "envelope_of",
    "interpolation",
    "level_db",
    "rows_at",
    "smooth",
    "windows_at",
]

SAMPLE_RATE = 24_000  # Hz
HOP_SAMPLES = 120  # 5 ms
FRAMES_PER_SECOND = SAMPLE_RATE / HOP_SAMPLES
FFT_SAMPLES = 1024
N_LINES = FFT_SAMPLES // 2 + 1
N_MELS = 128  # points of the envelope, equally spaced on the mel scale from 0 Hz to the Nyquist frequency
N_CEPSTRA = 60
BAND_EDGES_HZ = (0, 1000, 2000, 4000, 6000, 8000, 12_000)  # of the aperiodicity
N_BANDS = len(BAND_EDGES_HZ) - 1


def interpolation(from_hz: np.ndarray, to_hz: np.ndarray) -> np.ndarray:
    """(to, from) float32 matrix of linear interpolation between two frequency grids, constant outside the first."""
    matrix = np.zeros((len(to_hz), len(from_hz)), np.float32)
    left = np.clip(np.searchsorted(from_hz, to_hz, side="right") - 1, 0, len(from_hz) - 2)
    weight = np.clip((to_hz - from_hz[left]) / (from_hz[left + 1] - from_hz[left]), 0, 1)
    rows = np.arange(len(to_hz))
    matrix[rows, left] = 1 - weight
    matrix[rows, left + 1] += weight
    return matrix


def dct_matrix(n_points: int, n_orders: int) -> np.ndarray:
    """(n_orders, n_points) float32 orthonormal DCT-II, one order per row."""
    points, orders = np.arange(n_points) + 0.5, np.arange(n_orders)[:, None]
    matrix = np.sqrt(2 / n_points) * np.cos(np.pi * points * orders / n_points)
    matrix[0] /= np.sqrt(2)
    return matrix.astype(np.float32)


def _mel_points() -> np.ndarray:
    top = 1127 * np.log1p(SAMPLE_RATE / 2 / 700)  # O'Shaughnessy's mel scale
    return 700 * np.expm1(np.linspace(0, top, N_MELS) / 1127)


MEL_HZ = _mel_points()
LINE_HZ = np.arange(N_LINES) * SAMPLE_RATE / FFT_SAMPLES
DCT = dct_matrix(N_MELS, N_CEPSTRA)  # the envelope of each cepstrum alone
_BELOW_5_KHZ = int(np.searchsorted(MEL_HZ, 5000.0))


def cepstra_of(log_envelope: np.ndarray) -> np.ndarray:
    """(F, N_MELS) natural log power to (F, N_CEPSTRA) cepstra."""
    return log_envelope @ DCT.T


def envelope_of(cepstra: np.ndarray) -> np.ndarray:
    """(F, up to N_CEPSTRA) cepstra to (F, N_MELS) natural log power."""
    return cepstra @ DCT[: cepstra.shape[1]]


def level_db(log_envelope: np.ndarray) -> np.ndarray:
    """(F,) mean power below 5 kHz in dB, of a log power envelope (F, N_MELS)."""
    return 10 / np.log(10) * np.log(np.exp(log_envelope[:, :_BELOW_5_KHZ]).mean(1) + 1e-12)


def context(rows: np.ndarray, offsets: tuple[int, ...]) -> np.ndarray:
    """(F, len(offsets) * D): each row beside its neighbors at the offsets, edges repeated."""
    index = np.arange(len(rows))
    return np.concatenate([rows[np.clip(index + offset, 0, len(rows) - 1)] for offset in offsets], 1)


def rows_at(samples: np.ndarray, starts: np.ndarray, length: int) -> np.ndarray:
    """(F, length) a copy of the (T,) samples from each of the starts on, all of which lie inside."""
    every = np.ndarray((len(samples) - length + 1, length), samples.dtype, samples, strides=samples.strides * 2)
    return every[starts]


def windows_at(samples: np.ndarray, starts: np.ndarray, length: int) -> np.ndarray:
    """The same of rising starts, one at least, with zeros where there are no samples."""
    first, last = int(starts[0]), int(starts[-1]) + length
    inside = samples[max(0, first) : max(0, last)]
    if len(inside) < last - first:
        before = min(max(0, -first), last - first)
        inside = np.concatenate([inside[:0], np.zeros(before, inside.dtype), inside])
        inside = np.concatenate([inside, np.zeros(last - first - len(inside), inside.dtype)])
    return rows_at(np.ascontiguousarray(inside), starts - first, length)


def smooth(rows: np.ndarray, radius: int) -> np.ndarray:
    """(F, D) Hann mean over +-radius frames, edges repeated."""
    window = np.hanning(2 * radius + 3)[1:-1].astype(np.float32)
    window /= window.sum()
    padded = np.concatenate([rows[:1]] * radius + [rows] + [rows[-1:]] * radius)
    parts = (weight * padded[k : k + len(rows)] for k, weight in enumerate(window))
    return sum(parts, np.zeros((), np.float32)).astype(np.float32)


# --- the envelope


HALF_WINDOW_SAMPLES = FFT_SAMPLES // 2
_UNVOICED_HZ = 500.0  # CheapTrick's default F0 where there is none
_LOWEST_HZ = 3 * SAMPLE_RATE / FFT_SAMPLES  # 70.3: three periods of anything lower do not fit the FFT
_CHUNK_FRAMES = 256
_MANY_CHUNKS, _THREADS = 4, 2  # from so many on, a clip, by so many threads
_FLOOR = 1e-13  # power of digital silence

_TIME = np.arange(-HALF_WINDOW_SAMPLES, HALF_WINDOW_SAMPLES, dtype=np.float32) / SAMPLE_RATE
_QUEFRENCY = (np.arange(N_LINES) / SAMPLE_RATE).astype(np.float32)
_LOW_LINES = np.arange(int(np.ceil(_UNVOICED_HZ * FFT_SAMPLES / SAMPLE_RATE)) + 1)
_PAD_LINES = int(np.ceil(_UNVOICED_HZ * FFT_SAMPLES / SAMPLE_RATE / 3)) + 2
_BAND_OF_LINE = np.stack([(low <= LINE_HZ) & (high > LINE_HZ) for low, high in pairwise(BAND_EDGES_HZ)], 1)
_BAND_OF_LINE = _BAND_OF_LINE.astype(np.float32)
# how much of a band's harmonicity loss counts as noise: measured on natural voices, where window and F0 errors cost more at the top
_BAND_WEIGHT = np.array([0.03, 0.04, 0.27, 0.42, 0.55, 0.76], np.float32)
# harmonicity of a perfectly periodic signal and of white noise under the three-period window
_PERIODIC, _NOISE = 0.46, 0.06


def _quefrency_to_mel() -> np.ndarray:
    """(N_LINES, N_MELS): a symmetric cepstrum, given by its first half, to its log spectrum at the mel points."""
    angle = 2 * np.pi * np.outer(np.arange(N_LINES), np.arange(N_LINES)) / FFT_SAMPLES
    cosines = 2 * np.cos(angle)
    cosines[0] = 1
    cosines[-1] /= 2
    return (cosines @ interpolation(LINE_HZ, MEL_HZ).T.astype(np.float64)).astype(np.float32)


_TO_MEL = _quefrency_to_mel()


def envelope(samples: np.ndarray, f0: np.ndarray, first_frame: int = 0) -> np.ndarray:
    """(F, N_MELS) natural log power at the mel points; frame k is centered at sample (first_frame + k) * HOP_SAMPLES."""
    return _analyze(samples, f0, first_frame, None)


def envelope_and_harmonicity(samples: np.ndarray, f0: np.ndarray, first_frame: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """The envelope (F, N_MELS), and per band (F, N_BANDS) the autocorrelation at one period of that band's signal."""
    harmonicity = np.zeros((len(f0), N_BANDS), np.float32)
    return _analyze(samples, f0, first_frame, harmonicity), harmonicity


def aperiodicity(harmonicity: np.ndarray) -> np.ndarray:
    """(F, N_BANDS) amplitude share of noise, 0 to 1, of harmonicity as measured above."""
    return np.sqrt(np.clip((_PERIODIC - harmonicity) / (_PERIODIC - _NOISE), 0, 1) * _BAND_WEIGHT)


def _analyze(samples: np.ndarray, f0: np.ndarray, first_frame: int, harmonicity: np.ndarray | None) -> np.ndarray:
    starts = (first_frame + np.arange(len(f0))) * HOP_SAMPLES - HALF_WINDOW_SAMPLES
    adapted = np.where(f0 > 0, f0, _UNVOICED_HZ).clip(_LOWEST_HZ, _UNVOICED_HZ).astype(np.float32)[:, None]
    out = np.empty((len(f0), N_MELS), np.float32)

    def analyze(part: slice) -> None:
        power = _power(windows_at(samples, starts[part], FFT_SAMPLES), adapted[part])
        if harmonicity is not None:
            harmonicity[part] = _harmonicity(power, adapted[part])
        out[part] = _smoothed(power, adapted[part])

    parts = [slice(start, start + _CHUNK_FRAMES) for start in range(0, len(f0), _CHUNK_FRAMES)]
    if len(parts) < _MANY_CHUNKS:
        for part in parts:
            analyze(part)
    else:
        with ThreadPoolExecutor(_THREADS, "espeak-analysis") as threads:
            list(threads.map(analyze, parts))
    return out


def _power(windows: np.ndarray, f0: np.ndarray) -> np.ndarray:
    """(F, N_LINES) power under a Hann window of three periods, of unit energy, without the window's mean."""
    phase = np.minimum(np.abs(_TIME * (f0 / 1.5)), 1)
    weight = 0.5 + 0.5 * np.cos(np.float32(np.pi) * phase)
    shaped = windows * weight
    shaped -= weight * (shaped.sum(1, keepdims=True) / weight.sum(1, keepdims=True))
    shaped /= np.sqrt(np.einsum("ft,ft->f", weight, weight))[:, None]
    spectrum = np.fft.rfft(shaped, FFT_SAMPLES)
    return spectrum.real**2 + spectrum.imag**2


def _harmonicity(power: np.ndarray, f0: np.ndarray) -> np.ndarray:
    in_band = power @ _BAND_OF_LINE + 1e-9 * power.sum(1, keepdims=True) + 1e-20
    best = np.full((len(power), N_BANDS), -1, np.float32)
    for detune in (0.985, 1.0, 1.015):  # small errors of F0 matter at high frequencies
        cosine = np.cos((2 * np.pi * detune) * LINE_HZ.astype(np.float32) / f0)
        best = np.maximum(best, (power * cosine) @ _BAND_OF_LINE / in_band)
    return best


def _smoothed(power: np.ndarray, f0: np.ndarray) -> np.ndarray:
    """(F, N_MELS) log power: DC correction, rectangular smoothing over 2/3 F0, liftering (Morise 2015, equations 6 to 10)."""
    mirror = np.maximum(f0 * (FFT_SAMPLES / SAMPLE_RATE) - _LOW_LINES, 0)
    line = mirror.astype(np.int64)
    share = mirror - line
    rows = np.arange(len(power))[:, None]
    mirrored = power[rows, line] * (1 - share) + power[rows, line + 1] * share
    power[:, : len(_LOW_LINES)] += np.where(mirror > 0, mirrored, 0)
    smoothed = _moving_mean(power, f0 * (FFT_SAMPLES / SAMPLE_RATE / 3))
    cepstrum = np.fft.irfft(np.log(np.maximum(smoothed, _FLOOR)), FFT_SAMPLES)[:, :N_LINES]
    argument = f0 * _QUEFRENCY
    lifter = np.sinc(argument) * (1.3 - 0.3 * np.cos(2 * np.float32(np.pi) * argument))
    return (cepstrum * lifter).astype(np.float32) @ _TO_MEL


def _moving_mean(power: np.ndarray, half_width: np.ndarray) -> np.ndarray:
    """(F, N_LINES) mean of power over +-half_width (F, 1) lines, between lines too; the spectrum goes on mirrored at both ends."""
    mirrored = np.concatenate([power[:, _PAD_LINES:0:-1], power, power[:, -2 : -_PAD_LINES - 2 : -1]], 1)
    total = np.zeros((len(power), mirrored.shape[1] + 1))  # in float64: the differences of large sums carry the weak high lines
    np.cumsum(mirrored, 1, out=total[:, 1:], dtype=np.float64)
    upper, lower = _up_to(total, _PAD_LINES + 0.5 + half_width), _up_to(total, _PAD_LINES + 0.5 - half_width)
    return ((upper - lower) / (2 * half_width)).astype(np.float32)


def _up_to(total: np.ndarray, position: np.ndarray) -> np.ndarray:
    """The running sum at position (F, 1) and the N_LINES - 1 places after it, linear between lines."""
    whole = position.astype(np.int64)
    share = position - whole
    rows = rows_at(total.reshape(-1), np.arange(len(total)) * total.shape[1] + whole[:, 0], N_LINES + 1)
    return rows[:, :-1] * (1 - share) + rows[:, 1:] * share
