"""Snake activations (Ziyin, Hartwig and Ueda 2020, arXiv 2006.08195): a rising line plus a wave. Each channel learns the wave's frequency.

Parameters have the checkpoint's names until `prepare_weights` replaces them, once after loading.
"""

import torch
from torch import Tensor, nn

from engines.kit.nn.fusable import Fusable

__all__ = ["ScaleBias", "Snake", "SnakeBeta"]


class ScaleBias(nn.Module):
    """rows * scale + bias, a number of each per channel. Before a Snake it is a part of the Snake's kernel, see CausalChain."""

    scale: Tensor  # (D,), as bias
    bias: Tensor

    def forward(self, rows: Tensor) -> Tensor:
        """(B, T, D) -> (B, T, D)."""
        return torch.addcmul(self.bias, rows, self.scale)


class _Wave(Fusable, nn.Module):
    """What both Snakes have in common once they are prepared."""

    FUSED_BY = frozenset({"snake", "add_snake", "rising_snake"})

    frequency: Tensor  # (D,), as amplitude
    amplitude: Tensor

    def forward(self, rows: Tensor) -> Tensor:
        """(B, T, D) -> (B, T, D)."""
        if self.fused:
            return torch.ops.engines.snake(rows, self.frequency, self.amplitude)
        return torch.addcmul(rows, (rows * self.frequency).sin_().square_(), self.amplitude)

    def add(self, rows: Tensor, branch: Tensor | None) -> tuple[Tensor, Tensor]:
        """What a branch adds to the rows, (B, T, D) both: their sum, and that sum with its wave. branch: None where none went before."""
        if branch is None:
            return rows, self(rows)
        if self.fused:
            return torch.ops.engines.add_snake(rows, branch, self.frequency, self.amplitude)
        total = rows + branch
        return total, self(total)


class Snake(_Wave):
    """x + sin(alpha * x)^2 / alpha, alpha learned per channel (arXiv 2006.08195). Upstream: Snake1d of DAC, Snake of HiFT.

    is_flat: alpha is stored as (D,), as HiFT of CosyVoice has it; else as (1, D, 1), as all descendants of DAC have it.
    """

    LEAST_DIVISOR = 1e-9  # descript-audio-codec 1.0.0, snake

    def __init__(self, width: int, *, is_flat: bool = False):
        super().__init__()
        self.alpha = nn.Parameter(torch.empty((width,) if is_flat else (1, width, 1)))

    def prepare_weights(self) -> None:
        """Frequency and amplitude. Once, after loading."""
        self.register_buffer("frequency", self.alpha.detach().flatten(), persistent=False)
        self.register_buffer("amplitude", 1 / (self.frequency + self.LEAST_DIVISOR), persistent=False)
        del self.alpha


class SnakeBeta(_Wave):
    """x + sin(x * e^alpha)^2 / e^beta, alpha and beta learned per channel: arXiv 2006.08195 with a magnitude of its own."""

    LEAST_DIVISOR = 1e-9  # qwen-tts 0.1.1, SnakeBeta.no_div_by_zero

    def __init__(self, width: int):
        super().__init__()
        self.alpha = nn.Parameter(torch.empty(width))
        self.beta = nn.Parameter(torch.empty(width))

    def prepare_weights(self) -> None:
        """Frequency and amplitude from their logarithms. Once, after loading."""
        self.register_buffer("frequency", self.alpha.detach().exp(), persistent=False)
        self.register_buffer("amplitude", 1 / (self.beta.detach().exp() + self.LEAST_DIVISOR), persistent=False)
        del self.alpha, self.beta
