"""Our networks driven by hand: what the engine does, patch after patch and in the open, so that every number can be compared."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from engines.clips.clip import Clip
from engines.voxcpm2.engine import patches_of, samples_of
from engines.voxcpm2.input_sequence import VoxCpm2InputSequence, patch_rows, reference_rows, text_rows
from engines.voxcpm2.language_models import HiddenStates, PairedCache
from engines.voxcpm2.networks import VoxCpm2Networks
from engines.voxcpm2.text.input_text import input_text, joined
from tests.parity.voxcpm2.cases import WORDS, Case, noise_of

__all__ = ["Prompt", "SpokenPatch", "latents_of", "prompt_of", "read", "spoken", "token_ids"]

SIDES = {"left": "before", "right": "after"}  # where silence goes, in the words of either package


@dataclass(frozen=True)
class Prompt:
    """rows: all that the language models read before they speak. last_patch: (1, P, D), what the first patch goes on from."""

    rows: VoxCpm2InputSequence
    last_patch: Tensor


@dataclass(frozen=True)
class SpokenPatch:
    """patch: (P, D). ends: whether the stop head would end the speech with it, whatever its number. logits: (2,), of that."""

    patch: np.ndarray
    logits: np.ndarray
    ends: bool


def latents_of(networks: VoxCpm2Networks, clip: Clip, side: str) -> np.ndarray:
    """(N, P, D) of a clip, padded on that side ("left" or "right")."""
    return patches_of(samples_of(clip, networks), networks, SIDES[side])


def token_ids(networks: VoxCpm2Networks, case: Case) -> list[int]:
    """Of what stands between the recordings."""
    said = input_text(case.text)
    return networks.tokenizer.ids(joined(WORDS, said) if case.goes_on else said)


def prompt_of(networks: VoxCpm2Networks, case: Case, clip: Clip) -> Prompt:
    """What is read of a case, whose voice is that of the clip."""
    rows = text_rows(token_ids(networks, case), networks.models)
    if case.has_reference:
        reference = _patches(networks, clip, "right")
        rows = reference_rows(networks.local_encoder(reference), networks.models).followed_by(rows)
    if not case.goes_on:
        return Prompt(rows, torch.zeros(1, *_patch_shape(networks), dtype=networks.dtype))
    recording = _patches(networks, clip, "left")
    return Prompt(rows.followed_by(patch_rows(networks.local_encoder(recording))), recording[-1:])


def read(networks: VoxCpm2Networks, prompt: Prompt, room: int = 0) -> tuple[HiddenStates, PairedCache]:
    """Hidden states of the whole prompt, (1, T, H), and a cache with room for so many patches more."""
    cache = networks.models.new_cache(1, prompt.rows.n_rows + room)
    return networks.models.read(prompt.rows.rows, prompt.rows.is_patch, cache), cache


def spoken(networks: VoxCpm2Networks, case: Case, prompt: Prompt, forced: Sequence[np.ndarray]) -> Iterator[SpokenPatch]:
    """A patch for each of `forced`, which are fed back in its place."""
    states, cache = read(networks, prompt, len(forced))
    state, last, models = HiddenStates(states.base[:, -1], states.residual[:, -1]), prompt.last_patch, networks.models
    guidance = torch.full((1, 1, 1), case.cfg_value, dtype=networks.dtype)
    for number, fed in enumerate(forced):
        noise = torch.from_numpy(noise_of(case.noise_seed, number, _patch_shape(networks)))[None].to(networks.dtype)
        patch = networks.head(noise, models.conditions(state), last, guidance, case.inference_timesteps)
        logits = models.stop_head(torch.nn.functional.silu(models.stop_proj(state.base)))
        yield SpokenPatch(patch[0].float().numpy(), logits[0].float().numpy(), bool(models.ends(state.base)))
        last, position = torch.from_numpy(fed)[None].to(networks.dtype), prompt.rows.n_rows + number
        rows = networks.local_encoder(last)[:, None]
        state = models.step(rows, torch.tensor([[position]]), (position + 1,), cache)


def _patches(networks: VoxCpm2Networks, clip: Clip, side: str) -> Tensor:
    return torch.from_numpy(latents_of(networks, clip, side)).to(networks.dtype)


def _patch_shape(networks: VoxCpm2Networks) -> tuple[int, int]:
    return networks.config.patch_size, networks.config.feat_dim
