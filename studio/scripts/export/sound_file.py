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
from studio.errors import CoverUnusable, disk_error
from studio.scripts.export.order import SoundFormat
from studio.scripts.export.tags import Mark, SoundTags, chapter_comments, metadata_of, picture_comment
from studio.scripts.keep.covers import Cover

if TYPE_CHECKING:
    from av import AudioStream, VideoStream
    from av.container import OutputContainer
    from av.container.core import Chapter

__all__ = [
    "ACX_BITS_PER_SECOND",
    "ENDINGS",
    "LOSSY",
    "MEDIA_TYPES",
    "OpenSoundFile",
    "SoundFileSpec",
    "ffmpeg_refusals",
    "open_sound_file",
]

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
WAV_SIZES = "auto"  # RF64 (EBU Tech 3306) from 4 GiB on
# Whose chapters are comments of ours: FFmpeg's muxer of FLAC writes none, that of Ogg marks those in the second half of a second 1 s late.
_COMMENTED = ("flac", "opus")
_MARK_BASE = Fraction(1, 1000)
_FINE_RATE_HZ = 32_000  # from there on a sound reaches beyond 16 kHz, and needs more bits


@dataclass(frozen=True)
class _FileRecipe:
    """muxer, encoder and the options of the muxer: FFmpeg's. bits_per_second: of a fine and of a plain rate; None where nothing is lost."""

    muxer: str
    encoder: str
    bits_per_second: tuple[int, int] | None
    options: dict[str, str]


# The index goes before the sound (faststart), so that who fetches a book hears it at once.
_MP4 = {"movflags": "+faststart"}
_RECIPES: dict[SoundFormat, _FileRecipe] = {
    "wav": _FileRecipe("wav", "pcm_s16le", None, {}),
    "flac": _FileRecipe("flac", "flac", None, {}),
    # ID3v2.3, which all players read; FFmpeg would write 2.4.
    "mp3": _FileRecipe("mp3", "libmp3lame", (128_000, 96_000), {"id3v2_version": "3"}),
    "opus": _FileRecipe("ogg", "libopus", (48_000, 48_000), {}),  # RFC 7587, section 3.1.1: 28 to 40 kbit/s for full-band speech
    "aac": _FileRecipe("mp4", "aac", (96_000, 64_000), _MP4),
    "m4b": _FileRecipe("mp4", "aac", (96_000, 64_000), _MP4 | {"brand": "M4B "}),
}
ACX_BITS_PER_SECOND = 192_000  # ACX Audio Submission Requirements: MP3, 192 kbit/s or more, constant


# LAME turns all down by its presets' `scale` (presets.c of 3.100): by 0.97 at 192 kbit/s, and by 0.95 at less. It is given more instead, in
# floats, which have room above full scale.
_LAME_SCALE, _LAME_FINE_SCALE = 0.95, 0.97


class OpenSoundFile:
    """`write` samples; the file is whole once `open_sound_file` is left. By one thread."""

    def __init__(self, container: "OutputContainer", stream: "AudioStream", sample_rate: int, scale: float | None = None):
        """scale: by which the encoder turns down what it is given as floats; None of one that is given 16 bits."""
        self._container, self._stream, self._sample_rate, self._scale = container, stream, sample_rate, scale
        self._n_written = 0

    def write(self, samples: np.ndarray) -> None:
        """samples: (T,) float32, clipped to [-1, 1]. Raises NoAudio for what is no number, and DiskError."""
        import av

        if not len(samples):
            return
        pcm = np.frombuffer(to_pcm16(samples), "<i2")[None]
        if self._scale is None:
            frame = av.AudioFrame.from_ndarray(pcm, format="s16", layout="mono")
        else:
            frame = av.AudioFrame.from_ndarray(pcm.astype(np.float32) / (32768 * self._scale), format="fltp", layout="mono")
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


@dataclass(frozen=True)
class SoundFileSpec:
    """sample_rate: one that the format knows (studio/audio/formats.py). bits_per_second: in place of the usual."""

    format: SoundFormat
    sample_rate: int
    tags: SoundTags
    marks: tuple[Mark, ...] = ()
    cover: Cover | None = None
    bits_per_second: int | None = None


@contextmanager
def open_sound_file(path: Path, spec: SoundFileSpec) -> Iterator[OpenSoundFile]:
    """A mono file. Half of it lies there where something was raised within. Raises DiskError, also within."""
    import av

    recipe, format = _RECIPES[spec.format], spec.format
    with ffmpeg_refusals(), ExitStack() as opened:
        options = recipe.options | ({"rf64": WAV_SIZES} if format == "wav" else {})
        container = opened.enter_context(av.open(str(path), "w", format=recipe.muxer, options=options))
        stream = cast("AudioStream", container.add_stream(recipe.encoder, rate=spec.sample_rate, layout="mono"))
        if recipe.bits_per_second:
            stream.bit_rate = spec.bits_per_second or recipe.bits_per_second[spec.sample_rate < _FINE_RATE_HZ]
        scale = None
        if format == "mp3":
            stream.codec_context.format = av.AudioFormat("fltp")
            scale = _LAME_SCALE if (stream.bit_rate or 0) < ACX_BITS_PER_SECOND else _LAME_FINE_SCALE
        if format in ("m4b", "aac") and spec.tags.language:
            stream.metadata["language"] = spec.tags.language
        container.metadata.update(metadata_of(spec.tags, format) | _comments(spec))
        if spec.marks and format not in ("wav", *_COMMENTED):
            container.set_chapters([_chapter(number, mark) for number, mark in enumerate(spec.marks)])
        if spec.cover and format in ("m4b", "aac", "mp3", "flac"):
            _mux_cover(container, spec.cover, opened)
        else:
            container.start_encoding()
        file = OpenSoundFile(container, stream, spec.sample_rate, scale)
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


def _comments(spec: SoundFileSpec) -> dict[str, str]:
    found: dict[str, str] = {}
    if spec.format in _COMMENTED:
        found |= chapter_comments(spec.marks)
    if spec.format == "opus" and spec.cover:
        with _picture(spec.cover) as picture:
            found |= picture_comment(spec.cover, picture.width, picture.height)
    return found


def _chapter(number: int, mark: Mark) -> "Chapter":
    start, end = (round(each / _MARK_BASE) for each in (mark.start, mark.end))
    return {"id": number, "start": start, "end": end, "time_base": _MARK_BASE, "metadata": {"title": mark.title}}


def _mux_cover(container: "OutputContainer", cover: Cover, opened: ExitStack) -> None:
    """Its bytes as they are, as the attached picture."""
    import av
    from av.stream import Disposition

    stream = container.add_stream_from_template(opened.enter_context(_picture(cover)))
    stream.disposition = Disposition.attached_pic
    stream.metadata["comment"] = "Cover (front)"  # FFmpeg's name of the kind of picture 3
    stream.time_base = Fraction(1, 90_000)
    container.start_encoding()
    packet = av.Packet(cover.image)
    packet.stream, packet.pts, packet.dts, packet.time_base, packet.is_keyframe = stream, 0, 0, Fraction(1, 90_000), True
    container.mux(packet)


@contextmanager
def _picture(cover: Cover) -> "Iterator[VideoStream]":
    """Not decoded. Raises CoverUnusable."""
    import av
    import av.error

    options = {"protocol_whitelist": "none", "format_whitelist": "jpeg_pipe,png_pipe"}
    try:
        opened = av.open(io.BytesIO(cover.image), "r", options=options)
    except (av.error.FFmpegError, ValueError) as error:
        raise CoverUnusable(sentence="script_cover_unreadable") from error
    with opened:
        yield opened.streams.video[0]
