"""How many codes of a sentence every step settles, and what a request may say of it. Which ones: kit/sampling/unmasking.py.

Figures: omnivoice 0.2.1, OmniVoice._generate_iterative and its OmniVoiceGenerationConfig.
"""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

__all__ = ["MOST_STEPS", "UnmaskingSettings", "codes_per_step"]

MOST_STEPS = 64


@dataclass(frozen=True)
class UnmaskingSettings:
    """What a request may say of it. guidance_scale: how far beyond what the text alone changes. layer_penalty_factor: how much later each
    book's codes are settled than those of the book before. position_temperature: how much chance there is in the order.
    class_temperature: how much in the codes, of which 0 takes the likeliest.
    """

    seed: int = 0
    num_step: int = 32
    guidance_scale: float = 2.0
    t_shift: float = 0.1
    layer_penalty_factor: float = 5.0
    position_temperature: float = 5.0
    class_temperature: float = 0.0

    @property
    def row(self) -> list[float]:
        """Of a table for UnmaskingTensors."""
        return [self.guidance_scale, self.layer_penalty_factor, self.position_temperature, self.class_temperature]


def codes_per_step(n_codes: int, n_steps: int, t_shift: float) -> list[int]:
    """How many of n_codes every step settles, the early ones few; steps that would settle none are left out.

    The share settled by step s of S is t_shift t / (1 + (t_shift - 1) t) at t = s / S, in float32 as upstream. No tensors: the host wants
    the numbers now.
    """
    times = _times(n_steps)
    shares = (t_shift * times / (1 + (t_shift - 1) * times)).tolist()
    n_left, counts = n_codes, []
    for before, after in pairwise(shares):
        counts.append(min(math.ceil(n_codes * (after - before)), n_left))
        n_left -= counts[-1]
    counts[-1] += n_left
    return [count for count in counts if count]


def _times(n_steps: int) -> np.ndarray:
    """(n_steps + 1,) float32 from 0 to 1, rounded as torch.linspace rounds them: counted from either end, in multiples of a float32."""
    counted, each = np.arange(n_steps + 1), np.float64(np.float32(1) / np.float32(n_steps))
    return np.where(counted < (n_steps + 1) // 2, each * counted, 1 - each * (n_steps - counted)).astype(np.float32)
