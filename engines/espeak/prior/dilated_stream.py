"""Dilated convolutions (van den Oord et al. 2016) over steps that come in blocks; every step goes through once.

Every block has one shape, so that rounding cannot depend on how far a stream has got. Steps before the first and after the last count as
zeros in every layer, as in training.
"""

from collections.abc import Mapping

import numpy as np

__all__ = ["TAPS", "DilatedStream", "leaky"]

TAPS = 3
_LEAK = np.float32(0.1)


class DilatedStream:
    """Layers of three taps, each added to what it reads.

    tensors: `{name}_{k}_weight` (3 * width, width) and `{name}_{k}_bias` (width,) of layer k. reaches: (dilation, ahead) of each, in steps:
    the latest tap of a step stands `ahead` steps after it. n_steps: of the whole sequence.
    """

    def __init__(self, tensors: Mapping[str, np.ndarray], name: str, reaches: tuple[tuple[int, int], ...], n_steps: int):
        self._layers = [(tensors[f"{name}_{k}_weight"], tensors[f"{name}_{k}_bias"]) for k in range(len(reaches))]
        self._reaches, self._n_steps = reaches, n_steps
        width = len(self._layers[0][1])
        self._pasts = [np.zeros((2 * dilation, width), np.float32) for dilation, _ in reaches]
        self._n_read = 0

    def push(self, x: np.ndarray) -> tuple[int, np.ndarray]:
        """The step that the first row of the output stands for (negative at the beginning), and the output, (B, width) as the block x."""
        step = self._n_read
        self._n_read += len(x)
        x = self._inside(x, step)
        for number, ((dilation, ahead), (weight, bias)) in enumerate(zip(self._reaches, self._layers, strict=True)):
            seen = np.concatenate([self._pasts[number], x])
            self._pasts[number] = seen[len(x) :]
            taps = np.concatenate([seen[k * dilation : k * dilation + len(x)] for k in range(TAPS)], 1)
            first = 2 * dilation - ahead
            step -= ahead
            x = self._inside(seen[first : first + len(x)] + leaky(taps @ weight + bias), step)
        return step, x

    def _inside(self, x: np.ndarray, first_step: int) -> np.ndarray:
        """x with zeros where no step of the sequence stands."""
        if first_step < 0 or first_step + len(x) > self._n_steps:
            step = first_step + np.arange(len(x))
            x[(step < 0) | (step >= self._n_steps)] = 0
        return x


def leaky(x: np.ndarray) -> np.ndarray:
    """The activation of all layers here."""
    return np.maximum(x, _LEAK * x)
