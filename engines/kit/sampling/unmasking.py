"""Unmasking: in which order the codes of a sentence are settled, and how one step settles its share.

All codes begin open. Every step asks a network for all of them, takes the likeliest of each, and keeps those that it is surest of;
the next step sees these (MaskGIT, Chang et al. 2022, arXiv 2202.04200). Order of operations: omnivoice 0.2.1,
OmniVoice._generate_iterative.
"""

import math
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

__all__ = ["UnmaskingTensors", "guided", "scored", "settle_by_two", "settled", "surest_settled"]

KEPT_SHARE = 0.1  # of a book's entries, that may be drawn where class_temperature is above 0 (_filter_top_k)
LEAST_TEMPERATURE = 1e-6  # that is divided by


@dataclass(frozen=True)
class UnmaskingTensors:
    """How codes of several sentences are settled, (B, 1) float32 each, on the device.

    guidance_scale: how far beyond what the text alone changes. layer_penalty_factor: how much later each book's codes are settled than
    those of the book before. position_temperature: how much chance there is in the order. class_temperature: how much in the codes.
    """

    guidance_scale: Tensor
    layer_penalty_factor: Tensor
    position_temperature: Tensor
    class_temperature: Tensor

    @classmethod
    def of(cls, table: Tensor) -> Self:
        """table: (B, 4), a row per sentence, in this order."""
        return cls(*table.split(1, dim=1))


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
    scores, likeliest = scored(codes, log_probs, settings, order_noise)
    if code_noise is not None:
        likeliest = _drawn(log_probs[..., :mask_id], code_noise[..., :mask_id], settings.class_temperature)
    return surest_settled(codes, scores, likeliest, n_settled)


def scored(codes: Tensor, log_probs: Tensor, settings: UnmaskingTensors, order_noise: Tensor) -> tuple[Tensor, Tensor]:
    """How soon each code is to be settled, (B, Q, F), minus infinity where it is; and its likeliest value, (B, Q, F) int64."""
    mask_id = log_probs.shape[-1] - 1
    confidence, likeliest = log_probs[..., :mask_id].max(dim=-1)  # an open code is never the answer
    book = torch.arange(codes.shape[1], device=codes.device)[:, None]
    scores = confidence - book * settings.layer_penalty_factor[:, :, None]
    temperature = settings.position_temperature[:, :, None]
    scores = torch.where(temperature > 0, scores / temperature.clamp(min=LEAST_TEMPERATURE) + order_noise, scores)
    return scores.masked_fill(codes != mask_id, -torch.inf), likeliest


def surest_settled(codes: Tensor, scores: Tensor, likeliest: Tensor, n_settled: Tensor) -> Tensor:
    """The codes (B, Q, F), of which so many, (B, 1), of the highest scores have their likeliest values; of equal scores the first ones."""
    order = scores.flatten(1).argsort(dim=1, descending=True, stable=True)
    rank = torch.empty_like(order).scatter_(1, order, torch.arange(order.shape[1], device=order.device).expand_as(order))
    return torch.where((rank < n_settled).view(codes.shape), likeliest, codes)


def settle_by_two(
    codes: Tensor, logits: tuple[Tensor, Tensor], counted: tuple[Tensor, Tensor], table: Tensor, order_noise: Tensor
) -> None:  # fmt: skip
    """`guided`, then `settled` without noise of the codes, by two kernels, where those are trusted (fused/self_check.py). codes: changed.

    logits: conditional and unconditional. counted: how many codes each step settles, (B, steps), and the step (B, 1). table: see
    UnmaskingTensors.
    """
    scores, likeliest = torch.ops.engines.guided_scores(codes, [*logits], table, order_noise)
    torch.ops.engines.settle_surest(codes, scores, likeliest, *counted)


def _drawn(log_probs: Tensor, noise: Tensor, temperature: Tensor) -> Tensor:
    """One of the likeliest tenth of the entries, by their softmax at the temperature; the likeliest where that is 0."""
    n_kept = math.ceil(KEPT_SHARE * (log_probs.shape[-1] + 1))  # of the book with its mask
    least = log_probs.topk(n_kept, dim=-1).values[..., -1:]
    scaled = log_probs.masked_fill(log_probs < least, -torch.inf) / temperature[:, :, None, None].clamp(min=LEAST_TEMPERATURE)
    return torch.where(temperature[:, :, None] > 0, (scaled + noise).argmax(dim=-1), log_probs.argmax(dim=-1))
