"""Flow matching (Lipman et al. 2022, arXiv 2210.02747): noise becomes samples along a learned velocity. Its Euler steps follow a
given time grid.

Times and widths of steps are host numbers that are known before the first step, so the loop can be captured as one CUDA graph: no tensor is
made on the host and nothing waits for the device. What a network derives from the time (embeddings, modulations) it looks up by the
number of the step, in tables made once from `TimeGrid.times`. Noise comes from outside (kit/sampling/sampling.py).
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

__all__ = [
    "FusedZeroStar",
    "Guidance",
    "TimeGrid",
    "Velocity",
    "cosine_grid",
    "euler_path",
    "linear_guidance",
    "solve_euler",
    "sway_grid",
    "time_waves",
    "uniform_grid",
    "zero_star_guidance",
]

# (rows (B, ...), number of the step) -> velocity (B, ...). With guidance it is (2B, ...): that of conditioned rows, then of the same
# unconditioned.
Velocity = Callable[[Tensor, int], Tensor]
# (conditioned velocity (B, ...), unconditioned velocity (B, ...)) -> the velocity that is followed.
Guidance = Callable[[Tensor, Tensor], Tensor]

TIME_SCALE, LONGEST_PERIOD = 1000.0, 10_000.0  # of time_waves
LEAST_SQUARED_NORM = 1e-8  # voxcpm 2.0.3, UnifiedCFM.optimized_scale


@dataclass(frozen=True)
class TimeGrid:
    """Where the velocity is evaluated and how far each step goes.

    times: the time that the network is told at each step. widths: signed, of the same number. Both are exact values of the dtype that they
    were computed in, so that a product with a tensor of that dtype rounds as upstream's does.
    """

    times: tuple[float, ...]
    widths: tuple[float, ...]

    @classmethod
    def between(cls, points: Tensor) -> "TimeGrid":
        """Steps from each of the points (N + 1,) to the next, in the points' dtype.

        Upstream adds widths up as it goes: on the grids below, in float32 and bfloat16, up to 32 steps, that leads to the same points.
        """
        return cls(tuple(points[:-1].tolist()), tuple(points.diff().tolist()))

    def without_first(self, n_steps: int) -> "TimeGrid":
        """The same without steps whose velocity counts as zero (the "zero init" of CFG-Zero*, arXiv 2503.18886): nothing to evaluate."""
        return TimeGrid(self.times[n_steps:], self.widths[n_steps:])


def uniform_grid(n_steps: int, dtype: torch.dtype = torch.float32) -> TimeGrid:
    """From 0 to 1 in equal steps. Upstream: FlowMatchingAudioTransformer of vllm-omni 0.30.0 (Voxtral: 7 steps between 8 points)."""
    return TimeGrid.between(torch.linspace(0, 1, n_steps + 1, dtype=dtype))


def cosine_grid(n_steps: int, dtype: torch.dtype = torch.float32) -> TimeGrid:
    """From 0 to 1, small steps first: 1 - cos(pi / 2 * t). Upstream: ConditionalCFM of CosyVoice @ ace7c47, t_scheduler "cosine"."""
    points = torch.linspace(0, 1, n_steps + 1, dtype=dtype)
    return TimeGrid.between(1 - torch.cos(points * 0.5 * math.pi))


def sway_grid(n_steps: int, dtype: torch.dtype, coefficient: float = 1.0) -> TimeGrid:
    """From 1 to 0 by sway sampling (arXiv 2410.06885): t + coefficient * (cos(pi / 2 * t) - 1 + t), every operation in the dtype.

    Upstream: UnifiedCFM of voxcpm 2.0.3, whose grid has the model's dtype, bfloat16 in the released checkpoint.
    """
    points = torch.linspace(1, 0, n_steps + 1, dtype=dtype)
    return TimeGrid.between(points + coefficient * (torch.cos(math.pi / 2 * points) - 1 + points))


def time_waves(times: Tensor, width: int) -> Tensor:
    """(N,) -> (N, width): sines, then cosines, of periods in geometric progression. Every operation in the times' dtype, as upstream.

    What networks make of a time first. Upstream: SinusoidalPosEmb of voxcpm 2.0.3, SinusPositionEmbedding of CosyVoice @ ace7c47.
    """
    half = width // 2
    exponents = torch.arange(half, dtype=times.dtype, device=times.device) * -(math.log(LONGEST_PERIOD) / (half - 1))
    angles = TIME_SCALE * times[:, None] * torch.exp(exponents)
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


def linear_guidance(scale: float | Tensor) -> Guidance:
    """scale * conditioned + (1 - scale) * unconditioned: classifier-free guidance (arXiv 2207.12598).

    scale: a number, or a tensor that broadcasts with the rows, one scale each. Upstream: Voxtral's cfg_alpha (1.2), and CosyVoice's
    (1 + w) * conditioned - w * unconditioned with scale = 1 + w (1.7).
    """
    rest = 1 - scale
    return lambda conditioned, unconditioned: scale * conditioned + rest * unconditioned


@dataclass(frozen=True)
class FusedZeroStar:
    """zero_star_guidance and the step along it by one kernel, where that is trusted (fused/self_check.py).

    scale: a tensor of one number, or of one per row.
    """

    scale: Tensor

    def moved(self, rows: Tensor, velocities: Tensor, width: float) -> Tensor:
        """Rows (B, ...) a step further, that wide. velocities: (2B, ...), as Velocity has them."""
        return torch.ops.engines.zero_star_step(rows, velocities, self.scale, width=width, least=LEAST_SQUARED_NORM)


def zero_star_guidance(scale: float | Tensor) -> Guidance:
    """Guidance away from the part of the conditioned velocity that the unconditioned one explains: CFG-Zero* (arXiv 2503.18886).

    s * u + scale * (c - s * u) with s = <c, u> / |u|^2 per row. Upstream: UnifiedCFM of voxcpm 2.0.3 (scale 2.0).
    """

    def guide(conditioned: Tensor, unconditioned: Tensor) -> Tensor:
        c, u = (_summable(rows.flatten(1)) for rows in (conditioned, unconditioned))
        share = (c * u).sum(dim=1) / (u.square().sum(dim=1) + LEAST_SQUARED_NORM)
        explained = unconditioned * share.to(unconditioned.dtype).reshape(-1, *[1] * (conditioned.ndim - 1))
        return explained + scale * (conditioned - explained)

    return guide


def _summable(rows: Tensor) -> Tensor:
    """float16 has no room for sums of squares, and none for the least norm."""
    return rows.float() if rows.dtype == torch.float16 else rows


def solve_euler(noise: Tensor, grid: TimeGrid, velocity: Velocity, guidance: Guidance | FusedZeroStar | None = None) -> Tensor:
    """Noise (B, ...) at the first time to samples (B, ...) at the last: one call of `velocity` per step, with B rows."""
    rows = noise
    for rows in euler_path(noise, grid, velocity, guidance):  # noqa: B007 the last is wanted
        pass
    return rows


def euler_path(
    noise: Tensor, grid: TimeGrid, velocity: Velocity, guidance: Guidance | FusedZeroStar | None = None
) -> Iterator[Tensor]:  # fmt: skip
    """The same, step by step: rows (B, ...) after each, for who has something to do in between."""
    rows = noise
    for step, width in enumerate(grid.widths):
        flow = velocity(rows, step)
        if isinstance(guidance, FusedZeroStar):
            rows = guidance.moved(rows, flow, width)
        else:
            flow = flow if guidance is None else guidance(*flow.chunk(2))
            rows = rows + width * flow  # two roundings, as upstream; a fused multiply-add has one
        yield rows
