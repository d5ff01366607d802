"""RandomWeights: takes the place of a Checkpoint where speed is measured without weights. It draws every tensor that is asked for.

The speed of a network does not depend on the values of its weights. So no file, no download and no table of names is needed. What such an
engine speaks is noise. All tensors are cut out of one draw of a million numbers, since drawing billions takes longer than measuring.
"""

import math
import zlib
from collections.abc import Iterable

import torch
from torch import nn

from engines.kit.weights.checkpoint import Checkpoint, put_tensor

__all__ = ["RandomWeights"]

N_DRAWN = 1_048_573  # a prime number, so that no two rows of a matrix are the same
NEAR_ONE = ("norm.weight", "running_var", "scale", "usage")  # gains, variances, counts; other vectors (biases, exponents) are near zero


class RandomWeights(Checkpoint):
    """Tensors of any name. The same seed draws the same for a name and a shape.

    stored: the dtype that its tensors are said to have, as the release has them.
    """

    def __init__(self, stored: torch.dtype, seed: int = 0):
        self._stored, self._seed = stored, seed

    def close(self) -> None:
        """Nothing is open."""

    @property
    def names(self) -> frozenset[str]:
        """None in advance: it has whatever it is asked for."""
        return frozenset()

    def dtype(self, name: str) -> torch.dtype:
        return self._stored

    def load_into(self, module: nn.Module, prefix: str = "", *, device: torch.device | str = "cpu", **names_of_files) -> None:
        """Fill every parameter and every persistent buffer of the module, made on the device "meta"; nothing is missing or left over."""
        drawn = torch.rand(N_DRAWN, generator=torch.Generator().manual_seed(self._seed)).to(device)
        for name, slot in module.state_dict(keep_vars=True).items():
            values = torch.empty(slot.shape, dtype=slot.dtype, device=device)
            least, greatest = _bounds(name, tuple(slot.shape))
            repeated = (drawn.roll(zlib.crc32((prefix + name).encode()) % N_DRAWN) * (greatest - least) + least).to(slot.dtype)
            for part in values.view(-1).split(N_DRAWN):
                part.copy_(repeated[: len(part)])
            put_tensor(module, name, values)

    def check_all_used(self) -> None:
        """Nothing was there that could be left over."""

    def digest(self, names: Iterable[str]) -> str:
        """Of the seed: it is all that these weights are."""
        return f"random-{self._seed}"


def _bounds(name: str, shape: tuple[int, ...]) -> tuple[float, float]:
    """Of a uniform distribution: matrices keep unit size from input to output (variance 1 / fan-in), so that nothing overflows."""
    if len(shape) > 1:
        bound = math.sqrt(3 / max(1, math.prod(shape[1:])))
        return -bound, bound
    return (0.8, 1.2) if name.endswith(NEAR_ONE) else (-0.1, 0.1)
