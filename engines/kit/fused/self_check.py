"""Self-check: which kernels give the results of the plain formulas on this device. An engine trusts no others, and says so.

Run before graphs are captured: each kernel computes a few small cases beside the formula that it stands for, which also compiles it.
"""

import importlib.util
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from engines.kit.fused import operations
from engines.kit.fused.fused_use import Case, Check, FusedUse
from engines.kit.fused.product_checks import PRODUCT_CHECKS
from engines.kit.fused.unmasking_checks import UNMASKING_CHECKS
from engines.kit.fused.wave_checks import WAVE_CHECKS
from engines.kit.nn.attention import Attention, AttentionStep, Rotary, additive_mask
from engines.kit.nn.norm import RMSNorm
from engines.kit.sampling.flow_matching import LEAST_SQUARED_NORM, FusedZeroStar, TimeGrid, solve_euler, zero_star_guidance
from engines.kit.sampling.sampling import (
    CODE_UNIFORM_BITS,
    CODEBOOK_STRIDE,
    SamplingTensors,
    gaussian_noise,
    gumbel_noise,
    sample,
    sample_cut_first,
    sample_cut_first_and_embed,
)

__all__ = ["CHECKS", "KERNELS", "passing_kernels", "trusted_kernels"]

logger = logging.getLogger(__name__)

# Of NVIDIA's: Turing, the oldest that Triton 3.6 was seen to compile all kernels for. Its makers promise 8.0 and later; the checks decide.
LEAST_CAPABILITY = (7, 5)
# Times the dtype's precision and the largest value: sums are taken in another order, which moves bfloat16 to a neighbor at most.
MOST_DIFFERENCE = 4.0
BATCH, LENGTH, VOCABULARY = 4, 32, 100
PASTS = (1, 5, 300, 600)  # keys: of one block, of several, of two parts of operations.attend_to_past
ROWS = (1, 5, 16)  # Triton compiles them apart: one, several, a multiple of 16
SAMPLINGS = ((1.0, 0, 1.0), (0.9, 20, 1.0), (1.0, 0, 0.7), (0.7, 30, 0.8), (0.0, 5, 1.0))  # temperature, top_k, top_p


def trusted_kernels(uses: Sequence[FusedUse]) -> frozenset[str]:
    """Names of the kernels that compute as they should for all uses, which lie on one device; none where kernels are not for it.

    A kernel that does not is named in a warning, with how far it is off or why it cannot run; the plain formula then stands in its place.
    """
    device = uses[0].device
    if device.type != "cuda":
        return frozenset()
    is_nvidia = torch.version.hip is None  # others number their devices in their own way, and are judged by the checks alone
    if is_nvidia and torch.cuda.get_device_capability(device) < LEAST_CAPABILITY:
        logger.info("Operations are not fused on %s: that asks for compute capability %d.%d.", device, *LEAST_CAPABILITY)
        return frozenset()
    return passing_kernels(uses, CHECKS)


@torch.inference_mode()
def passing_kernels(uses: Sequence[FusedUse], checks: Mapping[str, Check]) -> frozenset[str]:
    """Names of those whose cases are within rounding of the formula, for all uses; none without Triton."""
    if importlib.util.find_spec("triton") is None:
        logger.warning("Operations are not fused: Triton is not installed. It comes with PyTorch's packages for CUDA.")
        return frozenset()
    return frozenset(name for name, check in checks.items() if all(_passes(name, check, use) for use in uses))


def _passes(name: str, check: Check, use: FusedUse) -> bool:
    where = (name, use.device, use.dtype)
    try:
        difference = max((_difference(*case) for case in check(use)), default=0.0)
    except (
        Exception
    ) as error:  # no triton, no compiler for what it loads, a kernel that does not compile: whatever it is, it is not trusted
        logger.warning("The kernel %s does not run on %s in %s, so plain operations do its work: %r", *where, error)
        return False
    if difference <= MOST_DIFFERENCE:
        return True
    logger.warning("The kernel %s is off by %g roundings on %s in %s, so plain operations do its work.", name, difference, *where[1:])
    return False


def _difference(made: Tensor, plain: Tensor) -> float:
    """The largest, in roundings of the largest value; infinite where codes differ or numbers are missing."""
    if made.shape != plain.shape or made.dtype != plain.dtype:
        return float("inf")
    if not plain.is_floating_point():
        return 0.0 if torch.equal(made, plain) else float("inf")
    off = (made.double() - plain.double()).abs().max() / (plain.double().abs().max() * torch.finfo(plain.dtype).eps)
    return off.item() if off.isfinite() else float("inf")


def _norm(use: FusedUse) -> RMSNorm:
    norm = RMSNorm(use.attention.hidden_size, use.attention.norm_eps).to(use.device, use.dtype)
    norm.weight.copy_(1 + 0.5 * use.drawn(use.attention.hidden_size, seed=9))
    return norm


