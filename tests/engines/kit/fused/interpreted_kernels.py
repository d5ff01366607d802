"""The kernels in Triton's interpreter, on the CPU, beside the formulas they stand for: a process of its own that test_fused.py starts.

The interpreter computes with NumPy. Where it rounds a float32 to bfloat16 it cuts off, which no GPU does, so that is mended first. Sums of
squares are exact here in whatever order (few significant bits), and so equal bit for bit; exp of NumPy and of torch differ in the last bit.
"""

import itertools
import json
import os
from functools import partial

os.environ["TRITON_INTERPRET"] = "1"  # before triton is imported, which decides then

import numpy as np
import torch
import torch.nn.functional as F
import triton.language as tl
from torch import Tensor
from triton.runtime import interpreter

from engines.kit.fused import operations, self_check, wave_checks
from engines.kit.fused.fused_use import FusedUse
from engines.kit.fused.product_checks import PRODUCT_CHECKS
from engines.kit.fused.self_check import CHECKS, KERNELS, passing_kernels
from engines.kit.nn.attention import Attention, AttentionConfig, Rotary, RotaryConfig
from engines.kit.nn.fusable import fuse
from engines.kit.nn.norm import RMSNorm
from engines.kit.nn.transformer import Decoder, DecoderConfig
from engines.kit.nn.windowed_transformer import WindowedTransformer, WindowedTransformerConfig
from engines.kit.sampling.flow_matching import FusedZeroStar, TimeGrid, solve_euler, zero_star_guidance
from engines.kit.sampling.sampling import CODE_UNIFORM_BITS, SamplingTensors, gaussian_noise, gumbel_noise, sample, sample_cut_first
from tests.engines.kit.fused.interpreted_layers import five_a_layer, product_checks_hold
from tests.engines.kit.fused.interpreted_steps import patches_alike, unmasking_alike
from tests.engines.kit.fused.interpreted_waves import DTYPES, anti_aliased, causal_chains, coarse, depthwise_conv, residual_unit, snake
from tests.engines.kit.fused.quick_interpreter import describe_types_once, stand_in_once

ROTARIES = {
    "half": RotaryConfig(),
    "half, some channels, float32": RotaryConfig(rotary_dim=4, in_float32=True),
    "interleaved": RotaryConfig("interleaved"),
    "interleaved, float32": RotaryConfig("interleaved", in_float32=True, bfloat16_table=True),
    "none": RotaryConfig("none"),
}
HEADS = AttentionConfig(24, 4, 2, 8, RotaryConfig(), qk_norm=True)


def round_as_a_gpu() -> None:
    cut = interpreter._convert_float

    def convert(values: np.ndarray, source: tl.dtype, target: tl.dtype, mode: object) -> np.ndarray:
        if (source, target) != (tl.float32, tl.bfloat16):
            return cut(values, source, target, mode)
        rounded = torch.from_numpy(np.ascontiguousarray(values).view(np.float32).copy()).bfloat16()
        return rounded.view(torch.uint16).numpy().reshape(values.shape)

    interpreter._convert_float = convert


def multiply_as_a_gpu() -> None:
    """Matrices in bfloat16 are 16-bit integers to NumPy."""
    multiply = interpreter.InterpreterBuilder.create_dot

    def widened(factor: interpreter.TensorHandle) -> interpreter.TensorHandle:
        if factor.dtype != tl.bfloat16:
            return factor
        return interpreter.TensorHandle((factor.data.astype(np.uint32) << 16).view(np.float32), tl.float32)

    def widen_and_multiply(builder: object, left: interpreter.TensorHandle, right: interpreter.TensorHandle, *rest: object) -> object:
        return multiply(builder, widened(left), widened(right), *rest)

    interpreter.InterpreterBuilder.create_dot = widen_and_multiply


def count_by_tensors() -> None:
    """Bounds of loops are arrays of one number in the interpreter, which NumPy no longer takes for the number."""
    patch = interpreter._patch_lang_tensor

    def patch_and_count(tensor: type, scope: object) -> None:
        patch(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: self.handle.data.item())

    interpreter._patch_lang_tensor = patch_and_count


