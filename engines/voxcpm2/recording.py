"""A clip as latents: at the encoder's rate, with silence that completes the last patch, or the first."""

from typing import Literal

import numpy as np
import torch

from engines.clips.clip import Clip
from engines.kit.codec.resampling import resample
from engines.kit.nn.ieee_float32 import ieee_float32
from engines.voxcpm2.networks import VoxCpm2Networks

__all__ = ["patches_of", "samples_of"]


def samples_of(clip: Clip, networks: VoxCpm2Networks) -> np.ndarray:
    """(T,) float32 at the encoder's rate, resampled as the official package does it (librosa.load)."""
    return resample(clip.samples, clip.sample_rate, networks.config.audio_vae_config.sample_rate)


@torch.inference_mode()
def patches_of(samples: np.ndarray, networks: VoxCpm2Networks, silence: Literal["before", "after"]) -> np.ndarray:
    """(T,) float32 -> (N, P, D) float32, a patch per 160 ms, silence where the recording does not fill them.

    Upstream (VoxCPM2Model._encode_wav): after it where it is a reference, before it where speech goes on from its end.
    """
    patch_samples = networks.config.patch_size * networks.encoder.hop_samples
    missing = -len(samples) % patch_samples
    padded = np.pad(samples, (missing, 0) if silence == "before" else (0, missing))
    with ieee_float32():
        latents = networks.encoder.encode(torch.from_numpy(padded).to(networks.device)[None])
    return latents[0].unflatten(0, (-1, networks.config.patch_size)).cpu().numpy()
