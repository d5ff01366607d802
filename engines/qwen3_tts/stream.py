"""One stream: frames in pieces of growing size, as audio. A GPU is kept one frame ahead of what the host knows of the end."""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from engines.contract import YIELD_POINT
from engines.qwen3_tts.graphs import HostCopy
from engines.qwen3_tts.lane import Beginning, Lane

__all__ = ["ChunkSchedule", "speak"]


@dataclass(frozen=True)
class ChunkSchedule:
    """Frames per piece of audio: the first, then twice as many each time up to the largest. most_frames: of the whole stream.

    late_frames: how much later than drawn the host learns that speech has ended: 0 where looking costs nothing, 1 on a GPU, where waiting
    for the newest frame would leave the device idle.
    """

    first_frames: int
    largest_frames: int
    most_frames: int
    late_frames: int

    def sizes(self) -> Iterator[int]:
        """Frames of each piece, without end."""
        size = self.first_frames
        while True:
            yield size
            size = max(1, min(2 * size, self.largest_frames))


def speak(lane: Lane, beginning: Beginning, text_row: Callable[[int], Tensor], schedule: ChunkSchedule) -> Iterator[np.ndarray]:
    """Audio (T,) float32, piece by piece, a yield point per frame. text_row(t): what is added to frame t when it is fed back, (1, 1, H)."""
    run = _StreamRun(lane, beginning, text_row, schedule)
    try:
        for n_frames in schedule.sizes():
            yield from run.piece(n_frames)
            if run.over:
                return
    finally:
        lane.release(run.slot)


class _StreamRun:
    """A stream under way. Tokens are first codes, drawn; a frame is a token that was completed."""

    def __init__(self, lane: Lane, beginning: Beginning, text_row: Callable[[int], Tensor], schedule: ChunkSchedule):
        self.over = False
        self.slot = lane.begin(beginning)
        self._lane, self._text_row, self._schedule = lane, text_row, schedule
        self._n_tokens, self._n_frames = 1, 0
        self._endings: deque[tuple[int, HostCopy]] = deque()  # (token, whether it ends speech), as far as nobody has looked
        self._end: int | None = None  # the token that ended it

    def piece(self, n_frames: int) -> Iterator[np.ndarray]:
        """The audio of up to n_frames more frames, (T,), after a yield point for each; fewer where speech ends, and then `over` is set."""
        first = self._n_frames
        while self._n_frames < first + n_frames and not self.over:
            self._frame()
            yield YIELD_POINT
        if self._n_frames > first:
            yield self._audio_since(first)

    def _frame(self) -> None:
        """One frame more, unless speech has ended."""
        self._draw()
        self._look(self._n_tokens - 1 - self._schedule.late_frames)
        if not self.over:
            self._lane.complete(self.slot)
            self._n_frames += 1
            self.over = self._n_frames >= self._schedule.most_frames

    def _audio_since(self, first: int) -> np.ndarray:
        """The audio of the frames from `first` on that belong to the speech, (T,)."""
        audio = HostCopy(self._lane.decode(self.slot))
        if self._schedule.late_frames and not self.over:
            self._draw()  # the device goes on while the host hands this piece out
        samples = audio.wait().numpy()
        self._look(self._n_frames - 1)
        n_spoken = (self._n_frames if self._end is None else min(self._n_frames, self._end)) - first
        return samples[: n_spoken * (len(samples) // (self._n_frames - first))]

    def _draw(self) -> None:
        """The next token, unless it is there already."""
        if self._n_tokens > self._n_frames:
            return
        self._lane.decode_step(self.slot, self._text_row(self._n_tokens - 1))
        self._endings.append((self._n_tokens, HostCopy(self._lane.ended)))
        self._n_tokens += 1

    def _look(self, newest: int) -> None:
        """Learn whether speech has ended with a token up to `newest`."""
        while self._endings and self._endings[0][0] <= newest:
            token, ended = self._endings.popleft()
            if bool(ended.wait()):
                self._end, self.over = token, True
