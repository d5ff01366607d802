"""A clip as the encoders want it: at 24 kHz, with the silence behind it that was asked for. Then its codes and embedding."""

import numpy as np
import torch

from engines.clips.clip import Clip
from engines.kit.codec.mel import LogMel
from engines.kit.codec.resampling import resample
from engines.kit.nn.ieee_float32 import ieee_float32
from engines.qwen3_tts.networks import Networks

__all__ = ["codes_of", "embedding_of", "samples_of"]

SAMPLE_RATE = 24_000


def samples_of(clip: Clip, trailing_silence_seconds: float = 0.0) -> np.ndarray:
    """(T,) float32 at 24 kHz, resampled as the official package does it."""
    samples = resample(clip.samples, clip.sample_rate, SAMPLE_RATE)
    return np.pad(samples, (0, round(trailing_silence_seconds * SAMPLE_RATE)))


@torch.inference_mode()
def codes_of(samples: np.ndarray, networks: Networks) -> np.ndarray:
    """(T,) float32 at 24 kHz -> (F, 16) int16, one frame per 80 ms, a last part counted whole."""
    with ieee_float32():
        codes = networks.mimi.encode(torch.from_numpy(samples).to(networks.device)[None, None])
    return codes.to(torch.int16).cpu().numpy()


@torch.inference_mode()
def embedding_of(samples: np.ndarray, networks: Networks) -> np.ndarray:
    """(T,) float32 at 24 kHz -> (H,) float32, the speaker embedding. The spectrogram is taken on the CPU, as upstream takes it."""
    with ieee_float32():
        mel = LogMel()(torch.from_numpy(samples)[None]).to(networks.device)
        return networks.speaker_encoder(mel)[0].cpu().numpy()