def norms() -> bool:
    same = True
    for dtype, (batch, n_rows) in itertools.product(DTYPES, ((1, 1), (4, 5))):
        norm = RMSNorm(24, 1e-6).requires_grad_(False).to(dtype)
        norm.weight.copy_(coarse(24, dtype=dtype))
        residual, branch = (coarse(batch, n_rows, 24, dtype=dtype) for _ in range(2))
        made = (operations.rms_norm(residual, norm.weight, 1e-6), *operations.add_rms_norm(residual, branch, norm.weight, 1e-6))
        same &= all(map(torch.equal, made, (norm(residual), *norm.add(residual, branch))))
    return same


def gated_silu() -> bool:
    """bfloat16 bit for bit; float32 but for the last bit of exp."""
    wide = torch.randn(4, 5, 50) * 3
    narrow = wide.bfloat16()
    same = torch.equal(operations.gated_silu(narrow), F.silu(narrow[..., :25]) * narrow[..., 25:])
    return same and torch.allclose(operations.gated_silu(wide), F.silu(wide[..., :25]) * wide[..., 25:], rtol=3e-7, atol=0)


def guidance() -> bool:
    """Bit for bit: a scale for all rows and one for each, rows that lie apart, and velocities of zero, of which nothing is explained."""
    same = True
    for dtype, scale in itertools.product(DTYPES, (torch.tensor([[[2.0]]]), torch.tensor([[[0.5]], [[3.0]], [[1.3]]]))):
        both = coarse(6, 5, 24, dtype=dtype)[:, 1:]
        both[4] = 0
        rows, grid = coarse(3, 5, 24, dtype=dtype)[:, 1:], TimeGrid((1.0,), (-0.4140625,))
        moved = [solve_euler(rows, grid, lambda *_, both=both: both, rule(scale.to(dtype))) for rule in (FusedZeroStar, zero_star_guidance)]
        same &= torch.equal(*moved) and bool((moved[0] != rows).any())
    return same


def rotation(name: str) -> bool:
    """Queries, and a memory written at positions of all rows together or of each by itself; idle rows are at position 0."""
    sizes = ((1, 5), (4, 1)) if name != "half" else ((1, 1), (1, 5), (4, 1), (4, 5))
    same = True
    for dtype, (batch, n_rows) in itertools.product(DTYPES, sizes):
        config = AttentionConfig(4, 2, 1, 8, ROTARIES[name], qk_norm="float32" not in name)
        attention = Attention(config).requires_grad_(False).to(dtype)
        packed = coarse(batch, n_rows, 32, dtype=dtype)
        attention.qkv_proj.forward = lambda _, packed=packed: packed
        if attention.qk_norm is not None:
            attention.qk_norm.copy_(coarse(24, dtype=dtype))
        starts = torch.tensor([[0], [3], [0], [7]]) if batch > 1 else torch.tensor(3)
        positions = starts + torch.arange(n_rows)
        same &= rotated_alike(attention, packed, positions, Rotary(config.rotary, 8)(positions, dtype))
    return same


def rotated_alike(attention: Attention, packed: Tensor, positions: Tensor, turns: tuple | None) -> bool:
    queries, *new = attention.project(packed, turns)
    batch = len(packed)
    made, plain = torch.zeros(2, 2, batch, 1, 12, 8, dtype=packed.dtype)
    for memory, heads in zip(plain, new, strict=True):
        memory.transpose(1, 2).index_put_((torch.arange(batch)[:, None], positions.expand(batch, -1)), heads)
    rotate = getattr(operations, f"rotate_{'neighbors' if attention.config.rotary.kind == 'interleaved' else 'halves'}_into_cache")
    fused = rotate(packed, attention.qk_norm, list(turns or ()), positions, made, eps=attention.config.norm_eps)
    return torch.equal(fused.flatten(1, 2).transpose(1, 2), queries) and torch.equal(made, plain)


