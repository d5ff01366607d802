"""Unmasking: in which order the codes of a sentence are settled, and how one step settles its share.

All codes begin open. Every step asks the backbone for all of them, takes the likeliest of each, and keeps those that it is surest of;
the next step sees these (MaskGIT, Chang et al. 2022, arXiv 2202.04200). Figures and order of operations: omnivoice 0.2.1,
OmniVoice._generate_iterative and its OmniVoiceGenerationConfig.
"""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
import torch
from torch import Tensor

__all__ = ["MOST_STEPS", "UnmaskingSettings", "UnmaskingTensors", "codes_per_step", "guided", "settled"]

MOST_STEPS = 64
KEPT_SHARE = 0.1  # of a book's entries, that may be drawn where class_temperature is above 0 (_filter_top_k)


@dataclass(frozen=True)
class UnmaskingSettings:
    """What a request may say of it. guidance_scale: how far beyond what the text alone changes. layer_penalty_factor: how much later each
    book's codes are settled than those of the book before. position_temperature: how much chance there is in the order.
    class_temperature: how much in the codes, of which 0 takes the likeliest.
    """

    seed: int = 0
    num_step: int = 32
    guidance_scale: float = 2.0
    t_shift: float = 0.1
    layer_penalty_factor: float = 5.0
    position_temperature: float = 5.0
    class_temperature: float = 0.0


@dataclass(frozen=True)
class UnmaskingTensors:
    """The same of several sentences, (B, 1) float32 each, on the device."""

    guidance_scale: Tensor
    layer_penalty_factor: Tensor
    position_temperature: Tensor
    class_temperature: Tensor

    @classmethod
    def of(cls, table: Tensor) -> Self:
        """table: (B, 4), a row per sentence, as `row` makes it."""
        return cls(*table.split(1, dim=1))

    @staticmethod
    def row(settings: UnmaskingSettings) -> list[float]:
        return [
            settings.guidance_scale, settings.layer_penalty_factor, settings.position_temperature, settings.class_temperature,
        ]  # fmt: skip


def codes_per_step(n_codes: int, n_steps: int, t_shift: float) -> list[int]:
    """How many of n_codes every step settles, the early ones few; steps that would settle none are left out.

    The share settled by step s of S is t_shift t / (1 + (t_shift - 1) t) at t = s / S, in float32 as upstream. No tensors: the host wants
    the numbers now.
    """
    times = _times(n_steps)
    shares = (t_shift * times / (1 + (t_shift - 1) * times)).tolist()
    n_left, counts = n_codes, []
    for before, after in pairwise(shares):
        counts.append(min(math.ceil(n_codes * (after - before)), n_left))
        n_left -= counts[-1]
    counts[-1] += n_left
    return [count for count in counts if count]


def _times(n_steps: int) -> np.ndarray:
    """(n_steps + 1,) float32 from 0 to 1, rounded as torch.linspace rounds them: counted from either end, in multiples of a float32."""
    counted, each = np.arange(n_steps + 1), np.float64(np.float32(1) / np.float32(n_steps))
    return np.where(counted < (n_steps + 1) // 2, each * counted, 1 - each * (n_steps - counted)).astype(np.float32)


def guided(conditional: Tensor, unconditional: Tensor, scale: Tensor) -> Tensor:
    """Log-probabilities that follow the prompt beyond what it changes by itself (classifier-free guidance, arXiv 2207.12598).

    conditional, unconditional: logits (B, Q, F, V) float32. scale: (B, 1). returns: like them, normalized again.
    """
    told, untold = conditional.log_softmax(-1), unconditional.log_softmax(-1)
    return (told + scale[:, :, None, None] * (told - untold)).log_softmax(-1)


def settled(codes: Tensor, log_probs: Tensor, n_settled: Tensor, settings: UnmaskingTensors, noise: tuple[Tensor, Tensor | None]) -> Tensor:
    """The codes (B, Q, F) int64 after a step, in which n_settled (B, 1) more of the open ones, V - 1, are settled.

    log_probs: (B, Q, F, V), see `guided`. noise: Gumbel noise of the order, (B, Q, F), and of the codes, (B, Q, F, V), without which the
    likeliest are taken.
    """
    mask_id, (order_noise, code_noise) = log_probs.shape[-1] - 1, noise
    log_probs = log_probs[..., :mask_id]  # an open code is never the answer
    confidence, likeliest = log_probs.max(dim=-1)
    if code_noise is not None:
        likeliest = _drawn(log_probs, code_noise[..., :mask_id], settings.class_temperature)
    book = torch.arange(codes.shape[1], device=codes.device)[:, None]
    scores = confidence - book * settings.layer_penalty_factor[:, :, None]
    temperature = settings.position_temperature[:, :, None]
    scores = torch.where(temperature > 0, scores / temperature.clamp(min=1e-6) + order_noise, scores)
    scores = scores.masked_fill(codes != mask_id, -torch.inf).flatten(1)
    order = scores.argsort(dim=1, descending=True, stable=True)
    rank = torch.empty_like(order).scatter_(1, order, torch.arange(order.shape[1], device=order.device).expand_as(order))
    return torch.where((rank < n_settled).view(codes.shape), likeliest, codes)


def _drawn(log_probs: Tensor, noise: Tensor, temperature: Tensor) -> Tensor:
    """One of the likeliest tenth of the entries, by their softmax at the temperature; the likeliest where that is 0."""
    n_kept = math.ceil(KEPT_SHARE * (log_probs.shape[-1] + 1))  # of the book with its mask
    least = log_probs.topk(n_kept, dim=-1).values[..., -1:]
    scaled = log_probs.masked_fill(log_probs < least, -torch.inf) / temperature[:, :, None, None].clamp(min=1e-6)
    return torch.where(temperature[:, :, None] > 0, (scaled + noise).argmax(dim=-1), log_probs.argmax(dim=-1))
