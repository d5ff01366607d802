"""The frame grid and the spectral bases that analysis, network and vocoder share. Numbers and matrices only."""

import numpy as np

__all__ = [
    "BAND_EDGES_HZ",
    "DCT",
    "FFT_SAMPLES",
    "FRAMES_PER_SECOND",
    "HOP_SAMPLES",
    "LINE_HZ",
    "MEL_HZ",
    "N_BANDS",
    "N_CEPSTRA",
    "N_LINES",
    "N_MELS",
    "SAMPLE_RATE",
    "cepstra_of",
    "context",
    "dct_matrix",
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
    """(F, len(offsets) * D): each row beside its neighbours at the offsets, edges repeated."""
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
    return sum(weight * padded[k : k + len(rows)] for k, weight in enumerate(window)).astype(np.float32)
