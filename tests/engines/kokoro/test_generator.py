"""The generator: norms once recorded stand for live ones, and its own gradients are those of autograd on plain operations."""

import pytest
import torch
from torch import Tensor, nn

from engines.kokoro.network.generator import Generator, Timbre, _NormedSnake
from engines.kokoro.network.styled import arrange_kernels, convolve, moments
from tests.engines.kokoro.opened import toy

N_ROWS = 12


def generator() -> Generator:
    return toy().decoder.generator


@pytest.fixture(scope="module")
def said() -> tuple[Tensor, Tensor]:
    """Rows and source of a fifth of a second."""
    drawn = torch.Generator().manual_seed(0)
    f0 = torch.linspace(90, 150, N_ROWS)[None]
    return torch.randn(1, N_ROWS, generator().sizes.initial_channels, generator=drawn), generator().source(f0)


@pytest.fixture(scope="module")
def timbre() -> Timbre:
    """With additions to every norm."""
    drawn = torch.Generator().manual_seed(1)
    additions = {name: 0.3 * torch.randn(norm.fc.out_features, generator=drawn) for name, norm in generator().norms.items()}
    return Timbre(torch.randn(1, generator().style_width, generator=drawn), additions)


@torch.no_grad()
def test_what_is_recorded_is_what_live_norms_measure(said, timbre):
    found: dict[str, tuple[Tensor, Tensor]] = {}
    live = generator().spectrum(*said, timbre, record=found)
    assert found.keys() == generator().norms.keys()
    first = convolve(generator().noise_convs[0], said[1])
    for measured, expected in zip(found["noise_res.0.adain1.0"], (first.mean(1), first.var(1, correction=0).add(1e-5).sqrt()), strict=True):
        assert torch.allclose(measured[:, 0], expected, rtol=1e-5, atol=1e-6)
    recorded = Timbre(timbre.style, timbre.additions, found)
    assert torch.allclose(generator().spectrum(*said, recorded), live, rtol=1e-5, atol=1e-5)
    assert torch.allclose(generator().spectrum(*said, generator().scales(recorded)), live, rtol=1e-5, atol=1e-5)
    elsewhere = {name: (mean + 1, spread * 2) for name, (mean, spread) in found.items()}
    other = generator().spectrum(*said, Timbre(timbre.style, timbre.additions, elsewhere))
    assert (other - live).abs().max() > 0.1, "recorded norms are not asked"


@torch.no_grad()
def test_scales_are_all_that_a_voice_does_in_the_norms(said, timbre):
    found: dict[str, tuple[Tensor, Tensor]] = {}
    generator().spectrum(said[0].flip(1), said[1], timbre, record=found)
    recorded = Timbre(timbre.style, timbre.additions, found)
    assert torch.equal(generator().spectrum(*said, generator().scales(recorded)), generator().spectrum(*said, recorded))


def test_the_gradient_of_norm_and_snake_is_that_of_plain_operations():
    drawn = torch.Generator().manual_seed(2)
    shapes = ((1, 40, 6), (1, 1, 6), (1, 1, 6), (1, 1, 6))
    rows, scale, shift, alpha = (torch.randn(shape, generator=drawn, dtype=torch.float64) for shape in shapes)
    alpha, weight = alpha.abs() + 0.5, torch.randn(1, 40, 6, generator=drawn, dtype=torch.float64)
    learned = [each.requires_grad_() for each in (rows, scale, shift)]
    spread = rows.var(1, keepdim=True, correction=0).add(1e-5).sqrt()
    normed = (rows - rows.mean(1, keepdim=True)) / spread * scale + shift
    plain = normed + torch.sin(alpha * normed).square() / alpha
    expected = torch.autograd.grad((plain * weight).sum(), learned)
    ours = [each.detach().float().requires_grad_() for each in learned]
    made = _NormedSnake.apply(*ours, 2 * alpha.float())
    assert torch.allclose(made.double(), plain, atol=1e-5)
    for got, wanted in zip(torch.autograd.grad((made * weight.float()).sum(), ours), expected, strict=True):
        assert torch.allclose(got.double(), wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("kernel", "stride", "dilation"), [(3, 1, 1), (11, 1, 5), (12, 6, 1), (7, 1, 3)])
def test_the_gradient_of_a_frozen_convolution_is_that_of_plain_operations(kernel, stride, dilation):
    torch.manual_seed(3)
    conv = nn.Conv1d(8, 6, kernel, stride, dilation=dilation, padding=(kernel - 1) * dilation // 2).requires_grad_(False)
    plain = nn.Conv1d(8, 6, kernel, stride, dilation=dilation, padding=(kernel - 1) * dilation // 2)
    plain.load_state_dict(conv.state_dict())
    holder = nn.Sequential(conv)
    arrange_kernels(holder, learned_through=holder)
    rows = torch.randn(1, 90, 8, requires_grad=True)
    expected = plain(rows.mT).mT
    made = convolve(conv, rows)
    weight = torch.randn_like(expected)
    assert torch.allclose(made, expected, atol=1e-5)
    [got], [wanted] = (torch.autograd.grad((out * weight).sum(), [rows]) for out in (made, expected))
    assert torch.allclose(got, wanted, rtol=1e-4, atol=1e-5)


def test_the_whole_generators_gradient_says_how_samples_change(said, timbre):
    """Against a difference in a random direction, through all layers."""
    drawn = torch.Generator().manual_seed(4)
    leaves = {name: addition.clone().requires_grad_() for name, addition in timbre.additions.items()}
    style = timbre.style.clone().requires_grad_()
    way = {name: torch.randn(addition.shape, generator=drawn) for name, addition in leaves.items()}
    for_style = torch.randn(style.shape, generator=drawn)

    def loss(step: float) -> Tensor:
        moved = {name: addition + step * way[name] for name, addition in leaves.items()}
        return generator().spectrum(*said, Timbre(style + step * for_style, moved)).square().mean()

    grads = torch.autograd.grad(loss(0.0), [style, *leaves.values()])
    along = sum(float((grad * each).sum()) for grad, each in zip(grads, [for_style, *way.values()], strict=True))
    with torch.no_grad():
        difference = float(loss(1e-3) - loss(-1e-3)) / 2e-3
    assert along == pytest.approx(difference, rel=0.02)


def test_moments_are_those_of_time():
    rows = torch.randn(1, 50, 3) * 4 + 7
    mean, spread = moments(rows)
    assert mean.shape == spread.shape == (1, 1, 3)
    assert torch.allclose(mean[:, 0], rows.mean(1), atol=1e-5) and torch.allclose(spread[:, 0], rows.std(1, correction=0), atol=1e-4)
