"""hear_source: a recording that is to be changed, as the model hears it.

What is done to it is upstream's: prepare_edit_source_audio of dots.tts 0.3.1, but for the draw of its latents, which goes by the
recording's digest. It is not what a voice is learned from: that one loses the silence at its ends, and is resampled by another filter.
"""

import numpy as np
import torch.nn.functional as F
from torch import Tensor

from engines.clips.clip import Clip
from engines.dots.networks import DotsNetworks
from engines.dots.recording import all_latents_of, hear
from engines.dots.stream_start import HeardPatches
from engines.kit.codec.sinc_resampling import KAISER_128, sinc_resample

__all__ = ["EDGE_SECONDS", "hear_source", "source_samples"]

EDGE_SECONDS = 0.25  # of silence at both ends, cut or completed (EDIT_EDGE_SILENCE_MS)
SILENCE_DB = 30.0  # below the loudest sample (EDIT_EDGE_SILENCE_TOP_DB)


def hear_source(clip: Clip, networks: DotsNetworks) -> HeardPatches:
    """All of its patches."""
    return hear(all_latents_of(source_samples(clip, networks), clip.digest, networks), networks)


def source_samples(clip: Clip, networks: DotsNetworks) -> Tensor:
    """(1, T) float32 at the model's rate: with EDGE_SECONDS of silence at its ends, completed by zeros to whole patches."""
    config = networks.config
    samples = sinc_resample(clip.samples, clip.sample_rate, config.vocoder.sample_rate, window=KAISER_128)
    edge, loudness = round(EDGE_SECONDS * config.vocoder.sample_rate), np.abs(samples.numpy())
    loud = np.flatnonzero(loudness > loudness.max() * 10 ** (-SILENCE_DB / 20))
    n_before, n_behind = (loud[0], len(samples) - 1 - loud[-1]) if len(loud) else (0, 0)
    samples = F.pad(samples, (int(edge - n_before), int(edge - n_behind)))  # a negative number cuts
    return F.pad(samples, (0, -len(samples) % config.patch_samples))[None]
