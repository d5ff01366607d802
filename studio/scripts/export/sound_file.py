"""Sound files: samples, block after block, into a file with chapters, cover and tags. FFmpeg writes them all, by PyAV."""

import io
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from studio.audio.formats import to_pcm16
from studio.errors import disk_error
from studio.errors.scripts import CoverUnusable
from studio.scripts.export.order import SoundFormat
from studio.scripts.export.tags import Cover, Mark, SoundTags, chapter_comments, metadata_of, picture_comment

if TYPE_CHECKING:
    from av import AudioStream, VideoStream
    from av.container import OutputContainer

__all__ = ["ENDINGS", "LOSSY", "MEDIA_TYPES", "SoundFile", "ffmpeg_refusals", "open_sound_file", "read_cover"]

TEMPORARY = "TMPDIR"  # the setting of the folder of temporary files
LOSSY = ("mp3", "opus", "aac", "m4b")
ENDINGS: dict[SoundFormat, str] = {"wav": "wav", "flac": "flac", "mp3": "mp3", "opus": "opus", "aac": "m4a", "m4b": "m4b"}
MEDIA_TYPES: dict[SoundFormat, str] = {
    "wav": "audio/wav",
    "flac": "audio/flac",
    "mp3": "audio/mpeg",
    "opus": "audio/ogg",
    "aac": "audio/mp4",
    "m4b": "audio/mp4",
}
_MARK_BASE = Fraction(1, 1000)
_FINE_RATE_HZ = 32_000  # from there on a sound reaches beyond 16 kHz, and needs more bits


@dataclass(frozen=True)
class _Recipe:
    """muxer, encoder and the options of the muxer: FFmpeg's. bits_per_second: of a fine and of a plain rate; None where nothing is lost."""

    muxer: str
    encoder: str
    bits_per_second: tuple[int, int] | None
    options: dict[str, str]


# The index goes before the sound (faststart), so that who fetches a book hears it at once.
_MP4 = {"movflags": "+faststart"}
_RECIPES: dict[SoundFormat, _Recipe] = {
    "wav": _Recipe("wav", "pcm_s16le", None, {"rf64": "auto"}),  # RF64 (EBU Tech 3306) from 4 GiB on
    "flac": _Recipe("flac", "flac", None, {}),
    # ID3v2.3, which all players read; FFmpeg would write 2.4.
    "mp3": _Recipe("mp3", "libmp3lame", (128_000, 96_000), {"id3v2_version": "3"}),
    "opus": _Recipe("ogg", "libopus", (48_000, 48_000), {}),  # RFC 7587, section 3.1.1: 28 to 40 kbit/s for full-band speech
    "aac": _Recipe("mp4", "aac", (96_000, 64_000), _MP4),
    "m4b": _Recipe("mp4", "aac", (96_000, 64_000), _MP4 | {"brand": "M4B "}),
}
ACX_BITS_PER_SECOND = 192_000  # ACX Audio Submission Requirements: MP3, 192 kbit/s or more, constant


class SoundFile:
    """`write` samples; the file is whole once `open_sound_file` is left. By one thread."""

    def __init__(self, container: "OutputContainer", stream: "AudioStream", sample_rate: int):
        self._container, self._stream, self._sample_rate = container, stream, sample_rate
        self._n_written = 0

    def write(self, samples: np.ndarray) -> None:
        """samples: (T,) float32, clipped to [-1, 1]. Raises NoAudio for what is no number, and DiskError."""
        import av

        if not len(samples):
            return
        frame = av.AudioFrame.from_ndarray(np.frombuffer(to_pcm16(samples), "<i2")[None], format="s16", layout="mono")
        frame.sample_rate = self._sample_rate
        frame.time_base = Fraction(1, self._sample_rate)
        frame.pts = self._n_written
        self._n_written += len(samples)
        self._mux(frame)

    def finish(self) -> None:
        self._mux(None)

    def _mux(self, frame) -> None:
        for packet in self._stream.encode(frame):
            self._container.mux(packet)