def attention_to_the_past() -> bool:
    """Up to their own positions, rows see what an attention sees to which every later key is hidden; the keys beyond are no numbers."""
    same = True
    shapes = (2, 2, 8), (1, 3, 24)
    for dtype, (n_keys, (n_kv_heads, n_groups, head_dim)) in itertools.product(DTYPES, zip((1, 16, 300, 530), shapes * 2, strict=True)):
        queries = torch.randn(2, n_kv_heads, n_groups, 1, head_dim).to(dtype)
        past = torch.randn(2, 2, n_kv_heads, n_keys + 2, head_dim).to(dtype)[..., :n_keys, :]
        last = torch.tensor([n_keys - 1])
        for positions in (last, torch.stack([last, last // 2])):
            seen = past.clone()
            for row, end in enumerate((positions.flatten() + 1).tolist()):
                past[:, row, :, end:] = torch.nan
                seen[:, row, :, end:] = 0
            hidden = torch.arange(n_keys) > positions[..., None]
            bias = torch.zeros(hidden.shape).masked_fill_(hidden, -torch.inf)
            bias = (bias if bias.ndim == 2 else bias[:, None]).double()
            plain = F.scaled_dot_product_attention(queries.flatten(2, 3).double(), *seen.double(), attn_mask=bias).flatten(1)[:, None]
            made = operations.attend_to_past(queries, past, positions)
            same &= made.dtype == dtype and torch.allclose(made.double(), plain, atol=3 * torch.finfo(dtype).eps, rtol=0)
    return same


def noise() -> bool:
    """Bit for bit: the numbers of a seed stay what they are."""
    keys = torch.tensor([[7], [2**63 - 1]]), torch.tensor([[3], [100]]), torch.arange(1500) * 41
    same = torch.equal(operations.fused_gumbel_noise(*keys, CODE_UNIFORM_BITS), gumbel_noise(*keys))
    return same and torch.equal(gaussian_noise(*keys, fused=True), gaussian_noise(*keys))


def draws() -> bool:
    """Each code in its turn is all but drawn already, so that whether it is kept decides. Among equal logits too, some banned."""
    logits = (torch.randn(11) * 2).round().repeat(11, 1)
    logits[:, 8:] = -torch.inf
    drawn = torch.stack([torch.randn(11, 11), 99 * torch.eye(11)], dim=1)[:, 1]  # rows that do not lie side by side
    for temperature, top_k, top_p in ((1.0, 0, 1.0), (0.9, 4, 1.0), (1.0, 0, 0.9), (0.7, 6, 0.95), (1.0, 0, 0.0), (0.0, 3, 0.9)):
        params = SamplingTensors.blank(11, "cpu")
        params.set(temperature, top_k, top_p)
        made = operations.draw_codes(logits, drawn, params.tensors, [])[0]
        if not torch.equal(made, sample(logits, drawn, params)):
            return False
    return True


def draws_cut_first() -> bool:
    """The same, six ways at once and one by itself, whose settings lie apart; with what is cut before the temperature, and by rank."""
    logits = torch.tensor([2.0, 1.0, 2.0, 0.0, 1.0, -torch.inf, -torch.inf]).repeat(7, 1, 1)
    ways = {(1.0, 0, 1.0): 5, (0.9, 3, 1.0): 3, (5.0, 0, 0.9): 3, (0.7, 2, 0.95): 2, (1.0, 0, 0.3): 1, (0.0, 3, 0.9): 1}
    drawn, params = (99 * torch.eye(7))[:, None].expand(-1, len(ways), -1), SamplingTensors.blank(7, "cpu", len(ways))
    for draw, way in enumerate(ways):
        params.set(*way, (slice(None), draw))
    made, expected = (sample_cut_first(logits, drawn, params, fused=fused) for fused in (True, False))
    alone = sample_cut_first(logits[:, 0], drawn[:, 1], params.of_draw(1), fused=True)
    same = torch.equal(made, expected) and torch.equal(alone, expected[:, 1])
    return same and [len(codes.unique()) for codes in expected.T] == list(ways.values())


@torch.inference_mode()
def decoder() -> bool:
    """Prompts, frames of rows at positions of their own, and frames at a position that is exactly known."""
    made, plain = (Decoder(DecoderConfig(HEADS, 40, 2)) for _ in range(2))
    made.load_state_dict(plain.state_dict())
    fuse(made, KERNELS)
    rows, frames, own = torch.randn(2, 3, 24), torch.randn(2, 1, 24), torch.tensor([[3], [0]])
    results = []
    for network in (made, plain):
        cache = network.new_cache(2, 11)
        read = network(rows, network.step(torch.arange(3), 11), cache)
        several = network(frames, network.step(own, 11), cache)
        exact = network(frames, network.step(torch.tensor([6]), 7, exact=True), cache)
        results.append(torch.cat([read, several, exact], dim=1))
    return torch.allclose(*results, atol=3e-6, rtol=0)


@torch.inference_mode()
def bidirectional() -> bool:
    """Rows that see one another, from any position on, padding that none looks at among them."""
    made, plain = (Decoder(DecoderConfig(HEADS, 40, 1, causal=False)) for _ in range(2))
    made.load_state_dict(plain.state_dict())
    fuse(made, KERNELS)
    rows, seen = torch.randn(2, 5, 24), torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    steps = [(torch.arange(5), None), (torch.arange(4, 9), seen)]
    results = [torch.cat([network(rows, network.step_over(*given)) for given in steps]) for network in (made, plain)]
    return torch.allclose(*results, atol=3e-6, rtol=0)


@torch.inference_mode()
def windowed() -> bool:
    """Pieces of the codec's transformer, and what it keeps."""
    config = WindowedTransformerConfig("rms_swiglu", AttentionConfig(24, 2, 2, 8, RotaryConfig()), 40, 2, window=3)
    made, plain = (WindowedTransformer(config) for _ in range(2))
    for parameter in plain.parameters():
        parameter.uniform_(-0.5, 0.5)
    made.load_state_dict(plain.state_dict())
    rows, results = torch.randn(1, 4, 24), []
    for network in (made, plain):
        network.prepare_weights()
        fuse(network, KERNELS if network is made else frozenset())
        first, kept = network(rows[:, :3], torch.tensor([0]), network.start(1, rows))
        second, kept = network(rows[:, 3:], torch.tensor([3]), kept)
        results.append(torch.cat([first.flatten(), second.flatten(), *(layer.flatten() for layer in kept)]))
    return torch.allclose(*results, atol=3e-6, rtol=0)


def self_checks() -> bool:
    """All pass as they are; one that multiplies what it should not is found out, and it alone."""
    self_check.ROWS, self_check.BATCH, self_check.SAMPLINGS = (1, 2), 2, ((0.9, 20, 0.8),)
    wave_checks.ROWS, wave_checks.BATCH = (1, 2), 2
    uses = [FusedUse(HEADS, torch.bfloat16, torch.device("cpu"))]
    apart = {
        "gumbel_noise",
        *PRODUCT_CHECKS,
    }  # 12,288 numbers: slow here, and noise() has it; the others have their own claim
    checks = {name: check for name, check in CHECKS.items() if name not in apart}
    right, operations.gated_silu = operations.gated_silu, lambda gate_up: gate_up[..., ::2] * gate_up[..., 1::2]
    found = passing_kernels(uses, checks) == checks.keys() - {"gated_silu"}
    operations.gated_silu = right
    return found and passing_kernels(uses, {"gated_silu": CHECKS["gated_silu"]}) == {"gated_silu"}


CLAIMS = {
    "norms": norms, "gated silu": gated_silu, "snake": snake, "noise": noise, "draws": draws, "draws cut first": draws_cut_first,
    "guidance": guidance, "decoder": decoder, "attention to the past": attention_to_the_past,
    "bidirectional": bidirectional, "depthwise conv": depthwise_conv, "residual unit": residual_unit, "causal chain": causal_chains,
    "anti-aliased": anti_aliased,
    "windowed transformer": windowed, "five a layer": five_a_layer, "product checks": product_checks_hold,
    "patches": patches_alike, "unmasking": unmasking_alike,
    "self-check": self_checks, **{f"rotation: {name}": partial(rotation, name) for name in ROTARIES},
}  # fmt: skip

if __name__ == "__main__":
    round_as_a_gpu()
    multiply_as_a_gpu()
    count_by_tensors()
    stand_in_once()
    describe_types_once()
    results = {}
    for claim, holds in CLAIMS.items():
        torch.manual_seed(0)
        results[claim] = holds()
    print(json.dumps(results))
