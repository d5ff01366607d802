"""Log-mel spectrograms for neural speech front ends, on the Slaney mel scale: of magnitudes, or of power as in Whisper."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from engines.kit.speaker.mel import mel_filters

__all__ = ["LogMel", "whisper_log_mel"]


@dataclass(frozen=True)
class LogMel:
    """What is measured and how finely. Defaults: qwen-tts 0.1.1, extract_speaker_embedding."""

    sample_rate: int = 24_000
    n_fft: int = 1024
    hop_samples: int = 256
    n_bands: int = 128
    lowest_hz: float = 0.0
    highest_hz: float = 12_000.0

    LEAST_POWER = 1e-9  # added below the root; qwen-tts 0.1.1, mel_spectrogram
    LEAST_BAND = 1e-5  # before the logarithm; the same, dynamic_range_compression_torch

    def __call__(self, samples: Tensor) -> Tensor:
        """(B, T) float32 -> (B, T // hop_samples, n_bands) float32, for T a multiple of hop_samples or not; T must exceed n_fft."""
        padding = (self.n_fft - self.hop_samples) // 2
        padded = F.pad(samples[:, None], (padding, padding), mode="reflect")[:, 0]
        window = torch.hann_window(self.n_fft, device=samples.device)
        spectrum = torch.stft(padded, self.n_fft, self.hop_samples, window=window, center=False, return_complex=True)
        magnitude = torch.view_as_real(spectrum).square().sum(-1).add(self.LEAST_POWER).sqrt()  # (B, n_fft / 2 + 1, F)
        bands = magnitude.transpose(1, 2) @ _filters(self).to(samples.device)
        return bands.clamp(min=self.LEAST_BAND).log()


def whisper_log_mel(samples: Tensor, n_bands: int = 128) -> Tensor:
    """(B, T) float32 at 16 kHz, T > 200 -> (B, n_bands, T // 160) float32: decimal logarithm of power, no more than 8 below the row's
    greatest, plus 4, a fourth of it. openai-whisper 20250625, audio.py, log_mel_spectrogram.
    """
    mel = LogMel(sample_rate=16_000, n_fft=400, hop_samples=160, n_bands=n_bands, highest_hz=8_000.0)
    window = torch.hann_window(mel.n_fft, device=samples.device)
    spectrum = torch.stft(samples, mel.n_fft, mel.hop_samples, window=window, return_complex=True)[..., :-1]
    bands = (_filters(mel).to(samples.device).T @ spectrum.abs().square()).clamp(min=1e-10).log10()
    return (bands.maximum(bands.amax(dim=(1, 2), keepdim=True) - 8.0) + 4.0) / 4.0


def _filters(mel: LogMel) -> Tensor:
    """(n_fft / 2 + 1, n_bands) float32."""
    return torch.from_numpy(mel_filters(mel.sample_rate, mel.n_fft, mel.n_bands, mel.lowest_hz, mel.highest_hz))
