"""FlowHead: a small network from a hidden row and noise to a latent. The row steers every layer."""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.kit.nn.module_list import module_dict, module_list
from engines.kit.nn.row_matrix import Float32Matrix
from engines.pocket_tts.config import HeadConfig

__all__ = ["FlowHead"]

N_FREQUENCIES, MAX_PERIOD = 128, 10_000.0  # of the embeddings of time; upstream: TimestepEmbedder
NORM_EPS, TIME_NORM_EPS = 1e-6, 1e-5  # upstream: LayerNorm of ResBlock and FinalLayer, RMSNorm of TimestepEmbedder
TIMES = 2  # an lsd head is told where a pass begins and where it ends


class _HeadBlock(NamedTuple):
    norm: tuple[Tensor, Tensor]
    up: Float32Matrix
    up_bias: Tensor
    down: Float32Matrix
    down_bias: Tensor


class FlowHead(nn.Module):
    """Upstream, also for the names of tensors: SimpleMLPAdaLN of pocket-tts 4.0.1 (after arXiv 2406.11838), lsd_decode and its siblings.

    What a row steers is one product for all layers; embeddings of the times, constants for a number of passes, are added to it.
    """

    def __init__(self, config: HeadConfig, latent_dim: int, condition_dim: int):
        super().__init__()
        width = config.dim
        self.config = config
        self.time_embed = module_list(_HeadTime(width) for _ in range(TIMES if config.type == "lsd" else 0))
        self.cond_embed, self.input_proj = nn.Linear(condition_dim, width), nn.Linear(latent_dim, width)
        self.res_blocks = module_list(_ResidualBlock(width) for _ in range(config.depth))
        self.final_layer = _FinalLayer(width, latent_dim)
        self._times: dict[int, Tensor] = {}

    @property
    def bytes(self) -> int:
        """Memory of what is multiplied."""
        matrices = [self._steering, self._input, self._output, *(matrix for block in self._blocks for matrix in (block.up, block.down))]
        return sum(matrix.bytes for matrix in matrices)

    def prepare_weights(self) -> None:
        """Stack what a row steers; the one of a scale is in its bias. Once, after loading, and after the condition's matrix was taken."""
        width, last = self.config.dim, self.final_layer
        steering = [*(block.adaLN_modulation["1"] for block in self.res_blocks), last.adaLN_modulation["1"]]
        self._steering = Float32Matrix(torch.cat([linear.weight for linear in steering]))
        biases = torch.cat([linear.bias for linear in steering]).view(-1, width).clone()
        n_blocks = len(self.res_blocks)
        biases[[*range(1, 3 * n_blocks, 3), 3 * n_blocks + 1]] += 1  # shift, scale, gate of each block, shift and scale of the last layer
        self._steering_bias = biases.flatten()
        self._input, self._input_bias = Float32Matrix(self.input_proj.weight), self.input_proj.bias
        self._output, self._output_bias = Float32Matrix(last.linear.weight), last.linear.bias
        self._blocks = [
            _HeadBlock(
                (block.in_ln.weight, block.in_ln.bias),
                *(Float32Matrix(block.mlp["0"].weight), block.mlp["0"].bias),
                *(Float32Matrix(block.mlp["2"].weight), block.mlp["2"].bias),
            )
            for block in self.res_blocks
        ]
        del self.cond_embed, self.input_proj, self.res_blocks, self.final_layer

    def forward(self, condition: Tensor, noise: Tensor, n_steps: int) -> Tensor:
        """condition: (B, W), cond_embed of the hidden rows. noise: (B, D). n_steps: of an lsd head; others take one. returns: (B, D)."""
        kind = self.config.type
        if kind != "lsd":
            made = self._pass(condition, noise)
            return made if kind == "drifting" else noise + made
        for time in self._times_of(n_steps):
            noise = noise.add(self._pass(condition + time, noise), alpha=1 / n_steps)
        return noise

    def _pass(self, condition: Tensor, rows: Tensor) -> Tensor:
        width = (self.config.dim,)
        steered = self._steering.add_to(self._steering_bias, F.silu(condition)).split(self.config.dim, dim=1)
        rows = self._input.add_to(self._input_bias, rows)
        for index, block in enumerate(self._blocks):
            shift, scale, gate = steered[3 * index : 3 * index + 3]
            normed = torch.addcmul(shift, F.layer_norm(rows, width, *block.norm, NORM_EPS), scale)
            inner = F.silu(block.up.add_to(block.up_bias, normed), inplace=True)
            rows = torch.addcmul(rows, gate, block.down.add_to(block.down_bias, inner))
        shift, scale = steered[-2:]
        return self._output.add_to(self._output_bias, torch.addcmul(shift, F.layer_norm(rows, width, eps=NORM_EPS), scale))

    def _times_of(self, n_steps: int) -> Tensor:
        """(n_steps, 1, W): what the time of each pass adds to the condition."""
        if n_steps not in self._times:
            ends = torch.arange(n_steps + 1, dtype=torch.float32) / n_steps
            self._times[n_steps] = (self.time_embed[0](ends[:-1]) + self.time_embed[1](ends[1:]))[:, None] / TIMES
        return self._times[n_steps]


class _HeadTime(nn.Module):
    """(N,) times from 0 to 1 -> (N, W). The norm is upstream's: by the unbiased variance about the mean, which stays in."""

    freqs: Tensor

    def __init__(self, width: int):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(2 * N_FREQUENCIES, width), nn.SiLU(), nn.Linear(width, width), _Scale(width))
        self.register_buffer("freqs", torch.exp(-torch.arange(N_FREQUENCIES) / N_FREQUENCIES * torch.tensor(MAX_PERIOD).log()))

    def forward(self, times: Tensor) -> Tensor:
        angles = times[:, None] * self.freqs
        return self.mlp(torch.cat([angles.cos(), angles.sin()], dim=1))


class _Scale(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(width))

    def forward(self, rows: Tensor) -> Tensor:
        return rows * self.alpha * torch.rsqrt(rows.var(dim=1, keepdim=True) + TIME_NORM_EPS)


class _ResidualBlock(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.in_ln = nn.LayerNorm(width, eps=NORM_EPS)
        self.mlp = module_dict({"0": nn.Linear(width, width), "2": nn.Linear(width, width)})  # SiLU between and before is the head's
        self.adaLN_modulation = module_dict({"1": nn.Linear(width, 3 * width)})


class _FinalLayer(nn.Module):
    def __init__(self, width: int, latent_dim: int):
        super().__init__()
        self.linear = nn.Linear(width, latent_dim)
        self.adaLN_modulation = module_dict({"1": nn.Linear(width, 2 * width)})
