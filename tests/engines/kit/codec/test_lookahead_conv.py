"""Convolutions that look ahead: what torch's own make between zeros, cut into pieces of any size, packed on a CPU or not."""

from math import prod

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.kit.codec.lookahead_conv import LookaheadChain, LookaheadConv1d, LookaheadResidualUnit, LookaheadTransposedConv1d
from engines.kit.codec.packed_conv import PackedConv1d
from engines.kit.codec.snake import Snake

N_ROWS, PIECES = 60, (1, 7, 13, 60)
DTYPES = {torch.float64: 1e-12, torch.float32: 1e-5}
SHAPES = {  # width in and out, kernel, stride, dilation, zeros
    "dilated": (3, 5, 7, 1, 9, (27, 27)),
    "of an odd stride": (4, 6, 10, 5, 1, (3, 2)),
    "of no zeros": (5, 4, 3, 2, 1, (0, 0)),
    "of single rows": (5, 6, 1, 1, 1, (0, 0)),
    "to one channel": (6, 1, 7, 1, 1, (3, 3)),
}


def noise(*shape: int, seed: int = 1, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def filled(module: nn.Module, dtype: torch.dtype) -> nn.Module:
    module = module.to(dtype).requires_grad_(False)
    for index, tensor in enumerate(module.state_dict().values()):
        tensor.copy_(noise(*tensor.shape, seed=index, dtype=dtype) / 3)
    return module


def differ_in_pieces(layers: list[nn.Module], rows: Tensor, expected: Tensor) -> float:
    outputs = [LookaheadChain(layers).whole(rows, at_once) for at_once in PIECES]
    assert {out.shape for out in outputs} == {expected.shape}
    return max((out - expected).abs().max().item() for out in outputs)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", SHAPES)
def test_pieces_give_what_the_convolution_makes_of_the_whole_between_zeros(kind, dtype):
    width_in, width_out, kernel, stride, dilation, zeros = SHAPES[kind]
    layer = filled(LookaheadConv1d(width_in, width_out, kernel, zeros=zeros, stride=stride, dilation=dilation), dtype)
    rows, weight, bias = noise(2, N_ROWS, width_in, dtype=dtype), layer.conv.weight.clone(), layer.conv.bias.clone()
    layer.prepare_weights()
    expected = F.conv1d(F.pad(rows.mT, zeros), weight, bias, stride=stride, dilation=dilation).mT
    assert differ_in_pieces([layer], rows, expected) < DTYPES[dtype]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("stride", [8, 5, 4, 2, 3])
def test_the_way_up_is_a_transposed_convolution_cut_at_both_ends(stride, dtype):
    layer = filled(LookaheadTransposedConv1d(4, 3, stride), dtype)
    rows, weight, bias = noise(2, N_ROWS, 4, dtype=dtype), layer.conv.weight.clone(), layer.conv.bias.clone()
    layer.prepare_weights()
    shape = {"stride": stride, "padding": (stride + 1) // 2, "output_padding": stride % 2}
    assert differ_in_pieces([layer], rows, F.conv_transpose1d(rows.mT, weight, bias, **shape).mT) < DTYPES[dtype]


def test_a_residual_unit_adds_to_each_row_what_its_neighbors_say():
    wide = LookaheadConv1d(4, 4, 7, zeros=(9, 9), dilation=3)
    unit = filled(LookaheadResidualUnit(lambda _: nn.ELU(), wide), torch.float64)
    rows, (first, first_bias, second, second_bias) = noise(1, N_ROWS, 4), (tensor.clone() for tensor in unit.state_dict().values())
    mixed = F.conv1d(F.pad(F.elu(rows.mT), (9, 9)), first, first_bias, dilation=3)
    expected = rows + F.conv1d(F.elu(mixed), second, second_bias).mT
    for layer in (unit.conv1, unit.conv2):
        layer.prepare_weights()
    assert differ_in_pieces([unit], rows, expected) < 1e-12


def test_a_chain_of_all_kinds_is_the_same_however_its_rows_come():
    layers = [
        LookaheadConv1d(2, 6, 7, zeros=(3, 3)),
        LookaheadTransposedConv1d(6, 4, 3),
        LookaheadResidualUnit(Snake, LookaheadConv1d(4, 4, 7, zeros=(27, 27), dilation=9)),
        Snake(4),
        LookaheadConv1d(4, 5, 4, zeros=(1, 1), stride=2),
    ]
    for layer in layers:
        filled(layer, torch.float64)
        for part in [part for part in layer.modules() if hasattr(part, "prepare_weights")]:
            part.prepare_weights()
    chain, rows = LookaheadChain(layers), noise(1, N_ROWS, 2)
    expected = chain.whole(rows, N_ROWS)
    assert expected.shape == (1, N_ROWS * 3 // 2, 5)
    assert differ_in_pieces(layers, rows, expected) < 1e-12
    some, kept = chain(rows[:, :50], None, is_last=False)
    assert (some - expected[:, : some.shape[1]]).abs().max() < 1e-12
    assert 40 < some.shape[1] < 75, "what is certain comes at once, and nothing else"
    assert all(part.untyped_storage().nbytes() == part.nbytes for part in kept)
    rest, _ = chain(rows[:, :0], kept, is_last=False)
    assert rest.shape[1] == 0, "no news, no rows"


@pytest.mark.parametrize("groups", [1, 4])
def test_a_packed_kernel_is_the_plain_one_whatever_the_number_of_rows(groups):
    weight, bias = noise(8, 16 // groups, 5, dtype=torch.float32), noise(8, dtype=torch.float32)
    assert PackedConv1d.can_pack(weight)
    packed = PackedConv1d(weight, bias, stride=2, dilation=3, groups=groups)
    for n_rows in (13, 14, 200):
        rows = noise(2, n_rows, 16, dtype=torch.float32)
        expected = F.conv1d(rows.mT, weight, bias, stride=2, dilation=3, groups=groups).mT
        assert (packed(rows) - expected).abs().max() < 1e-4
    assert packed.weight.nbytes == weight.nbytes
    assert not any(PackedConv1d.can_pack(other) for other in (weight[:, :, :1], weight.double(), weight.to("meta")))


@pytest.mark.parametrize("strides", [(8, 5, 4, 2, 3), (3, 8, 5, 4, 2), (2,), (7, 3), (1, 5), ()])
def test_a_row_depends_on_as_many_rows_around_it_as_the_reach_says_and_on_no_more(strides):
    """Nothing cancels out in random weights: a row that counts is heard."""
    width, rate = 3, prod(strides)
    layers: list[nn.Module] = [LookaheadConv1d(width, width, 7, zeros=(3, 3))]
    for stride in strides:
        wide = [LookaheadConv1d(width, width, 7, zeros=(3 * n, 3 * n), dilation=n) for n in (1, 3, 9)]
        layers += [LookaheadTransposedConv1d(width, width, stride), *(LookaheadResidualUnit(Snake, one) for one in wide)]
    chain = LookaheadChain([filled(layer, torch.float64) for layer in layers])
    for part in (part for layer in layers for part in layer.modules() if hasattr(part, "prepare_weights")):
        part.prepare_weights()
    before, behind = chain.reach
    n_rows = before + behind + 3
    rows = noise(1, n_rows, width)
    whole = chain.whole(rows, n_rows)
    heard = []
    for at in range(n_rows):
        other = rows.clone()
        other[:, at] += 1.0
        changed = (chain.whole(other, n_rows) != whole)[0].any(1).unflatten(0, (n_rows, rate)).any(1).nonzero()[:, 0]
        heard.append((at - int(changed.min()), int(changed.max()) - at))
    assert max(first for first, _ in heard) == behind
    assert max(last for _, last in heard) == before
