"""Checks of wave_operations.py beside the plain layers."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace

import torch
from torch import nn

from engines.kit.codec.anti_aliased import AntiAliasedSnake
from engines.kit.codec.causal_conv import CausalConv1d, CausalDepthwiseConv1d
from engines.kit.codec.snake import SnakeBeta
from engines.kit.fused import wave_operations
from engines.kit.fused.fused_use import Case, Check, FusedUse

__all__ = ["WAVE_CHECKS"]

BATCH, ROWS = 4, (1, 5, 16)  # see self_check.py
TAPS = 7  # of depthwise convolutions, in ConvNeXt as in DAC's descendants; and of what makes samples of channels


def _prepared(layer: SnakeBeta | CausalConv1d | CausalDepthwiseConv1d, use: FusedUse) -> nn.Module:
    """With random parameters."""
    for seed, parameter in enumerate(layer.requires_grad_(False).parameters()):
        parameter.copy_(replace(use, device=torch.device("cpu")).drawn(*parameter.shape, seed=seed))
    layer.prepare_weights()
    return layer.to(use.device, use.dtype)


def _check_snake(use: FusedUse) -> Iterator[Case]:
    snake = _prepared(SnakeBeta(use.attention.hidden_size), use)
    for n_rows in ROWS:
        rows = use.drawn(BATCH, n_rows, use.attention.hidden_size)
        yield wave_operations.snake(rows, snake.frequency, snake.amplitude), snake(rows)


def _check_depthwise_conv(use: FusedUse) -> Iterator[Case]:
    """Rows fewer and more than the tail has, the tail a part of a larger tensor, as states of streams are; then with a Snake behind."""
    width = use.attention.hidden_size
    snake = _prepared(SnakeBeta(width), use)
    for n_rows, dilation in itertools.product(ROWS, (1, 3)):
        conv = _prepared(CausalDepthwiseConv1d(width, TAPS, dilation=dilation), use)
        rows, tail = use.drawn(BATCH, n_rows, width), use.drawn(BATCH, 3 * TAPS, width, seed=1)[:, : conv.context]
        mixed, kept = wave_operations.depthwise_conv(rows, tail, conv.taps, conv.bias, [], dilation=dilation)
        yield from zip((mixed, kept), conv(rows, tail), strict=True)
        # Beside the Snake of what the kernel itself mixed: a wave magnifies the rounding between two right sums.
        waved = wave_operations.depthwise_conv(rows, tail, conv.taps, conv.bias, [snake.frequency, snake.amplitude], dilation=dilation)
        yield from zip(waved, (snake(mixed), kept), strict=True)


def _check_anti_aliased_snake(use: FusedUse) -> Iterator[Case]:
    """In float32, as audio is made: filters of all channels and of each; the tail a part of a larger tensor, as states of streams are."""
    use = replace(use, dtype=torch.float32)
    width = use.attention.hidden_size
    for n_filters, n_rows in itertools.product((1, width), ROWS):
        layer = AntiAliasedSnake(width, n_filters)
        for seed, parameter in enumerate(layer.requires_grad_(False).parameters()):
            parameter.copy_(0.2 * replace(use, device=torch.device("cpu")).drawn(*parameter.shape, seed=seed))
        layer.prepare_weights()
        layer = layer.to(use.device)
        rows, tail = use.drawn(BATCH, n_rows, width), use.drawn(BATCH, 3 * TAPS, width, seed=1)[:, : layer.context]
        for given, before in ((tail, tail), (tail[:, :0], layer.tail_before(rows))):  # the latter of the first rows of all
            made = wave_operations.anti_aliased_snake(rows, given, [layer.up, layer.down], [layer.act.frequency, layer.act.amplitude])
            yield from zip(made, layer(rows, before), strict=True)


def _check_add_snake(use: FusedUse) -> Iterator[Case]:
    snake = _prepared(SnakeBeta(use.attention.hidden_size), use)
    for n_rows in ROWS:
        rows, branch = (use.drawn(BATCH, n_rows, use.attention.hidden_size, seed=seed) for seed in (0, 1))
        total, waved = wave_operations.add_snake(rows, branch, snake.frequency, snake.amplitude)
        yield from ((total, rows + branch), (waved, snake(total)))


def _check_rising_snake(use: FusedUse) -> Iterator[Case]:
    """With all that may stand before it and behind it, and with nothing; the tail a part of a larger tensor, as states of streams are."""
    width = use.attention.hidden_size
    snake, (scale, bias) = _prepared(SnakeBeta(width), use), use.drawn(2, width, seed=3)
    wave = [snake.frequency, snake.amplitude]
    for n_rows in ROWS:
        rows, branch = (use.drawn(BATCH, n_rows, width, seed=seed) for seed in (0, 1))
        tail = use.drawn(BATCH, 3, width, seed=2)[:, 1:2]
        yield wave_operations.rising_snake(rows, [], [], wave, [])[0], snake(rows)
        waved = torch.cat([tail, snake(torch.addcmul(bias, rows + branch, scale))], dim=1)
        made = wave_operations.rising_snake(rows, [branch], [scale, bias], wave, [tail])
        yield from zip(made, (torch.cat([waved[:, :-1], waved[:, 1:]], dim=2), waved[:, -1:]), strict=True)


def _check_one_channel_conv(use: FusedUse) -> Iterator[Case]:
    """Rows fewer and more than the tail has, the tail a part of a larger tensor."""
    width = use.attention.hidden_size
    for n_rows, dilation in itertools.product(ROWS, (1, 3)):
        conv = _prepared(CausalConv1d(width, 1, TAPS, dilation=dilation), use)
        rows, tail = use.drawn(BATCH, n_rows, width), use.drawn(BATCH, 3 * TAPS, width, seed=1)[:, : conv.context]
        made = wave_operations.one_channel_conv(rows, tail, conv.taps, conv.bias, dilation=dilation)
        yield from zip(made, conv(rows, tail), strict=True)


def _check_residual_unit(use: FusedUse) -> Iterator[Case]:
    """What is added, the rows that it is added to being as large; rows fewer and more than the tail has."""
    width, (weight, bias) = 40, (0.1 * use.drawn(40, 40, seed=7), use.drawn(40, seed=8))
    snake = _prepared(SnakeBeta(width), use)
    ahead = [snake.frequency, snake.amplitude]
    for n_rows, dilation in itertools.product(ROWS, (1, 3)):
        conv = _prepared(CausalDepthwiseConv1d(width, TAPS, dilation=dilation), use)
        activated, residual = (use.drawn(BATCH, n_rows, width, seed=seed) for seed in (0, 1))
        tail = use.drawn(BATCH, 3 * TAPS, width, seed=2)[:, : conv.context]
        convolution = [conv.taps, conv.bias, *ahead]
        parameters = [*convolution, weight, bias]
        total, waved, new_tail = wave_operations.residual_unit(activated, residual, tail, [*parameters, *ahead], dilation=dilation)
        alone = wave_operations.residual_unit(activated, residual, tail, [*parameters, None, None], dilation=dilation)
        mixed, kept = wave_operations.depthwise_conv(activated, tail, *convolution[:2], convolution[2:], dilation=dilation)
        yield from ((total, residual + nn.functional.linear(mixed, weight, bias)), (waved, snake(total)), (new_tail, kept))
        yield from ((alone[0], total), (alone[2], kept))


WAVE_CHECKS: Mapping[str, Check] = {
    "snake": _check_snake,
    "add_snake": _check_add_snake,
    "rising_snake": _check_rising_snake,
    "depthwise_conv": _check_depthwise_conv,
    "residual_unit": _check_residual_unit,
    "one_channel_conv": _check_one_channel_conv,
    "anti_aliased_snake": _check_anti_aliased_snake,
}
