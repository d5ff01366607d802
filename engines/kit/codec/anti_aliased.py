"""AntiAliasedSnake: a Snake at twice the rate, between two filters, so that its overtones do not fold back. Fed piece by piece.

BigVGAN (arXiv 2206.04658), in its causal form. Parameters have the checkpoint's names until `prepare_weights` replaces them.
"""

import torch
from torch import Tensor, nn

from engines.kit.codec.causal_conv import Stateful
from engines.kit.codec.snake import SnakeBeta
from engines.kit.nn.fusable import Fusable

__all__ = ["AntiAliasedSnake"]

TAPS, RATE = 12, 2  # of both filters; between them
N_ROWS, N_WAVES = TAPS // RATE - 1, TAPS - 1  # rows and double rows of the past that the next output depends on


class _Filter(nn.Module):
    def __init__(self, n_filters: int):
        super().__init__()
        self.filter = nn.Parameter(torch.empty(n_filters, 1, TAPS))


class _LowPass(nn.Module):
    def __init__(self, n_filters: int):
        super().__init__()
        self.lowpass = _Filter(n_filters)


class AntiAliasedSnake(Fusable, Stateful):
    """(B, T, D) -> (B, T, D). n_filters: 1 where all channels have the same, or D.

    Before the first row lie zeros, and before the first double row copies of it. The tail is N_ROWS rows, then N_WAVES double rows.
    Upstream: Activation1d of dots.tts 0.3.1 where it is causal, after alias-free-torch.
    """

    FUSED_BY = frozenset({"anti_aliased_snake"})
    context = N_ROWS + N_WAVES

    up: Tensor  # (TAPS / 2, 2, D or 1): newest row first, for both double rows of a row
    down: Tensor  # (TAPS, D or 1)

    def __init__(self, width: int, n_filters: int = 1):
        super().__init__()
        self.width = width
        self.act, self.upsample, self.downsample = SnakeBeta(width), _Filter(n_filters), _LowPass(n_filters)

    def prepare_weights(self) -> None:
        """Arrange the filters tap by tap. Once, after loading."""
        self.act.prepare_weights()
        up, down = (module.filter.detach()[:, 0].T for module in (self.upsample, self.downsample.lowpass))
        self.register_buffer("up", (RATE * up).unflatten(0, (-1, RATE)).contiguous(), persistent=False)
        self.register_buffer("down", down.contiguous(), persistent=False)
        del self.upsample, self.downsample

    def tail_before(self, rows: Tensor) -> Tensor:
        """Zeros, and the first double row again and again; where that is fused nothing, which stands for it."""
        if self.fused:
            return rows[:, :0]
        first = self.act(rows[:, :1] * self.up[0, 0])
        return torch.cat([rows.new_zeros(len(rows), N_ROWS, self.width), first.expand(-1, N_WAVES, -1)], dim=1)

    def forward(self, rows: Tensor, tail: Tensor) -> tuple[Tensor, Tensor]:
        """(B, T, D), (B, context, D) -> (B, T, D), new tail."""
        if self.fused:
            filters, wave = [self.up, self.down], [self.act.frequency, self.act.amplitude]
            return torch.ops.engines.anti_aliased_snake(rows, tail, filters, wave)
        rows = torch.cat([tail[:, :N_ROWS], rows], dim=1)
        n_rows = rows.shape[1] - N_ROWS
        seen = [rows[:, N_ROWS - past : N_ROWS - past + n_rows, None] for past in range(N_ROWS + 1)]
        waves = torch.cat([tail[:, N_ROWS:], self.act(_summed(seen, self.up).flatten(1, 2))], dim=1)
        heard = [waves[:, tap : tap + RATE * n_rows : RATE] for tap in range(TAPS)]
        return _summed(heard, self.down), torch.cat([rows[:, n_rows:], waves[:, RATE * n_rows :]], dim=1)


def _summed(seen: list[Tensor], taps: Tensor) -> Tensor:
    out = seen[0] * taps[0]
    for rows, tap in zip(seen[1:], taps[1:], strict=True):
        out.addcmul_(rows, tap)
    return out
