"""KeyPrefix: keys and values of rows that were read before. Every text in a voice begins with them."""

from dataclasses import dataclass

from torch import Tensor

__all__ = ["KeyPrefix"]


@dataclass(frozen=True)
class KeyPrefix:
    """keys_values: (layers, 2, 1, heads, rows, head_dim). Read-only and shared: streams copy it."""

    keys_values: Tensor

    @property
    def n_rows(self) -> int:
        return self.keys_values.shape[4]

    @property
    def bytes(self) -> int:
        return self.keys_values.nbytes
