"""AntiAliasedSnake is what its filters and its wave make of the whole, however the rows are cut."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from engines.kit.codec.anti_aliased import TAPS, AntiAliasedSnake

WIDTH = 3


def made(n_filters: int) -> tuple[AntiAliasedSnake, dict[str, Tensor]]:
    layer, drawn = AntiAliasedSnake(WIDTH, n_filters), torch.Generator().manual_seed(n_filters)
    for parameter in layer.requires_grad_(False).double().parameters():
        parameter.copy_(torch.rand(parameter.shape, generator=drawn, dtype=torch.float64) - 0.3)
    theirs = {name: tensor.clone() for name, tensor in layer.state_dict().items()}
    layer.prepare_weights()
    return layer, theirs


def plain(rows: Tensor, weights: dict[str, Tensor]) -> Tensor:
    """As the formula says: up between zeros, the wave, down behind copies of the first value; (1, T, D)."""
    up, down = (weights[name].expand(WIDTH, 1, TAPS) for name in ("upsample.filter", "downsample.lowpass.filter"))
    waves = 2 * F.conv_transpose1d(rows.mT, up, stride=2, groups=WIDTH)[..., : -(TAPS - 2)]
    alpha, beta = (weights[f"act.{name}"].exp()[:, None] for name in ("alpha", "beta"))
    waves = waves + (waves * alpha).sin() ** 2 / (beta + 1e-9)
    return F.conv1d(F.pad(waves, (TAPS - 1, 0), mode="replicate"), down, stride=2, groups=WIDTH).mT


@pytest.mark.parametrize("n_filters", [1, WIDTH])
@pytest.mark.parametrize("size", [1, 3, 16])
def test_pieces_are_the_whole_and_the_whole_is_the_formula(n_filters, size):
    layer, weights = made(n_filters)
    rows = torch.randn(1, 16, WIDTH, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    tail, out = layer.tail_before(rows), []
    for piece in rows.split(size, dim=1):
        assert tail.shape == (1, layer.context, WIDTH)
        heard, tail = layer(piece, tail)
        out.append(heard)
    assert torch.allclose(torch.cat(out, dim=1), plain(rows, weights), atol=1e-12)
