"""Noise that can be replayed: a pure function of (seed, frame, position). Tensors only, fit for CUDA graphs.

So a stream's noise depends neither on who else is being served nor on the device's generator, and any frame's can be drawn again.
The function is SplitMix64 (Steele, Lea and Flood 2014, doi 10.1145/2660193.2660195), one generator per seed and frame, read at a position:
codebook (or step) * stride + code (or index). Distinct positions of a generator never give the same word.
seed, frame: int64 that broadcast with positions, (B, 1) with (N,) to (B, N). The uniform numbers are the same bits on every device; what is
made of them is computed in float64, whose last bits, where libraries differ, hardly ever reach float32.
"""

import torch
from torch import Tensor

__all__ = ["CODEBOOK_STRIDE", "TEXT_STRIDE", "TEXT_UNIFORM_BITS", "gaussian_noise", "gumbel_noise", "uniform_noise"]

CODEBOOK_STRIDE = 4096  # above every vocabulary of codes
TEXT_STRIDE = 2**32  # above every other one, text-sized ones of 150,000 among them

CODE_UNIFORM_BITS = 23
# Of 150,000 numbers of 23 bits the largest would lie on a grid of 2 % of its distance from 1. More than 52 would round to 1 in float64.
TEXT_UNIFORM_BITS = 52

# Constants of SplitMix64, as signed 64-bit numbers: torch has no unsigned arithmetic of this width, and two's complement wraps alike.
_GAMMA = 0x9E3779B97F4A7C15 - 2**64
_MIX_1 = 0xBF58476D1CE4E5B9 - 2**64
_MIX_2 = 0x94D049BB133111EB - 2**64

_GAUSSIAN_SEEDS = 0x243F6A8885A308D3  # digits of pi, nothing up the sleeve: keeps Gaussian noise apart from Gumbel noise of the same key


def gumbel_noise(
    seed: Tensor, frame: Tensor, positions: Tensor, uniform_bits: int = CODE_UNIFORM_BITS, *, fused: bool = False
) -> Tensor:  # fmt: skip
    """Gumbel noise: added to logits, it makes their largest a draw from their softmax.

    positions: codebook * CODEBOOK_STRIDE + code; for larger vocabularies codebook * TEXT_STRIDE + code, with TEXT_UNIFORM_BITS.
    fused: by one kernel, where that is trusted (fused/self_check.py), seed and frame being (B, 1), positions (N,). returns: float32.
    """
    if fused:
        return torch.ops.engines.gumbel_noise(seed, frame, positions, uniform_bits)
    return -(-_uniform(seed, frame, positions, uniform_bits).log()).log().float()


def gaussian_noise(seed: Tensor, frame: Tensor, positions: Tensor, *, fused: bool = False) -> Tensor:
    """Noise of mean 0 and variance 1, float32, by the inverse of its distribution function. positions: step * TEXT_STRIDE + index.

    fused: its uniform numbers by one kernel, as for gumbel_noise; they are the same bits.
    """
    uniform = torch.ops.engines.uniform_noise if fused else _uniform
    return torch.special.ndtri(uniform(seed ^ _GAUSSIAN_SEEDS, frame, positions, TEXT_UNIFORM_BITS)).float()


def uniform_noise(seed: Tensor, frame: Tensor, positions: Tensor) -> Tensor:
    """Noise between 0 and 1, float32 (which may round to either). positions: step * TEXT_STRIDE + index."""
    return _uniform(seed, frame, positions, TEXT_UNIFORM_BITS).float()


def _uniform(seed: Tensor, frame: Tensor, positions: Tensor, bits: int) -> Tensor:
    """float64 from the highest bits, in the middle of 2^bits equal parts of the unit interval: never 0, never 1."""
    generator = _mixed(_mixed(seed) + frame * _GAMMA)
    words = _mixed(generator + (positions + 1) * _GAMMA)
    return (_shifted(words, 64 - bits).double() + 0.5) * 2.0**-bits


def _mixed(words: Tensor) -> Tensor:
    """SplitMix64's finalizer, a bijection of 64-bit words (Stafford's variant 13)."""
    words = (words ^ _shifted(words, 30)) * _MIX_1
    words = (words ^ _shifted(words, 27)) * _MIX_2
    return words ^ _shifted(words, 31)


def _shifted(words: Tensor, bits: int) -> Tensor:
    """Right shift that fills with zeros; torch's own repeats the sign."""
    return (words >> bits) & ((1 << (64 - bits)) - 1)
