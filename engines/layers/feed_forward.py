"""Feed-forward networks of transformers: two matrices with GELU between them, or three with a gate (Shazeer 2020, arXiv 2002.05202)."""

import torch.nn.functional as F
from torch import Tensor, nn

__all__ = ["GeluMLP", "SwiGLU"]


class SwiGLU(nn.Module):
    """(..., D) -> (..., D): SiLU of one projection times the other, projected back. Both projections are one matrix, gate above up."""

    def __init__(self, hidden_size: int, intermediate_size: int, *, bias: bool = False):
        super().__init__()
        self.gate_up_proj = nn.Linear(hidden_size, 2 * intermediate_size, bias=bias)
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=bias)

    def forward(self, hidden_states: Tensor) -> Tensor:
        gate, up = self.gate_up_proj(hidden_states).chunk(2, dim=-1)
        return self.down_proj(F.silu(gate) * up)


class GeluMLP(nn.Module):
    """(..., D) -> (..., D): up, GELU (exact, by the error function), down."""

    def __init__(self, hidden_size: int, intermediate_size: int, *, bias: bool = False):
        super().__init__()
        self.up_proj = nn.Linear(hidden_size, intermediate_size, bias=bias)
        self.down_proj = nn.Linear(intermediate_size, hidden_size, bias=bias)

    def forward(self, hidden_states: Tensor) -> Tensor:
        return self.down_proj(F.gelu(self.up_proj(hidden_states)))
