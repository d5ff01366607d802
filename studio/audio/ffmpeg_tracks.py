"""Sound tracks of a container, as FFmpeg decodes them: in blocks, as far as somebody asks. It opens nothing but the bytes it is given."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from studio.audio.file_type import unreadable
from studio.errors import AudioUndecodable

if TYPE_CHECKING:
    from av.container import InputContainer

__all__ = ["OpenTrack", "count_tracks", "open_track"]

# A playlist (concat, hls, dash) would open other files of this machine, or addresses.
_CONTAINERS = "aac,aiff,amr,asf,avi,caf,flac,flv,matroska,mov,mp3,mpeg,mpegts,ogg,w64,wav,webm"


class OpenTrack(NamedTuple):
    """claimed_seconds: as the header has it; None where that says nothing. blocks: (frames, channels) float32."""

    sample_rate: int
    n_channels: int
    claimed_seconds: float | None
    blocks: Iterator[np.ndarray]


def count_tracks(data: bytes) -> int:
    """1 at least. Raises AudioUndecodable."""
    with _opened(data) as container:
        n_tracks = len(container.streams.audio)
    if not n_tracks:
        raise AudioUndecodable("it holds no sound track", sentence="audio_without_sound")
    return n_tracks


@contextmanager
def open_track(data: bytes, track: int) -> Iterator[OpenTrack]:
    """track: counts from 1. Rate and layout are those of the first frame, and must not change. Raises AudioUndecodable, within as well."""
    with _opened(data) as container:
        stream = container.streams.audio[track - 1]
        if (context := stream.codec_context) is not None:  # of a codec that FFmpeg does not know
            context.thread_type = "NONE"
        frames = container.decode(stream)
        first = next(frames, None)
        if first is None:
            raise AudioUndecodable("it holds no audio samples", sentence="audio_without_sound")
        ticks = float(stream.duration * stream.time_base) if stream.duration and stream.time_base else 0.0
        seconds = ticks or (container.duration or 0) / 1e6
        yield OpenTrack(first.sample_rate, first.layout.nb_channels, seconds if seconds > 0 else None, _blocks(chain([first], frames)))


@contextmanager
def _opened(data: bytes) -> "Iterator[InputContainer]":
    import av
    import av.error

    options = {"protocol_whitelist": "none", "format_whitelist": _CONTAINERS}
    try:
        with av.open(io.BytesIO(data), "r", options=options, metadata_errors="replace") as container:
            yield container
    except (av.error.FFmpegError, ValueError) as error:
        raise unreadable(data) from error  # decoders say numbers of errors, which tell nobody what to do


def _blocks(frames: Iterator) -> Iterator[np.ndarray]:
    import av

    resampler = av.AudioResampler(format="fltp")  # of the sample type alone
    for frame in frames:
        for converted in resampler.resample(frame):
            yield converted.to_ndarray().T
