"""Flow matching: the loops of three upstreams bit by bit, the grids they walk, and rows that do not meet."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from engines.kit.sampling.flow_matching import (
    TimeGrid,
    cosine_grid,
    linear_guidance,
    solve_euler,
    sway_grid,
    uniform_grid,
    zero_star_guidance,
)

BATCH, CHANNELS, LENGTH = 3, 4, 5


def made(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def network(x: Tensor, t: Tensor, condition: Tensor) -> Tensor:
    """A velocity that depends on all there is: x (N, C, L), t (N,), condition (N, C, 1)."""
    mixed = x + 0.5 * x.roll(1, dims=1) - x.roll(2, dims=2)  # no matrix product, whose rounding depends on N
    return torch.sin(mixed) * (1 + t[:, None, None]) + condition


def guided(grid: TimeGrid, condition: Tensor) -> Callable[[Tensor, int], Tensor]:
    """The same as `solve_euler` asks for it: both halves in one batch, the unconditioned one without its condition."""
    both = torch.cat([condition, torch.zeros_like(condition)])
    return lambda x, step: network(torch.cat([x, x]), torch.full((2 * len(x),), grid.times[step], dtype=x.dtype), both)


@pytest.mark.parametrize("n_steps", [4, 10, 32])
def test_cosyvoice_is_the_loop_of_its_upstream(n_steps):
    """1 - cos warped time in float32, added up, (1 + w) * conditioned - w * unconditioned."""
    noise, condition, rate = made(BATCH, CHANNELS, LENGTH), made(BATCH, CHANNELS, 1, seed=1), 0.7
    span = 1 - torch.cos(torch.linspace(0, 1, n_steps + 1) * 0.5 * torch.pi)
    x, t, dt = noise, span[0], span[1] - span[0]
    for step in range(1, n_steps + 1):
        with_condition = network(x, t.expand(BATCH), condition)
        without = network(x, t.expand(BATCH), torch.zeros_like(condition))
        x = x + dt * ((1.0 + rate) * with_condition - rate * without)
        t = t + dt
        if step < n_steps:
            dt = span[step + 1] - t
    grid = cosine_grid(n_steps)
    assert torch.equal(solve_euler(noise, grid, guided(grid, condition), linear_guidance(1 + rate)), x)


@pytest.mark.parametrize("n_steps", [4, 10, 32])
def test_voxcpm2_is_the_loop_of_its_upstream_in_bfloat16(n_steps):
    """Falling time, swayed, added up in bfloat16; optimized scale; a first step of velocity zero."""
    noise = made(BATCH, CHANNELS, LENGTH, dtype=torch.bfloat16)
    condition = made(BATCH, CHANNELS, 1, seed=1, dtype=torch.bfloat16)
    span = torch.linspace(1, 0, n_steps + 1, dtype=torch.bfloat16)
    span = span + 1.0 * (torch.cos(torch.pi / 2 * span) - 1 + span)
    x, t, dt = noise, span[0], span[0] - span[1]
    for step in range(1, n_steps + 1):
        velocity = 0.0
        if step > max(1, int(len(span) * 0.04)):
            up, down = network(x, t.expand(BATCH), condition), network(x, t.expand(BATCH), torch.zeros_like(condition))
            flat_up, flat_down = up.reshape(BATCH, -1), down.reshape(BATCH, -1)
            best = (flat_up * flat_down).sum(1, keepdim=True) / ((flat_down**2).sum(1, keepdim=True) + 1e-8)
            best = best.view(BATCH, 1, 1)
            velocity = down * best + 2.0 * (up - down * best)
        x = x - dt * velocity
        t = t - dt
        if step < n_steps:
            dt = t - span[step + 1]
    grid = sway_grid(n_steps, torch.bfloat16).without_first(1)
    assert torch.equal(solve_euler(noise, grid, guided(grid, condition), zero_star_guidance(2.0)), x)


def test_voxtral_is_the_loop_of_its_upstream_in_bfloat16():
    """Equal steps between eight points; a scale for every row."""
    noise = made(BATCH, CHANNELS, LENGTH, dtype=torch.bfloat16)
    condition = made(BATCH, CHANNELS, 1, seed=1, dtype=torch.bfloat16)
    alpha = torch.tensor([1.2, 1.0, 3.0], dtype=torch.bfloat16).view(BATCH, 1, 1)
    points, x = torch.linspace(0, 1, 8, dtype=torch.bfloat16), noise
    for t, dt in zip(points[:-1], points[1:] - points[:-1], strict=True):
        up, down = network(x, t.expand(BATCH), condition), network(x, t.expand(BATCH), torch.zeros_like(condition))
        x = x + (alpha * up + (1 - alpha) * down) * dt
    grid = uniform_grid(7, torch.bfloat16)
    assert torch.equal(solve_euler(noise, grid, guided(grid, condition), linear_guidance(alpha)), x)


def test_the_swayed_grid_has_the_rounded_times_that_were_seen_upstream():
    grid = sway_grid(10, torch.bfloat16).without_first(1)
    assert len(grid.times) == len(grid.widths) == 9
    assert [round(time, 4) for time in grid.times[:2]] == [0.9531, 0.9102]
    assert max(abs(time - exact) for time, exact in zip(grid.times, sway_grid(10, torch.float64).times[1:], strict=True)) < 0.01


@pytest.mark.parametrize(
    ("grid", "formula"),
    [
        (uniform_grid(7), lambda k: k / 7),
        (cosine_grid(10), lambda k: 1 - math.cos(math.pi / 2 * k / 10)),
        (sway_grid(10, torch.float32), lambda k: 1 - k / 10 + math.cos(math.pi / 2 * (1 - k / 10)) - k / 10),
    ],
    ids=["uniform", "cosine", "sway"],
)
def test_a_grid_has_the_times_of_its_formula_and_ends_at_the_other_end(grid, formula):
    assert grid.times == pytest.approx([formula(k) for k in range(len(grid.times))], abs=1e-6)
    assert grid.times[-1] + grid.widths[-1] == pytest.approx(formula(len(grid.times)), abs=1e-6)


def test_without_guidance_the_velocity_is_asked_for_once_per_row():
    """Straight paths end where they lead, whatever the steps: the velocity of x = noise + t * (target - noise)."""
    noise, target, seen = made(2, 3), made(2, 3, seed=1), []

    def velocity(x: Tensor, step: int) -> Tensor:
        seen.append((step, len(x)))
        return target - noise

    assert torch.allclose(solve_euler(noise, cosine_grid(4), velocity), target, atol=1e-6)
    assert seen == [(0, 2), (1, 2), (2, 2), (3, 2)]


@pytest.mark.parametrize("rule", [linear_guidance, zero_star_guidance])
def test_rows_of_a_batch_do_not_meet(rule):
    noise, condition, grid = made(BATCH, CHANNELS, LENGTH), made(BATCH, CHANNELS, 1, seed=1), cosine_grid(5)
    scales = torch.tensor([1.5, 2.0, 0.5]).view(BATCH, 1, 1)
    together = solve_euler(noise, grid, guided(grid, condition), rule(scales))
    for row in range(BATCH):
        part = slice(row, row + 1)
        alone = solve_euler(noise[part], grid, guided(grid, condition[part]), rule(float(scales[row])))
        assert torch.allclose(together[part], alone, rtol=0, atol=1e-5)


@pytest.mark.parametrize("rule", [linear_guidance, zero_star_guidance])
def test_the_loop_needs_no_value_of_a_tensor(rule):
    """Tensors without values go through it, as they do where a graph is captured."""
    noise = torch.empty(BATCH, CHANNELS, LENGTH, device="meta")
    assert solve_euler(noise, cosine_grid(5), lambda x, step: torch.cat([x, x]) * step, rule(1.7)).shape == noise.shape
