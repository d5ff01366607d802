"""The prior as a trainable module. Shapes as in engines/espeak/prior/prior.py; B segments of F frames."""

import torch
from torch import nn
from torch.nn import functional

from engines.espeak.prior.hidden_stream import DILATIONS, N_FRAME_INPUTS, STEP_FRAMES
from engines.espeak.prior.prior import N_OUTPUTS
from engines.kit.nn.module_list import module_list
from engines.kit.phonemes.phone_features import N_PHONE_FEATURES

__all__ = ["PriorNetwork"]

WIDTH = 256
_DROPOUT, _LEAK = 0.05, 0.1


class PriorNetwork(nn.Module):
    """Frames of eSpeak speech to hidden features, and those to a voice's outputs by its head."""

    def __init__(self, n_heads: int):
        super().__init__()
        self.first = nn.Linear(STEP_FRAMES * N_FRAME_INPUTS + 3 * N_PHONE_FEATURES, WIDTH)
        self.convolutions = module_list([nn.Conv1d(WIDTH, WIDTH, 3, dilation=d, padding=d) for d in DILATIONS])
        self.frames = nn.Linear(WIDTH, STEP_FRAMES * WIDTH)
        self.local = nn.Linear(N_FRAME_INPUTS, WIDTH, bias=False)
        self.heads = nn.Parameter(torch.randn(n_heads, WIDTH + 1, N_OUTPUTS) * 0.05)
        self.dropout = nn.Dropout(_DROPOUT)

    def hidden(self, inputs: torch.Tensor, phones: torch.Tensor) -> torch.Tensor:
        """(B, F, WIDTH + 1) of inputs (B, F, N_FRAME_INPUTS), normalized, and phones (B, F, 3 * N_PHONE_FEATURES); F is even."""
        n_segments, n_frames, _ = inputs.shape
        pairs = inputs.reshape(n_segments, n_frames // STEP_FRAMES, -1)
        x = functional.leaky_relu(self.first(torch.cat([pairs, phones[:, ::STEP_FRAMES]], 2)), _LEAK).transpose(1, 2)
        for convolution in self.convolutions:
            x = x + functional.leaky_relu(convolution(x), _LEAK)
        x = self.dropout(x.transpose(1, 2))
        hidden = torch.tanh(self.frames(x).reshape(n_segments, n_frames, WIDTH) + self.local(inputs))
        return torch.cat([hidden, torch.ones(n_segments, n_frames, 1)], 2)

    def forward(self, inputs: torch.Tensor, phones: torch.Tensor, heads: torch.Tensor) -> torch.Tensor:
        """(B, F, N_OUTPUTS) normalized; heads (B,) numbers."""
        return torch.bmm(self.hidden(inputs, phones), self.heads[heads])
