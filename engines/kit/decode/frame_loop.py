"""speak: the frame loop of a stream. It gives out frames as audio, in chunks of growing size. have_frame: one frame of it.

A GPU runs one frame ahead of what the host knows about the end.
"""

from collections.abc import Generator, Iterator
from typing import Protocol, TypeVar

import numpy as np

from engines.contract.contract import YIELD_POINT
from engines.contract.speech_end import ENDED, SpeechEnd
from engines.kit.decode.batched_decoder import BatchedDecoder, FrameStream
from engines.kit.decode.chunk_schedule import ChunkSchedule
from engines.kit.decode.cuda_graphs import HostCopy

__all__ = ["MOST_TURNS_LEFT", "PieceGuard", "have_frame", "speak"]


class PieceGuard(Protocol):
    """Hears every piece before it is handed out, see RunawayGuard."""

    def heed(self, samples: np.ndarray, codes: np.ndarray | None, /) -> tuple[np.ndarray, SpeechEnd | None]: ...


MOST_TURNS_LEFT = 4  # enough for a first piece of three frames; what waits comes four steps later at most, on a GPU some ten milliseconds

B = TypeVar("B")
S = TypeVar("S", bound=FrameStream)


def have_frame(batched_decoder: BatchedDecoder[B, S], stream: S) -> None:
    """The frame that was wanted of the stream: there already, or made now in a step of all who are due, or none since speech has ended.

    Raises what the reading of this stream's beginning met, in whoever's step that was.
    """
    if streams := batched_decoder.due(stream):
        batched_decoder.step(streams)
    if stream.failure is not None:
        raise stream.failure


def speak(
    batched_decoder: BatchedDecoder[B, S], stream_start: B, schedule: ChunkSchedule, guard: PieceGuard | None = None
) -> Generator[np.ndarray, None, SpeechEnd]:
    """Audio (T,) float32, piece by piece, and a yield point wherever the next step is one that others may take part in.

    guard: ends it where it runs away from its text. Returns why it ended. Raises Float16Overflow before any sound that is not right.
    """
    stream = batched_decoder.begin(stream_start, schedule.limit.frames)
    try:
        runaway = yield from _pieces(batched_decoder, stream, schedule, guard)
        batched_decoder.check(batched_decoder.overflow_of(stream))  # of what made it end
        return runaway or (schedule.limit.cut if stream.end is None else ENDED)
    finally:
        batched_decoder.release(stream)


def _pieces(
    batched_decoder: BatchedDecoder[B, S], stream: S, schedule: ChunkSchedule, guard: PieceGuard | None
) -> Generator[np.ndarray, None, SpeechEnd | None]:
    """Until the speech is over; returns the guard's word where it has ended it."""
    first = 0  # frame of the piece
    for n_frames in schedule.sizes():
        stream.asked = range(first, first + n_frames)
        while stream.n_frames < first + n_frames and not stream.over:
            batched_decoder.want(stream)
            if stream.is_starved and stream.n_frames > first:
                break  # what is there is heard meanwhile
            yield YIELD_POINT
            have_frame(batched_decoder, stream)
        if stream.n_frames == first:
            return None
        batched_decoder.want(stream)
        if stream.is_heard:
            yield from _turns_left(batched_decoder)
        last = min(first + n_frames, stream.n_frames)
        samples, runaway = _sound(batched_decoder, stream, first, last, guard)
        if len(samples):
            stream.is_heard = True
            yield samples
        if runaway is not None or (stream.end is not None and stream.end <= last):
            return runaway
        first = last


def _turns_left(batched_decoder: BatchedDecoder[B, S]) -> Iterator[np.ndarray]:
    """The turns that a piece which is due leaves to whoever has heard nothing: one in any case, more while there is such a one."""
    for turn in range(MOST_TURNS_LEFT):
        if not turn or batched_decoder.owes_first_sound:
            yield YIELD_POINT


def _sound(
    batched_decoder: BatchedDecoder[B, S], stream: S, first: int, last: int, guard: PieceGuard | None
) -> tuple[np.ndarray, SpeechEnd | None]:
    """The audio of frames first to last - 1, as far as they belong to the speech, (T,); and the guard's word where it must not go on."""
    with batched_decoder.beside(stream, range(first, last)):
        codes = batched_decoder.codes_of(stream, first, last - first) if guard is not None else None
        codes = None if codes is None else HostCopy(codes)
        audio = HostCopy(batched_decoder.decode_on_time(stream, first, last))
    overflow = batched_decoder.overflow_of(stream)
    stream.piece = None
    if batched_decoder.host_lag_frames and first:
        have_frame(batched_decoder, stream)  # the device goes on while the host hands this piece out
    samples = audio.wait().numpy()
    batched_decoder.check(overflow)
    stream.look(last - 1)
    n_spoken = last - first if stream.end is None else min(last, stream.end) - first
    if not batched_decoder.late_samples:  # else no frame is made in vain
        samples = samples[: n_spoken * (len(samples) // (last - first))]
    if guard is None:
        return samples, None
    return guard.heed(samples, None if codes is None else codes.wait()[0].T.numpy()[:n_spoken])
