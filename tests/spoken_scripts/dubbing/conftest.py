"""A short video of each kind."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

FPS, SECONDS, RATE = 25, 3, 48_000


@pytest.fixture
def film(tmp_path: Path) -> Callable[..., Path]:
    """make(ending, sound) -> a video of 3 s, 64 by 48, turned by 90 degrees where the container says so, with a tone of 440 Hz."""

    def make(ending: str = "mp4", sound: bool = True) -> Path:
        muxer, picture_codec, sound_codec = {
            "mp4": ("mp4", "libx264", "aac"),
            "mov": ("mov", "mpeg4", "aac"),
            "mkv": ("matroska", "libx264", "libopus"),
            "webm": ("webm", "libvpx", "libopus"),
        }[ending]
        path = tmp_path / f"film.{ending}"
        with av.open(str(path), "w", format=muxer) as container:
            container.metadata["title"] = "My film"
            picture = container.add_stream(picture_codec, rate=FPS)
            picture.width, picture.height, picture.pix_fmt = 64, 48, "yuv420p"
            if muxer in ("mp4", "mov"):
                picture.set_display_rotation(90)
            track = container.add_stream(sound_codec, rate=RATE, layout="stereo") if sound else None
            for number in range(SECONDS * FPS):
                frame = av.VideoFrame.from_ndarray(np.full((48, 64, 3), number * 3, np.uint8), format="rgb24")
                frame.pts, frame.time_base = number, Fraction(1, FPS)
                container.mux(picture.encode(frame))
            container.mux(picture.encode(None))
            if track is not None:
                tone = (8000 * np.sin(np.arange(SECONDS * RATE) * 2 * np.pi * 440 / RATE)).astype(np.int16)
                for start in range(0, len(tone), 960):
                    pair = np.repeat(tone[start : start + 960], 2)[None]
                    frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(pair), format="s16", layout="stereo")
                    frame.sample_rate, frame.pts, frame.time_base = RATE, start, Fraction(1, RATE)
                    container.mux(track.encode(frame))
                container.mux(track.encode(None))
        return path

    return make
