"""Causal convolutions: the sums they stand for, piece by piece as in one go, no look ahead, and tails that hold no more than they must."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.kit.codec import causal_conv
from engines.kit.codec.causal_chain import CausalChain, ResidualUnit
from engines.kit.codec.causal_conv import (
    CausalConv1d,
    CausalDepthwiseConv1d,
    CausalDepthwiseTransposedConv1d,
    CausalTransposedConv1d,
    ConvNextBlock,
    ReflectingCausalConv1d,
    ReplicatingCausalConv1d,
    Stateful,
)
from engines.kit.codec.snake import Snake, SnakeBeta

WIDTH = 9
KINDS = {
    "conv": lambda: CausalConv1d(WIDTH, 5, 3),
    "dilated conv": lambda: CausalConv1d(WIDTH, 5, 7, dilation=9),
    "conv of single rows": lambda: CausalConv1d(WIDTH, 5, 1),
    "conv to one channel": lambda: CausalConv1d(WIDTH, 1, 7, dilation=3),
    "conv in pieces": lambda: CausalConv1d(WIDTH, 5, 7, dilation=3, bias=False),
    "transposed conv": lambda: CausalTransposedConv1d(WIDTH, 4, 6, 3),
    "transposed conv without overlap": lambda: CausalTransposedConv1d(WIDTH, 4, 2, 2, bias=False),
    "depthwise conv": lambda: CausalDepthwiseConv1d(WIDTH, 7, dilation=3),
    "depthwise transposed conv": lambda: CausalDepthwiseTransposedConv1d(WIDTH, 6, 3),
    "ConvNeXt": lambda: ConvNextBlock(WIDTH),
    "residual unit": lambda: ResidualUnit(Snake, CausalDepthwiseConv1d(WIDTH, 7, dilation=3), CausalConv1d(WIDTH, WIDTH, 1)),
}


def noise(*shape: int, seed: int = 1) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def made(layer: nn.Module, *, prepare: bool = True) -> nn.Module:
    """In float64, every parameter random, ready for use."""
    layer = layer.double().requires_grad_(False)
    for index, parameter in enumerate(layer.parameters()):
        parameter.copy_(noise(*parameter.shape, seed=index) * 0.3)
    if prepare:
        for part in layer.block if isinstance(layer, ResidualUnit) else [layer]:
            if hasattr(part, "prepare_weights"):
                part.prepare_weights()
    return layer


@pytest.fixture(params=KINDS)
def layer(request, monkeypatch) -> Stateful:
    if request.param == "conv in pieces":
        monkeypatch.setattr(causal_conv, "MOST_WINDOW_VALUES", 5 * 7 * WIDTH)
    return made(KINDS[request.param]())


def whole(layer: Stateful, rows: Tensor) -> Tensor:
    return layer(rows, layer.tail_before(rows))[0]


@pytest.mark.parametrize("piece", [1, 3, 25])
def test_pieces_give_what_the_whole_gives(layer, piece):
    rows, outs = noise(2, 60, WIDTH), []
    tail = layer.start(2, rows)
    for part in rows.split(piece, dim=1):
        out, tail = layer(part, tail)
        outs.append(out)
    assert torch.cat(outs, dim=1).sub(whole(layer, rows)).abs().max() < 1e-13


def test_the_future_cannot_change_the_past(layer):
    rows, other = noise(1, 40, WIDTH), noise(1, 40, WIDTH, seed=2)
    other[:, :20] = rows[:, :20]
    assert torch.equal(whole(layer, rows)[:, : 20 * layer.rate], whole(layer, other)[:, : 20 * layer.rate])


def test_context_says_how_far_back_an_output_looks(layer):
    rows, other = noise(1, 80, WIDTH), noise(1, 80, WIDTH)
    other[:, 79 - layer.context] += 1
    assert not torch.equal(whole(layer, rows)[:, -layer.rate :], whole(layer, other)[:, -layer.rate :])
    other = noise(1, 80, WIDTH)
    other[:, : 79 - layer.context] += 1
    assert torch.allclose(whole(layer, rows)[:, -layer.rate :], whole(layer, other)[:, -layer.rate :], rtol=0, atol=1e-14)


def test_rows_of_a_batch_do_not_meet(layer):
    rows = noise(3, 12, WIDTH)
    for index in range(3):
        assert torch.allclose(whole(layer, rows)[index], whole(layer, rows[index : index + 1])[0], rtol=0, atol=1e-13)


def test_a_tail_owns_its_memory_and_the_one_that_came_in_is_left_alone(layer):
    rows, tail = noise(1, 500, WIDTH), layer.start(1, noise(1)) + 1
    _, new = layer(rows, tail)
    if layer.context:
        assert new.shape == (1, layer.context, layer.width) == tail.shape
        assert new.untyped_storage().nbytes() == new.nbytes
    assert torch.equal(tail, torch.ones_like(tail))


@pytest.mark.parametrize(("kernel", "stride", "dilation"), [(3, 1, 1), (7, 1, 9), (8, 4, 1), (4, 2, 1), (16, 8, 1)])
@pytest.mark.parametrize("most_values", [0, 100_000], ids=["a product per row", "one product"])
def test_a_convolution_is_that_of_torch_between_zeros(kernel, stride, dilation, most_values, monkeypatch):
    """As many zeros before as the kernel outlasts the stride; behind, as many as complete the last stride."""
    monkeypatch.setattr(causal_conv, "MOST_WINDOW_VALUES", most_values)
    n_rows = 37
    layer, rows = made(CausalConv1d(WIDTH, 5, kernel, stride=stride, dilation=dilation), prepare=False), noise(2, n_rows, WIDTH)
    padded = F.pad(rows.transpose(1, 2), ((kernel - 1) * dilation + 1 - stride, -n_rows % stride))
    expected = layer.conv(padded).transpose(1, 2)
    layer.prepare_weights()
    assert expected.shape[1] == -(-n_rows // stride)
    assert torch.allclose(whole(layer, rows), expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize(("kernel", "stride"), [(2, 2), (4, 2), (16, 8), (10, 5)])
def test_a_transposed_convolution_is_that_of_torch_cut_at_the_right(kernel, stride):
    layer, rows = made(CausalTransposedConv1d(WIDTH, 4, kernel, stride), prepare=False), noise(2, 11, WIDTH)
    expected = layer.conv(rows.transpose(1, 2)).transpose(1, 2)[:, : 11 * stride]
    layer.prepare_weights()
    assert torch.allclose(whole(layer, rows), expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize(("kernel", "stride", "dilation", "bias"), [(7, 1, 1, True), (7, 1, 9, True), (6, 3, 1, False)])
def test_a_depthwise_convolution_is_that_of_torch_between_zeros(kernel, stride, dilation, bias):
    layer = made(CausalDepthwiseConv1d(WIDTH, kernel, stride=stride, dilation=dilation, bias=bias), prepare=False)
    rows = noise(2, 37, WIDTH)
    padded = F.pad(rows.transpose(1, 2), (layer.context, -37 % stride))
    expected = layer.conv(padded).transpose(1, 2)
    layer.prepare_weights()
    assert torch.allclose(whole(layer, rows), expected, rtol=0, atol=1e-13)
    for other in (layer._sum_over_windows, layer._convolve_by_onednn):  # as on a GPU, and as for many rows of float32
        assert torch.allclose(other(padded.transpose(1, 2)), expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize(("kernel", "stride"), [(3, 3), (32, 16)])
def test_a_depthwise_transposed_convolution_is_that_of_torch_cut_at_the_right(kernel, stride):
    layer, rows = made(CausalDepthwiseTransposedConv1d(WIDTH, kernel, stride), prepare=False), noise(2, 11, WIDTH)
    expected = layer.conv(rows.transpose(1, 2)).transpose(1, 2)[:, : 11 * stride]
    layer.prepare_weights()
    assert torch.allclose(whole(layer, rows), expected, rtol=0, atol=1e-13)


def test_many_rows_of_a_depthwise_convolution_in_float32_are_what_few_give(monkeypatch):
    layer, rows = made(CausalDepthwiseConv1d(WIDTH, 7, dilation=3)).float(), noise(2, 50, WIDTH).float()
    expected = whole(layer, rows)
    monkeypatch.setattr(causal_conv, "MANY_VALUES", 0)
    monkeypatch.setattr(layer, "_sum_over_taps", None)
    assert torch.allclose(whole(layer, rows), expected, rtol=0, atol=1e-6)
    for some in (rows, rows[:1]):
        assert whole(layer, some).is_contiguous()  # else torch has gone over to another layout and back, which costs as much again


def test_many_rows_of_a_convolution_in_float32_are_what_few_give(monkeypatch):
    layer, rows = made(CausalConv1d(WIDTH, 5, 7, dilation=3)), noise(2, 4000, WIDTH).float()
    expected = whole(layer, rows.double()).float()
    layer.float()
    monkeypatch.setattr(causal_conv, "linear", None)  # which does it for few, and in other types
    assert torch.allclose(whole(layer, rows), expected, rtol=0, atol=1e-5)
    for some in (rows, rows[:1]):
        assert whole(layer, some).is_contiguous()


@pytest.mark.parametrize("layer", [CausalConv1d(WIDTH, 5, 3), CausalDepthwiseConv1d(WIDTH, 3), CausalTransposedConv1d(WIDTH, 5, 4, 2)])
def test_what_a_file_has_is_given_up_once_it_is_arranged(layer):
    assert sorted(layer.state_dict()) == ["conv.bias", "conv.weight"]
    layer.prepare_weights()
    assert not layer.state_dict()
    assert not list(layer.parameters())


@pytest.mark.parametrize(("dilation", "bias"), [(1, True), (3, False)])
def test_a_convolution_to_one_channel_is_that_of_torch(dilation, bias):
    layer, rows = made(CausalConv1d(WIDTH, 1, 7, dilation=dilation, bias=bias), prepare=False), noise(2, 37, WIDTH)
    expected = layer.conv(F.pad(rows.transpose(1, 2), (6 * dilation, 0))).transpose(1, 2)
    layer.prepare_weights()
    assert torch.allclose(whole(layer, rows), expected, rtol=0, atol=1e-13)


EDGED = {"replicate": ReplicatingCausalConv1d, "reflect": ReflectingCausalConv1d}


@pytest.mark.parametrize("mode", EDGED)
@pytest.mark.parametrize(("kernel", "stride"), [(7, 1), (6, 2)])
def test_an_edge_that_is_continued_is_that_of_torch(mode, kernel, stride):
    layer, rows = made(EDGED[mode](WIDTH, 5, kernel, stride=stride), prepare=False), noise(2, 20, WIDTH)
    expected = layer.conv(F.pad(rows.transpose(1, 2), (layer.context, 0), mode=mode)).transpose(1, 2)
    layer.prepare_weights()
    assert torch.allclose(whole(layer, rows), expected, rtol=0, atol=1e-13)


def test_a_first_piece_too_short_to_be_mirrored_is_refused():
    layer = made(ReflectingCausalConv1d(WIDTH, 5, 7))
    with pytest.raises(ValueError, match="first piece of 6 rows"):
        layer.tail_before(noise(1, 6, WIDTH))


def test_a_residual_unit_is_its_formula():
    unit, rows = made(KINDS["residual unit"](), prepare=False), noise(1, 30, WIDTH)
    first, wide, second, narrow = unit.block
    mixed = torch_snake(rows.transpose(1, 2), first.alpha)
    mixed = torch_snake(wide.conv(F.pad(mixed, (18, 0))), second.alpha)
    expected = rows + narrow.conv(mixed).transpose(1, 2)
    for part in unit.block:
        part.prepare_weights()
    assert torch.allclose(whole(unit, rows), expected, rtol=0, atol=1e-12)


def test_a_residual_unit_continues_its_edge_as_its_convolution_does():
    unit, rows = (
        made(ResidualUnit(Snake, ReplicatingCausalConv1d(WIDTH, WIDTH, 3), CausalConv1d(WIDTH, WIDTH, 1)), prepare=False),
        noise(1, 9, WIDTH),
    )
    first, wide, second, narrow = unit.block
    mixed = F.pad(torch_snake(rows.transpose(1, 2), first.alpha), (2, 0), mode="replicate")
    expected = rows + narrow.conv(torch_snake(wide.conv(mixed), second.alpha)).transpose(1, 2)
    for part in unit.block:
        part.prepare_weights()
    assert torch.allclose(whole(unit, rows), expected, rtol=0, atol=1e-12)


def torch_snake(channels_first: Tensor, alpha: Tensor) -> Tensor:
    """(B, D, T), (1, D, 1) -> (B, D, T), as DAC writes it."""
    return channels_first + (alpha + 1e-9).reciprocal() * torch.sin(alpha * channels_first).pow(2)


def test_a_transposed_convolution_that_reaches_further_is_refused():
    with pytest.raises(ValueError, match="kernel 5 and stride 2"):
        CausalTransposedConv1d(3, 3, 5, 2)


def test_convnext_is_its_formula():
    block, rows = made(ConvNextBlock(WIDTH), prepare=False), noise(1, 20, WIDTH)
    mixed = block.dwconv.conv(F.pad(rows.transpose(1, 2), (6, 0))).transpose(1, 2)
    expected = rows + block.gamma * block.pwconv2(F.gelu(block.pwconv1(block.norm(mixed))))
    block.prepare_weights()
    assert torch.allclose(whole(block, rows), expected, rtol=0, atol=1e-13)


class Counting(nn.Module):
    """Counts the rows that come by."""

    n_rows = 0

    def forward(self, rows: Tensor) -> Tensor:
        self.n_rows += rows.shape[1]
        return rows


@pytest.fixture
def chain() -> tuple[CausalChain, Counting]:
    counting = Counting()
    layers = [CausalConv1d(WIDTH, 8, 3), CausalTransposedConv1d(8, 6, 2, 2), ConvNextBlock(6), SnakeBeta(6)]
    layers += [CausalTransposedConv1d(6, 4, 10, 5), CausalConv1d(4, 4, 7, dilation=3), counting, CausalConv1d(4, 1, 7)]
    return CausalChain([made(layer) for layer in layers]), counting


@pytest.mark.parametrize("n_rows", [1, 2, 5, 7, 60])
def test_a_chain_knows_its_tails_from_the_last_few_rows(chain, n_rows):
    chain, counting = chain
    rows = noise(2, n_rows, WIDTH)
    _, tails = chain(rows, chain.start(2, rows))
    counting.n_rows = 0
    for mine, expected in zip(chain.tails_after(rows), tails, strict=True):
        assert torch.allclose(mine, expected, rtol=0, atol=1e-13)
    assert counting.n_rows <= 6  # of ten times n_rows: what the last convolution remembers


@pytest.fixture(params=["silence", "continued edges"])
def any_chain(request, chain) -> CausalChain:
    """Voxtral's codec in small: it begins with a repeated row and ends in a mirrored edge."""
    if request.param == "silence":
        return chain[0]
    layers = [ReplicatingCausalConv1d(WIDTH, 8, 3), CausalTransposedConv1d(8, 8, 16, 8, bias=False), Snake(8)]
    layers += [ResidualUnit(Snake, ReplicatingCausalConv1d(8, 8, 3, dilation=2), CausalConv1d(8, 8, 1)), ReflectingCausalConv1d(8, 1, 7)]
    return CausalChain([made(layer) for layer in layers])


def test_a_chain_in_pieces_gives_what_it_gives_in_one_go(any_chain):
    rows = noise(1, 30, WIDTH)
    expected, last = any_chain(rows, None)
    for sizes in ([4] * 7 + [2], [1] * 30, [17, 1, 12]):
        tails, outs = None, []
        for part in rows.split(sizes, dim=1):
            out, tails = any_chain(part, tails)
            outs.append(out)
        assert torch.allclose(torch.cat(outs, dim=1), expected, rtol=0, atol=1e-12)
        for mine, theirs in zip(tails, last, strict=True):
            assert torch.allclose(mine, theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_rows", [1, 2, 5, 60])
def test_a_chain_of_any_edges_knows_its_tails_from_the_last_rows(any_chain, n_rows):
    rows = noise(1, n_rows, WIDTH)
    for mine, expected in zip(any_chain.tails_after(rows), any_chain(rows, None)[1], strict=True):
        assert torch.allclose(mine, expected, rtol=0, atol=1e-12)


def test_silence_before_the_first_row_is_what_no_tails_mean(chain):
    rows = noise(2, 30, WIDTH)
    assert torch.equal(chain[0](rows, None)[0], chain[0](rows, chain[0].start(2, rows))[0])
