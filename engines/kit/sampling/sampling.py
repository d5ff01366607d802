"""Samples codes from logits: penalty, temperature, top-k, top-p, the draw, in either order. Also noise that can be replayed.

Tensors only, fit for CUDA graphs. Noise is a pure function of (seed, frame, position): so a stream's depends neither on who else is being
served nor on the device's generator, and any frame's can be drawn again.
The function is SplitMix64 (Steele, Lea and Flood 2014, doi 10.1145/2660193.2660195), one generator per seed and frame, read at a position:
codebook (or step) * stride + code (or index). Distinct positions of a generator never give the same word.
seed, frame: int64 that broadcast with positions, (B, 1) with (N,) to (B, N). The uniform numbers are the same bits on every device; what is
made of them is computed in float64, whose last bits, where libraries differ, hardly ever reach float32.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from engines.kit.device import exact_device

__all__ = [
    "CODEBOOK_STRIDE",
    "TEXT_STRIDE",
    "TEXT_UNIFORM_BITS",
    "SamplingTensors",
    "apply_repetition_penalty",
    "gaussian_noise",
    "gumbel_noise",
    "sample",
    "sample_and_embed",
    "sample_cut_first",
    "sample_cut_first_and_embed",
    "uniform_noise",
]

LEAST_TEMPERATURE = 1e-5  # of sample_cut_first: below it the likeliest is as good as certain


@dataclass(frozen=True)
class SamplingTensors:
    """How to sample, where graphs can read it, each (B, 1), or (B, D, 1) for D draws of a row.

    temperature: float32, 0 for the likeliest code. top_k: int64, 0 for all. top_p: float32, 1 for all.
    """

    temperature: Tensor
    top_k: Tensor
    top_p: Tensor

    @classmethod
    def blank(cls, batch: int, device: torch.device | str, *n_draws: int) -> "SamplingTensors":
        """Sampling from all codes; to be set by `set`. n_draws: of a row, where there are several."""
        ones = torch.ones(batch, *n_draws, 1, device=device)
        return cls(ones.clone(), torch.zeros_like(ones, dtype=torch.int64), ones.clone())

    @property
    def tensors(self) -> list[Tensor]:
        """All three, in their order."""
        return [self.temperature, self.top_k, self.top_p]

    def of_draw(self, draw: int) -> "SamplingTensors":
        """Of one of several draws, (B, 1): the same memory."""
        return SamplingTensors(self.temperature[:, draw], self.top_k[:, draw], self.top_p[:, draw])

    def set(self, temperature: float, top_k: int, top_p: float, row: int | slice | tuple[int | slice, int] = slice(None)) -> None:
        """Of one row, or of all, in place: a graph that has captured the tensors sees it. row: any index of theirs."""
        self.temperature[row].fill_(temperature)
        self.top_k[row].fill_(top_k)
        self.top_p[row].fill_(top_p)


def apply_repetition_penalty(logits: Tensor, seen: Tensor, penalty: Tensor) -> Tensor:
    """Logits (B, V) with those of codes seen before (B, V) bool moved towards less likely by the factor penalty (B, 1); CTRL's rule.

    Positive logits are divided, negative ones multiplied (Keskar 2019, arXiv 1909.05858, as transformers' RepetitionPenalty does it).
    """
    return torch.where(seen, torch.where(logits < 0, logits * penalty, logits / penalty), logits)


def sample_and_embed(logits: Tensor, noise: Tensor, params: SamplingTensors, table: Tensor) -> tuple[Tensor, Tensor]:
    """As `sample` with `fused`, and the codes' rows of a table (codes, D), (B, 1, D), by the same kernel."""
    return torch.ops.engines.draw_codes(logits, noise, params.tensors, [table])


def sample(logits: Tensor, noise: Tensor, params: SamplingTensors, *, fused: bool = False) -> Tensor:
    """One code per row, (B,) int64, from logits (B, V) float32 with noise (B, V): temperature, then top-k, then top-p, then the draw.

    As transformers' warpers do it: top-k keeps what equals the k-th; top-p keeps the fewest codes whose probabilities reach top_p.
    fused: by one kernel, where that is trusted (fused/self_check.py).
    """
    if fused:
        return torch.ops.engines.draw_codes(logits, noise, params.tensors, [])[0]
    warm = params.temperature > 0
    values, codes = (logits / torch.where(warm, params.temperature, 1.0)).sort(dim=-1, stable=True)  # rising
    n = values.shape[-1]
    kth = (n - params.top_k).clamp(min=0) % n  # 0, the least of all, where top_k is 0
    values = values.masked_fill(values < values.gather(-1, kth), float("-inf"))
    unlikely = values.softmax(dim=-1).cumsum(dim=-1) <= 1 - params.top_p
    values[:, :-1].masked_fill_(unlikely[:, :-1], float("-inf"))  # the likeliest is kept
    values = values + noise.gather(-1, codes) * warm
    return codes.gather(-1, values.argmax(dim=-1, keepdim=True)).squeeze(-1)


def sample_cut_first_and_embed(logits: Tensor, noise: Tensor, params: SamplingTensors, table: Tensor) -> tuple[Tensor, Tensor]:
    """The same of `sample_cut_first`, of one draw of each row."""
    given = logits, noise, params.tensors, [table]
    return torch.ops.engines.draw_codes_cut_first(*given, least_temperature=LEAST_TEMPERATURE)


def sample_cut_first(logits: Tensor, noise: Tensor, params: SamplingTensors, *, fused: bool = False) -> Tensor:
    """One code per row, (B,) int64, from logits (B, V) with noise (B, V): top-p and top-k of the logits as they are, then temperature,
    then the draw; all of it in float32. As Fish Audio S2 Pro is sampled.

    Kept are the likeliest code, and of the others, in falling order, those before which and with which the probabilities do not exceed
    top_p and whose rank is below top_k. So top-p keeps fewer than `sample` does, by the code with which the sum exceeds it.
    Several draws at once, (B, D): logits (B, 1, V), noise (B, D, V), params (B, D, 1).
    fused: by one kernel, where that is trusted (fused/self_check.py).
    """
    if fused:
        return torch.ops.engines.draw_codes_cut_first(logits, noise, params.tensors, [], least_temperature=LEAST_TEMPERATURE)[0]
    values, codes = logits.float().sort(dim=-1, descending=True, stable=True)
    ranks, codes = torch.arange(values.shape[-1], device=values.device), codes.expand_as(noise)
    cut = (values.softmax(dim=-1).cumsum(dim=-1) > params.top_p) & (params.top_p < 1)
    cut |= (ranks >= params.top_k) & (params.top_k > 0)
    cut &= ranks > 0
    values = (values / params.temperature.clamp(min=LEAST_TEMPERATURE)).masked_fill(cut, float("-inf"))
    values = values + noise.gather(-1, codes) * (params.temperature > 0)
    return codes.gather(-1, values.argmax(dim=-1, keepdim=True)).squeeze(-1)


# --- noise


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
    return -(-_uniform(seed, frame, positions, uniform_bits).log()).log().float().to(seed.device)


def gaussian_noise(seed: Tensor, frame: Tensor, positions: Tensor, *, fused: bool = False) -> Tensor:
    """Noise of mean 0 and variance 1, float32, by the inverse of its distribution function. positions: step * TEXT_STRIDE + index.

    fused: its uniform numbers by one kernel, as for gumbel_noise; they are the same bits.
    """
    uniform = torch.ops.engines.uniform_noise if fused else _uniform
    return torch.special.ndtri(uniform(seed ^ _GAUSSIAN_SEEDS, frame, positions, TEXT_UNIFORM_BITS)).float().to(seed.device)


def uniform_noise(seed: Tensor, frame: Tensor, positions: Tensor) -> Tensor:
    """Noise between 0 and 1, float32 (which may round to either). positions: step * TEXT_STRIDE + index."""
    return _uniform(seed, frame, positions, TEXT_UNIFORM_BITS).float().to(seed.device)


def _uniform(seed: Tensor, frame: Tensor, positions: Tensor, bits: int) -> Tensor:
    """float64 from the highest bits, in the middle of 2^bits equal parts of the unit interval: never 0, never 1. On `exact_device`."""
    place = seed.device if seed.is_cpu or seed.is_cuda else exact_device(seed.device)
    seed, frame, positions = seed.to(place), frame.to(place), positions.to(place)
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
