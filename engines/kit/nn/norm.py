"""RMSNorm (Zhang and Sennrich 2019, arXiv 1910.07467): hidden states to unit root mean square, times a weight per channel."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.kit.nn.fusable import Fusable

__all__ = ["RMSNorm", "unit_rms"]


class RMSNorm(Fusable, nn.Module):
    """(..., D) -> (..., D): normalized in float32 at least, cast to the weight's dtype, then scaled, as Qwen3TTSRMSNorm of qwen-tts 0.1.1
    rounds.

    float64_in_float32: whether float64 is normalized in float32 too, as upstream does; without it, tests can be stricter than upstream. All
    other dtypes give the same bits either way.
    """

    FUSED_BY = frozenset({"rms_norm", "add_rms_norm"})

    def __init__(self, width: int, eps: float, *, float64_in_float32: bool = False):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps, self.float64_in_float32 = eps, float64_in_float32

    def forward(self, hidden_states: Tensor) -> Tensor:
        if self.fused:
            return torch.ops.engines.rms_norm(hidden_states, self.weight, self.eps)
        wide = hidden_states.float() if self.float64_in_float32 else hidden_states
        return unit_rms(wide, self.eps).to(self.weight.dtype) * self.weight

    def add(self, residual: Tensor, branch: Tensor | None) -> tuple[Tensor, Tensor]:
        """What a branch adds to the residual stream, (..., D) both: their sum, and that sum normed. branch: None where none went before.

        The sum has the wider dtype of both, the normed sum that of the weight.
        """
        if branch is None:
            return residual, self(residual)
        if self.fused:
            return torch.ops.engines.add_rms_norm(residual, branch, self.weight, self.eps)
        total = residual + branch
        return total, self(total)


def unit_rms(hidden_states: Tensor, eps: float) -> Tensor:
    """(..., D) to unit root mean square. torch computes it in float32 at least and casts the result, before any weight touches it."""
    return F.rms_norm(hidden_states, hidden_states.shape[-1:], eps=eps)
