"""PitchPredictor: computes the fundamental frequency of every mel frame, in float64."""

from collections.abc import Iterator

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.kit.codec.causal_conv import CausalConv1d
from engines.kit.codec.tail_cursor import TailCursor
from engines.kit.nn.module_list import module_list

__all__ = ["PITCH_LOOKAHEAD_FRAMES", "PitchPredictor"]

# CausalConvRNNF0Predictor of cosyvoice/hifigan/f0_predictor.py @ ace7c47
PITCH_LOOKAHEAD_FRAMES = 3
FIRST_KERNEL, KERNEL, N_CONVOLUTIONS = PITCH_LOOKAHEAD_FRAMES + 1, 3, 5


class PitchPredictor(nn.Module):
    """Five convolutions with ELU, of which the first sees three frames ahead, and a linear layer whose absolute value is the pitch.

    Upstream, also for the names of tensors: CausalConvRNNF0Predictor. It is computed in float64 as there: the phase of the source sums
    what it says, so that a rounding would grow with every frame.
    """

    def __init__(self, width_in: int, width: int):
        super().__init__()
        others = [CausalConv1d(width, width, KERNEL) for _ in range(N_CONVOLUTIONS - 1)]
        convolutions = [CausalConv1d(width_in, width, FIRST_KERNEL), *others]
        self.condnet = module_list(layer for convolution in convolutions for layer in (convolution, nn.ELU()))
        self.classifier = nn.Linear(width, 1)

    def prepare_weights(self) -> None:
        """Go over to float64. Once, after loading, before the convolutions arrange theirs."""
        self.to(torch.float64)

    def stateful(self) -> Iterator[CausalConv1d]:
        """The layers that have tails, in the order of `forward`: the first sees what it needs among the frames."""
        yield from (layer for layer in self.condnet[1:] if isinstance(layer, CausalConv1d))

    def forward(self, mel: Tensor, tails: TailCursor) -> Tensor:
        """mel: (B, F + 3, D), the last three being ahead. returns: (B, F) Hz, float32."""
        mel = mel.double()
        rows, _ = self.condnet[0](mel[:, PITCH_LOOKAHEAD_FRAMES:], mel[:, :PITCH_LOOKAHEAD_FRAMES])
        rows = F.elu(rows)
        for convolution in self.stateful():
            rows = F.elu(tails.through(convolution, rows))
        return self.classifier(rows).squeeze(-1).abs().float()