@contextmanager
def open_sound_file(
    path: Path,
    format: SoundFormat,
    sample_rate: int,
    tags: SoundTags,
    marks: tuple[Mark, ...] = (),
    cover: Cover | None = None,
    *,
    bits_per_second: int | None = None,
) -> Iterator[SoundFile]:
    """A mono file at a rate that the format knows (studio/audio/formats.py). Half a file lies there where something was raised within.

    bits_per_second: in place of the usual. Raises DiskError, also within.
    """
    import av

    recipe = _RECIPES[format]
    with ffmpeg_refusals(), ExitStack() as opened:
        container = opened.enter_context(av.open(str(path), "w", format=recipe.muxer, options=recipe.options))
        stream = cast("AudioStream", container.add_stream(recipe.encoder, rate=sample_rate, layout="mono"))
        if recipe.bits_per_second:
            stream.bit_rate = bits_per_second or recipe.bits_per_second[sample_rate < _FINE_RATE_HZ]
        if format in ("m4b", "aac") and tags.language:
            stream.metadata["language"] = tags.language
        container.metadata.update(metadata_of(tags, format) | _comments(format, marks, cover))
        if marks and format not in ("wav", "flac"):
            container.set_chapters([_chapter(number, mark) for number, mark in enumerate(marks)])
        if cover and format in ("m4b", "aac", "mp3", "flac"):
            _mux_cover(container, cover, opened)
        else:
            container.start_encoding()
        file = SoundFile(container, stream, sample_rate)
        yield file
        file.finish()


@contextmanager
def ffmpeg_refusals() -> Iterator[None]:
    """What the disk refuses of what FFmpeg writes, as DiskError."""
    import av.error

    try:
        yield
    except av.error.FFmpegError as error:
        told = disk_error(OSError(error.errno, ""), TEMPORARY)
        if told is None:
            raise
        raise told from error


def read_cover(data: bytes) -> Cover:
    """Raises CoverUnusable for what is no JPEG or PNG."""
    import av
    import av.error

    try:
        with av.open(io.BytesIO(data), "r", options={"protocol_whitelist": "none", "format_whitelist": "jpeg_pipe,png_pipe"}) as container:
            stream = container.streams.video[0]
            kind = {"mjpeg": "image/jpeg", "png": "image/png"}[stream.codec_context.name]
            return Cover(data, kind, stream.width, stream.height)
    except (av.error.FFmpegError, ValueError, KeyError, IndexError) as error:
        raise CoverUnusable() from error


def _comments(format: SoundFormat, marks: tuple[Mark, ...], cover: Cover | None) -> dict[str, str]:
    found: dict[str, str] = {}
    if format == "flac":  # its muxer writes no chapters
        found |= chapter_comments(marks)
    if format == "opus" and cover:
        found |= picture_comment(cover)
    return found


def _chapter(number: int, mark: Mark):
    start, end = (round(each / _MARK_BASE) for each in (mark.start, mark.end))
    return {"id": number, "start": start, "end": end, "time_base": _MARK_BASE, "metadata": {"title": mark.title}}


def _mux_cover(container: "OutputContainer", cover: Cover, opened: ExitStack) -> None:
    """Its bytes as they are, as the attached picture."""
    import av
    from av.stream import Disposition

    picture = opened.enter_context(av.open(io.BytesIO(cover.data), "r"))
    stream: VideoStream = container.add_stream_from_template(picture.streams.video[0])
    stream.disposition = Disposition.attached_pic
    stream.metadata["comment"] = "Cover (front)"  # FFmpeg's name of the kind of picture 3
    stream.time_base = Fraction(1, 90_000)
    container.start_encoding()
    packet = av.Packet(cover.data)
    packet.stream, packet.pts, packet.dts, packet.time_base, packet.is_keyframe = stream, 0, 0, Fraction(1, 90_000), True
    container.mux(packet)
