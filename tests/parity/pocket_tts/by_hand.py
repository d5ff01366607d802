"""Our networks of Pocket TTS driven by hand: what the engine does for a piece of text, so that every number can be compared."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from engines.kit.nn.key_prefix import KeyPrefix
from engines.pocket_tts.networks import PocketNetworks

__all__ = ["Frame", "frames_of", "halves", "latents_of_samples", "voice_of"]

Noise = Callable[[int], np.ndarray]  # frame of a piece of text -> (D,) float32 of variance 1


@dataclass(frozen=True)
class Frame:
    """condition: (W,), see FlowHead. logit: of the end. latent: (D,). samples: (1920,), without the fade at the start of a piece."""

    condition: np.ndarray
    logit: float
    latent: np.ndarray
    samples: np.ndarray


@torch.inference_mode()
def latents_of_samples(networks: PocketNetworks, samples: np.ndarray) -> np.ndarray:
    """(F, inner_dim) of samples (T,) at 24 kHz, as they are."""
    return networks.encoder.encode(torch.from_numpy(samples.copy())).numpy()


@torch.inference_mode()
def voice_of(networks: PocketNetworks, latents: np.ndarray) -> KeyPrefix:
    """Keys and values of a voice, from the latents of its recording."""
    rows = networks.flow_lm.voice_rows(torch.from_numpy(latents))
    keys = networks.flow_lm.new_keys(len(rows))
    networks.flow_lm.read(rows, keys)
    return keys.prefix()


def halves(voice: KeyPrefix) -> np.ndarray:
    """(L, 2, kv heads, T, d): keys and values apart, as files of voices have them."""
    return voice.keys_values[:, :, 0].numpy()


@torch.inference_mode()
def frames_of(
    networks: PocketNetworks, voice: KeyPrefix, ids: Sequence[int], noise: Noise, n_frames: int,
    *, temperature: float = 0.3, n_steps: int = 1, forced: np.ndarray | None = None,
) -> Iterator[Frame]:  # fmt: skip
    """So many frames of a piece of text. forced: (F, D), latents that are fed back and heard in place of those that are made."""
    flow_lm, decoder, deviation = networks.flow_lm, networks.decoder, math.sqrt(temperature)
    rows = flow_lm.text_rows(ids)
    keys = flow_lm.new_keys(voice.n_rows + len(rows) + n_frames)
    keys.begin(voice)
    made, state = flow_lm.read(rows, keys), decoder.initial_state()
    for number in range(n_frames):
        drawn = torch.from_numpy(noise(number))[None] * deviation
        latent = flow_lm.flow_net(made.condition, drawn, n_steps)
        fed = latent if forced is None else torch.from_numpy(forced[number])[None]
        samples, state = decoder.decode(fed[None], state)
        yield Frame(made.condition[0].numpy().copy(), float(made.end[0, 0]), latent[0].numpy(), samples[0].numpy())
        made = flow_lm.step(fed, [keys])
        keys.n_rows += 1
