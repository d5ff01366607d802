"""PromptForm: a kind of tensor from other people's tools that an engine takes as a voice. See Engine.adopt."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["MOST_VALUE", "PromptForm"]

# Of a number that is no code; they are about 1. It is float16's largest: what is finite in float32 may be infinity in bfloat16, of which no
# sound comes.
MOST_VALUE = 65_504.0
MOST_CODE = np.iinfo(np.int16).max  # as which codes are kept


@dataclass(frozen=True)
class PromptForm:
    """A table with a row per frame, or per codebook.

    name: of the tensor in a safetensors file ("embeddings", "codes"). shape: its own; None for the axis that has as many entries as
    the voice has frames, of which there are 1 to most_frames. is_codes: whole numbers, each below the size of its book; else numbers
    within MOST_VALUE of zero. sizes: of the books, by row, where is_codes.
    """

    name: str
    shape: tuple[int | None, int | None]
    most_frames: int
    is_codes: bool = False
    sizes: tuple[int, ...] = ()

    @property
    def described(self) -> str:
        """For people: "embeddings (frames, 3072)", "codes (37, frames)"."""
        return f"{self.name} ({', '.join('frames' if size is None else str(size) for size in self.shape)})"

    def fits(self, tensor: np.ndarray) -> bool:
        """Whether a tensor has this shape, and numbers of this kind: whole ones or others, of whatever width."""
        return tensor.dtype.kind in ("iu" if self.is_codes else "f") and self.has_shape(tensor.shape)

    def has_shape(self, shape: Sequence[int]) -> bool:
        """Whether it is this one, with as many frames as there may be."""
        if len(shape) != len(self.shape):
            return False
        wanted = zip(shape, self.shape, strict=True)
        return all(1 <= size <= self.most_frames if asked is None else size == asked for size, asked in wanted)

    def holds(self, tensor: np.ndarray) -> bool:
        """Whether values of a tensor that fits are ones that it may have, which int16 or float32 keeps as they are."""
        if not self.is_codes:
            return bool(tensor.min() >= -MOST_VALUE and tensor.max() <= MOST_VALUE)  # what is no number is neither
        most = np.minimum(np.array(self.sizes)[:, None] - 1, MOST_CODE) if self.sizes else MOST_CODE
        return bool(((tensor >= 0) & (tensor <= most)).all())

    def n_frames(self, shape: Sequence[int]) -> int:
        """Of a tensor of that shape, which fits."""
        return shape[self.shape.index(None)]
