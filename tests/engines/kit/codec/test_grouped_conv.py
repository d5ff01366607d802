"""GroupedConv1d: what torch's convolution in groups gives, for any number of rows."""

import pytest
import torch
from torch import nn

from engines.kit.codec.grouped_conv import GroupedConv1d


@pytest.mark.parametrize(("n_rows", "groups"), [(5, 1), (5, 4), (12, 4)])
def test_it_is_torchs_convolution(n_rows, groups):
    torch.manual_seed(0)
    conv, rows = nn.Conv1d(16, 8, 5, groups=groups), torch.randn(3, n_rows, 16)
    with torch.no_grad():
        made, expected = GroupedConv1d(conv.weight, conv.bias, groups=groups)(rows), conv(rows.mT).mT
    assert made.shape == expected.shape == (3, n_rows - 4, 8)
    torch.testing.assert_close(made, expected, rtol=0, atol=1e-5)
