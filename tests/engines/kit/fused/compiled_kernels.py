"""The kernels compiled for GPUs that need not be there, down to their machine code: a process of its own that test_fused.py starts.

The interpreter takes what the compiler refuses. The operations themselves are called, so that kernels get the arguments they get on a GPU.
All kernels are compiled for Hopper; for each other GPU those alone that share memory within a block, since to compile takes long. Nor does
LLVM optimize them there: what a block shares is settled before it, and what a GPU has no instruction for is refused behind it. Nobody
debugs what is compiled here, so no line of source is told to the compiler.
"""

import json
import os
from collections.abc import Iterable

import torch
from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.runtime import driver
from triton.runtime.jit import JITFunction

from engines.kit.fused import operations, products, unmasking_operations, wave_operations

HOPPER = GPUTarget("cuda", 90, 32)
# Turing, Ada, and the Blackwell of workstations that ZeroGPU lends; Turing has no bfloat16 of its own
OTHERS = {75: torch.float16, 89: torch.bfloat16, 120: torch.bfloat16}
SHARING = frozenset({"rms_norm_kernel", "attend_to_past_kernel", "draw_codes_kernel"}) | {
    "normed_heads_into_cache_kernel",
    "normed_gated_product_kernel",
}
_RUN = JITFunction.run
HEADS, KV_HEADS, HEAD_DIM, WIDTH = 16, 8, 128, 1024  # of the 0.6B talker
SHAPES = ((8, 1), (8, 4), (2, 100))  # of few, of several and of many rows, whose blocks are of other heights; few share most
OVERLAPPING = 90  # capability from which kernels may begin early


class NoGpu:
    """A driver that knows what to compile for."""

    def __init__(self, target: GPUTarget):
        self._target = target

    def get_current_target(self) -> GPUTarget:
        return self._target

    def get_current_device(self) -> int:
        """One for each target: what was compiled for a device is kept, whatever the device is later."""
        return self._target.arch

    def get_current_stream(self, device: int | None = None) -> int:
        return 0


def compiled(target: GPUTarget, dtype: torch.dtype, names: Iterable[str] = ()) -> dict[str, list[int]]:
    """Of every kernel that the operations start, or of these: bytes of machine code, and of memory that a block shares."""
    sizes = {}

    def compile_alone(kernel: JITFunction, *args, grid: tuple, warmup: bool, **settings) -> None:
        if not names or kernel.fn.__name__ in names:
            made = _RUN(kernel, *args, grid=grid, warmup=True, **settings)
            assert made.metadata.target == target
            had = sizes.get(kernel.fn.__name__, [0, 0])
            sizes[kernel.fn.__name__] = [len(made.asm["cubin"]), max(had[1], made.metadata.shared)]
            if settings.get("launch_pdl"):
                assert made.asm["ptx"].count("griddepcontrol.wait") == made.asm["ptx"].count("griddepcontrol.launch_dependents") == 1

    driver.set_active(NoGpu(target))
    JITFunction.run = compile_alone
    call_all(dtype)
    call_products(dtype, SHAPES if target == HOPPER else SHAPES[:1], overlaps=target.arch >= OVERLAPPING)
    return sizes


def call_products(dtype: torch.dtype, shapes: Iterable[tuple[int, int]], *, overlaps: bool) -> None:
    """shapes: streams and positions of each."""
    for batch, length in shapes:
        residual, scale = torch.zeros(batch, length, WIDTH, dtype=dtype), torch.zeros(WIDTH, dtype=dtype)
        memory, own = torch.zeros(2, batch, KV_HEADS, 512, HEAD_DIM, dtype=dtype), torch.zeros(batch, length, dtype=torch.int64)
        turns, normed = torch.zeros(2, batch, length, 1, HEAD_DIM, dtype=dtype), (HEADS + KV_HEADS) * HEAD_DIM
        heads = [scale, torch.zeros(normed + KV_HEADS * HEAD_DIM, WIDTH, dtype=dtype), None, torch.zeros(normed, dtype=dtype)]
        flags = [False, overlaps]
        queries = products.normed_heads_into_cache(residual, heads, [*turns, own], memory, eps=1e-6, flags=flags)
        out, both = torch.zeros(WIDTH, HEADS * HEAD_DIM, dtype=dtype), torch.zeros(6 * WIDTH, WIDTH, dtype=dtype)
        products.product_into_residual(queries, [out], residual, overlaps=overlaps)
        products.normed_gated_product(residual, scale, [both], eps=1e-6, overlaps=overlaps)
        products.normed_product(residual, scale, [both], eps=1e-6, is_wide=True, overlaps=overlaps)
    past = torch.zeros(2, 8, KV_HEADS, 1024, HEAD_DIM, dtype=dtype)
    operations.attend_to_past(torch.zeros(8, KV_HEADS, 2, 1, HEAD_DIM, dtype=dtype), past, own[:1, :1], overlaps=overlaps)


