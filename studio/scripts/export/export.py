"""Exports of a script as sounds: one file, or a ZIP of many. Two passes over the takes: levels first, then the files."""

import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from studio.audio.true_peak import PeakLimiter
from studio.errors import disk_error
from studio.scripts.export.assembly import ReadTake, assembled
from studio.scripts.export.file_names import file_name, numbered_name
from studio.scripts.export.levels import LevelsMeter, PlanLevels, TakeLevelsCache, levels_of
from studio.scripts.export.order import SOUND_FORMATS, ExportedFile, ExportOrder, ExportReport, SoundFormat
from studio.scripts.export.plan import ExportPlan, plan_of, selected_lines
from studio.scripts.export.sound_file import (
    ACX_BITS_PER_SECOND,
    ENDINGS,
    LOSSY,
    MEDIA_TYPES,
    TEMPORARY,
    SoundFileSpec,
    open_sound_file,
)
from studio.scripts.export.tags import Mark, tags_of
from studio.scripts.export.targets import LoudnessReport, LoudnessTarget, ceiling_db, gain_db, missing_db
from studio.scripts.keep.covers import Cover
from studio.scripts.script.line import ScriptLine
from studio.scripts.script.script import Script

__all__ = ["ExportSource", "Progress", "export_sounds", "leveled", "settled_gain_db", "temporary_folder"]

Progress = Callable[[float], None]  # share of the work that is done, 0 to 1; may raise to end it
_MOST_TRIES = 3
_HARD_DB = 1.0  # what is limited by less loses no loudness that could be measured
_CLOSE_DB = 0.2
_NEAR_DB = 1.0  # a peak that comes nearer to the ceiling may pass it once resampled, or at a joint


@dataclass(frozen=True)
class ExportSource:
    """What is exported. lines: all in order, read anew at each call, by the page-full. stale: ids of lines whose take is stale."""

    script: Script
    lines: Callable[[], Iterable[ScriptLine]]
    stale: Callable[[], frozenset[str]]
    read: ReadTake
    cover: Cover | None = None


@dataclass(frozen=True)
class _Part:
    """One file. title: "" of the whole."""

    plan: ExportPlan
    title: str


def export_sounds(source: ExportSource, order: ExportOrder, levels: TakeLevelsCache, progress: Progress | None = None) -> ExportedFile:
    """One file, or a ZIP. Blocks for seconds to minutes. Raises LinesUnsaid, LinesStale, ExportEmpty, CoverUnusable, DiskError."""
    work = _SoundExport(source, order, levels, progress or (lambda _: None))
    return work.one_file() if order.split == "none" else work.many_files()


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that stays where all went well, and is the caller's to remove. Raises DiskError for what the disk refuses within."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="script-"))
    except OSError as error:
        raise disk_error(error, TEMPORARY) or error from error
    try:
        yield folder
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError) and (told := disk_error(error, TEMPORARY)):
            raise told from error
        raise


def leveled(plan: ExportPlan, levels: PlanLevels, by_db: float, ceiling: float, read: ReadTake) -> "LeveledSound":
    """The sound of a plan at a gain, limited where its peaks come near the ceiling, dBTP."""
    is_near = levels.levels.peak_dbtp + by_db > ceiling - _NEAR_DB or any(plan.overlaps())
    return LeveledSound(plan, by_db, PeakLimiter(plan.sample_rate, ceiling) if is_near else None, read)


def settled_gain_db(plan: ExportPlan, levels: PlanLevels, target: LoudnessTarget, ceiling: float, read: ReadTake) -> float:
    """The gain at which the sound has its loudness once it is limited. Where much is limited it is measured, up to _MOST_TRIES times."""
    by_db = gain_db(target, levels.levels)
    for _ in range(_MOST_TRIES if levels.levels.peak_dbtp + by_db > ceiling + _HARD_DB else 0):
        sound = leveled(plan, levels, by_db, ceiling, read)
        for _block in sound.blocks():
            pass
        lacking_db = missing_db(target, sound.meter.levels(None))
        if abs(lacking_db) <= _CLOSE_DB:
            break
        by_db += lacking_db
    return by_db


class LeveledSound:
    """`blocks` once; then what was found of them."""

    def __init__(self, plan: ExportPlan, by_db: float, limiter: PeakLimiter | None, read: ReadTake):
        self._plan, self._gain, self._limiter, self._read = plan, np.float32(10 ** (by_db / 20)), limiter, read
        self.meter = LevelsMeter(plan.sample_rate)

    def blocks(self) -> Iterator[np.ndarray]:
        """(T,) float32. Raises what `read` raises."""
        for block in self._limited():
            self.meter.push(block)
            yield block

    def _limited(self) -> Iterator[np.ndarray]:
        for block in assembled(self._plan, self._read):
            louder = block if self._gain == 1 else block * self._gain
            yield louder if self._limiter is None else self._limiter.push(louder)
        if self._limiter is not None:
            yield self._limiter.finish()

    @property
    def limited(self) -> tuple[float, float]:
        """(seconds that were turned down, by how many dB at most)."""
        return (0.0, 0.0) if self._limiter is None else (self._limiter.limited_seconds, self._limiter.most_db)