def _check_rms_norm(use: FusedUse) -> Iterator[Case]:
    norm = _norm(use)
    for n_rows in ROWS:
        x = use.drawn(BATCH, n_rows, use.attention.hidden_size)
        for rows in (x, x.float()):  # the latter of a wide residual
            yield operations.rms_norm(rows, norm.weight, norm.eps), norm(rows)


def _check_add_rms_norm(use: FusedUse) -> Iterator[Case]:
    norm = _norm(use)
    for n_rows in ROWS:
        x, y = (use.drawn(BATCH, n_rows, use.attention.hidden_size, seed=seed) for seed in (1, 2))
        for residual in (x, x.float()):
            yield from zip(operations.add_rms_norm(residual, y, norm.weight, norm.eps), norm.add(residual, y), strict=True)


def _check_gated_silu(use: FusedUse) -> Iterator[Case]:
    for n_rows in ROWS:
        gate_up = 3 * use.drawn(BATCH, n_rows, 6 * use.attention.hidden_size)
        gate, up = gate_up.chunk(2, dim=-1)
        yield operations.gated_silu(gate_up), F.silu(gate) * up


def _check_zero_star_step(use: FusedUse) -> Iterator[Case]:
    """Velocities that resemble each other, as those of a trained network do; a scale for all rows, and one for each."""
    grid = TimeGrid((1.0,), (-0.375,))
    for n_rows in ROWS:
        rows, unconditioned, noise = (use.drawn(BATCH, n_rows, VOCABULARY, seed=seed) for seed in (4, 1, 2))
        both = torch.cat([unconditioned + 0.5 * noise, unconditioned])
        for scale in (torch.full_like(noise[:1, :1, :1], 2.0), 1 + use.drawn(BATCH, 1, 1, seed=3).abs()):
            move = FusedZeroStar(scale).moved
            yield move(rows, both, grid.widths[0]), solve_euler(rows, grid, lambda *_, both=both: both, zero_star_guidance(scale))


def _check_flow_rows(use: FusedUse) -> Iterator[Case]:
    """With and without velocities: more latents than conditions, and widths that fill no block."""
    n_latents, depth, width = 5, 12, 70
    latents, last = use.drawn(BATCH, n_latents, depth), use.drawn(BATCH, 3, width, seed=1)
    unconditioned, noise = (use.drawn(BATCH, n_latents, depth, seed=seed) for seed in (2, 3))
    conditions, time, weight, bias = (use.drawn(*shape, seed=4) for shape in ((BATCH, 2, width), (width,), (width, depth), (width,)))
    scale, both = 1 + use.drawn(BATCH, 1, 1, seed=5).abs(), torch.cat([unconditioned + 0.5 * noise, unconditioned])
    for velocities in ([], [both]):
        given = [conditions, time, last], [weight, bias]
        moved, rows = operations.flow_rows([latents, *velocities], scale, *given, width=-0.375, least=LEAST_SQUARED_NORM)
        grid = TimeGrid((1.0,), (-0.375,) if velocities else (0.0,))
        plain = solve_euler(latents, grid, lambda *_: both, zero_star_guidance(scale))
        made = F.linear(moved, weight, bias)  # of the moved ones: a product magnifies the rounding between two right sums
        halves = [torch.cat([told, time.expand(BATCH, 1, -1), last, made], dim=1) for told in (conditions, torch.zeros_like(conditions))]
        yield from ((moved, plain), (rows, torch.cat(halves)))


def _check_rotation(use: FusedUse, kind: Literal["half", "interleaved"]) -> Iterator[Case]:
    """At positions of all rows together, as a prompt is read, and of each row by itself, as frames are made."""
    config = replace(use.attention, hidden_size=16, rotary=replace(use.attention.rotary, kind=kind))
    attention = Attention(config).to(use.device, use.dtype)
    for seed, parameter in enumerate(attention.parameters()):
        parameter.copy_(use.drawn(*parameter.shape, seed=seed))
    for n_rows in ROWS:
        hidden_states, shared = use.drawn(BATCH, n_rows, 16), torch.arange(n_rows, device=use.device) + 3
        for positions in (shared, shared + torch.arange(BATCH, device=use.device)[:, None]):
            yield from _rotated(attention, hidden_states, positions)


def _rotated(attention: Attention, hidden_states: Tensor, positions: Tensor) -> Iterator[Case]:
    config, batch = attention.config, len(hidden_states)
    rotation = Rotary(config.rotary, config.head_dim)(positions, hidden_states.dtype)
    step = AttentionStep(positions, rotation, None, None, LENGTH)
    made, plain = hidden_states.new_zeros(2, 2, batch, config.n_kv_heads, LENGTH, config.head_dim)
    queries, *new = attention.project(hidden_states, rotation)
    rows = torch.arange(batch, device=positions.device)[:, None]
    for memory, heads in zip(plain, new, strict=True):
        memory.transpose(1, 2).index_put_((rows, positions.expand(batch, -1)), heads)
    fused_queries = attention.project_into(hidden_states, step, made)
    yield fused_queries.flatten(1, 2).transpose(1, 2).contiguous(), queries.contiguous()
    yield from zip(made, plain, strict=True)


