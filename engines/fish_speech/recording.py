"""Recordings as codes: at the codec's rate, each completed to whole frames with silence, encoded in float32."""

import numpy as np
import torch

from engines.clips.clip import Clip
from engines.fish_speech.networks import FishNetworks
from engines.kit.codec.sinc_resampling import sinc_resample
from engines.kit.nn.ieee_float32 import ieee_float32

__all__ = ["codes_of"]


@torch.inference_mode()
def codes_of(recording: Clip, networks: FishNetworks) -> np.ndarray:
    """(Q, F) int16, a frame per 46.4 ms, a last part counted whole."""
    with ieee_float32():
        samples = sinc_resample(recording.samples, recording.sample_rate, networks.codec_config.sample_rate)
        samples = torch.nn.functional.pad(samples, (0, -len(samples) % networks.codec_config.frame_samples))
        codes = networks.encoder.encode(samples[None].to(networks.device))
    return codes[0].to(torch.int16).cpu().numpy()
