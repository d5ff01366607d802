"""The kernels of audio decoders as operations of torch: see operations.py."""

from collections.abc import Sequence

import torch
from torch import Tensor

from engines.kit.fused.layouts import LARGEST_BLOCK, PLAIN_SUMS, flat_rows, new_like, power_of_two

__all__ = ["add_snake", "anti_aliased_snake", "depthwise_conv", "one_channel_conv", "residual_unit", "rising_snake", "snake"]

LEAST_SIDE = 16  # of matrices that tl.dot multiplies
UNIT_PLACES, UNIT_DEPTH = 32, 32  # rows that a program has of a residual unit, and channels that it multiplies at a time
DEPTHWISE_BLOCK = 512  # elements of one program that keeps an address per element and memory


@torch.library.custom_op("engines::snake", mutates_args=())
def snake(rows: Tensor, frequency: Tensor, amplitude: Tensor) -> Tensor:
    """rows (..., D) + sin(rows * frequency)^2 * amplitude, both (D,); see Snake."""
    flat, waved = flat_rows(rows)[None], new_like(rows)
    _wave((flat, None), (), (frequency, amplitude), (None, waved, None, None))
    return waved


@torch.library.custom_op("engines::depthwise_conv", mutates_args=())
def depthwise_conv(
    rows: Tensor, tail: Tensor, taps: Tensor, bias: Tensor | None, wave: Sequence[Tensor], *, dilation: int
) -> tuple[Tensor, Tensor]:
    """rows (B, T, D) after tail (B, dilation * (K - 1), D), taps (K, D): output rows and the new tail; see CausalDepthwiseConv1d.

    wave: frequency and amplitude (D,) of a Snake that output rows pass through, or nothing.
    """
    from engines.kit.fused.wave_kernels import depthwise_conv_kernel

    rows, tail = (tensor if tensor.stride(2) == 1 else tensor.contiguous() for tensor in (rows, tail))
    (batch, n_rows, width), context, out, new_tail = rows.shape, tail.shape[1], new_like(rows), new_like(tail)
    n_elements, strides = batch * (n_rows + context) * width, (*rows.stride()[:2], *tail.stride()[:2])
    with torch.cuda.device_of(rows):
        depthwise_conv_kernel[(-(-n_elements // DEPTHWISE_BLOCK),)](
            (rows, tail, taps, bias, *(wave or (None, None)), out, new_tail),
            (n_rows, context, width, n_elements),
            strides,
            KIND=(len(taps), dilation, DEPTHWISE_BLOCK),
            **PLAIN_SUMS,
        )
    return out, new_tail


@torch.library.custom_op("engines::residual_unit", mutates_args=())
def residual_unit(
    activated: Tensor, residual: Tensor, tail: Tensor, parameters: Sequence[Tensor | None], *, dilation: int
) -> tuple[Tensor, Tensor, Tensor]:
    """residual (B, T, D) plus what a unit makes of its activated rows (B, T, D) behind a tail (B, dilation * (K - 1), D), and the new tail;
    see BranchingUnit. parameters: taps (K, D) and bias (D,) or None, frequency and amplitude (D,) of the Snake behind, weight (D, D) and
    bias or None, frequency and amplitude of the Snake that comes next or None.

    returns: the sums, with the waves of that next Snake (B, T, D) or nothing, and the new tail.
    """
    from engines.kit.fused.wave_kernels import residual_unit_kernel

    rows, tail, added = (tensor if tensor.stride(2) == 1 else tensor.contiguous() for tensor in (activated, tail, residual))
    (batch, n_rows, width), context, taps = rows.shape, tail.shape[1], parameters[0]
    assert taps is not None
    made, block = _unit_made(residual, tail, parameters), max(LEAST_SIDE, power_of_two(width))
    n_places = batch * (n_rows + context)
    with torch.cuda.device_of(rows):
        residual_unit_kernel[(-(-n_places // UNIT_PLACES),)](
            (rows, tail, *parameters, added, *made),
            (n_rows, context, width, n_places),
            (*rows.stride()[:2], *tail.stride()[:2], *added.stride()[:2]),
            KIND=(len(taps), dilation, UNIT_PLACES, block, min(block, UNIT_DEPTH)),
            num_warps=8,
            num_stages=1,  # what is read lies close together already; more on its way fills what a block may share
            **PLAIN_SUMS,
        )
    return made


@torch.library.custom_op("engines::anti_aliased_snake", mutates_args=())
def anti_aliased_snake(rows: Tensor, tail: Tensor, filters: Sequence[Tensor], wave: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """rows (B, T, D) after tail (B, 16, D), or (B, 0, D) before the first rows of all: output rows and the new tail; see AntiAliasedSnake.

    filters: up (6, 2, 1 or D) and down (12, 1 or D). wave: frequency and amplitude (D,).
    """
    from engines.kit.fused.wave_kernels import anti_aliased_snake_kernel

    rows, tail = (tensor if tensor.stride(2) == 1 else tensor.contiguous() for tensor in (rows, tail))
    (batch, n_rows, width), out, (up, down) = rows.shape, new_like(rows), (one.contiguous() for one in filters)
    new_tail = _wave_tail(rows, down)
    n_elements = batch * (n_rows + new_tail.shape[1]) * width
    strides = (*rows.stride()[:2], *tail.stride()[:2], down.shape[1], int(down.shape[1] > 1))
    with torch.cuda.device_of(rows):
        anti_aliased_snake_kernel[(-(-n_elements // DEPTHWISE_BLOCK),)](
            (rows, tail, up, down, *wave, out, new_tail),
            (n_rows, width, n_elements),
            strides,
            KIND=(len(down), DEPTHWISE_BLOCK, not tail.shape[1]),
            **PLAIN_SUMS,
        )
    return out, new_tail


@torch.library.custom_op("engines::add_snake", mutates_args=())
def add_snake(residual: Tensor, branch: Tensor, frequency: Tensor, amplitude: Tensor) -> tuple[Tensor, Tensor]:
    """residual + branch, both (B, T, D), and that sum with its wave; see Snake.add."""
    total, waved = new_like(residual), new_like(residual)
    _wave((residual, branch), (), (frequency, amplitude), (total, waved, None, None))
    return total, waved


@torch.library.custom_op("engines::rising_snake", mutates_args=())
def rising_snake(
    rows: Tensor, branch: Sequence[Tensor], turn: Sequence[Tensor], wave: Sequence[Tensor], tail: Sequence[Tensor]
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """rows (B, T, D) plus a branch, if there is one, times a scale (D,) plus a bias (D,), if there are, with their wave: as they are, or,
    behind a tail (B, 1, D), each beside the row before, (B, T, 2 * D), and the new tail. See CausalChain.
    """
    waved, new_tail = _risen(rows, tail)
    _wave((rows, branch[0] if branch else None), turn, wave, (None, waved, tail[0] if tail else None, new_tail))
    return waved, new_tail


@torch.library.custom_op("engines::one_channel_conv", mutates_args=())
def one_channel_conv(rows: Tensor, tail: Tensor, taps: Tensor, bias: Tensor | None, *, dilation: int) -> tuple[Tensor, Tensor]:
    """rows (B, T, D) after tail (B, dilation * (K - 1), D), taps (1, K * D): (B, T, 1) and the new tail; see CausalConv1d."""
    from engines.kit.fused.wave_kernels import one_channel_conv_kernel

    rows, tail = (tensor if tensor.stride(2) == 1 else tensor.contiguous() for tensor in (rows, tail))
    (batch, n_rows, width), context, new_tail = rows.shape, tail.shape[1], new_like(tail)
    out, n_places, block = rows.new_empty(batch, n_rows, 1), batch * (n_rows + context), power_of_two(width)
    at_once = max(1, LARGEST_BLOCK // block)
    with torch.cuda.device_of(rows):
        one_channel_conv_kernel[(-(-n_places // at_once),)](
            (rows, tail, taps, bias, out, new_tail),
            (n_rows, context, width, n_places),
            (*rows.stride()[:2], *tail.stride()[:2]),
            KIND=(taps.shape[1] // width, dilation, at_once, block),
            **PLAIN_SUMS,
        )
    return out, new_tail


@snake.register_fake
def _(rows: Tensor, frequency: Tensor, amplitude: Tensor) -> Tensor:
    return new_like(rows)


@depthwise_conv.register_fake
def _(rows: Tensor, tail: Tensor, taps: Tensor, bias: Tensor | None, wave: Sequence[Tensor], *, dilation: int) -> tuple[Tensor, Tensor]:
    return new_like(rows), new_like(tail)


@anti_aliased_snake.register_fake
def _(rows: Tensor, tail: Tensor, filters: Sequence[Tensor], wave: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    return new_like(rows), _wave_tail(rows, filters[1])


@add_snake.register_fake
def _(residual: Tensor, branch: Tensor, frequency: Tensor, amplitude: Tensor) -> tuple[Tensor, Tensor]:
    return new_like(residual), new_like(residual)


@rising_snake.register_fake
def _(
    rows: Tensor, branch: Sequence[Tensor], turn: Sequence[Tensor], wave: Sequence[Tensor], tail: Sequence[Tensor]
) -> tuple[Tensor, Tensor]:  # fmt: skip
    return _risen(rows, tail)


@residual_unit.register_fake
def _(
    activated: Tensor, residual: Tensor, tail: Tensor, parameters: Sequence[Tensor | None], *, dilation: int
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    return _unit_made(residual, tail, parameters)


@one_channel_conv.register_fake
def _(rows: Tensor, tail: Tensor, taps: Tensor, bias: Tensor | None, *, dilation: int) -> tuple[Tensor, Tensor]:
    return rows.new_empty(*rows.shape[:2], 1), new_like(tail)


def _unit_made(residual: Tensor, tail: Tensor, parameters: Sequence[Tensor | None]) -> tuple[Tensor, Tensor, Tensor]:
    """Room for what residual_unit gives."""
    return new_like(residual), new_like(residual[:, : None if parameters[-1] is not None else 0]), new_like(tail)


def _risen(rows: Tensor, tail: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """Room for what rising_snake gives."""
    batch, n_rows, width = rows.shape
    return rows.new_empty(batch, n_rows, width * (1 + len(tail))), rows.new_empty(batch, len(tail), width)


def _wave(
    given: tuple[Tensor, Tensor | None],
    turn: Sequence[Tensor],
    wave: Sequence[Tensor],
    kept: tuple[Tensor | None, Tensor, Tensor | None, Tensor | None],
) -> None:
    """given: rows (B, T, D) and their branch. kept: the sum, the waves, tail and new tail."""
    from engines.kit.fused.wave_kernels import snake_kernel

    rows, branch = (one if one is None or one.stride(2) == 1 else one.contiguous() for one in given)
    assert rows is not None
    n_elements, tail = rows.numel(), kept[2]
    branch_strides = (0, 0) if branch is None else branch.stride()[:2]
    with torch.cuda.device_of(rows):
        snake_kernel[(-(-n_elements // LARGEST_BLOCK),)](
            (rows, branch, *(turn or (None, None)), *wave, *kept),
            (*rows.shape[1:], n_elements),
            (*rows.stride()[:2], *branch_strides, 0 if tail is None else tail.stride(0)),
            BLOCK=LARGEST_BLOCK,
            **PLAIN_SUMS,
        )


def _wave_tail(rows: Tensor, down: Tensor) -> Tensor:
    """What a wave keeps: half as many rows as the filter has taps, and as many double rows, each less one."""
    return rows.new_empty(len(rows), len(down) // 2 + len(down) - 2, rows.shape[2])
