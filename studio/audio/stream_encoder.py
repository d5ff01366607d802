"""StreamEncoder: encodes samples into the bytes of a file, piece by piece. It gives out bytes as soon as the format allows.

pcm and wav need no encoder. mp3, opus (in Ogg), flac and aac (in ADTS) are written by FFmpeg into memory, a packet at a time, with
the muxer's own waiting switched off. No disk, no model.
"""

import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, cast

import numpy as np

from studio.audio.formats import Format, file_rate, streaming_wav_header, to_pcm16

if TYPE_CHECKING:
    from av import AudioStream
    from av.container import OutputContainer

__all__ = ["LIGHT_FORMATS", "StreamEncoder", "can_stream", "open_stream_encoder"]


LIGHT_FORMATS = ("pcm", "wav")  # no encoder: an event loop need not be spared


class StreamEncoder(ABC):
    """`push` and `finish` give what is ready, sometimes b""; all of it is one file. Must be closed.

    sample_rate: Hz, in the file. head: bytes that come before all others; b"" where `push` brings them.
    """

    sample_rate: int
    head = b""

    @abstractmethod
    def push(self, samples: np.ndarray) -> bytes:
        """samples: (T,) float32 at the rate it was opened for, clipped to [-1, 1]. Raises NoAudio for what is no number."""

    def finish(self) -> bytes:
        """The rest of the file."""
        return b""

    def close(self) -> None:  # noqa: B027 - some hold nothing
        """Free what it holds, also in the middle, from any thread. Idempotent."""


def open_stream_encoder(format: Format, sample_rate: int, *, exact: bool = False) -> StreamEncoder:
    """sample_rate: Hz of the samples. exact: in the file as well, as far as the format knows it; mp3 and aac may else choose a higher one.

    Frames of mp3 and aac count samples, so at 48 kHz the first ones are ready twice as early as at 24 kHz.
    """
    if format in LIGHT_FORMATS:
        return _Pcm(sample_rate, streaming_wav_header(sample_rate) if format == "wav" else b"")
    return _Encoded(format, sample_rate, file_rate(sample_rate, format) if exact else _early_rate(sample_rate, format))


@cache
def can_stream(format: Format) -> bool:
    """Whether the FFmpeg at hand has the encoder."""
    if format in LIGHT_FORMATS:
        return True
    import av.codec

    try:
        av.codec.Codec(_RECIPES[format].encoder, "w")
    except av.codec.codec.UnknownCodecError:
        return False
    return True


class _Pcm(StreamEncoder):
    def __init__(self, sample_rate: int, head: bytes):
        self.sample_rate = sample_rate
        self.head = head

    def push(self, samples: np.ndarray) -> bytes:
        return to_pcm16(samples)


@dataclass(frozen=True)
class _Recipe:
    """muxer and encoder: FFmpeg's names. bits_per_second: None where the format decides. The rest: options of the two."""

    muxer: str
    encoder: str
    bits_per_second: int | None
    muxer_options: dict[str, str]
    encoder_options: dict[str, str]


_RECIPES: dict[Format, _Recipe] = {
    # Without Xing and ID3 headers, which are written last into the front. Without the reservoir, which holds frames back for later ones.
    "mp3": _Recipe("mp3", "libmp3lame", 96_000, {"write_xing": "0", "id3v2_version": "0"}, {"reservoir": "0"}),
    # A page per packet, instead of one per second. RFC 7587, section 3.1.1: 28 to 40 kbit/s for full-band speech, 48 to 64 for mono music.
    "opus": _Recipe("ogg", "libopus", 48_000, {"page_duration": "1"}, {"frame_duration": "20"}),
    "flac": _Recipe("flac", "flac", None, {"metadata_header_padding": "0"}, {}),
    "aac": _Recipe("adts", "aac", 64_000, {}, {}),
}
_FLAC_BLOCKS_PER_SECOND = 50  # instead of 5, which would hold back 200 ms


class _Encoded(StreamEncoder):
    """One FFmpeg container over a sink in memory, used by one thread at a time."""

    def __init__(self, format: Format, from_hz: int, to_hz: int):
        import av

        recipe = _RECIPES[format]
        self.sample_rate = to_hz
        self._from_hz = from_hz
        self._n_pushed = 0
        self._lock = threading.Lock()
        self._sink = _Sink()
        self._container: OutputContainer | None
        self._container = container = av.open(self._sink, "w", format=recipe.muxer, options=recipe.muxer_options)
        options = recipe.encoder_options | ({"frame_size": str(to_hz // _FLAC_BLOCKS_PER_SECOND)} if format == "flac" else {})
        self._stream: AudioStream | None
        self._stream = stream = cast("AudioStream", container.add_stream(recipe.encoder, rate=to_hz, layout="mono", options=options))
        if recipe.bits_per_second:
            stream.bit_rate = recipe.bits_per_second

    def push(self, samples: np.ndarray) -> bytes:
        with self._lock:
            return self._written(self._frame(samples)) if self._container is not None and len(samples) else b""

    def finish(self) -> bytes:
        with self._lock:
            if self._container is None:
                return b""
            last = self._written(None)
            self._end()
            return last + self._sink.take()

    def close(self) -> None:
        with self._lock:
            self._end()

    def _end(self) -> None:
        container, self._container, self._stream = self._container, None, None
        if container is not None:
            container.close()

    def _frame(self, samples: np.ndarray):
        """In 16 bits, so that every format gets the same samples and none wraps around."""
        import av

        frame = av.AudioFrame.from_ndarray(np.frombuffer(to_pcm16(samples), "<i2")[None], format="s16", layout="mono")
        frame.sample_rate = self._from_hz
        frame.time_base = Fraction(1, self._from_hz)
        frame.pts = self._n_pushed
        self._n_pushed += len(samples)
        return frame

    def _written(self, frame) -> bytes:
        """frame: PyAV's, None at the end."""
        assert self._stream is not None and self._container is not None
        for packet in self._stream.encode(frame):
            self._container.mux(packet)
        return self._sink.take()


class _Sink:
    """A file that can be written but not seeked, as a connection is."""

    def __init__(self):
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        """What was written since the last time."""
        data = b"".join(self._parts)
        self._parts.clear()
        return data


def _early_rate(sample_rate: int, format: Format) -> int:
    """44.1 or 48 kHz for frames that count samples, whichever is a multiple, where the sound has less."""
    if format in ("mp3", "aac") and sample_rate < 44_100:
        return 44_100 if 44_100 % sample_rate == 0 else 48_000
    return file_rate(sample_rate, format)
