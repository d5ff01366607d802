"""The kernels as operations of torch. A trace, a dispatch mode and a CUDA graph see each as one operation.

A kernel is compiled when it is first called with a new kind of arguments, so the first call may not lie inside a capture: the runs that
go before it (cuda_graphs.py) see to that, and self_check.py before them. Nothing here waits for the device or depends on a value.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from engines.kit.fused.layouts import LARGEST_BLOCK, PLAIN_SUMS, flat_rows, new_like, power_of_two

if TYPE_CHECKING:
    from engines.kit.fused.launched import Kernel

__all__ = [
    "add_rms_norm",
    "attend_to_past",
    "draw_codes",
    "draw_codes_cut_first",
    "flow_rows",
    "fused_gumbel_noise",
    "fused_uniform_noise",
    "gated_silu",
    "rms_norm",
    "rotate_halves_into_cache",
    "rotate_neighbors_into_cache",
    "zero_star_step",
]

DRAWING_WARPS = 8
FLOW_BLOCK = 64  # channels of rows of a network that one program makes
LEAST_SIDE = 16  # of matrices that tl.dot multiplies
KEYS_OF_BLOCK = 128  # bytes of a channel: 64 keys in bfloat16
KEYS_OF_PART = 512  # of a row's past that one program attends to: all that the smallest graphs of decoders read


@torch.library.custom_op("engines::rms_norm", mutates_args=())
def rms_norm(rows: Tensor, weight: Tensor, eps: float) -> Tensor:
    """(..., D) of unit root mean square times weight (D,), in its dtype; see RMSNorm."""
    from engines.kit.fused.kernels import rms_norm_kernel

    flat, normed = flat_rows(rows), new_like(rows, weight.dtype)
    with torch.cuda.device_of(rows):
        rms_norm_kernel[(len(flat),)](
            (flat, weight, normed), flat.shape[1], flat.stride(0), eps, BLOCK=power_of_two(flat.shape[1]), **PLAIN_SUMS
        )  # fmt: skip
    return normed


@torch.library.custom_op("engines::add_rms_norm", mutates_args=())
def add_rms_norm(residual: Tensor, branch: Tensor, weight: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """residual + branch, both (..., D), in the residual's dtype, and that sum normed, in the weight's; see RMSNorm."""
    from engines.kit.fused.kernels import add_rms_norm_kernel

    flat, added, total, normed = flat_rows(residual), flat_rows(branch), new_like(residual), new_like(residual, weight.dtype)
    strides = (flat.stride(0), added.stride(0))
    with torch.cuda.device_of(residual):
        add_rms_norm_kernel[(len(flat),)](
            (flat, added, weight, total, normed), flat.shape[1], strides, eps, BLOCK=power_of_two(flat.shape[1]), **PLAIN_SUMS
        )  # fmt: skip
    return total, normed


@torch.library.custom_op("engines::gated_silu", mutates_args=())
def gated_silu(gate_up: Tensor) -> Tensor:
    """SiLU of the first half of the channels (..., 2 * D) times the second half, (..., D); see SwiGLU."""
    from engines.kit.fused.kernels import gated_silu_kernel

    flat, width = flat_rows(gate_up), gate_up.shape[-1] // 2
    out, block = torch.empty_like(_half(gate_up), memory_format=torch.contiguous_format), min(LARGEST_BLOCK, power_of_two(width))
    with torch.cuda.device_of(gate_up):
        gated_silu_kernel[(len(flat), -(-width // block))]((flat, out), width, flat.stride(0), BLOCK=block, **PLAIN_SUMS)
    return out


@torch.library.custom_op("engines::zero_star_step", mutates_args=())
def zero_star_step(rows: Tensor, velocities: Tensor, scale: Tensor, *, width: float, least: float) -> Tensor:
    """Rows (B, ...) a step of that width further; velocities (2B, ...), scale (B, 1, ...) or (1, ...), least squared norm: see
    flow_matching.py.
    """
    from engines.kit.fused.kernels import zero_star_step_kernel

    flat, both, scales, moved = flat_rows(rows.flatten(1)), flat_rows(velocities.flatten(1)), scale.flatten(), new_like(rows)
    strides = (flat.stride(0), both.stride(0), scales.stride(0) if len(scales) > 1 else 0)
    with torch.cuda.device_of(rows):
        zero_star_step_kernel[(len(flat),)](
            (flat, both, scales, moved), flat.shape[1], strides, (width, least), BLOCK=power_of_two(flat.shape[1]), **PLAIN_SUMS
        )  # fmt: skip
    return moved


@torch.library.custom_op("engines::flow_rows", mutates_args=())
def flow_rows(
    latents: Sequence[Tensor], scale: Tensor, rows: Sequence[Tensor], product: Sequence[Tensor], *, width: float, least: float
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """latents: (B, P, D), and velocities (2B, P, D) along which they are moved first, as by zero_star_step, or none. rows: conditions
    (B, C, W), the time's row (W,), rows of before (B, L, W). product: weight (W, D) and bias (W,). All of these contiguous.

    returns: the latents, and rows (2B, C + 1 + L + P, W) of a network: conditions, the time, those of before, and the products of the
    latents; then the same with zeros for conditions. See DiffusionHead of VoxCPM2.
    """
    from engines.kit.fused.kernels import flow_rows_kernel

    (batch, n_latents, depth), (conditions, time, before), scales = latents[0].shape, rows, scale.flatten()
    n_conditions, n_before, n_out = conditions.shape[1], before.shape[1], len(product[0])
    made = _flow_rows(latents, rows)
    block = max(LEAST_SIDE, power_of_two(max(n_latents, n_conditions, n_before)))
    with torch.cuda.device_of(scale):
        flow_rows_kernel[(batch, -(-n_out // FLOW_BLOCK))](
            (latents[0], latents[1] if len(latents) > 1 else None, scales, conditions, time, before, *product, *made),
            (n_latents, depth, n_conditions, n_before, n_out),
            scales.stride(0) if len(scales) > 1 else 0,
            (width, least),
            KIND=(block, max(LEAST_SIDE, power_of_two(depth)), FLOW_BLOCK),
            **PLAIN_SUMS,
        )
    return made


@torch.library.custom_op("engines::rotate_halves_into_cache", mutates_args=("keys_values",))
def rotate_halves_into_cache(
    packed: Tensor, norm_weight: Tensor | None, rotation: Sequence[Tensor], positions: Tensor, keys_values: Tensor, *, eps: float
) -> Tensor:
    """Packed heads of queries, keys and values, (B, T, heads * d): queries and keys normed and rotated, keys and values written to memory.

    norm_weight: of all heads of queries and keys, or None. rotation: cos and signed sin, or nothing. positions: (T,) or (B, T)
    int64. keys_values: (2, B, kv heads, length, d). returns: queries (B, kv heads, groups, T, d). See Attention.
    """
    return _rotated(packed, norm_weight, (*rotation, positions), keys_values, eps=eps, are_neighbors=False)


@torch.library.custom_op("engines::rotate_neighbors_into_cache", mutates_args=("keys_values",))
def rotate_neighbors_into_cache(
    packed: Tensor, norm_weight: Tensor | None, rotation: Sequence[Tensor], positions: Tensor, keys_values: Tensor, *, eps: float
) -> Tensor:
    """The same where pairs of channels are neighbors."""
    return _rotated(packed, norm_weight, (*rotation, positions), keys_values, eps=eps, are_neighbors=True)


@torch.library.custom_op("engines::attend_to_past", mutates_args=())
def attend_to_past(queries: Tensor, keys_values: Tensor, positions: Tensor, *, overlaps: bool = False) -> Tensor:
    """Each row's one query sees the keys up to its own position, and no more are read. overlaps: see products.py.

    queries: (B, kv heads, groups, 1, d), contiguous. keys_values: (2, B, kv heads, K, d). positions: (1,) or (B, 1) int64.
    returns: (B, 1, heads * d). See Attention.
    """
    from engines.kit.fused.attention_kernels import attend_to_past_kernel, join_parts_kernel

    batch, n_kv_heads, n_groups, _, head_dim = queries.shape
    n_keys, block = keys_values.shape[3], KEYS_OF_BLOCK // queries.element_size()
    n_parts = -(-n_keys // KEYS_OF_PART)
    mixed = _past_mixed(queries)
    weighed = tops = mixed
    if n_parts > 1:
        weighed = queries.new_empty(batch, n_kv_heads, n_parts, n_groups, head_dim, dtype=torch.float32)
        tops = queries.new_empty(2, batch, n_kv_heads, n_parts, n_groups, dtype=torch.float32)
    width, height = (max(LEAST_SIDE, power_of_two(size)) for size in (head_dim, n_groups))
    kind = (head_dim, n_groups, min(block, max(LEAST_SIDE, power_of_two(n_keys))), KEYS_OF_PART, n_parts, width, height, overlaps)
    strides = (positions.stride(0) if positions.ndim == 2 else 0, *keys_values.stride()[:4])
    early = {"launch_pdl": True} if overlaps else {}
    with torch.cuda.device_of(queries):
        attend_to_past_kernel[(batch, n_kv_heads, n_parts)](
            (queries, positions, keys_values, mixed, weighed, tops), strides, head_dim**-0.5, KIND=kind, num_stages=2, **early, **PLAIN_SUMS
        )  # fmt: skip
        if n_parts > 1:
            kind = (head_dim, n_groups, n_parts, width, power_of_two(n_parts), overlaps)
            join_parts_kernel[(batch * n_kv_heads, n_groups)]((weighed, tops, mixed), tops[0].numel(), KIND=kind, num_warps=1, **early)
    return mixed


@torch.library.custom_op("engines::gumbel_noise", mutates_args=())
def fused_gumbel_noise(seed: Tensor, frame: Tensor, positions: Tensor, uniform_bits: int) -> Tensor:
    """seed and frame (B, 1), positions (N,): (B, N) float32; see gumbel_noise."""
    from engines.kit.fused.kernels import gumbel_noise_kernel

    return _noise(gumbel_noise_kernel, (seed, frame, positions), uniform_bits, torch.float32)


@torch.library.custom_op("engines::uniform_noise", mutates_args=())
def fused_uniform_noise(seed: Tensor, frame: Tensor, positions: Tensor, uniform_bits: int) -> Tensor:
    """The same, even between 0 and 1 and in float64: what all noise is made of."""
    from engines.kit.fused.kernels import uniform_noise_kernel

    return _noise(uniform_noise_kernel, (seed, frame, positions), uniform_bits, torch.float64)


@torch.library.custom_op("engines::draw_codes", mutates_args=())
def draw_codes(logits: Tensor, noise: Tensor, params: Sequence[Tensor], table: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """One code per row (B,) int64 from logits (B, V) with noise (B, V), and the codes' rows (B, 1, D) of a table (codes, D), D being 0
    without one. params: temperature, top_k and top_p, (B, 1), contiguous. See sample.
    """
    from engines.kit.fused.kernels import draw_codes_kernel

    codes, rows, width = params[1].new_empty(len(logits)), _looked_up(logits, table, len(logits)), logits.shape[1]
    own, found, stride = (table[0], rows, table[0].stride(0)) if table else (None, None, 0)
    tensors = (flat_rows(logits), flat_rows(noise), *params, codes, own, found)
    strides, code_bits = (tensors[0].stride(0), tensors[1].stride(0), stride, rows.shape[2]), power_of_two(width).bit_length() - 1
    with torch.cuda.device_of(logits):
        draw_codes_kernel[(len(logits),)](tensors, width, strides, CODE_BITS=code_bits, num_warps=DRAWING_WARPS, **PLAIN_SUMS)
    return codes, rows


@torch.library.custom_op("engines::draw_codes_cut_first", mutates_args=())
def draw_codes_cut_first(
    logits: Tensor, noise: Tensor, params: Sequence[Tensor], table: Sequence[Tensor], *, least_temperature: float
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The same by another rule, or several draws of a row, see sample_cut_first: codes (B, D), rows (B * D, 1, C)."""
    from engines.kit.fused.kernels import draw_codes_cut_first_kernel

    width, codes = noise.shape[-1], params[1].new_empty(noise.shape[:-1])
    rows = _looked_up(logits, table, codes.numel())
    own, found, stride = (table[0], rows, table[0].stride(0)) if table else (None, None, 0)
    logits, noise = (tensor if tensor.stride(-1) == 1 else tensor.contiguous() for tensor in (logits.expand_as(noise), noise))
    given = (logits, noise, *(param.expand(*noise.shape[:-1], 1) for param in params))
    given = given if noise.ndim == 3 else tuple(tensor[:, None] for tensor in given)
    strides, n_draws = tuple(stride for tensor in given for stride in tensor.stride()[:2]), given[1].shape[1]
    with torch.cuda.device_of(logits):
        draw_codes_cut_first_kernel[(codes.numel(),)](
            (*given, codes, own, found), (width, n_draws, stride, rows.shape[2]), strides, least_temperature,
            CODE_BITS=power_of_two(width).bit_length() - 1, num_warps=DRAWING_WARPS, **PLAIN_SUMS,
        )  # fmt: skip
    return codes, rows


