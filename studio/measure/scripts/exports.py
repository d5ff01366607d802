"""Exports of a long script, of takes that are made up: `python -m studio.measure.scripts.exports [--hours 1] [--formats m4b mp3]`.

A row per format and loudness: seconds of processors, how much memory it has at most beyond what libraries have, how far chapter marks
are from the clicks with which their headings begin, as a player decodes them, and what was reached. Then a video with slots: how far lines
begin from theirs.
"""

import argparse
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path

import av
import numpy as np

from studio.audio.kept_takes import KeptTakes
from studio.scripts.dubbing.order import DubOrder
from studio.scripts.export.dubbed import dub_video
from studio.scripts.export.export import ExportSource, export_sounds
from studio.scripts.export.levels import TakeLevelsCache
from studio.scripts.export.order import ExportedFile, ExportOrder
from studio.scripts.export.targets import LoudnessTarget
from studio.scripts.script.cast import CastMember
from studio.scripts.script.line import LineText, ScriptLine, TimeSlot
from studio.scripts.script.script import Script, ScriptHead
from studio.scripts.script.take import LineTake

__all__ = ["onsets"]

RATE_HZ = 24_000
LINE_SECONDS = 10.0
LINES_PER_CHAPTER = 30  # five minutes
CLICK, CLICK_AT_SECONDS, CLICK_SECONDS = 0.9, 0.005, 0.02  # louder than all speech here, and behind the ramp of joints
FORMATS = ("wav", "flac", "mp3", "opus", "m4b")
SLOTS, VIDEO_SECONDS, FPS = 20, 120, 25
Row = tuple[float, float, float, float, str]  # seconds, MiB, mean and worst error in ms, what was reached


def onsets(path: Path, level: float) -> list[float]:
    """Seconds at which a player that decodes a file hears something louder than `level` after a second without."""
    found: list[float] = []
    last = -1e9
    for at in _loud(path, level):
        if at - last > 1.0:
            found.append(at)
        last = at
    return found


def _loud(path: Path, level: float) -> Iterator[float]:
    n_heard = 0
    with av.open(str(path)) as container:
        resampler = av.AudioResampler(format="fltp", layout="mono")
        for converted in (made for frame in container.decode(audio=0) for made in resampler.resample(frame)):
            sound, rate = np.abs(converted.to_ndarray()[0]), converted.sample_rate
            yield from ((n_heard + place) / rate for place in np.flatnonzero(sound > level))
            n_heard += len(sound)


def _take(takes: KeptTakes, seconds: float, seed: int) -> LineTake:
    """Syllables of noise, soft enough that a click stands out, with which every LINES_PER_CHAPTERth begins."""
    rng = np.random.default_rng(seed)
    t = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    swell = np.clip(np.sin(2 * np.pi * 2 * t) ** 2 * 1.5 - 0.3, 0, None) * ((t * 4 % 4) < 3)
    sound = 0.04 * swell * rng.standard_normal(len(t)).clip(-3, 3) + 1e-5 * rng.standard_normal(len(t))
    if seed % LINES_PER_CHAPTER == 0:
        first, n_click = round(CLICK_AT_SECONDS * RATE_HZ), round(CLICK_SECONDS * RATE_HZ)
        sound[:first] = 0
        sound[first : first + n_click] = CLICK * np.cos(np.arange(n_click) * 2 * np.pi * 1000 / RATE_HZ)
    pcm = np.rint(sound.clip(-1, 1) * 32767).astype(np.int16)
    sha256, n_bytes = takes.keep("book", pcm, RATE_HZ)
    return LineTake(str(seed), "", sha256, len(pcm) / RATE_HZ, RATE_HZ, n_bytes, 0.0, "made up")


def _book(folder: Path, hours: float) -> tuple[Script, tuple[ScriptLine, ...]]:
    takes, lines = KeptTakes(folder), []
    for number in range(round(hours * 3600 / (LINE_SECONDS + 0.4))):
        is_heading = number % LINES_PER_CHAPTER == 0
        take = _take(takes, LINE_SECONDS, number)
        text = f"Chapter {number // LINES_PER_CHAPTER + 1}" if is_heading else f"Line {number}, which is of some length."
        written = LineText.model_validate({"text": text, "kind": "heading" if is_heading else "line"})
        lines.append(ScriptLine(str(number), written, (take,), take.id))
    return _script(len(lines), "A long book"), tuple(lines)


def _script(n_lines: int, title: str, **head: float) -> Script:
    narrator = CastMember.model_validate({})
    return Script("book", "", ScriptHead.model_validate({"title": title, **head}), (narrator,), (), n_lines, 0, 1, 1, 0.0, 0.0)


