"""Reference encoder of Pocket TTS: turns a clip at 24 kHz, which ends in a pause, into latents.

Where it ends, and how: end_on_pause of pocket_tts/data/audio_utils.py @ 4.0.1. The makers resample with scipy's resample_poly, whose filter
ends elsewhere near 12 kHz; the number of samples is the same.
"""

from math import ceil
from typing import TYPE_CHECKING

import numpy as np
import torch

from engines.clips.clip import Clip
from engines.kit.codec.resampling import resample
from engines.kit.nn.ieee_float32 import ieee_float32

if TYPE_CHECKING:
    from engines.pocket_tts.vae.vae_encoder import VaeEncoder

__all__ = ["latents_of", "prompt_samples"]

SAMPLE_RATE = 24_000
FRAME_SAMPLES = 480  # 20 ms: of what loudness is measured in, and of the fade
PAUSE_SAMPLES = 1920  # 80 ms
FLOOR_DB = 35.0  # below the loudest frame


def prompt_samples(clip: Clip) -> np.ndarray:
    """(T,) float32 at 24 kHz, at the level it has, ended on a pause; its recordings one behind the other, as they were joined.

    What is silence at the end goes by the last recording, which is not lost for being soft beside another.
    """
    samples = resample(clip.samples, clip.sample_rate, SAMPLE_RATE)
    last = clip.joints[-1] * SAMPLE_RATE / clip.sample_rate if clip.joints else 0
    return _ended_on_pause(samples, ceil(last / FRAME_SAMPLES))


@torch.inference_mode()
def latents_of(clip: Clip, encoder: "VaeEncoder") -> np.ndarray:
    """(F, inner_dim) float32, a latent per 80 ms, a last part counted whole."""
    with ieee_float32():
        return encoder.encode(torch.from_numpy(prompt_samples(clip))).cpu().numpy()


def _ended_on_pause(samples: np.ndarray, first: int) -> np.ndarray:
    """(T,) -> (T',): without the frames at its end that are quieter by FLOOR_DB than the loudest from the frame `first` on, its last frame
    faded out, then a pause. A last part of a frame goes too. Less than a frame stays as it is, and silence as long as it is.
    """
    n_frames = len(samples) // FRAME_SAMPLES
    if n_frames == 0:
        return samples
    frames = samples[: n_frames * FRAME_SAMPLES].reshape(n_frames, FRAME_SAMPLES)[min(first, n_frames - 1) :]
    levels = np.sqrt(np.square(frames, dtype=np.float64).mean(axis=1))
    n_quiet = int(np.argmax(levels[::-1] >= levels.max() * 10 ** (-FLOOR_DB / 20)))
    end = (n_frames - n_quiet) * FRAME_SAMPLES
    fade = np.linspace(1, 0, FRAME_SAMPLES, dtype=np.float32)
    return np.concatenate([samples[: end - FRAME_SAMPLES], samples[end - FRAME_SAMPLES : end] * fade, np.zeros(PAUSE_SAMPLES, np.float32)])
