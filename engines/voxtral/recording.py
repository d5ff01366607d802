"""A recording as codes: at the codec's rate, completed to a whole patch with silence, encoded in float32."""

import numpy as np
import torch

from engines.clips.clip import Clip
from engines.kit.codec.resampling import resample
from engines.kit.nn.ieee_float32 import ieee_float32
from engines.voxtral.codec.codec_encoder import VoxtralCodecEncoder
from engines.voxtral.config import VoxtralCodecConfig
from engines.voxtral.options import MOST_VOICE_FRAMES

__all__ = ["codes_of"]


@torch.inference_mode()
def codes_of(clip: Clip, encoder: VoxtralCodecEncoder, config: VoxtralCodecConfig, device: torch.device) -> np.ndarray:
    """(Q, F) int16, a frame per 80 ms, a last part counted whole, at most MOST_VOICE_FRAMES; encoder is on the device.

    Upstream computes it under bfloat16, since its attention on a GPU takes nothing wider (_tokenize_audio of vllm-omni 0.30.0). Here it
    is float32 everywhere, so that a voice is the same on every machine.
    """
    with ieee_float32():
        samples = torch.tensor(resample(clip.samples, clip.sample_rate, config.sampling_rate))
        samples = torch.nn.functional.pad(samples, (0, -len(samples) % config.pretransform_patch_size))
        codes = encoder.encode(samples[None].to(device))
    codes = codes[0, :, :MOST_VOICE_FRAMES]  # resampling 30 s of 44.1 kHz gives a sample more than 30 s, and it a frame
    return codes.to(torch.int16).cpu().numpy()
