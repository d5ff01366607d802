"""DiffusionHead: turns noise into the latents of one patch, with a small bidirectional transformer that gets the time as input.

Source: VoxCPMLocDiTV2 and UnifiedCFM of voxcpm 2.0.3. Guidance moves the velocity away from the one without the language models.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.kit.nn.attention import weights_of
from engines.kit.nn.fusable import Fusable
from engines.kit.nn.transformer import Decoder
from engines.kit.sampling.flow_matching import (
    LEAST_SQUARED_NORM,
    FusedZeroStar,
    TimeGrid,
    solve_euler,
    sway_grid,
    time_waves,
    zero_star_guidance,
)
from engines.voxcpm2.config import VoxCpm2Config

__all__ = ["DEFAULT_STEPS", "DiffusionHead", "patch_grid"]

DEFAULT_STEPS = 10  # inference_timesteps of the official generate
ZERO_SHARE = 0.04  # of the grid's points: steps whose velocity counts as zero, one at least (zero_init_steps of UnifiedCFM.solve_euler)
N_CONDITIONS = 2  # rows of the language models, one each


def patch_grid(n_steps: int, dtype: torch.dtype) -> TimeGrid:
    """Where a patch's velocity is evaluated: the grid of n_steps without its first ones, which move nothing."""
    return sway_grid(n_steps, dtype).without_first(max(1, int((n_steps + 1) * ZERO_SHARE)))


class _TimeEmbedding(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.linear_1, self.linear_2 = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, waves: Tensor) -> Tensor:
        return self.linear_2(F.silu(self.linear_1(waves)))


class DiffusionHead(Fusable, nn.Module):
    """Names of parameters are the checkpoint's. A patch is P latents of D channels; W: width of the head."""

    FUSED_BY = frozenset({"zero_star_step", "flow_rows"})

    def __init__(self, config: VoxCpm2Config):
        super().__init__()
        self.decoder = Decoder(config.local_dit())
        width = self.decoder.config.attention.hidden_size
        self.in_proj, self.cond_proj = nn.Linear(config.feat_dim, width), nn.Linear(config.feat_dim, width)
        self.out_proj = nn.Linear(width, config.feat_dim)
        self.time_mlp, self.delta_time_mlp = _TimeEmbedding(width), _TimeEmbedding(width)
        self._patch_size, self._n_rows = config.patch_size, N_CONDITIONS + 1 + 2 * config.patch_size
        self._times: dict[int, tuple[TimeGrid, Tensor]] = {}

    @property
    def dtype(self) -> torch.dtype:
        return self.out_proj.weight.dtype

    def prepare_weights(self) -> None:
        """Rotations of the few positions, and rows of the usual times. Once, after loading."""
        self._step = self.decoder.step_over(torch.arange(self._n_rows, device=self.out_proj.weight.device))
        self.schedule(DEFAULT_STEPS)

    def schedule(self, n_steps: int) -> tuple[TimeGrid, Tensor]:
        """The grid of so many steps, and the row that tells each of its times, (calls, 1, 1, W). Made once per number."""
        if n_steps not in self._times:
            grid = patch_grid(n_steps, self.dtype)
            self._times[n_steps] = grid, self._time_rows(grid)
        return self._times[n_steps]

    def forward(self, noise: Tensor, conditions: Tensor, last_patch: Tensor, scale: Tensor, n_steps: int = DEFAULT_STEPS) -> Tensor:
        """The patch (B, P, D) that follows.

        noise: (B, P, D). conditions: (B, 2, W), see LanguageModels.conditions. last_patch: (B, P, D), zeros where speech begins.
        scale: (B, 1, 1), of the guidance (cfg_value). n_steps: of the schedule, which must be there where a graph is captured.
        """
        if self.fused:
            return self._by_few_kernels(noise, conditions, last_patch, scale, n_steps)
        grid, times = self.schedule(n_steps)
        batch = len(noise)
        both = torch.stack([conditions, torch.zeros_like(conditions)])
        last_rows = self.cond_proj(last_patch)

        def velocity(latents: Tensor, step: int) -> Tensor:
            """All but the conditions are the same in both halves."""
            same = [rows.expand(2, batch, -1, -1) for rows in (times[step], last_rows, self.in_proj(latents))]
            rows = torch.cat([both, *same], dim=2).flatten(0, 1)
            return self._velocity(rows)

        return solve_euler(noise, grid, velocity, zero_star_guidance(scale))

    def _by_few_kernels(self, noise: Tensor, conditions: Tensor, last_patch: Tensor, scale: Tensor, n_steps: int) -> Tensor:
        """As forward: what stands between two passes is one kernel."""
        grid, times = self.schedule(n_steps)
        latents, velocities, last_rows, product = noise.contiguous(), [], self.cond_proj(last_patch), weights_of(self.in_proj)
        for time, width in zip(times, (0.0, *grid.widths[:-1]), strict=True):
            given = [latents, *velocities], scale, [conditions, time.flatten(), last_rows], product
            latents, rows = torch.ops.engines.flow_rows(*given, width=width, least=LEAST_SQUARED_NORM)
            velocities = [self._velocity(rows)]
        return FusedZeroStar(scale).moved(latents, velocities[0], grid.widths[-1])

    def _velocity(self, rows: Tensor) -> Tensor:
        """(2B, rows, W) -> (2B, P, D)."""
        return self.decoder.headed((rows, self._step, None), self.out_proj, slice(-self._patch_size, None))

    def _time_rows(self, grid: TimeGrid) -> Tensor:
        """Each time's own row, and that of the width of a step, which is always told as 0."""
        times = torch.tensor(grid.times, dtype=self.dtype, device=self.out_proj.weight.device)
        rows = self.time_mlp(time_waves(times, self.out_proj.in_features)) + self.delta_time_mlp(
            time_waves(torch.zeros_like(times), self.out_proj.in_features)
        )
        return rows[:, None, None]
