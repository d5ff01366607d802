"""Short-time Fourier transforms of a stream and their inverse, as matrix products: torch.stft and torch.istft with a periodic Hann window.

A spectrum is a row of n_fft + 2 numbers, real parts first, then imaginary ones. Frames are centered: number j is about sample j * hop.
"""

import math

import torch
from torch import Tensor, nn

from engines.kit.codec.causal_conv import Stateful
from engines.kit.nn.linear import linear

__all__ = ["InverseFourier", "ShortTimeFourier"]


class ShortTimeFourier(nn.Module):
    """Samples to spectra. It has no parameters."""

    matrix: Tensor

    def __init__(self, n_fft: int, hop: int):
        super().__init__()
        self.n_fft, self.hop, self.reach = n_fft, hop, n_fft // 2

    def prepare_on(self, device: torch.device) -> None:
        """Make the matrix. Once."""
        real, imaginary = _waves(self.n_fft)
        matrix = torch.cat([real, -imaginary]) * _window(self.n_fft)
        self.register_buffer("matrix", matrix.float().to(device), persistent=False)

    def forward(self, samples: Tensor) -> Tensor:
        """(B, T) float32 -> (B, N, n_fft + 2) for the N windows that fit."""
        return linear(samples.unfold(1, self.n_fft, self.hop).contiguous(), self.matrix)

    def before(self, samples: Tensor) -> Tensor:
        """What stands before the first samples of all, (B, reach): they themselves, mirrored."""
        return samples[:, 1 : self.reach + 1].flip(1)

    def behind(self, samples: Tensor) -> Tensor:
        """What stands behind the last samples of all, (B, reach): they themselves, mirrored."""
        return samples[:, -self.reach - 1 : -1].flip(1)


class InverseFourier(Stateful):
    """Spectra to samples: each gives the `hop` samples for which it is the last that counts. It has no parameters.

    Those of spectrum j end `late` = n_fft / 2 - hop before sample j * hop. At the start n_fft / 2 samples stand before the first of all.
    start_gain, end_gain: (late,), what makes up for the windows that the first and the last samples lack.
    """

    matrix: Tensor
    start_gain: Tensor
    end_gain: Tensor

    def __init__(self, n_fft: int, hop: int):
        super().__init__()
        self.n_fft, self.hop, self.late = n_fft, hop, n_fft // 2 - hop
        self.context, self.width = n_fft // hop - 1, n_fft + 2

    def prepare_on(self, device: torch.device) -> None:
        """Make the matrix. Once."""
        real, imaginary = _waves(self.n_fft)
        twice = torch.full((len(real), 1), 2.0, dtype=torch.float64)
        twice[0] = twice[-1] = 1  # all but the first and the last stand for their mirror image, too
        window = _window(self.n_fft)
        parts = window.unflatten(0, (-1, self.hop))  # (n, hop): what of a frame falls on one sample after another
        sums = parts.square().sum(0)
        samples = torch.cat([real * twice, -imaginary * twice]).T * (window / sums.repeat(len(parts)) / self.n_fft)[:, None]
        matrix = samples.unflatten(0, (-1, self.hop)).flip(0).transpose(0, 1).flatten(1)  # (hop, n * (n_fft + 2)), oldest frame first
        n_edges, powers = self.late // self.hop, parts.square().cumsum(0)
        buffers = {
            "matrix": matrix,
            "start_gain": (sums / powers[-1 - n_edges : -1]).flatten(),
            "end_gain": (sums / (sums - powers[:n_edges])).flatten(),
        }
        for name, values in buffers.items():
            self.register_buffer(name, values.float().contiguous().to(device), persistent=False)

    def forward(self, rows: Tensor, tail: Tensor) -> tuple[Tensor, Tensor]:
        """(B, N, n_fft + 2), (B, context, n_fft + 2) -> (B, N * hop) samples, new tail."""
        rows = torch.cat([tail, rows], dim=1)
        tail = rows[:, rows.shape[1] - self.context :].clone()
        seen = rows.unfold(1, self.context + 1, 1).transpose(2, 3).flatten(2)
        return linear(seen, self.matrix).flatten(1), tail


def _window(n_fft: int) -> Tensor:
    return torch.hann_window(n_fft, periodic=True, dtype=torch.float64, device="cpu")


def _waves(n_fft: int) -> tuple[Tensor, Tensor]:
    """(n_fft / 2 + 1, n_fft) cosines and sines, float64."""
    turns = torch.outer(torch.arange(n_fft // 2 + 1, device="cpu"), torch.arange(n_fft, device="cpu")).double() / n_fft
    return (turns * 2 * math.pi).cos(), (turns * 2 * math.pi).sin()
