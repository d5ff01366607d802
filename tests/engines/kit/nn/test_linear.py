"""linear: the product that it stands for, whichever library computes it."""

import pytest
import torch

from engines.kit.nn import linear as module
from engines.kit.nn.linear import linear


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("has_bias", [True, False])
def test_rows_of_any_layout_are_multiplied(dtype, has_bias):
    draw = torch.Generator().manual_seed(1)
    rows, weight, bias = (torch.randn(shape, generator=draw).to(dtype) for shape in ((2, 20, 9), (5, 9), (5,)))
    for some in (rows, rows[:, ::3], rows[0], rows[:, :1].expand(-1, 4, -1), rows[:, :0]):
        expected = some.double() @ weight.double().T + (bias.double() if has_bias else 0)
        product = linear(some, weight, bias if has_bias else None)
        assert product.dtype == dtype
        assert torch.allclose(product.double(), expected, rtol=0, atol=20 * torch.finfo(dtype).eps)


def test_without_onednn_torch_decides(monkeypatch):
    monkeypatch.setattr(module, "HAS_ONEDNN", False)
    monkeypatch.setattr(torch.ops.mkldnn, "_linear_pointwise", None, raising=False)
    rows, weight = torch.ones(2, 3), torch.ones(4, 3)
    assert torch.equal(linear(rows, weight), torch.full((2, 4), 3.0))
