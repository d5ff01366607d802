"""The kernels of product_kernels.py as operations of torch: a layer's four products with what stands around them, and the head's.

They are for few rows, of which weights are worth reading once: which sizes pay on a device, layer_trial.py finds out. overlaps: the kernel
begins before the one before it has ended; from Hopper on, and in what is launched so (see wait_for_previous).
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from engines.kit.fused.layouts import PLAIN_SUMS, new_like

__all__ = ["normed_gated_product", "normed_heads_into_cache", "normed_product", "product_into_residual"]


class Tiles(NamedTuple):
    """What a program holds: outputs, rows, columns at a time; and so many tiles are on their way to it."""

    out: int
    rows: int
    depth: int
    stages: int


# Of so many rows at most: tiles of one matrix, of two, and of a head, whose outputs are its channels. What is on its way of the largest
# stays below the 99 kB that a block of Ada and of a workstation's Blackwell may share.
TILES = (
    (16, (Tiles(16, 16, 256, 4), Tiles(16, 16, 256, 3), Tiles(0, 16, 64, 4))),
    (32, (Tiles(16, 32, 128, 4), Tiles(16, 32, 128, 4), Tiles(0, 32, 64, 3))),
    (1 << 30, (Tiles(64, 64, 64, 3), Tiles(64, 64, 64, 3), Tiles(0, 64, 64, 3))),
)
ONE_PART = 1 << 30  # columns of a part where rows are not cut into parts
LEAST_SIDE = 16  # of matrices that tl.dot multiplies


@torch.library.custom_op("engines::normed_heads_into_cache", mutates_args=("keys_values",))
def normed_heads_into_cache(
    residual: Tensor,
    parameters: Sequence[Tensor | None],
    turns: Sequence[Tensor],
    keys_values: Tensor,
    *,
    eps: float,
    flags: Sequence[bool],
) -> Tensor:
    """residual (B, T, D) normed, then heads of queries, keys and values made of it, normed and rotated; keys and values go to the cache.
    See Attention.

    parameters: weight of the norm (D,); weight ((heads + 2 * kv heads) * d, D) and bias, or None; weight of all normed heads, or None.
    turns: cos and signed sin if heads are rotated, then positions (T,) or (B, T) int64. keys_values: (2, B, kv heads, length, d). flags:
    whether pairs of channels are neighbors, and whether kernels overlap. returns: queries (B, kv heads, groups, T, d).
    """
    from engines.kit.fused.product_kernels import normed_heads_into_cache_kernel

    *rotation, positions = turns
    cos, signed_sin = rotation or (None, None)
    flat, queries, tiles = residual.reshape(-1, residual.shape[-1]), _queries(residual, parameters, keys_values), _tiles(residual)[2]
    _, n_kv_heads, n_groups, length, head_dim = queries.shape
    n_heads, head_block = n_kv_heads * n_groups, max(LEAST_SIDE, 1 << (head_dim - 1).bit_length())
    turn_strides = (0, 0) if cos is None else (cos.stride(0) if cos.ndim == 4 else 0, cos.stride(-3))
    position_strides = (positions.stride(0) if positions.ndim == 2 else 0, positions.stride(-1))
    are_neighbors, overlaps = flags
    kind = (head_dim, 0 if cos is None else cos.shape[-1], are_neighbors, head_block, tiles.rows, tiles.depth, ONE_PART, overlaps)
    with torch.cuda.device_of(residual):
        normed_heads_into_cache_kernel[(n_heads + 2 * n_kv_heads, -(-len(flat) // tiles.rows))](
            (flat, *parameters, cos, signed_sin, positions, keys_values, queries),
            (flat.stride(0), *turn_strides, *position_strides, *keys_values.stride()[:4]),
            (len(flat), length, flat.shape[1], n_heads, n_kv_heads),
            eps,
            KIND=kind,
            **_settings(tiles, overlaps=overlaps),
        )
    return queries


@torch.library.custom_op("engines::product_into_residual", mutates_args=())
def product_into_residual(rows: Tensor, weights: Sequence[Tensor], residual: Tensor, *, overlaps: bool) -> Tensor:
    """residual (B, T, N) plus rows times a weight (N, D) and its bias, if there is one: (B, T, N) in the residual's dtype.

    rows: (B, T, D), or as heads (B, kv heads, groups, T, d), which are side by side in D; neighboring channels lie next to each other.
    """
    total = new_like(residual)
    _multiply(rows if rows.ndim == 5 else rows[:, None, None], (None, weights), residual, total, overlaps=overlaps)
    return total


@torch.library.custom_op("engines::normed_gated_product", mutates_args=())
def normed_gated_product(residual: Tensor, scale: Tensor, weights: Sequence[Tensor], *, eps: float, overlaps: bool) -> Tensor:
    """residual (..., D) normed by scale (D,), times gate above up (2 * N, D): SiLU of the first half times the second, (..., N)."""
    from engines.kit.fused.product_kernels import normed_gated_product_kernel

    flat, out, tiles = residual.reshape(-1, residual.shape[-1]), _gated(residual, weights[0]), _tiles(residual)[1]
    n_out = out.shape[-1]
    with torch.cuda.device_of(residual):
        normed_gated_product_kernel[(-(-n_out // tiles.out), -(-len(flat) // tiles.rows))](
            (flat, scale, weights[0], _bias(weights), out),
            flat.stride(0),
            (len(flat), flat.shape[1], n_out),
            eps,
            KIND=(tiles.out, tiles.rows, tiles.depth, ONE_PART, overlaps),
            **_settings(tiles, overlaps=overlaps),
        )
    return out


@torch.library.custom_op("engines::normed_product", mutates_args=())
def normed_product(
    residual: Tensor, scale: Tensor, weights: Sequence[Tensor], *, eps: float, is_wide: bool, overlaps: bool
) -> Tensor:  # fmt: skip
    """residual (B, T, D) normed by scale (D,), times a weight (N, D): (B, T, N) in its dtype, or the same numbers as float32 if is_wide."""
    out = _product(residual, weights[0], is_wide=is_wide)
    _multiply(residual[:, None, None], (scale, weights), None, out, eps=eps, overlaps=overlaps)
    return out


@normed_heads_into_cache.register_fake
def _(residual: Tensor, parameters: Sequence[Tensor | None], turns: object, keys_values: Tensor, **settings: object) -> Tensor:
    return _queries(residual, parameters, keys_values)


@product_into_residual.register_fake
def _(rows: Tensor, weights: Sequence[Tensor], residual: Tensor, *, overlaps: bool) -> Tensor:
    return new_like(residual)


@normed_gated_product.register_fake
def _(residual: Tensor, scale: Tensor, weights: Sequence[Tensor], *, eps: float, overlaps: bool) -> Tensor:
    return _gated(residual, weights[0])


@normed_product.register_fake
def _(residual: Tensor, scale: Tensor, weights: Sequence[Tensor], *, eps: float, is_wide: bool, overlaps: bool) -> Tensor:
    return _product(residual, weights[0], is_wide=is_wide)


def _multiply(
    parts: Tensor,
    parameters: tuple[Tensor | None, Sequence[Tensor]],
    residual: Tensor | None,
    made: Tensor,
    *,
    eps: float = 0.0,
    overlaps: bool,
) -> None:
    """See product_kernel. parts: rows (B, groups, parts, T, columns). parameters: weight of the norm or None, then weights."""
    from engines.kit.fused.product_kernels import product_kernel

    batch, n_groups, n_parts, length, columns = parts.shape
    (scale, weights), flat, tiles = parameters, None if residual is None else residual.reshape(batch * length, -1), _tiles(made)[0]
    depth, is_whole = tiles.depth, n_groups * n_parts == 1
    while not is_whole and columns % depth:  # no tile reaches beyond a part
        depth //= 2
    n_rows, n_out = batch * length, len(weights[0])
    with torch.cuda.device_of(made):
        product_kernel[(-(-n_out // tiles.out), -(-n_rows // tiles.rows))](
            (parts, scale, weights[0], _bias(weights), flat, made),
            (*parts.stride()[:4], 0 if flat is None else flat.stride(0)),
            (n_rows, length, n_parts, n_groups * n_parts * columns, n_out),
            eps,
            KIND=(tiles.out, tiles.rows, depth, ONE_PART if is_whole else columns, overlaps),
            **_settings(tiles, overlaps=overlaps),
        )


def _settings(tiles: Tiles, *, overlaps: bool) -> dict[str, object]:
    """Of the launch."""
    early = {"launch_pdl": True} if overlaps else {}
    return {"num_warps": 4, "num_stages": tiles.stages, **early, **PLAIN_SUMS}


def _tiles(residual: Tensor) -> tuple[Tiles, Tiles, Tiles]:
    n_rows = residual.shape[:-1].numel()
    return next(tiles for most, tiles in TILES if n_rows <= most)


def _bias(weights: Sequence[Tensor]) -> Tensor | None:
    return weights[1] if len(weights) > 1 else None


def _queries(residual: Tensor, parameters: Sequence[Tensor | None], keys_values: Tensor) -> Tensor:
    weight = parameters[1]
    assert weight is not None
    batch, length, _ = residual.shape
    n_kv_heads, head_dim = keys_values.shape[2], keys_values.shape[4]
    return weight.new_empty(batch, n_kv_heads, len(weight) // head_dim // n_kv_heads - 2, length, head_dim)


def _gated(residual: Tensor, weight: Tensor) -> Tensor:
    return weight.new_empty(*residual.shape[:-1], len(weight) // 2)


def _product(residual: Tensor, weight: Tensor, *, is_wide: bool) -> Tensor:
    return weight.new_empty(*residual.shape[:-1], len(weight), dtype=torch.float32 if is_wide else weight.dtype)
