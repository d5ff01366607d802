"""KVCache: keys and values of a number of rows, at positions that stay where they are. Read as far as the caller knows it filled."""

from torch import Tensor

__all__ = ["KVCache"]


class KVCache:
    """tensor: (layers, 2, B, kv heads, length, head_dim), keys then values."""

    def __init__(self, tensor: Tensor):
        self.tensor = tensor

    @property
    def length(self) -> int:
        return self.tensor.shape[4]

    @property
    def bytes(self) -> int:
        """Memory of keys and values."""
        return self.tensor.nbytes

    def row(self, index: int) -> "KVCache":
        """One of the B rows, the same memory as a cache of batch 1."""
        return KVCache(self.tensor[:, :, index : index + 1])

    def saved(self, start: int, end: int) -> Tensor:
        """A copy of positions start..end, (layers, 2, B, kv heads, end - start, head_dim)."""
        return self.tensor[..., start:end, :].clone()

    def restore(self, saved: Tensor, start: int = 0) -> None:
        """Write positions that `saved` gave, of this or of another KVCache of the same shape but for its length."""
        self.tensor[..., start : start + saved.shape[4], :].copy_(saved)
