"""What the decoder takes, measured in a clip: pitch and energy of every half frame. And mel spectra, to compare sounds by. At 24 kHz."""

from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from engines.kit.signal.spectrum import HOP_SAMPLES

__all__ = ["FRAME_SAMPLES", "HALF_SAMPLES", "RATE_HZ", "energy", "half_frame_f0", "leveled", "log_mel", "triangles"]

RATE_HZ, FRAME_SAMPLES, HALF_SAMPLES = 24_000, 600, 300
SPEECH_RMS = 0.045  # of a whole clip: what the built-in voices have
# Kokoro's energy is the norm over the mel bands of StyleTTS 2's spectrogram, whose filters are those of 16 kHz. What it predicts of its own
# speech is that much of what is measured there (r 0.99); without it a voice learns to make up for the difference.
ENERGY_SLOPE, ENERGY_OFFSET, ENERGY_FLOOR = 0.955, 0.5, 1e-5
ENERGY_FFT, ENERGY_WINDOW, ENERGY_MELS, ENERGY_RATE, ENERGY_TOP_HZ = 2048, 1200, 80, 16_000, 8000.0


def leveled(samples: np.ndarray) -> np.ndarray:
    """(T,) float32, whole frames, as loud as the built-in voices speak."""
    samples = samples[: len(samples) // FRAME_SAMPLES * FRAME_SAMPLES]
    rms = float(np.sqrt(np.mean(np.square(samples, dtype=np.float64))))
    return (samples * (SPEECH_RMS / max(rms, 1e-6))).astype(np.float32)


def energy(samples: Tensor) -> Tensor:
    """(1, N) float32 of (N * HALF_SAMPLES,) samples."""
    power = mel_power(
        samples[None], ENERGY_FFT, ENERGY_WINDOW, HALF_SAMPLES, triangles(ENERGY_MELS, ENERGY_FFT, ENERGY_RATE, ENERGY_TOP_HZ)
    )
    loud = (power + ENERGY_FLOOR).norm(dim=2)[:, : len(samples) // HALF_SAMPLES]
    return ENERGY_SLOPE * loud.log() + ENERGY_OFFSET


def half_frame_f0(found: np.ndarray, n_half_frames: int) -> Tensor:
    """(1, N) float32 Hz, 0 where unvoiced, of a tracker's (F,) every HOP_SAMPLES, between whose frames it is linear."""
    at = np.arange(n_half_frames) * (HALF_SAMPLES / HOP_SAMPLES)
    low = np.minimum(np.floor(at).astype(int), len(found) - 1)
    high = np.minimum(low + 1, len(found) - 1)
    between = found[low] + (found[high] - found[low]) * (at - low)
    nearest = found[np.minimum(np.round(at).astype(int), len(found) - 1)]
    return torch.from_numpy(np.where((found[low] > 0) & (found[high] > 0), between, nearest).astype(np.float32))[None]


def log_mel(samples: Tensor, n_fft: int, window: int, hop: int, bands: Tensor) -> Tensor:
    """(B, F, M) of (B, T), differentiable. bands: (n_fft // 2 + 1, M)."""
    return torch.log(mel_power(samples, n_fft, window, hop, bands) + 1e-4)


def mel_power(samples: Tensor, n_fft: int, window: int, hop: int, bands: Tensor) -> Tensor:
    spectrum = torch.stft(samples, n_fft, hop, window, torch.hann_window(window), center=True, pad_mode="reflect", return_complex=True)
    return (spectrum.real.square() + spectrum.imag.square()).mT @ bands


@lru_cache(maxsize=16)  # a clip has three of its own, by where its band ends
def triangles(n_mels: int, n_fft: int, rate: float, top_hz: float) -> Tensor:
    """(n_fft // 2 + 1, n_mels), evenly spaced on HTK's mel scale, 2595 log10(1 + f / 700), each with a peak of 1."""
    mels = np.linspace(0, 2595 * np.log10(1 + top_hz / 700), n_mels + 2)
    edges = torch.tensor(700 * (10 ** (mels / 2595) - 1))
    lines = torch.linspace(0, rate / 2, n_fft // 2 + 1)[:, None]
    low, middle, high = edges[:-2], edges[1:-1], edges[2:]
    return torch.minimum((lines - low) / (middle - low), (high - lines) / (high - middle)).clamp(min=0).float()
