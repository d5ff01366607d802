"""Checks of products.py beside the plain layers: of few rows, of several, and of more than one block, in positions of their own and of all.

In float32 nothing is checked: its layers are plain (layer_trial.py).
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Literal

import torch
from torch import Tensor, nn

from engines.kit.fused import products
from engines.kit.fused.fused_use import Case, Check, FusedUse
from engines.kit.nn.attention import Attention, Rotary, weights_of
from engines.kit.nn.norm import RMSNorm
from engines.kit.nn.transformer import SwiGLU

__all__ = ["PRODUCT_CHECKS"]

PASSES = ((4, 1), (2, 10), (7, 11))  # rows and positions: one block of each height, and two of the highest
WIDTH, INNER, LENGTH = 300, 90, 32  # more columns than a tile has, and a part of one; outputs that fill no block


def _module(module: nn.Module, use: FusedUse) -> nn.Module:
    """With random parameters, of the size that trained ones have."""
    for seed, parameter in enumerate(module.requires_grad_(False).parameters()):
        drawn = replace(use, device=torch.device("cpu"), dtype=torch.float32).drawn(*parameter.shape, seed=seed)
        parameter.copy_(1 + 0.5 * drawn if parameter.ndim == 1 else drawn * parameter.shape[1] ** -0.5)
    return module.to(use.device, use.dtype)


def _norm(use: FusedUse) -> RMSNorm:
    norm = _module(RMSNorm(WIDTH, use.attention.norm_eps), use)
    assert isinstance(norm, RMSNorm)
    return norm


def _residuals(use: FusedUse) -> Iterator[Tensor]:
    """In the dtype, and in float32 as those are that add up in it."""
    for batch, length in PASSES if use.dtype != torch.float32 else ():
        rows = _heavy_at_both_ends(use.drawn(batch, length, WIDTH))
        yield from (rows, 3 * rows.float())


def _heavy_at_both_ends(rows: Tensor) -> Tensor:
    """So that no first or last column can be forgotten within a rounding."""
    rows[..., [0, -1]] *= 8
    return rows


def _check_normed_heads(use: FusedUse) -> Iterator[Case]:
    for kind in ("half", "interleaved"):
        yield from _of_heads(use, kind)


def _of_heads(use: FusedUse, kind: Literal["half", "interleaved"]) -> Iterator[Case]:
    config = replace(use.attention, hidden_size=WIDTH, rotary=replace(use.attention.rotary, kind=kind))
    attention, norm = _module(Attention(config), use), _norm(use)
    assert isinstance(attention, Attention)
    for residual in _residuals(use):
        batch, length, _ = residual.shape
        shared = torch.arange(length, device=use.device) + 3
        for positions in (shared, shared + torch.arange(batch, device=use.device)[:, None]):
            rotation = Rotary(config.rotary, config.head_dim)(positions, use.dtype)
            made, plain = residual.new_zeros(2, 2, batch, config.n_kv_heads, LENGTH, config.head_dim, dtype=use.dtype)
            queries, *new = attention.project(norm(residual), rotation)
            rows = torch.arange(batch, device=use.device)[:, None]
            for memory, heads in zip(plain, new, strict=True):
                memory.transpose(1, 2).index_put_((rows, positions.expand(batch, -1)), heads)
            parameters = [norm.weight, attention.qkv_proj.weight, attention.qkv_proj.bias, attention.qk_norm]
            flags = [kind == "interleaved", False]
            mine = products.normed_heads_into_cache(residual, parameters, [*(rotation or ()), positions], made, eps=norm.eps, flags=flags)
            yield mine.flatten(1, 2).transpose(1, 2).contiguous(), queries.contiguous()
            yield from zip(made, plain, strict=True)


def _check_product_into_residual(use: FusedUse) -> Iterator[Case]:
    """Of rows as they are, and of heads, whose columns lie in as many places."""
    config = use.attention
    d = config.head_dim
    plain, of_heads = _module(nn.Linear(INNER, WIDTH, bias=True), use), _module(nn.Linear(config.n_heads * d, WIDTH, bias=False), use)
    assert isinstance(plain, nn.Linear)
    assert isinstance(of_heads, nn.Linear)
    for residual in _residuals(use):
        batch, length, _ = residual.shape
        rows = _heavy_at_both_ends(use.drawn(batch, length, INNER, seed=1))
        yield _added(products.product_into_residual(rows, weights_of(plain), residual, overlaps=False), residual, plain(rows))
        mixed = use.drawn(batch, config.n_kv_heads, config.n_groups, length, d, seed=2)
        beside = mixed.flatten(1, 2).transpose(1, 2).flatten(2)
        yield _added(products.product_into_residual(mixed, weights_of(of_heads), residual, overlaps=False), residual, of_heads(beside))


def _added(made: Tensor, residual: Tensor, branch: Tensor) -> Case:
    """The sums; where they are wider than what is added, that alone, which a rounding may move farther than sums that fine are compared."""
    return (made, residual + branch) if made.dtype == branch.dtype else ((made - residual).to(branch.dtype), branch)


def _check_normed_gated_product(use: FusedUse) -> Iterator[Case]:
    network, norm = _module(SwiGLU(WIDTH, INNER, bias=True), use), _norm(use)
    assert isinstance(network, SwiGLU)
    for residual in _residuals(use):
        gate, up = network.gate_up_proj(norm(residual)).chunk(2, dim=-1)
        made = products.normed_gated_product(residual, norm.weight, weights_of(network.gate_up_proj), eps=norm.eps, overlaps=False)
        yield made, nn.functional.silu(gate) * up


def _check_normed_product(use: FusedUse) -> Iterator[Case]:
    head, norm = _module(nn.Linear(WIDTH, INNER, bias=False), use), _norm(use)
    assert isinstance(head, nn.Linear)
    for residual in _residuals(use):
        plain = head(norm(residual))
        for is_wide, expected in ((False, plain), (True, plain.float())):
            made = products.normed_product(residual, norm.weight, weights_of(head), eps=norm.eps, is_wide=is_wide, overlaps=False)
            yield (made, expected) if not is_wide else (made.to(use.dtype), plain)
            if is_wide:
                yield made, made.to(use.dtype).float()  # no other numbers than the dtype has


PRODUCT_CHECKS: Mapping[str, Check] = {
    "normed_heads_into_cache": _check_normed_heads,
    "product_into_residual": _check_product_into_residual,
    "normed_gated_product": _check_normed_gated_product,
    "normed_product": _check_normed_product,
}
