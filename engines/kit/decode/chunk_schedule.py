"""ChunkSchedule: how many frames each chunk of a stream has. The first comes as soon as it can, later ones are larger and cost less."""

from collections.abc import Iterator
from dataclasses import dataclass

from engines.kit.decode.frame_limit import FrameLimit

__all__ = ["ChunkSchedule"]


@dataclass(frozen=True)
class ChunkSchedule:
    """Frames per piece of audio: the first, then twice as many each time up to the largest. limit: of the whole stream."""

    first_frames: int
    largest_frames: int
    limit: FrameLimit

    def sizes(self) -> Iterator[int]:
        """Frames of each piece, without end."""
        size = self.first_frames
        while True:
            yield size
            size = max(1, min(2 * size, self.largest_frames))
