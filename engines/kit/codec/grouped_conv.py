"""GroupedConv1d: a grouped convolution as matrix products, for GPUs. Their libraries may want gigabytes of workspace for it."""

import torch
from einops import rearrange
from torch import Tensor, nn

__all__ = ["GroupedConv1d"]


class GroupedConv1d(nn.Module):
    """(B, T, D) -> (B, places, D_out): rows channels-last, a kernel at every place where it fits, nothing padded.

    weight: (D_out, D / groups, K), as nn.Conv1d has it. Windows are written out, K times what the rows take: meant for few rows.
    """

    def __init__(self, weight: Tensor, bias: Tensor, *, groups: int):
        super().__init__()
        self.n_taps = weight.shape[2]
        self.weight = nn.Parameter(rearrange(weight.detach(), "(g o) i k -> g (i k) o", g=groups).contiguous(), requires_grad=False)
        self.bias = nn.Parameter(rearrange(bias.detach(), "(g o) -> g 1 o", g=groups).contiguous(), requires_grad=False)

    def forward(self, rows: Tensor) -> Tensor:
        windows = rearrange(rows.unfold(1, self.n_taps, 1), "b t (g i) k -> g (b t) (i k)", g=len(self.weight))
        mixed = torch.baddbmm(self.bias, windows, self.weight)
        return rearrange(mixed, "g (b t) o -> b t (g o)", b=len(rows))
