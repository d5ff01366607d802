"""Recordings as codes: at the codec's rate, each completed to whole frames with silence, encoded in float32."""

from math import gcd

import numpy as np
import torch
import torchaudio
from torch import Tensor

from engines.clip import Clip
from engines.fish_speech.networks import FishNetworks
from engines.layers.ieee_float32 import ieee_float32
from engines.layers.resampling import resample

__all__ = ["codes_of"]

MOST_PHASES = 1024  # of torchaudio's filter, which holds all of them at once: gigabytes where rates have hardly a divisor in common


@torch.inference_mode()
def codes_of(recording: Clip, networks: FishNetworks) -> np.ndarray:
    """(Q, F) int16, a frame per 46.4 ms, a last part counted whole."""
    with ieee_float32():
        samples = _resampled(recording, networks.codec_config.sample_rate)
        samples = torch.nn.functional.pad(samples, (0, -len(samples) % networks.codec_config.frame_samples))
        codes = networks.encoder.encode(samples[None].to(networks.device))
    return codes[0].to(torch.int16).cpu().numpy()


def _resampled(recording: Clip, sample_rate: int) -> Tensor:
    """(T,) float32. By torchaudio's sinc with its defaults, as upstream; rates that recordings hardly have (44,101 Hz) by soxr."""
    if sample_rate // gcd(sample_rate, recording.sample_rate) > MOST_PHASES:
        return torch.tensor(resample(recording.samples, recording.sample_rate, sample_rate))
    return torchaudio.functional.resample(torch.tensor(recording.samples), recording.sample_rate, sample_rate)
