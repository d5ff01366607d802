"""What a voice is made of: a recording, without silence at its ends, as a speaker vector, and as latents that speech can go on from.

What is done to it, and how, is upstream's: _load_prompt_audio and _prepare_prompt_conditioning of dots.tts 0.3.1, but for two draws. Of a
recording that is too long for the speaker encoder its beginning is heard, not any part. Latents are drawn once per recording, by its
digest, not once per speech.
"""

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from engines.clips.clip import Clip
from engines.dots.networks import DotsNetworks
from engines.dots.stream_start import HeardPatches
from engines.kit.codec.sinc_resampling import KAISER_64, sinc_resample
from engines.kit.nn.ieee_float32 import ieee_float32
from engines.kit.sampling.sampling import gaussian_noise
from engines.kit.speaker.campplus import kaldi_bank

__all__ = ["all_latents_of", "hear", "heard_samples", "latents_of", "trimmed", "x_vector_of"]

SPEAKER_HZ = 16_000
FRAME, HOP, SILENCE_DB = 2048, 512, 30.0  # librosa.effects.trim of librosa 0.11, with top_db 30


def heard_samples(clip: Clip, networks: DotsNetworks) -> Tensor:
    """(1, T) float32 at the model's rate: the recording without silence at its ends, completed by zeros to whole patches."""
    config = networks.config
    samples = sinc_resample(trimmed(clip.samples), clip.sample_rate, config.vocoder.sample_rate, window=KAISER_64)
    return F.pad(samples, (0, -len(samples) % config.patch_samples))[None]


def trimmed(samples: np.ndarray) -> np.ndarray:
    """(T,) float32 from the first frame on that is less than 30 dB below the loudest, up to the last; the whole where none is louder."""
    padded = np.pad(samples, FRAME // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, FRAME)[::HOP]
    power = np.mean(np.square(frames, dtype=np.float32), axis=1)
    decibels = 10 * np.log10(np.maximum(1e-10, power))  # power_to_db: amin 1e-5 of amplitudes, squared
    loud = np.flatnonzero(decibels - decibels.max() > -SILENCE_DB)
    if not len(loud):
        return samples
    return samples[loud[0] * HOP : min(len(samples), (loud[-1] + 1) * HOP)]


@torch.inference_mode()
def x_vector_of(samples: Tensor, networks: DotsNetworks) -> np.ndarray:
    """(X,) float32, of no particular length. samples: of `heard_samples`."""
    config, rate = networks.config, networks.config.vocoder.sample_rate
    heard = samples[0, : round(rate * config.xvec_max_audio_seconds)]
    with ieee_float32():
        at_16 = sinc_resample(heard.numpy(), rate, SPEAKER_HZ, exact_filter=True)[None]
        bank = kaldi_bank(at_16, networks.speaker.config.n_bands)
        return networks.speaker(bank.to(networks.device)).cpu().numpy()


def latents_of(samples: Tensor, digest: str, networks: DotsNetworks) -> np.ndarray:
    """(N, P, D) float32, patch by patch, without the last one, which silence completed. digest: of the recording, which draws them."""
    return all_latents_of(samples, digest, networks)[:-1]


@torch.inference_mode()
def all_latents_of(samples: Tensor, digest: str, networks: DotsNetworks) -> np.ndarray:
    """The same with the last one."""
    with ieee_float32():
        mean, log_deviation = networks.encoder.encode(samples.to(networks.device))
    mean, log_deviation = mean[0].cpu(), log_deviation[0].cpu()
    latents = mean + log_deviation.exp() * drawn_for(digest, *mean.shape)
    return latents.unflatten(0, (-1, networks.config.patch_size)).numpy()


@torch.inference_mode()
def hear(latents: np.ndarray, networks: DotsNetworks) -> HeardPatches:
    """What the semantic encoder makes of latents (N, P, D), from the first on."""
    encoder, given = networks.model.patch_encoder, torch.tensor(latents, device=networks.device)
    keys = encoder.new_cache(1, len(given)).tensor
    heard, last = given.flatten(0, 1)[None].to(networks.dtype), given.new_zeros(1, 1, given.shape[2], dtype=networks.dtype)
    rows = last.new_zeros(1, 0, networks.config.llm.hidden_size)
    if len(given):
        rows, last = encoder(heard, last, torch.zeros(1, 1, dtype=torch.int64, device=networks.device), keys, len(given))
    return HeardPatches(rows, networks.stats.normalized(given)[None].to(networks.dtype), keys, last)


def drawn_for(digest: str, n_latents: int, width: int) -> Tensor:
    """(T, D) float32 on the CPU, of mean 0 and variance 1: the same for the same recording."""
    seed = torch.tensor([[int(digest[:15], 16)]])
    return gaussian_noise(seed, torch.arange(n_latents)[:, None], torch.arange(width))
