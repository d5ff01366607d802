"""Sampling codes from logits: penalty, temperature, top-k, top-p, and noise that can be replayed. Tensors only, fit for CUDA graphs.

Noise is a pure function of (seed, frame, codebook, code). So a stream's codes depend neither on who else is being served nor on the
device's generator, and any frame's noise can be drawn again. The function is SplitMix64 (Steele, Lea and Flood 2014,
doi 10.1145/2660193.2660195), one generator per seed and frame, read at position codebook * CODEBOOK_STRIDE + code.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

__all__ = ["CODEBOOK_STRIDE", "SamplingTensors", "apply_repetition_penalty", "gumbel_noise", "sample"]

CODEBOOK_STRIDE = 4096  # above every vocabulary of codes

# Constants of SplitMix64, as signed 64-bit numbers: torch has no unsigned arithmetic of this width, and two's complement wraps alike.
_GAMMA = 0x9E3779B97F4A7C15 - 2**64
_MIX_1 = 0xBF58476D1CE4E5B9 - 2**64
_MIX_2 = 0x94D049BB133111EB - 2**64


@dataclass(frozen=True)
class SamplingTensors:
    """How to sample, where graphs can read it, each (B, 1).

    temperature: float32, 0 for the likeliest code. top_k: int64, 0 for all. top_p: float32, 1 for all.
    """

    temperature: Tensor
    top_k: Tensor
    top_p: Tensor

    @classmethod
    def blank(cls, batch: int, device: torch.device | str) -> "SamplingTensors":
        """Sampling from all codes; to be set by `set`."""
        ones = torch.ones(batch, 1, device=device)
        return cls(ones.clone(), torch.zeros(batch, 1, dtype=torch.int64, device=device), ones.clone())

    def set(self, temperature: float, top_k: int, top_p: float, row: int = 0) -> None:
        """Of one row, in place: a graph that has captured the tensors sees it."""
        self.temperature[row].fill_(temperature)
        self.top_k[row].fill_(top_k)
        self.top_p[row].fill_(top_p)


def gumbel_noise(seed: Tensor, frame: Tensor, positions: Tensor) -> Tensor:
    """Gumbel noise: added to logits, it makes their largest a draw from their softmax.

    seed, frame: (B, 1) int64. positions: (N,) int64, codebook * CODEBOOK_STRIDE + code.
    returns: (B, N) float32. The uniform numbers behind it are the same bits on every device; their logarithms are taken in float64, whose
    last bits, where libraries differ, hardly ever reach float32.
    """
    generator = _mixed(_mixed(seed) + frame * _GAMMA)
    words = _mixed(generator + (positions + 1) * _GAMMA)
    uniform = (_shifted(words, 41).double() + 0.5) * 2.0**-23  # the 23 highest bits: never 0, never 1
    return -(-uniform.log()).log().float()


def apply_repetition_penalty(logits: Tensor, seen: Tensor, penalty: Tensor) -> Tensor:
    """Logits (B, V) with those of codes seen before (B, V) bool moved towards less likely by the factor penalty (B, 1); CTRL's rule.

    Positive logits are divided, negative ones multiplied (Keskar 2019, arXiv 1909.05858, as transformers' RepetitionPenalty does it).
    """
    return torch.where(seen, torch.where(logits < 0, logits * penalty, logits / penalty), logits)


def sample(logits: Tensor, noise: Tensor, params: SamplingTensors) -> Tensor:
    """One code per row, (B,) int64, from logits (B, V) float32 with noise (B, V): temperature, then top-k, then top-p, then the draw.

    As transformers' warpers do it: top-k keeps what equals the k-th; top-p keeps the fewest codes whose probabilities reach top_p.
    """
    warm = params.temperature > 0
    values, codes = (logits / torch.where(warm, params.temperature, 1.0)).sort(dim=-1, stable=True)  # rising
    n = values.shape[-1]
    kept = torch.where(params.top_k > 0, params.top_k.clamp(max=n), n)
    values = values.masked_fill(values < values.gather(-1, n - kept), float("-inf"))
    unlikely = values.softmax(dim=-1).cumsum(dim=-1) <= 1 - params.top_p
    unlikely[:, -1].fill_(False)
    values = values.masked_fill(unlikely, float("-inf")) + torch.where(warm, noise.gather(-1, codes), 0.0)
    return codes.gather(-1, values.argmax(dim=-1, keepdim=True)).squeeze(-1)


def _mixed(words: Tensor) -> Tensor:
    """SplitMix64's finalizer, a bijection of 64-bit words (Stafford's variant 13)."""
    words = (words ^ _shifted(words, 30)) * _MIX_1
    words = (words ^ _shifted(words, 27)) * _MIX_2
    return words ^ _shifted(words, 31)


def _shifted(words: Tensor, bits: int) -> Tensor:
    """Right shift that fills with zeros; torch's own repeats the sign."""
    return (words >> bits) & ((1 << (64 - bits)) - 1)
