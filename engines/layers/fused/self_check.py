"""Self-check: which kernels do on this device what the plain formulas do. An engine trusts no others.

Run before graphs are captured: each kernel computes a few small cases beside the formula that it stands for, which also compiles it.
"""

import logging
from collections.abc import Callable, Iterator, Mapping

import torch
import torch.nn.functional as F
from torch import Tensor

from engines.layers.attention import Attention
from engines.layers.feed_forward import SwiGLU
from engines.layers.fused import operations
from engines.layers.noise import CODE_UNIFORM_BITS, gumbel_noise
from engines.layers.norm import unit_rms
from engines.layers.rotary import RotaryConfig, Rotary, apply_rotary
from engines.layers.sampling import SamplingTensors, sample

__all__ = ["KERNELS", "check_kernels", "trusted_kernels"]

logger = logging.getLogger(__name__)

LEAST_CAPABILITY = (8, 0)  # Ampere: the first with bfloat16, and the oldest that Triton 3.6 compiles for without reservations
# In units of the dtype's precision, times the largest value: sums are taken in another order, and bfloat16 then rounds to a neighbour.
MOST_DIFFERENCE = 4.0
BATCH, HEADS, KV_HEADS, HEAD_DIM, LENGTH, WIDTH, VOCABULARY, EPS = 4, 4, 2, 16, 24, 40, 100, 1e-6
ROWS = (1, 5, 16)  # which Triton compiles apart: one, several, a multiple of 16

Case = tuple[Tensor, Tensor]  # what the kernel made, what the formula makes
Cases = Callable[[torch.device, torch.dtype], Iterator[Case]]
