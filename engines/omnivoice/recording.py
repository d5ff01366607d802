"""A recording as codes, and how loud it was: at the codec's rate, raised where it is quiet, its pauses shortened, whole frames of it."""

import numpy as np
import torch

from engines.clips.clip import Clip, loudest_dbfs
from engines.errors import ClipUnusable
from engines.kit.codec.sinc_resampling import sinc_resample
from engines.kit.nn.ieee_float32 import ieee_float32
from engines.omnivoice.finishing import LEAST_RMS
from engines.omnivoice.networks import OmniVoiceNetworks
from engines.omnivoice.silence import remove_silence

__all__ = ["heard_samples", "recording_codes"]

# Upstream's for recordings (omnivoice/models/omnivoice.py, create_voice_clone_prompt @ 468e927).
MIDDLE_MS, LEADING_MS, TRAILING_MS = 200, 100, 200


@torch.inference_mode()
def recording_codes(clip: Clip, networks: OmniVoiceNetworks) -> tuple[np.ndarray, float]:
    """codes: (Q, F) int16, 25 frames a second. rms: of the recording as it came, which speech in its voice is lowered to.

    What is left of a last frame is cut off, as upstream. Raises ClipUnusable (clip_silent) where no frame is left.
    """
    config = networks.codec_config
    samples, rms = heard_samples(clip, config.sample_rate)
    samples = samples[: len(samples) // config.frame_samples * config.frame_samples]
    if not len(samples):
        fact = "Nothing of the recording is left without its silences. It must be louder than -50 dBFS for a moment."
        raise ClipUnusable("clip_silent", fact, "Check the microphone and record again.", level_dbfs=round(loudest_dbfs(clip)))
    with ieee_float32():
        codes = networks.encoder.encode(torch.from_numpy(samples)[None].to(networks.device))
    return codes[0].to(torch.int16).cpu().numpy(), rms


def heard_samples(clip: Clip, rate: int) -> tuple[np.ndarray, float]:
    """(T,) float32 at the rate, of 16 bits, without silences; and the recording's root mean square before it was raised to LEAST_RMS.

    Resampled by torchaudio, as upstream, for the codes that the model was trained on are of such samples. In float32 in upstream's order,
    since pauses are found by comparing whole numbers of 16 bits.
    """
    samples = clip.samples
    if clip.sample_rate != rate:
        with ieee_float32():
            samples = sinc_resample(samples, clip.sample_rate, rate).numpy()
    rms = float(np.sqrt(np.mean(samples**2)))
    if 0 < rms < LEAST_RMS:
        samples = samples * np.float32(LEAST_RMS) / np.float32(rms)
    return remove_silence(samples, rate, MIDDLE_MS, LEADING_MS, TRAILING_MS), rms