def call_all(usual: torch.dtype) -> None:
    """usual: the dtype of what an engine may compute in several."""

    def zeros(*shape: int, dtype: torch.dtype = usual) -> torch.Tensor:
        return torch.zeros(*shape, dtype=dtype)

    rows, weight = zeros(8, 1, WIDTH), zeros(WIDTH)
    operations.rms_norm(rows, weight, 1e-6)
    operations.add_rms_norm(rows, rows.clone(), weight, 1e-6)
    operations.gated_silu(zeros(8, 1, 6 * WIDTH))
    wave_operations.snake(zeros(1, 960, 96, dtype=torch.float32), *zeros(2, 96, dtype=torch.float32))
    wide, kept = zeros(4, 960, 64, dtype=torch.float32), zeros(4, 3000, dtype=torch.float32)[:, : 18 * 64].unflatten(1, (18, 64))
    wave_operations.depthwise_conv(wide, kept, zeros(7, 64, dtype=torch.float32), wide[0, 0], [wide[0, 1], wide[0, 2]], dilation=3)
    # A third of the taps: each is the same code again, and of twelve a quarter of the time of all kernels.
    filters, tail = [zeros(2, 2, 1, dtype=torch.float32), zeros(4, 1, dtype=torch.float32)], zeros(4, 4, 64, dtype=torch.float32)
    wave_operations.anti_aliased_snake(wide, tail, filters, [wide[0, 1], wide[0, 2]])
    one = [wide[0, 1], wide[0, 2]]
    wave_operations.add_snake(wide, wide, *one)
    wave_operations.rising_snake(wide, [wide], one, one, [kept[:, :1]])
    unit, (taps, *waves), square = (
        wide.repeat(1, 1, 2),
        zeros(11, 128, dtype=torch.float32).split([7, 1, 1, 1, 1]),
        zeros(128, 128, dtype=torch.float32),
    )
    of_unit = [taps, None, *waves[:2], square, waves[0], *waves[2:]]
    wave_operations.residual_unit(unit, unit, kept.repeat(1, 1, 2), of_unit, dilation=3)
    wave_operations.one_channel_conv(wide, kept[:, :6], torch.zeros(1, 7 * 64), one[0][:1], dilation=1)
    codes, logits = torch.zeros(2, 8, 100, dtype=torch.int64), zeros(2, 8, 200, 1025, dtype=torch.float32).chunk(2, dim=2)
    scores = unmasking_operations.guided_scores(codes, [*logits], zeros(2, 4, dtype=torch.float32), logits[0][..., 0])
    unmasking_operations.frames_into_rows(zeros(2, 256, 1024), zeros(8 * 1025, 1024), codes, codes[:, :2].contiguous())
    unmasking_operations.settle_surest(codes, *scores, codes[0], codes[0, :, :1])
    latents, around = [zeros(8, 4, 64), zeros(16, 4, 64)], [zeros(8, 2, 1024), zeros(1024), zeros(8, 4, 1024)]
    operations.flow_rows(latents, zeros(8, 1, 1), around, [zeros(1024, 64), zeros(1024)], width=-0.1, least=1e-8)
    operations.zero_star_step(zeros(8, 4, 64), zeros(16, 4, 64), zeros(8, 1, 1), width=-0.1, least=1e-8)
    packed, memory = zeros(8, 1, (HEADS + 2 * KV_HEADS) * HEAD_DIM), zeros(2, 8, KV_HEADS, 512, HEAD_DIM)
    turns, own = [zeros(8, 1, 1, HEAD_DIM), zeros(8, 1, 1, HEAD_DIM)], zeros(8, 1, dtype=torch.int64)
    norm_weight = zeros((HEADS + KV_HEADS) * HEAD_DIM)
    operations.rotate_halves_into_cache(packed, norm_weight, turns, own, memory, eps=1e-6)
    operations.rotate_neighbors_into_cache(packed, None, [turn[0] for turn in turns], own[0], memory, eps=1e-6)
    operations.attend_to_past(zeros(8, KV_HEADS, 2, 1, HEAD_DIM), zeros(2, 8, KV_HEADS, 1024, HEAD_DIM), own)
    operations.fused_gumbel_noise(own, own.clone(), zeros(15 * 2048, dtype=torch.int64), 23)
    operations.fused_uniform_noise(own, own.clone(), zeros(256, dtype=torch.int64), 52)
    column = zeros(8, 1, dtype=torch.float32)
    semantic = zeros(8, 1, 4097), zeros(8, 2, 4097, dtype=torch.float32)
    settings = zeros(2, 8, 2, 1, dtype=torch.float32)
    given = [settings[0], own[:, None].repeat(1, 2, 1), settings[1]]
    operations.draw_codes_cut_first(*semantic, given, [zeros(4097, WIDTH)], least_temperature=1e-5)
    given, table = [column, own, column.clone()], zeros(3072, WIDTH)
    operations.draw_codes(column.repeat(1, 3072), zeros(8, 15, 3072, dtype=torch.float32)[:, 1], given, [table])


if __name__ == "__main__":
    knobs.compilation.disable_line_info = True
    found = {HOPPER.arch: compiled(HOPPER, torch.bfloat16)}
    os.environ["DISABLE_LLVM_OPT"] = "1"
    found |= {arch: compiled(GPUTarget("cuda", arch, 32), dtype, SHARING) for arch, dtype in OTHERS.items()}
    print(json.dumps(found))
