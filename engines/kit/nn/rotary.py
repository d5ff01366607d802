"""Rotary position embedding (Su et al. 2021, arXiv 2104.09864): by halves or by neighbouring channels, with factors per frequency.

Angles are float32 in every dtype, as all upstreams compute them; what is multiplied has the dtype that the caller names.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

__all__ = ["Rotary", "RotaryConfig", "Rotation", "apply_rotary"]

# cos and signed sin, both (..., 1, rotary_dim): heads stand between positions and channels. None: nothing is rotated.
Rotation = tuple[Tensor, Tensor] | None


@dataclass(frozen=True)
class RotaryConfig:
    """kind: which channels are pairs. "half": the first half with the second (Qwen, Mimi, MiniCPM). "interleaved": neighbours, as GPT-J,
    Fish and the consolidated files of Mistral have it. "none": no rotation.

    theta: base of the wavelengths. rotary_dim: rotated channels of a head, its first ones; None: all.
    factors: one per frequency, by which its wavelength is stretched (LongRoPE, arXiv 2402.13753). scaling: of cos and sin.
    bfloat16_table: cos and sin rounded to bfloat16 first, whatever the dtype (Fish's `freqs_cis`).
    in_float32: heads are rotated in float32 and cast back (MiniCPM, Fish), else in their own dtype (Qwen).
    rounded_table: with in_float32, cos and sin rounded to the heads' dtype nonetheless (VoxCPM2, whose tables are cast with its weights).
    """

    kind: Literal["half", "interleaved", "none"] = "half"
    theta: float = 10_000.0
    rotary_dim: int | None = None
    factors: tuple[float, ...] | None = None
    scaling: float = 1.0
    bfloat16_table: bool = False
    in_float32: bool = False
    rounded_table: bool = False


class Rotary:
    """Rotations of positions. It keeps nothing but frequencies, one tensor per device."""

    def __init__(self, config: RotaryConfig, head_dim: int):
        self.config, self._width = config, config.rotary_dim or head_dim
        if self._width > head_dim or self._width % 2:
            raise ValueError(f"{self._width} channels of {head_dim} to rotate; it must be an even number of them.")
        if config.factors is not None and len(config.factors) != self._width // 2:
            raise ValueError(f"{len(config.factors)} factors for {self._width // 2} frequencies.")
        self._frequencies: dict[torch.device, tuple[Tensor, Tensor | None]] = {}

    def __call__(self, positions: Tensor, dtype: torch.dtype) -> Rotation:
        """positions: (...) int64. returns: cos and signed sin for heads (..., H, head_dim) of that dtype."""
        if self.config.kind == "none":
            return None
        inverse_frequencies, inverse_factors = self._of(positions.device)
        angles = positions[..., None].float()
        if inverse_factors is not None:
            angles = angles * inverse_factors  # before the frequencies, as MiniCPMLongRoPE of voxcpm 2.0.3 rounds
        angles = angles * inverse_frequencies
        return tuple(self._table(table, dtype) for table in (self._paired(angles.cos()), self._signed(angles.sin())))

    def _of(self, device: torch.device) -> tuple[Tensor, Tensor | None]:
        if device not in self._frequencies:
            exponents = torch.arange(0, self._width, 2, device=device, dtype=torch.float32) / self._width
            factors = self.config.factors
            inverse_factors = None if factors is None else 1.0 / torch.tensor(factors, device=device, dtype=torch.float32)
            self._frequencies[device] = 1.0 / self.config.theta**exponents, inverse_factors
        return self._frequencies[device]

    def _paired(self, cos: Tensor) -> Tensor:
        return torch.cat([cos, cos], dim=-1) if self.config.kind == "half" else cos.repeat_interleave(2, dim=-1)

    def _signed(self, sin: Tensor) -> Tensor:
        """The first channel of a pair gets minus the second: the sign stands here, once, and not in every layer."""
        return torch.cat([-sin, sin], dim=-1) if self.config.kind == "half" else torch.stack([-sin, sin], dim=-1).flatten(-2)

    def _table(self, table: Tensor, dtype: torch.dtype) -> Tensor:
        if self.config.scaling != 1.0:
            table = table * self.config.scaling
        if self.config.bfloat16_table:
            table = table.bfloat16()
        if self.config.rounded_table:
            table = table.to(dtype)
        return table.to(torch.promote_types(torch.float32, dtype) if self.config.in_float32 else dtype).unsqueeze(-2)


def apply_rotary(heads: Tensor, rotation: Rotation, kind: str = "half") -> Tensor:
    """Heads (..., H, head_dim) turned by the rotation of their positions, (..., 1, rotary_dim); channels beyond it stay. Sums are taken
    in the rotation's dtype and cast back.
    """
    if rotation is None:
        return heads
    cos, signed_sin = rotation
    width = cos.shape[-1]
    turned = heads if width == heads.shape[-1] else heads[..., :width]
    turned = (turned * cos + _swapped(turned, kind) * signed_sin).to(heads.dtype)
    return turned if width == heads.shape[-1] else torch.cat([turned, heads[..., width:]], dim=-1)


def _swapped(heads: Tensor, kind: str) -> Tensor:
    """Both channels of each pair in each other's place."""
    if kind == "interleaved":
        return heads.unflatten(-1, (-1, 2)).flip(-1).flatten(-2)
    first, second = heads.chunk(2, dim=-1)
    return torch.cat([second, first], dim=-1)
