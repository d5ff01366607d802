"""FrameLane: rows of tensors that stay where they are, a stream each. A step makes one frame of every row that wants one."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

import torch
from torch import Tensor

from engines.layers.decode_slots import DecodeSlots
from engines.layers.frame_stream import FrameStream
from engines.layers.host_copy import HostCopy

__all__ = ["FrameLane"]

B = TypeVar("B")  # what a stream begins with
S = TypeVar("S", bound=FrameStream)


class FrameLane(ABC, Generic[B, S]):
    """What a frame is made of is up to whoever builds on it. Streams beyond the width take turns, see DecodeSlots.

    late_frames: how much later than drawn the host learns that speech has ended: 0 where looking costs nothing, 1 on a GPU, where waiting
    for the newest frame would leave the device idle.
    """

    def __init__(self, width: int, *, late_frames: int = 0):
        self._slots: DecodeSlots[S] = DecodeSlots(width, save=self._saved, restore=self._restore)
        self.late_frames = late_frames

    @property
    def width(self) -> int:
        return self._slots.width

    @abstractmethod
    def begin(self, beginning: B, most_frames: int) -> S:
        """Read what the stream begins with, and draw the first token."""

    def want(self, stream: S) -> None:
        """Ask for a frame more, which is made with those of others when the first of them cannot wait any longer."""
        stream.wants = not stream.over

    @torch.inference_mode()
    def advance(self, stream: S) -> None:
        """Have the frame that was asked for, unless it is there already; speech that has ended has none."""
        if not stream.wants:
            return
        together = self._slots.together(stream)
        drawing = [one for one in together if one.n_tokens == one.n_frames]
        are_frames = False
        if drawing:
            ended, are_frames = self._draw(drawing)
            ended = HostCopy(ended)
            for one in drawing:
                one.endings.append((one.n_tokens, ended))
                one.n_tokens += 1
        for one in together:
            one.wants = False
            one.look(one.n_tokens - 1 - self.late_frames)
            if one.n_frames >= one.most_frames:
                one.look(one.n_tokens - 1)  # had it more to say?
                one.over = True
        going_on = [one for one in together if not one.over]
        if going_on and not are_frames:
            self._complete_tokens()
        for one in going_on:
            one.n_frames += 1

    @abstractmethod
    def codes_of(self, stream: S, first: int, n_frames: int) -> Tensor:
        """Codes of frames first, first + 1, ..., (1, Q, n_frames) on the device, valid until the next call."""

    @abstractmethod
    def decode(self, stream: S, first: int, n_frames: int) -> Tensor:
        """The audio of these frames, (T,) float32 on the device, T a multiple of n_frames; pieces follow one another."""

    def release(self, stream: S) -> None:
        """The stream is over or was dropped."""
        self._slots.release(stream)

    @abstractmethod
    def _draw(self, streams: Sequence[S]) -> tuple[Tensor, bool]:
        """Feed back these streams' last frames and draw the next tokens.

        returns: whether each row's token ends its speech, (rows,) bool; and whether all rows' tokens have been completed along with it, as
        where one graph does both.
        """

    @abstractmethod
    def _complete_tokens(self) -> None:
        """Make frames of the tokens that all rows are at. What is there already is the same again."""

    @abstractmethod
    def _saved(self, stream: S) -> object:
        """What to keep of the stream's row before another gets it."""

    @abstractmethod
    def _restore(self, stream: S) -> None:
        """Write what was kept, `aside`, to the row that the stream has now."""
