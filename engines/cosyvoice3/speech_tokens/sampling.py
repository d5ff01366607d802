"""Repetition-aware sampling (VALL-E 2, arXiv 2406.05370), as in cosyvoice/utils/common.py @ ace7c47. Tensors only, fit for CUDA graphs.

Codes are drawn by uniform numbers, through the inverse of their distribution function. Its sums are whole numbers, so that no device rounds
them otherwise than another, in whatever order it adds, and a code of probability 0 has no share.
"""

import torch
from torch import Tensor

from engines.kit.device import exact_device
from engines.kit.sampling.sampling import SamplingTensors

__all__ = ["bar_end", "draw"]

UNIT = 2**40  # probability 1. A distribution over 7,000 codes loses less than a part in 10^8; a code of less than 10^-12 is never drawn


def bar_end(logits: Tensor, may_end: Tensor, n_codes: int) -> Tensor:
    """Logits (B, V) without those that end the speech, ids from n_codes on, in rows that may not end yet. may_end: (B, 1) bool."""
    is_end = torch.arange(logits.shape[-1], device=logits.device) >= n_codes
    return logits.masked_fill(is_end & ~may_end, float("-inf"))


def draw(logits: Tensor, recent: Tensor, uniforms: Tensor, params: SamplingTensors, least_repeats: float) -> Tensor:
    """One id per row, (B,) int64: from the likeliest, and where that was said just before, again from all others.

    logits: (B, V) float32, two of a row finite at least. recent: (B, W) int64, ids of the row's last W tokens, -1 where there were none.
    uniforms: (B, 2) float in [0, 1], of the first draw and of the second. least_repeats: as often an id of `recent` is not drawn again:
    win_size * tau_r.
    The first draw is from ids in falling order, equals in the order of their numbers, as long as those before them have less than top_p in
    sum and their rank is below top_k (0: any). The second is from all, in the order of their numbers. Both have the logits divided by
    temperature; at 0 the likeliest is taken, and in the second place the likeliest of the others.
    """
    home, place = logits.device, exact_device(logits.device)
    logits, recent, uniforms = (part.to(place) for part in (logits, recent, uniforms))
    params = SamplingTensors(params.temperature.to(place), params.top_k.to(place), params.top_p.to(place))
    is_warm = params.temperature > 0
    logits = logits / torch.where(is_warm, params.temperature, 1.0)
    values, ids = logits.sort(dim=-1, descending=True, stable=True)
    first = ids.gather(-1, torch.where(is_warm, _at(_nucleus(_shares(values), params), uniforms[:, :1]), 0))
    others = logits.scatter(-1, first, float("-inf"))
    second = torch.where(is_warm, _at(_shares(others), uniforms[:, 1:]), others.argmax(dim=-1, keepdim=True))
    repeats = (recent == first).sum(dim=-1, keepdim=True) >= least_repeats
    return torch.where(repeats, second, first).squeeze(-1).to(home)


def _shares(logits: Tensor) -> Tensor:
    """Probabilities in parts of UNIT, (B, V) int64."""
    return (logits.double().softmax(dim=-1) * UNIT).long()


def _nucleus(shares: Tensor, params: SamplingTensors) -> Tensor:
    """Falling shares (B, V) with 0 for those that are not among the likeliest."""
    ranks = torch.arange(shares.shape[-1], device=shares.device)
    before = shares.cumsum(dim=-1) - shares
    kept = (before < params.top_p.double() * UNIT) & ((ranks < params.top_k) | (params.top_k == 0))
    return shares * kept


def _at(shares: Tensor, uniform: Tensor) -> Tensor:
    """Where in shares (B, V) a uniform number (B, 1) falls, (B, 1) int64: at none of 0; 0 where all are."""
    ends = shares.cumsum(dim=-1)
    whole = ends[:, -1:]
    target = (uniform.double() * whole).long().minimum(whole - 1)
    return (ends <= target).sum(dim=-1, keepdim=True)