def _check_attend_to_past(use: FusedUse) -> Iterator[Case]:
    """Memories of one part and of several, longer than what is read; positions that differ from row to row, and one of all rows."""
    heads = use.attention
    for n_keys in PASTS:
        queries = use.drawn(BATCH, heads.n_kv_heads, heads.n_groups, 1, heads.head_dim)
        keys_values = use.drawn(2, BATCH, heads.n_kv_heads, n_keys + 1, heads.head_dim, seed=1)[..., :n_keys, :]
        last = torch.tensor([n_keys - 1], device=use.device)
        for positions in (last, last[:, None] * torch.arange(BATCH, device=use.device)[:, None] // (BATCH - 1)):
            mask = additive_mask(torch.arange(n_keys, device=use.device) > positions[..., None], 1, use.dtype)
            made = operations.attend_to_past(queries, keys_values, positions)
            plain = F.scaled_dot_product_attention(queries.flatten(2, 3), keys_values[0], keys_values[1], attn_mask=mask)
            yield made, plain.flatten(1)[:, None]


def _noise_keys(use: FusedUse, n_positions: int) -> tuple[Tensor, Tensor, Tensor]:
    seed = torch.tensor([[0], [7], [2**62 + 5], [2**63 - 1]], device=use.device)
    return seed, torch.arange(len(seed), device=use.device)[:, None] * 1000, torch.arange(n_positions, device=use.device)


def _check_gumbel_noise(use: FusedUse) -> Iterator[Case]:
    keys = _noise_keys(use, 3 * CODEBOOK_STRIDE)
    yield operations.fused_gumbel_noise(*keys, CODE_UNIFORM_BITS), gumbel_noise(*keys)


def _check_uniform_noise(use: FusedUse) -> Iterator[Case]:
    """By the bits of what is made of it: the numbers of a seed stay what they are."""
    keys = _noise_keys(use, VOCABULARY)
    yield gaussian_noise(*keys, fused=True).view(torch.int32), gaussian_noise(*keys).view(torch.int32)


def _check_draw_codes(use: FusedUse) -> Iterator[Case]:
    """Exactly the same codes; the logits are far enough apart that no rounding decides."""
    logits = (2 * use.drawn(BATCH * len(SAMPLINGS), VOCABULARY)).float()
    noise = use.drawn(BATCH * len(SAMPLINGS), VOCABULARY, seed=1).float()
    params = SamplingTensors.blank(len(logits), use.device)
    for row in range(len(logits)):
        params.set(*SAMPLINGS[row % len(SAMPLINGS)], row)
    table = use.drawn(VOCABULARY, use.attention.hidden_size, seed=2)
    plain = sample(logits, noise, params)
    yield from zip(operations.draw_codes(logits, noise, params.tensors, [table]), (plain, table[plain][:, None]), strict=True)
    yield operations.draw_codes(logits, noise, params.tensors, [])[0], plain


def _check_draw_codes_cut_first(use: FusedUse) -> Iterator[Case]:
    """The same; of all ways at once, then of each by itself."""
    logits = 2 * use.drawn(BATCH, 1, VOCABULARY)
    noise = use.drawn(BATCH, len(SAMPLINGS), VOCABULARY, seed=1).float()
    every = SamplingTensors.blank(BATCH, use.device, len(SAMPLINGS))
    for draw, sampling in enumerate(SAMPLINGS):
        every.set(*sampling, (slice(None), draw))
    of_one = ((logits[:, 0], noise[:, draw], every.of_draw(draw)) for draw in range(len(SAMPLINGS)))
    table = use.drawn(VOCABULARY, use.attention.hidden_size, seed=2)
    for case in ((logits, noise, every), *of_one):
        plain = sample_cut_first(*case)
        yield sample_cut_first(*case, fused=True), plain
        if plain.ndim == 1:
            yield from zip(sample_cut_first_and_embed(*case, table), (plain, table[plain][:, None]), strict=True)


# By the names that layers know the operations by.
CHECKS: Mapping[str, Check] = {
    "rms_norm": _check_rms_norm,
    "add_rms_norm": _check_add_rms_norm,
    "gated_silu": _check_gated_silu,
    "zero_star_step": _check_zero_star_step,
    "flow_rows": _check_flow_rows,
    "rotate_halves_into_cache": lambda use: _check_rotation(use, "half"),
    "rotate_neighbors_into_cache": lambda use: _check_rotation(use, "interleaved"),
    "attend_to_past": _check_attend_to_past,
    "gumbel_noise": _check_gumbel_noise,
    "uniform_noise": _check_uniform_noise,
    "draw_codes": _check_draw_codes,
    "draw_codes_cut_first": _check_draw_codes_cut_first,
    **UNMASKING_CHECKS,
    **WAVE_CHECKS,
    **PRODUCT_CHECKS,
}
KERNELS = frozenset(CHECKS)