@rms_norm.register_fake
def _(rows: Tensor, weight: Tensor, eps: float) -> Tensor:
    return new_like(rows, weight.dtype)


@add_rms_norm.register_fake
def _(residual: Tensor, branch: Tensor, weight: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    return new_like(residual), new_like(residual, weight.dtype)


@flow_rows.register_fake
def _(
    latents: Sequence[Tensor], scale: Tensor, rows: Sequence[Tensor], product: Sequence[Tensor], *, width: float, least: float
) -> tuple[Tensor, Tensor]:  # fmt: skip
    return _flow_rows(latents, rows)


@zero_star_step.register_fake
def _(rows: Tensor, velocities: Tensor, scale: Tensor, *, width: float, least: float) -> Tensor:
    return new_like(rows)


@gated_silu.register_fake
def _(gate_up: Tensor) -> Tensor:
    return torch.empty_like(_half(gate_up), memory_format=torch.contiguous_format)


@rotate_halves_into_cache.register_fake
@rotate_neighbors_into_cache.register_fake
def _(
    packed: Tensor, norm_weight: Tensor | None, rotation: Sequence[Tensor], positions: Tensor, keys_values: Tensor, *, eps: float
) -> Tensor:  # fmt: skip
    return _new_queries(packed, keys_values)


@attend_to_past.register_fake
def _(queries: Tensor, keys_values: Tensor, positions: Tensor, *, overlaps: bool = False) -> Tensor:
    return _past_mixed(queries)


@fused_gumbel_noise.register_fake
def _(seed: Tensor, frame: Tensor, positions: Tensor, uniform_bits: int) -> Tensor:
    return positions.new_empty(len(seed), len(positions), dtype=torch.float32)


@fused_uniform_noise.register_fake
def _(seed: Tensor, frame: Tensor, positions: Tensor, uniform_bits: int) -> Tensor:
    return positions.new_empty(len(seed), len(positions), dtype=torch.float64)


@draw_codes.register_fake
def _(logits: Tensor, noise: Tensor, params: Sequence[Tensor], table: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    return params[1].new_empty(len(logits)), _looked_up(logits, table, len(logits))


@draw_codes_cut_first.register_fake
def _(
    logits: Tensor, noise: Tensor, params: Sequence[Tensor], table: Sequence[Tensor], *, least_temperature: float
) -> tuple[Tensor, Tensor]:  # fmt: skip
    codes = params[1].new_empty(noise.shape[:-1])
    return codes, _looked_up(logits, table, codes.numel())


def _looked_up(logits: Tensor, table: Sequence[Tensor], n_codes: int) -> Tensor:
    """Room for rows of the table, (N, 1, D)."""
    return table[0].new_empty(n_codes, 1, table[0].shape[1]) if table else logits.new_empty(n_codes, 1, 0)


def _noise(kernel: "Kernel", keys: tuple[Tensor, Tensor, Tensor], uniform_bits: int, dtype: torch.dtype) -> Tensor:
    compact, width = tuple(key.contiguous() for key in keys), len(keys[2])
    noise, block = keys[2].new_empty(len(keys[0]), width, dtype=dtype), min(LARGEST_BLOCK, power_of_two(width))
    with torch.cuda.device_of(noise):
        kernel[(len(noise), -(-width // block))]((*compact, noise), width, BITS=uniform_bits, BLOCK=block, **PLAIN_SUMS)
    return noise


def _rotated(
    packed: Tensor, norm_weight: Tensor | None, turns: tuple[Tensor, ...], keys_values: Tensor, *, eps: float, are_neighbors: bool
) -> Tensor:
    """turns: cos and signed sin if there are any, then positions."""
    from engines.kit.fused.kernels import rotate_into_cache_kernel

    *rotation, positions = turns
    cos, signed_sin = rotation or (None, None)
    queries = _new_queries(packed, keys_values)
    batch, n_kv_heads, n_groups, n_rows, head_dim = queries.shape
    turn_strides = (0, 0) if cos is None else (cos.stride(0) if cos.ndim == 4 else 0, cos.stride(-3))
    position_strides = (positions.stride(0) if positions.ndim == 2 else 0, positions.stride(-1))
    strides = (*packed.stride()[:2], *turn_strides, *position_strides, *keys_values.stride()[:4])
    kind = (head_dim, 0 if cos is None else cos.shape[-1], are_neighbors, power_of_two(head_dim))
    tensors = (packed, norm_weight, cos, signed_sin, positions, keys_values, queries)
    n_heads = n_kv_heads * n_groups
    with torch.cuda.device_of(packed):
        rotate_into_cache_kernel[(batch * n_rows, n_heads + 2 * n_kv_heads)](
            tensors, strides, (n_rows, n_heads, n_kv_heads), eps, KIND=kind, num_warps=1, **PLAIN_SUMS
        )  # fmt: skip
    return queries


def _flow_rows(latents: Sequence[Tensor], rows: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    (batch, n_latents, _), (conditions, _, before) = latents[0].shape, rows
    length = conditions.shape[1] + 1 + before.shape[1] + n_latents
    return new_like(latents[0]), conditions.new_empty(2 * batch, length, conditions.shape[2])


def _new_queries(packed: Tensor, keys_values: Tensor) -> Tensor:
    batch, n_rows, width = packed.shape
    n_kv_heads, head_dim = keys_values.shape[2], keys_values.shape[4]
    return packed.new_empty(batch, n_kv_heads, width // head_dim // n_kv_heads - 2, n_rows, head_dim)


def _past_mixed(queries: Tensor) -> Tensor:
    return queries.new_empty(len(queries), 1, queries[0].numel())


def _half(gate_up: Tensor) -> Tensor:
    return gate_up[..., : gate_up.shape[-1] // 2]
