"""Feed-forward networks of transformers: two matrices with GELU between them, or three with a gate (Shazeer 2020, arXiv 2002.05202)."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.kit.nn.fusable import Fusable

__all__ = ["GeluMLP", "SwiGLU"]


class SwiGLU(Fusable, nn.Module):
    """(..., D) -> (..., D): SiLU of one projection times the other, projected back. Both projections are one matrix, gate above up."""

    FUSED_BY = frozenset({"gated_silu"})

    def __init__(self, hidden_size: int, intermediate_size: int, *, bias: bool = False):
        super().__init__()
        self.gate_up_proj = nn.Linear(hidden_size, 2 * intermediate_size, bias=bias)
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=bias)

    def forward(self, hidden_states: Tensor) -> Tensor:
        gate_up = self.gate_up_proj(hidden_states)
        if self.fused:
            return self.down_proj(torch.ops.engines.gated_silu(gate_up))
        gate, up = gate_up.chunk(2, dim=-1)
        return self.down_proj(F.silu(gate) * up)


class GeluMLP(nn.Module):
    """(..., D) -> (..., D): up, GELU (exact, by the error function), down."""

    def __init__(self, hidden_size: int, intermediate_size: int, *, bias: bool = False):
        super().__init__()
        self.up_proj = nn.Linear(hidden_size, intermediate_size, bias=bias)
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=bias)

    def forward(self, hidden_states: Tensor) -> Tensor:
        return self.down_proj(F.gelu(self.up_proj(hidden_states)))
