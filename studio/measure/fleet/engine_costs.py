"""EngineCosts: the time that one engine takes for a request."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

__all__ = ["EngineCosts"]


@dataclass(frozen=True)
class EngineCosts:
    """One engine on one device (a GPU, or so many cores). Times are seconds of its one thread, during which it does nothing else.

    frame_seconds: of audio that a step gives each of its streams. step_seconds: streams in a step -> seconds.
    first_audio_seconds: from a stream's first turn to its first audio, alone, voice prepared. chunk_seconds: of audio in that.
    extract_seconds: of a clip of 10 s. prepare_seconds: to read a prompt into what the device keeps. disk_seconds: to fetch a prompt
    from the shared folder, which no engine waits for. prompt_bytes, prepared_bytes: of one voice. prepared_voices: that a device keeps
    by default; 0 where it prepares none.
    """

    frame_seconds: float
    step_seconds: Mapping[int, float]
    first_audio_seconds: float
    chunk_seconds: float
    extract_seconds: float
    prepare_seconds: float
    disk_seconds: float
    prompt_bytes: int
    prepared_bytes: int
    prepared_voices: int

    @property
    def width(self) -> int:
        """Streams that one step serves."""
        return max(self.step_seconds)

    def step(self, n_streams: int) -> float:
        """Seconds of a step that serves so many; between what is known by straight lines, beyond it as the widest."""
        known = sorted(self.step_seconds)
        return float(np.interp(min(max(1, n_streams), self.width), known, [self.step_seconds[n] for n in known]))

    def rate(self, n_streams: int) -> float:
        """Engine seconds per second of audio where a step serves so many."""
        n = min(max(1, n_streams), self.width)
        return self.step(n) / (n * self.frame_seconds)

    @property
    def feeds_one(self) -> bool:
        """Whether it is faster than speech for a lone stream: else nobody hears a whole sentence without a gap."""
        return self.rate(1) < 1.0