class _SoundExport:
    def __init__(self, source: ExportSource, order: ExportOrder, levels: TakeLevelsCache, progress: Progress):
        assert order.format in SOUND_FORMATS
        self._format: SoundFormat = order.format  # type: ignore[assignment]  # the line above
        self._source, self._order, self._progress = source, order, progress
        self._selected = selected_lines(source.lines(), order, source.stale())
        self._plan = plan_of(source.script, self._selected, order)
        self._take_levels = lambda sha256: levels.of(sha256, source.read)
        self._whole: PlanLevels | None = None  # where all files have one gain, and that gain
        self._by_db = 0.0
        self._n_done, self._n_samples = 0, self._plan.n_samples  # written, and of all files

    def one_file(self) -> ExportedFile:
        ending = ENDINGS[self._format]
        with temporary_folder() as folder:
            path = folder / f"sound.{ending}"
            report = self._write(path, _Part(self._plan, ""), levels_of(self._plan, self._take_levels))
            return ExportedFile(path, MEDIA_TYPES[self._format], file_name(self._source.script.head.title, ending), self._report([report]))

    def many_files(self) -> ExportedFile:
        """Stored, since sounds do not get smaller. Each is written, moved into the ZIP and removed: one at a time is twice on disk."""
        parts = list(self._parts())
        self._n_samples = sum(part.plan.n_samples for part in parts)
        reports: list[LoudnessReport] = []
        if self._order.split != "chapter":
            self._whole = levels_of(self._plan, self._take_levels)
            ceiling = ceiling_db(self._order.loudness, is_lossy=self._format in LOSSY)
            self._by_db = settled_gain_db(self._plan, self._whole, self._order.loudness, ceiling, self._source.read)
        with temporary_folder() as folder:
            path = folder / "sounds.zip"
            with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
                for number, part in enumerate(parts, 1):
                    name = numbered_name(number, len(parts), part.title, ENDINGS[self._format])
                    sound = folder / f"sound.{ENDINGS[self._format]}"
                    reports.append(self._write(sound, part, self._whole or levels_of(part.plan, self._take_levels), number, len(parts)))
                    _move_into(archive, sound, name)
            return ExportedFile(path, "application/zip", file_name(self._source.script.head.title, "zip"), self._report(reports))

    def _parts(self) -> Iterator[_Part]:
        if self._order.split == "chapter":
            yield from (_Part(plan, plan.chapters[0].title) for plan in self._plan.chapter_plans())
            return
        if self._order.split == "member":
            yield from (_Part(plan, plan.lines[0].line.written.who or self._source.script.head.title) for plan in self._plan.member_plans())
            return
        for plan in self._plan.line_plans():
            written = plan.lines[0].line.written
            yield _Part(plan, " ".join(filter(None, (written.who, written.text))))

    def _write(self, path: Path, part: _Part, before: PlanLevels, number: int = 0, n_files: int = 0) -> LoudnessReport:
        target = self._order.loudness
        ceiling = ceiling_db(target, is_lossy=self._format in LOSSY)
        by_db = self._by_db if before is self._whole else settled_gain_db(part.plan, before, target, ceiling, self._source.read)
        sound = leveled(part.plan, before, by_db, ceiling, self._source.read)
        with open_sound_file(path, self._spec(part, number, n_files)) as file:
            for block in sound.blocks():
                file.write(block)
                self._n_done += len(block)
                self._progress(min(1.0, self._n_done / self._n_samples))
        noise = before.levels.louder(by_db).noise_db
        seconds, most_db = sound.limited
        return LoudnessReport(part.title, target, by_db, before.levels, sound.meter.levels(noise), seconds, most_db, before.noisiest)

    def _spec(self, part: _Part, number: int, n_files: int) -> SoundFileSpec:
        rate = part.plan.sample_rate
        marks = tuple(Mark(chapter.title, chapter.start / rate, chapter.end / rate) for chapter in part.plan.chapters)
        tags = tags_of(self._source.script, part.title, number, n_files)
        is_acx_mp3 = self._order.loudness == "acx" and self._format == "mp3"
        cover = self._source.cover if self._order.split in ("none", "chapter") else None
        return SoundFileSpec(self._format, rate, tags, marks, cover, ACX_BITS_PER_SECOND if is_acx_mp3 else None)

    def _report(self, reports: list[LoudnessReport]) -> ExportReport:
        return ExportReport(
            n_lines=self._selected.n_said,
            seconds=self._plan.seconds,
            sample_rate=self._plan.sample_rate,
            n_files=len(reports),
            skipped=self._selected.unsaid,
            n_stale=len(self._selected.stale),
            loudness=tuple(reports),
            overlaps=tuple(self._plan.overlaps()),
        )


def _move_into(archive: zipfile.ZipFile, file: Path, name: str) -> None:
    with archive.open(zipfile.ZipInfo(name), "w", force_zip64=True) as member, file.open("rb") as source:
        shutil.copyfileobj(source, member, 1 << 20)
    file.unlink()
