"""Device check: whether a device on which no test of this project has run computes what engines ask of it, as a CPU does.

A toy step of each operation, when an engine is opened. What is wrong there is refused by name: a speech would be wrong without a word.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import torch
import torch.nn.functional as F
from torch import Tensor

from engines.errors import EngineUnavailable
from engines.kit.codec.causal_conv import CausalConv1d, CausalDepthwiseConv1d
from engines.kit.codec.snake import SnakeBeta
from engines.kit.device import is_tried
from engines.kit.nn.attention import AttentionConfig, RotaryConfig
from engines.kit.nn.transformer import Decoder, DecoderConfig
from engines.kit.sampling.sampling import SamplingTensors, gaussian_noise, gumbel_noise, sample, sample_cut_first

__all__ = ["CHECKS", "Inputs", "check_device"]

# Of the largest value: sums are taken in another order, and products of float32 may be of fewer digits than theirs.
MOST_DIFFERENCE = {torch.float32: 1e-3, torch.float16: 5e-3}
WIDTH, LENGTH, BATCH = 32, 12, 2
HEADS = AttentionConfig(WIDTH, 4, 2, 8, RotaryConfig(), qk_norm=True)


N = TypeVar("N", bound=torch.nn.Module)


@dataclass(frozen=True)
class Inputs:
    """The same numbers on every device."""

    device: torch.device
    dtype: torch.dtype

    def drawn(self, *shape: int, seed: int = 0) -> Tensor:
        """Rounded to float16, so that they are the same in every dtype."""
        drawn = torch.randn(shape, generator=torch.Generator().manual_seed(seed))
        return drawn.half().to(self.dtype).to(self.device)

    def counted(self, *shape: int, most: int = 7) -> Tensor:
        """int64 from 0 on, below `most`."""
        return (torch.arange(torch.Size(shape).numel()) * 5 % most).view(shape).to(self.device)

    def placed(self, network: N) -> N:
        """With parameters drawn anew."""
        for seed, parameter in enumerate(network.requires_grad_(False).parameters()):
            parameter.copy_(Inputs(torch.device("cpu"), torch.float32).drawn(*parameter.shape, seed=seed) / 4)
        return network.to(self.device, self.dtype)


Check = Callable[[Inputs], Tensor]


@torch.inference_mode()
def check_device(device: torch.device, dtype: torch.dtype) -> None:
    """Raises EngineUnavailable that names the first operation which the device cannot do, or does otherwise than a CPU in float32."""
    if is_tried(device):
        return
    for name, check in CHECKS.items():
        if fault := _fault(check, Inputs(device, dtype)):
            detail = f"in {name} it {fault}; set the device to cpu"
            raise EngineUnavailable(sentence="device_unusable", detail=detail, name=str(device))


def _fault(check: Check, inputs: Inputs) -> str:
    """What is wrong; "" where nothing is."""
    expected = check(Inputs(torch.device("cpu"), torch.float32))
    try:
        made = check(inputs).cpu()
    except Exception as error:  # an operation that is not there, or not for these numbers: whatever it is, it is of no use
        return f"cannot compute what an engine asks for in {inputs.dtype} ({error})"
    if made.shape != expected.shape:
        return f"gives other shapes than a CPU in {inputs.dtype}"
    if not expected.is_floating_point():
        return "" if torch.equal(made, expected) else f"computes otherwise than a CPU in {inputs.dtype}"
    off = ((made.float() - expected).abs().max() / expected.abs().max()).item()
    return "" if off <= MOST_DIFFERENCE[inputs.dtype] else f"is off by {off:.2g} of a CPU's result in {inputs.dtype}"


# --- the operations


def _product(inputs: Inputs) -> Tensor:
    return F.linear(inputs.drawn(BATCH, LENGTH, WIDTH), inputs.drawn(WIDTH, WIDTH, seed=1), inputs.drawn(WIDTH, seed=2))


def _attention(inputs: Inputs) -> Tensor:
    queries, keys, values = (inputs.drawn(BATCH, 4, LENGTH, 8, seed=seed) for seed in range(3))
    later = torch.ones(LENGTH, LENGTH, dtype=torch.bool, device=inputs.device).triu(1)
    mask = torch.zeros(LENGTH, LENGTH, dtype=inputs.dtype, device=inputs.device).masked_fill_(later, -torch.inf)
    return F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)


def _decoder_steps(inputs: Inputs) -> Tensor:
    """A prompt of two rows, and one row more of each: rotation, norms, memories that are written at positions."""
    decoder = inputs.placed(Decoder(DecoderConfig(HEADS, 2 * WIDTH, 2)))
    cache, rows = decoder.new_cache(BATCH, LENGTH), inputs.drawn(BATCH, 5, WIDTH)
    first = decoder.prefill(rows, cache)
    positions = torch.tensor([[5], [5]], device=inputs.device)
    each = decoder(rows[:, :1], decoder.step(positions, (6, 6)), cache)[:, -1]
    return torch.cat([first, each, decoder(rows[:, 1:2], decoder.step(positions + 1, LENGTH), cache)[:, -1]])


def _convolution(inputs: Inputs) -> Tensor:
    return F.conv1d(inputs.drawn(BATCH, WIDTH, LENGTH), inputs.drawn(WIDTH, WIDTH // 4, 3, seed=1), dilation=2, groups=4)


def _transposed_convolution(inputs: Inputs) -> Tensor:
    return F.conv_transpose1d(inputs.drawn(BATCH, WIDTH, LENGTH), inputs.drawn(WIDTH, 8, 4, seed=1), stride=2)


def _streamed_convolutions(inputs: Inputs) -> Tensor:
    """Windows that overlap, taps of each channel, and the waves of Snake behind them."""
    wide, each, snake = CausalConv1d(WIDTH, WIDTH, 3), CausalDepthwiseConv1d(WIDTH, 5, dilation=3), SnakeBeta(WIDTH)
    rows = inputs.drawn(BATCH, LENGTH, WIDTH) / 4
    for layer in (wide, each, snake):
        inputs.placed(layer)
        layer.prepare_weights()
    rows, _ = wide(rows, rows.new_zeros(BATCH, wide.context, WIDTH))
    rows, _ = each(rows, rows.new_zeros(BATCH, each.context, WIDTH))
    return snake(rows / 16)


def _norms(inputs: Inputs) -> Tensor:
    rows = inputs.drawn(BATCH, LENGTH, WIDTH)
    grouped = F.group_norm(rows.mT, 4).mT
    return torch.cat([F.layer_norm(rows, (WIDTH,)), F.rms_norm(rows, (WIDTH,)), grouped], dim=-1)


def _activations(inputs: Inputs) -> Tensor:
    rows = inputs.drawn(BATCH, WIDTH)
    return torch.stack([act(rows) for act in (F.gelu, F.silu, F.mish, F.elu, torch.tanh, torch.sigmoid, torch.sin, torch.exp)])


def _lookup(inputs: Inputs) -> Tensor:
    return F.embedding(inputs.counted(BATCH, LENGTH), inputs.drawn(7, WIDTH))


def _moves(inputs: Inputs) -> Tensor:
    """gather, scatter, index_copy, index_put and masks, of whole numbers."""
    table, at = inputs.counted(BATCH, LENGTH, most=101), inputs.counted(BATCH, LENGTH, most=LENGTH)
    moved = torch.zeros_like(table).scatter_(1, at, table)
    moved.index_copy_(1, torch.tensor([3, 1], device=inputs.device), table[:, :2])
    moved[torch.arange(BATCH, device=inputs.device)[:, None], at[:, :1]] = 77
    return torch.where(moved > 50, moved.gather(1, at), moved).masked_fill(table == 0, -1)


def _sums(inputs: Inputs) -> Tensor:
    """Of whole numbers as large as shares of probability are, and in order."""
    shares = inputs.counted(BATCH, LENGTH, most=101) * 2**34
    ordered, at = shares.sort(dim=-1, descending=True, stable=True)
    return torch.cat([shares.cumsum(-1), ordered, at, shares.argmax(-1, keepdim=True), shares.remainder(1000)], dim=-1)


def _keys(inputs: Inputs) -> tuple[Tensor, Tensor, Tensor]:
    seeds = torch.tensor([[7], [2**62 + 5]]).to(inputs.device)
    return seeds, inputs.counted(BATCH, 1, most=1000), torch.arange(64).to(inputs.device)


def _noise(inputs: Inputs) -> Tensor:
    return torch.cat([gumbel_noise(*_keys(inputs)), gaussian_noise(*_keys(inputs))])


def _drawn_codes(inputs: Inputs) -> Tensor:
    logits, noise = 2 * inputs.drawn(BATCH, 64).float(), gumbel_noise(*_keys(inputs))
    params = SamplingTensors.blank(BATCH, inputs.device)
    params.set(0.9, 20, 0.9)
    return torch.cat([sample(logits, noise, params), sample_cut_first(logits, noise, params)])


def _complex_product(inputs: Inputs) -> Tensor:
    """Rotation of the flow of some engines, in float32."""
    pairs, turns = (inputs.drawn(BATCH, LENGTH, 2, seed=seed).float() for seed in (0, 1))
    return torch.view_as_real(torch.view_as_complex(pairs) * torch.complex(turns[..., 0], turns[..., 1]))


def _nearest(inputs: Inputs) -> Tensor:
    """As codes of a recording are found, in float32."""
    return torch.cdist(inputs.drawn(1, LENGTH, WIDTH).float(), inputs.drawn(1, 7, WIDTH, seed=1).float())[0].argmin(dim=-1)


CHECKS: Mapping[str, Check] = {
    "a product of matrices": _product,
    "attention with a mask": _attention,
    "the steps of a transformer": _decoder_steps,
    "a convolution": _convolution,
    "a transposed convolution": _transposed_convolution,
    "convolutions of a stream": _streamed_convolutions,
    "norms": _norms,
    "activations": _activations,
    "an embedding": _lookup,
    "gather and scatter": _moves,
    "cumsum and sort": _sums,
    "random numbers": _noise,
    "drawing codes": _drawn_codes,
    "a product of complex numbers": _complex_product,
    "the nearest of a codebook": _nearest,
}
