"""FlowStep: the frames that one call of the flow network makes, and the frames that they see. All layers and Euler steps of the call share
it.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from engines.cosyvoice3.config import FlowConfig
from engines.cosyvoice3.flow.flow_memory import N_GUIDED, FlowMemory
from engines.kit.nn.attention import Rotary, RotaryConfig, additive_mask

__all__ = ["CONTEXT_FRAMES", "FlowStep", "FlowSteps"]

CONTEXT_FRAMES = 30  # that a position convolution looks back: CausalConvPositionEmbedding of CosyVoice @ ace7c47 has a kernel of 31
ROTATION = RotaryConfig(kind="interleaved", theta=10_000.0)  # RotaryEmbedding of x-transformers, as DiT makes it
NOBODYS = -1  # index of the last position of every FlowMemory


class FlowStep(NamedTuple):
    """n rows of F frames each.

    gathered: (n,) int64, rows of the memory; None: all, in order. written: where keys and values go: frames of all rows, or the row and the
    frame of each, (n, 1) and (n, F) int64. rotation: (1 or n, F, 1, dim_head / 2) complex, of where frames stand.
    n_keys: positions of the memory that are read. mask: see additive_mask, of both guided rows; None: every frame sees all of them.
    tails: (2 * n, CONTEXT_FRAMES) int64, which of the CONTEXT_FRAMES before and the F frames the next call sees; None: the last ones.
    """

    gathered: Tensor | None
    written: slice | tuple[Tensor, Tensor]
    rotation: Tensor
    n_keys: int
    mask: Tensor | None
    tails: Tensor | None


class FlowSteps:
    """Makes the steps of one network, whose chunks of chunk_frames frames begin at frame 0, that of the prompt."""

    def __init__(self, config: FlowConfig):
        self._chunk_frames, self._rotary = config.chunk_frames, Rotary(ROTATION, config.dim_head)

    def whole(self, frames: range, memory: FlowMemory) -> FlowStep:
        """One stream, the only one of its memory, which has all frames before; whole chunks, of which the last of all may be shorter.

        Raises ValueError for frames that do not begin a chunk: those before them in their chunk would have to see them.
        """
        if frames.start % self._chunk_frames:
            raise ValueError(f"Frames from {frames.start} on are no chunks of {self._chunk_frames}: begin where a chunk does.")
        like, mask = memory.keys_values, None
        positions = torch.arange(frames.start, frames.stop, device=like.device)[None]
        if len(frames) > self._chunk_frames:
            later = torch.arange(frames.stop, device=like.device) >= self._seen(positions[0])[:, None]
            mask = additive_mask(later, 1, like.dtype)
        return FlowStep(None, slice(frames.start, frames.stop), self._rotation(positions), frames.stop, mask, None)

    def padded(
        self, spans: tuple[Tensor, Tensor], sizes: tuple[int, int], memory: FlowMemory, rows: Tensor | None = None
    ) -> FlowStep:  # fmt: skip
        """n streams, each of which makes some of its F frames, in shapes that depend on no value: for CUDA graphs.

        spans: first frame, which begins a chunk, and number of frames, both (n,) int64. A row of 0 frames takes no part: its state stays,
        and what comes out of it means nothing; so do frames beyond the number. sizes: F, n_keys: at least every first frame and number
        together. rows: (n,) int64 of the memory, different ones, which are gathered; None: all, read where they are.
        """
        starts, counts = (span[:, None] for span in spans)
        n_frames, n_keys = sizes
        like = memory.keys_values
        frames = torch.arange(n_frames, device=like.device)
        positions = starts + frames
        seen = torch.minimum(self._seen(positions), starts + counts).clamp(min=1)  # attention to nothing would not be numbers
        hidden = torch.arange(n_keys, device=like.device) >= seen[..., None]
        batch = torch.arange(len(starts), device=like.device) if rows is None else rows
        return FlowStep(
            gathered=rows,
            written=(batch[:, None], torch.where(frames < counts, positions, NOBODYS)),
            rotation=self._rotation(positions),
            n_keys=n_keys,
            mask=additive_mask(hidden.repeat(N_GUIDED, 1, 1), 1, like.dtype),
            tails=(counts + torch.arange(CONTEXT_FRAMES, device=like.device)).repeat(N_GUIDED, 1),
        )

    def _rotation(self, positions: Tensor) -> Tensor:
        """cos + i sin of each pair of channels, by which a pair, first channel + i second channel, is multiplied."""
        rotation = self._rotary(positions, torch.float32)
        assert rotation is not None  # this kind turns
        cos, signed_sin = rotation
        return torch.complex(cos[..., ::2], signed_sin[..., 1::2])

    def _seen(self, positions: Tensor) -> Tensor:
        """How many frames each sees: to the end of its chunk (subsequent_chunk_mask of CosyVoice @ ace7c47)."""
        return (positions // self._chunk_frames + 1) * self._chunk_frames
