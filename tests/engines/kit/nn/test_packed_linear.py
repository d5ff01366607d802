"""Packed matrices: the same product, the same for every row whoever else is there, in the same memory; what cannot be packed stays."""

import weakref

import pytest
import torch
from torch import nn

from engines.kit.nn import packed_linear
from engines.kit.nn.packed_linear import PackedLinear, can_pack, pack_linears

ROWS = (1, 2, 5, 22, 45)


def network(dtype: torch.dtype) -> nn.Module:
    """Two matrices, one with a bias, one level apart."""
    torch.manual_seed(3)
    layers = nn.Sequential(nn.Linear(96, 130), nn.ModuleDict({"inner": nn.Linear(2048, 64, bias=False)}), nn.LayerNorm(7))
    return layers.to(dtype).requires_grad_(False)


def products(layers: nn.Module, dtype: torch.dtype) -> list[torch.Tensor]:
    torch.manual_seed(4)
    matrices = (layers[0], layers[1]["inner"])
    return [matrix(torch.randn(2, n, matrix.in_features).to(dtype)) for n in ROWS for matrix in matrices]


@pytest.mark.parametrize(("dtype", "most"), [(torch.float32, 2e-6), (torch.bfloat16, 2**-8)])
def test_the_product_is_the_plain_one_within_a_rounding(dtype, most):
    layers = network(dtype)
    plain = products(layers, dtype)
    pack_linears(layers)
    for packed, expected in zip(products(layers, dtype), plain, strict=True):
        assert packed.shape == expected.shape and packed.dtype == dtype
        assert (packed - expected).abs().max() <= most * expected.abs().max()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_row_is_the_same_among_few_and_among_many(dtype):
    layers = network(dtype)
    pack_linears(layers)
    rows = torch.randn(max(ROWS), 2048, generator=torch.Generator().manual_seed(5)).to(dtype)
    every = layers[1]["inner"](rows)
    for n in ROWS[1:]:
        assert torch.equal(layers[1]["inner"](rows[-n:]), every[-n:])


def test_the_plain_matrix_is_given_up_and_the_packed_one_takes_its_bytes():
    layers = network(torch.float32)
    n_bytes, plain = sum(tensor.nbytes for tensor in layers.parameters()), weakref.ref(layers[0].weight)
    assert can_pack(layers[0].weight)
    pack_linears(layers)
    pack_linears(layers)  # nothing is left to do
    assert isinstance(layers[0], PackedLinear) and isinstance(layers[1]["inner"], PackedLinear)
    assert plain() is None
    assert sum(tensor.nbytes for tensor in layers.parameters()) == n_bytes
    assert layers[0].weight.shape == (130, 96) and layers[0].weight.dtype == torch.float32


def test_no_matrix_waits_for_the_last_one_to_be_given_up(monkeypatch):
    """Else a network would be there twice while it is opened."""
    layers, is_there = network(torch.float32), []
    first = weakref.ref(layers[0].weight)

    class Watched(PackedLinear):
        def __init__(self, linear: nn.Linear):
            is_there.append(first() is not None)
            super().__init__(linear)

    monkeypatch.setattr(packed_linear, "PackedLinear", Watched)
    pack_linears(layers)
    assert is_there == [True, False]


@pytest.mark.parametrize(("dtype", "device"), [(torch.float64, "cpu"), (torch.float32, "meta")])
def test_what_no_kernel_reads_stays_as_it_is(dtype, device):
    layers = network(dtype).to(device)
    pack_linears(layers)
    assert not any(isinstance(module, PackedLinear) for module in layers.modules())


def test_bfloat16_stays_plain_where_the_processor_has_none(monkeypatch):
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: False)
    layers = network(torch.bfloat16)
    pack_linears(layers)
    assert not any(isinstance(module, PackedLinear) for module in layers.modules())
