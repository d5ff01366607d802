"""Videos that are to be dubbed: what is read of one before, and which are taken. Nothing of its picture is decoded."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from studio.errors import VideoTooLarge, VideoTooLong, VideoUnreadable, VideoWithoutPicture

if TYPE_CHECKING:
    from av import VideoStream
    from av.container import InputContainer

__all__ = ["MOST_VIDEO_BYTES", "MOST_VIDEO_SECONDS", "Container", "VideoFacts", "main_picture", "open_video", "read_video"]

MOST_VIDEO_BYTES = 4 << 30
MOST_VIDEO_SECONDS = 6 * 3600.0
# What a playlist or a concat file would open lies elsewhere on this machine, or at an address.
_CONTAINERS = "asf,avi,flv,matroska,mov,mpeg,mpegts,ogg,webm"
_BEGINNING_BYTES = 4096


@dataclass(frozen=True)
class Container:
    """muxer, sound: FFmpeg's names. subtitles: the codec of its text tracks."""

    muxer: str
    ending: str
    media_type: str
    sound: str
    subtitles: str


_MP4 = Container("mp4", "mp4", "video/mp4", "aac", "mov_text")
_MOV = Container("mov", "mov", "video/quicktime", "aac", "mov_text")
_WEBM = Container("webm", "webm", "video/webm", "libopus", "webvtt")
_MKV = Container("matroska", "mkv", "video/matroska", "libopus", "srt")


@dataclass(frozen=True)
class VideoFacts:
    """seconds: from the first sample or picture to the last. container: that the dubbed video has; a Matroska file where the video's own
    kind holds no text or several sounds."""

    seconds: float
    width: int
    height: int
    has_sound: bool
    container: Container


def read_video(path: Path) -> VideoFacts:
    """Raises VideoUnreadable, VideoWithoutPicture, VideoTooLarge, VideoTooLong."""
    if (n_bytes := path.stat().st_size) > MOST_VIDEO_BYTES:
        raise VideoTooLarge(n_bytes, MOST_VIDEO_BYTES)
    with open_video(path) as video:
        picture = main_picture(video)
        seconds = _seconds(video, picture)
        if seconds > MOST_VIDEO_SECONDS:
            raise VideoTooLong(seconds, MOST_VIDEO_SECONDS)
        return VideoFacts(seconds, picture.width, picture.height, bool(video.streams.audio), _container(path, video))


@contextmanager
def open_video(path: Path) -> "Iterator[InputContainer]":
    """Raises VideoUnreadable."""
    import av
    import av.error

    options = {"protocol_whitelist": "file", "format_whitelist": _CONTAINERS}
    try:
        video = av.open(str(path), "r", options=options, metadata_errors="replace")
    except (av.error.FFmpegError, ValueError) as error:
        raise VideoUnreadable() from error
    with video:
        yield video


def main_picture(video: "InputContainer") -> "VideoStream":
    """The first moving picture. Raises VideoWithoutPicture."""
    from av.stream import Disposition

    moving = [stream for stream in video.streams.video if not stream.disposition & Disposition.attached_pic]
    if not moving:
        raise VideoWithoutPicture()
    return moving[0]


def _seconds(video: "InputContainer", picture: "VideoStream") -> float:
    if video.duration:
        return video.duration / 1e6
    if picture.duration and picture.time_base:
        return float(picture.duration * picture.time_base)
    raise VideoUnreadable()


def _container(path: Path, video: "InputContainer") -> Container:
    name = video.format.name
    if "mp4" in name.split(","):
        return _MOV if video.metadata.get("major_brand", "").startswith("qt") else _MP4
    with path.open("rb") as file:
        beginning = file.read(_BEGINNING_BYTES)
    return _WEBM if "matroska" in name and b"webm" in beginning else _MKV
