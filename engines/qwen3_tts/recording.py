"""A clip as the encoders want it: at 24 kHz, with the silence behind it that was asked for. Then its codes and embedding."""

import math

import numpy as np
import soxr
import torch

from engines.clip import Clip
from engines.layers.mel import LogMel
from engines.qwen3_tts.networks import Networks

__all__ = ["codes_of", "embedding_of", "samples_of"]

SAMPLE_RATE = 24_000


def samples_of(clip: Clip, trailing_silence_seconds: float = 0.0) -> np.ndarray:
    """(T,) float32 at 24 kHz, resampled as the official package does it (librosa 0.11 with soxr HQ) to the same number of samples.

    librosa pads with zeros to ceil(n * ratio), the product taken in floating point: 10 s at 44.1 kHz become 240001 samples, and with that
    one frame more.
    """
    samples = clip.samples
    if clip.sample_rate != SAMPLE_RATE:
        n_samples = math.ceil(len(samples) * (float(SAMPLE_RATE) / clip.sample_rate))
        samples = soxr.resample(samples, clip.sample_rate, SAMPLE_RATE, quality="HQ")[:n_samples]
        samples = np.pad(samples, (0, n_samples - len(samples)))
    return np.pad(samples, (0, round(trailing_silence_seconds * SAMPLE_RATE)))


@torch.inference_mode()
def codes_of(samples: np.ndarray, networks: Networks) -> np.ndarray:
    """(T,) float32 at 24 kHz -> (F, 16) int16, one frame per 80 ms, a last part counted whole."""
    with _ieee_float32():
        codes = networks.mimi.encode(torch.from_numpy(samples).to(networks.device)[None, None])
    return codes.to(torch.int16).cpu().numpy()


@torch.inference_mode()
def embedding_of(samples: np.ndarray, networks: Networks) -> np.ndarray:
    """(T,) float32 at 24 kHz -> (H,) float32, the speaker embedding. The spectrogram is taken on the CPU, as upstream takes it."""
    mel = LogMel()(torch.from_numpy(samples)[None]).to(networks.device)
    with _ieee_float32():
        return networks.speaker_encoder(mel)[0].cpu().numpy()


def _ieee_float32():
    """No TF32 in convolutions, which is torch's default on a GPU: it would change codes, and the prompt says float32."""
    return torch.backends.cudnn.flags(enabled=True, deterministic=True, allow_tf32=False)
