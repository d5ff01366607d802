"""speak: the frame loop of a stream. It gives out frames as audio, in chunks of growing size.

A GPU runs one frame ahead of what the host knows about the end.
"""

from collections.abc import Generator
from typing import Protocol

import numpy as np
from torch import Tensor

from engines.contract.contract import ENDED, YIELD_POINT, SpeechEnd
from engines.kit.decode.batched_decoder import FrameStream
from engines.kit.decode.chunk_schedule import ChunkSchedule
from engines.kit.decode.cuda_graphs import HostCopy
from engines.kit.decode.overflow_watch import OverflowWatch
from engines.kit.decode.runaway import RunawayGuard

__all__ = ["speak"]


class _SpeakingDecoder(Protocol):
    """A BatchedDecoder that makes audio of its frames.

    decode: the audio of frames first, first + 1, ..., (T,) float32 on the device, T a multiple of n_frames; pieces follow one another.
    """

    host_lag_frames: int
    watch: OverflowWatch

    def begin(self, stream_start: object, most_frames: int) -> FrameStream: ...

    def want(self, stream: FrameStream) -> None: ...

    def advance(self, stream: FrameStream) -> None: ...

    def codes_of(self, stream: FrameStream, first: int, n_frames: int) -> Tensor | None: ...

    def decode(self, stream: FrameStream, first: int, n_frames: int) -> Tensor: ...

    def overflow_of(self, stream: FrameStream) -> HostCopy | None: ...

    def release(self, stream: FrameStream) -> None: ...


def speak(
    batched_decoder: _SpeakingDecoder, stream_start: object, schedule: ChunkSchedule, guard: RunawayGuard | None = None
) -> Generator[np.ndarray, None, SpeechEnd]:
    """Audio (T,) float32, piece by piece, and a yield point wherever the next step is one that others may take part in.

    guard: ends it where it runs away from its text. Returns why it ended. Raises Float16Overflow before any sound that is not right.
    """
    stream = batched_decoder.begin(stream_start, schedule.limit.frames)
    try:
        runaway = yield from _pieces(batched_decoder, stream, schedule, guard)
        batched_decoder.watch.check(batched_decoder.overflow_of(stream))  # of what made it end
        return runaway or (schedule.limit.cut if stream.end is None else ENDED)
    finally:
        batched_decoder.release(stream)


def _pieces(
    batched_decoder: _SpeakingDecoder, stream: FrameStream, schedule: ChunkSchedule, guard: RunawayGuard | None
) -> Generator[np.ndarray, None, SpeechEnd | None]:
    """Until the speech is over; returns the guard's word where it has ended it."""
    first = 0  # frame of the piece
    for n_frames in schedule.sizes():
        while stream.n_frames < first + n_frames and not stream.over:
            batched_decoder.want(stream)
            if stream.is_starved and stream.n_frames > first:
                break  # what is there is heard meanwhile
            yield YIELD_POINT
            batched_decoder.advance(stream)
        if stream.n_frames == first:
            return None
        batched_decoder.want(stream)
        if first:
            yield YIELD_POINT  # whoever has heard nothing has a piece made first
        last = min(first + n_frames, stream.n_frames)
        samples, runaway = _sound(batched_decoder, stream, first, last, guard)
        if len(samples):
            yield samples
        if runaway is not None or (stream.end is not None and stream.end <= last):
            return runaway
        first = last


def _sound(
    batched_decoder: _SpeakingDecoder, stream: FrameStream, first: int, last: int, guard: RunawayGuard | None
) -> tuple[np.ndarray, SpeechEnd | None]:
    """The audio of frames first to last - 1, as far as they belong to the speech, (T,); and the guard's word where it must not go on."""
    codes = batched_decoder.codes_of(stream, first, last - first) if guard is not None else None
    codes = None if codes is None else HostCopy(codes)
    audio = HostCopy(batched_decoder.decode(stream, first, last - first))
    overflow = batched_decoder.overflow_of(stream)
    if batched_decoder.host_lag_frames and first:
        batched_decoder.advance(stream)  # the device goes on while the host hands this piece out
    samples = audio.wait().numpy()
    batched_decoder.watch.check(overflow)
    stream.look(last - 1)
    n_spoken = last - first if stream.end is None else min(last, stream.end) - first
    samples = samples[: n_spoken * (len(samples) // (last - first))]
    if guard is None:
        return samples, None
    return guard.heed(samples, None if codes is None else codes.wait()[0].T.numpy()[:n_spoken])
