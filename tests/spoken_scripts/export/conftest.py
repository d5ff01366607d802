"""Scripts whose takes are made up, and files as players read them."""

import hashlib
import io
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest

from studio.scripts.export.export import ExportSource, Progress, export_sounds
from studio.scripts.export.levels import TakeLevelsCache
from studio.scripts.export.order import ExportedFile, ExportOrder
from studio.scripts.export.text_files import export_text
from studio.scripts.keep.covers import Cover
from studio.scripts.script.cast import CastMember
from studio.scripts.script.line import LineText, ScriptLine
from studio.scripts.script.script import Script, ScriptHead
from studio.scripts.script.take import LineTake

RATE = 24_000


class Takes:
    """Sounds by content, as KeptTakes has them. n_read: how often one was read."""

    def __init__(self):
        self._sounds: dict[str, tuple[np.ndarray, int]] = {}
        self.n_read = 0

    def take(self, samples: np.ndarray, rate: int = RATE) -> LineTake:
        """samples: (T,) float."""
        pcm = np.rint(np.clip(samples, -1, 1) * 32767).astype(np.int16)
        sha256 = hashlib.sha256(pcm.tobytes() + str(rate).encode()).hexdigest()
        self._sounds[sha256] = pcm, rate
        return LineTake(sha256[:8], "key", sha256, len(pcm) / rate, rate, pcm.nbytes, 0.0, "fake")

    def read(self, sha256: str) -> tuple[np.ndarray, int]:
        self.n_read += 1
        return self._sounds[sha256]


class Book:
    """A script that is written line by line, and exported."""

    def __init__(self, folder: Path):
        self.takes = Takes()
        self.takes_folder = folder
        self.lines: list[ScriptLine] = []
        self.head = ScriptHead(
            title="Bücher: 1/2", author="Ann Author", language="de-AT", year="1999", description="Of books.", pause_seconds=0.4
        )
        self.cast: tuple[CastMember, ...] = (CastMember(name="ANNA", voice="anna"), CastMember(voice="nora"))
        self.cover: Cover | None = None
        self.stale: set[str] = set()
        self._exported: list[ExportedFile] = []

    def say(self, text: str, samples: np.ndarray | None = None, rate: int = RATE, **written) -> ScriptLine:
        """samples: of its take; None where it was not said."""
        line_id = f"line{len(self.lines)}"
        takes = () if samples is None else (self.takes.take(samples, rate),)
        self.lines.append(ScriptLine(line_id, LineText(text=text, **written), takes, takes[0].id if takes else ""))
        return self.lines[-1]

    @property
    def source(self) -> ExportSource:
        n_characters = sum(len(line.written.text) for line in self.lines)
        script = Script("id", "", self.head, self.cast, (), len(self.lines), n_characters, 1, 1, 0.0, 0.0)
        return ExportSource(script, lambda: iter(self.lines), lambda: frozenset(self.stale), self.takes.read, self.cover)

    def export(self, **order) -> ExportedFile:
        return self.export_with(None, **order)

    def export_with(self, progress: Progress | None, **order) -> ExportedFile:
        self._exported.append(export_sounds(self.source, ExportOrder(**order), TakeLevelsCache(), progress))
        return self._exported[-1]

    def export_text(self, **order) -> ExportedFile:
        """Sounds of takes are `flac ` and their hash."""
        self._exported.append(export_text(self.source, ExportOrder(**order), lambda sha256: b"flac " + sha256.encode()))
        return self._exported[-1]

    def with_head(self, **values) -> None:
        self.head = self.head.model_copy(update=values)

    def close(self) -> None:
        for file in self._exported:
            file.close()


def click(seconds: float, rate: int = RATE, level: float = 0.5) -> np.ndarray:
    """Silence after 20 ms of a tone that begins and ends at once."""
    sound = np.zeros(round(seconds * rate))
    n = round(0.02 * rate)
    sound[:n] = level * np.sin(np.arange(n) * 2 * np.pi * 1000 / rate)
    return sound


def voice(seconds: float, rate: int = RATE, level: float = 0.1, noise: float = 0.0, seed: int = 0) -> np.ndarray:
    """Like speech in its levels: four syllables a second, each a noise that swells, and every fourth is a pause."""
    rng = np.random.default_rng(seed)
    time = np.arange(round(seconds * rate)) / rate
    swell = np.clip(np.sin(2 * np.pi * 2 * time) ** 2 * 1.5 - 0.3, 0, None) * ((time * 4 % 4) < 3)
    return level * swell * rng.standard_normal(len(time)) + noise * rng.standard_normal(len(time))


def onsets(path: Path, level: float = 0.2) -> tuple[list[float], float]:
    """Seconds at which clicks begin in a file as players decode it, and how long it is."""
    with av.open(str(path)) as container:
        stream = container.streams.audio[0]
        frames = list(container.decode(stream))
        rate = frames[0].sample_rate
        assert stream.time_base
        parts = []
        for frame in frames:
            values = frame.to_ndarray().astype(np.float64).reshape(-1)
            parts.append(values / (32768 if frame.format.name.startswith("s16") else 1))
    sound = np.abs(np.concatenate(parts))
    loud = np.flatnonzero(sound > level)
    begins = [int(loud[0]), *(int(after) for before, after in pairwise(loud) if after - before > rate // 10)]
    return [begin / rate for begin in begins], len(sound) / rate


def picture(kind: str = "mjpeg") -> Cover:
    """A small JPEG or PNG."""
    file = io.BytesIO()
    with av.open(file, "w", format="image2pipe") as container:
        stream = container.add_stream(kind, rate=1)
        stream.width, stream.height, stream.pix_fmt = 32, 24, "yuvj420p" if kind == "mjpeg" else "rgb24"
        frame = av.VideoFrame.from_ndarray(np.full((24, 32, 3), 90, np.uint8), format="rgb24")
        for packet in (*stream.encode(frame), *stream.encode(None)):
            container.mux(packet)
    return Cover("image/jpeg" if kind == "mjpeg" else "image/png", file.getvalue())


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Book]:
    made = Book(tmp_path)
    yield made
    made.close()


@pytest.fixture
def chapters(book: Book) -> Book:
    """Two chapters of a heading and a line each, all of which begin with a click."""
    for title in ("Eins", "Zwei: das Ende"):
        book.say(title, click(0.7), kind="heading")
        book.say(f"Of {title}.", click(0.9), who="ANNA")
    return book
