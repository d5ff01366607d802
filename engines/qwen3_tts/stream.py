"""One stream: frames in pieces of growing size, as audio. A GPU is kept one frame ahead of what the host knows of the end."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass

import numpy as np

from engines.contract import YIELD_POINT
from engines.layers.frame_limit import FrameLimit
from engines.layers.host_copy import HostCopy
from engines.layers.runaway import RunawayGuard
from engines.qwen3_tts.frame_slot import Beginning, FrameSlot
from engines.qwen3_tts.lane import Lane
from engines.speech_end import ENDED, SpeechEnd

__all__ = ["ChunkSchedule", "speak"]


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


def speak(
    lane: Lane, beginning: Beginning, schedule: ChunkSchedule, guard: RunawayGuard | None = None
) -> Generator[np.ndarray, None, SpeechEnd]:
    """Audio (T,) float32, piece by piece, and a yield point wherever the next step is one that others may take part in.

    guard: ends it where it runs away from its text. Returns why it ended.
    """
    slot = lane.begin(beginning, schedule.limit.frames)
    try:
        runaway = yield from _pieces(lane, slot, schedule, guard)
        return runaway or (schedule.limit.cut if slot.end is None else ENDED)
    finally:
        lane.release(slot)


def _pieces(
    lane: Lane, slot: FrameSlot, schedule: ChunkSchedule, guard: RunawayGuard | None
) -> Generator[np.ndarray, None, SpeechEnd | None]:
    """Until the speech is over; returns the guard's word where it has ended it."""
    first = 0  # frame of the piece
    for n_frames in schedule.sizes():
        while slot.n_frames < first + n_frames and not slot.over:
            lane.want(slot)
            yield YIELD_POINT
            lane.advance(slot)
        if slot.n_frames == first:
            return None
        lane.want(slot)
        yield YIELD_POINT  # whoever has heard nothing has a piece made first
        last = min(first + n_frames, slot.n_frames)
        samples, runaway = _sound(lane, slot, first, last, guard)
        if len(samples):
            yield samples
        if runaway is not None or (slot.end is not None and slot.end <= last):
            return runaway
        first = last


def _sound(lane: Lane, slot: FrameSlot, first: int, last: int, guard: RunawayGuard | None) -> tuple[np.ndarray, SpeechEnd | None]:
    """The audio of frames first to last - 1, as far as they belong to the speech, (T,); and the guard's word where it must not go on."""
    codes = HostCopy(lane.codes_of(slot, first, last - first)) if guard is not None else None
    audio = HostCopy(lane.decode(slot, first, last - first))
    if lane.late_frames:
        lane.advance(slot)  # the device goes on while the host hands this piece out
    samples = audio.wait().numpy()
    slot.look(last - 1)
    n_spoken = last - first if slot.end is None else min(last, slot.end) - first
    samples = samples[: n_spoken * (len(samples) // (last - first))]
    return (samples, None) if codes is None else guard.heed(samples, codes.wait()[0].T.numpy()[:n_spoken])