def _source(folder: Path, script: Script, lines: Sequence[ScriptLine]) -> ExportSource:
    takes = KeptTakes(folder)
    return ExportSource(script, lambda: iter(lines), frozenset, lambda sha256: takes.read("book", sha256))


def _exported(work: tuple[Path, Script, Sequence[ScriptLine], str, LoudnessTarget]) -> Row:
    folder, script, lines, format, loudness = work
    order = ExportOrder.model_validate({"format": format, "loudness": loudness})
    export_sounds(_source(folder, script, lines[:1]), order, TakeLevelsCache()).close()  # loads libraries
    before, began = _peak_mib(), time.process_time()
    file = export_sounds(_source(folder, script, lines), order, TakeLevelsCache())
    seconds, mib = time.process_time() - began, _peak_mib() - before
    errors = _errors_ms(file)
    (report,) = file.report.loudness
    after = report.after
    reached = f"{after.lufs:.2f} LUFS, {after.rms_db:.2f} dB RMS, {after.peak_dbtp:.2f} dBTP, met: {' '.join(report.met) or 'none'}"
    size = f"{file.n_bytes / 1e6:.1f} MB"
    file.close()
    return seconds, mib, float(np.mean(errors)), max(errors), f"{reached}, {size}"


def _errors_ms(file: ExportedFile) -> list[float]:
    """From each chapter mark to the nearest click; of a file without marks, from where they would be."""
    with av.open(str(file.path)) as container:
        marks = [float(mark["start"] * (mark["time_base"] or 0)) for mark in container.chapters()]
    heard = onsets(file.path, 0.3)
    return [1000 * min(abs(begin - CLICK_AT_SECONDS - mark) for begin in heard) for mark in marks or [0.0]]


def _peak_mib() -> float:
    """Of this process; 0 on Windows, which does not tell."""
    if sys.platform == "win32":
        return 0.0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _video(path: Path) -> None:
    with av.open(str(path), "w") as container:
        picture = container.add_stream("libx264", rate=FPS)
        picture.width, picture.height, picture.pix_fmt = 320, 240, "yuv420p"
        for number in range(VIDEO_SECONDS * FPS):
            frame = av.VideoFrame.from_ndarray(np.full((240, 320, 3), number % 255, np.uint8), format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, FPS)
            container.mux(picture.encode(frame))
        container.mux(picture.encode(None))


def _drift_ms(folder: Path) -> Iterator[tuple[str, float, float]]:
    """(container, mean and worst) of line starts in a dubbed video."""
    takes, lines = KeptTakes(folder), []
    for number in range(SLOTS):
        take = _take(takes, 2.0, number * LINES_PER_CHAPTER)
        slot = TimeSlot(start=1.037 + number * 5.813, end=4 + number * 5.813)
        lines.append(ScriptLine(str(number), LineText.model_validate({"text": f"Line {number}.", "slot": slot}), (take,), take.id))
    source = _source(folder, _script(SLOTS, "A film", video_seconds=VIDEO_SECONDS), lines)
    _video(folder / "film.mp4")
    for kept in ("drop", "track"):
        file = dub_video(source, folder / "film.mp4", DubOrder.model_validate({"original": kept, "subtitles": True}), TakeLevelsCache())
        heard = onsets(file.path, 0.3)
        errors = [
            1000 * abs(begin - CLICK_AT_SECONDS - line.written.slot.start)
            for begin, line in zip(heard, lines, strict=True)
            if line.written.slot
        ]
        yield f"mp4, {kept}", float(np.mean(errors)), max(errors)
        file.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--formats", nargs="+", default=FORMATS)
    parser.add_argument("--loudness", nargs="+", default=("none", "-16", "acx"))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        script, lines = _book(folder, asked.hours)
        print(f"{len(lines)} lines, {asked.hours:g} h\n| format | loudness | CPU s | MiB | mark error, mean ms | worst | reached |")
        for format, loudness in product(asked.formats, asked.loudness):
            with multiprocessing.get_context("spawn").Pool(1) as pool:  # its memory alone
                row = pool.apply(_exported, ((folder, script, lines, format, loudness),))
            print(f"| {format} | {loudness} | {row[0]:.1f} | {row[1]:.0f} | {row[2]:.2f} | {row[3]:.2f} | {row[4]} |", flush=True)
        for told, mean, worst in _drift_ms(folder):
            print(f"{told}: {SLOTS} lines begin {mean:.2f} ms from their slots on average, {worst:.2f} ms at most")


if __name__ == "__main__":
    main()
