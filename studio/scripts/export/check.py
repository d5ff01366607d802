"""ExportCheck: what an export would find, before one is made."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from studio.scripts.dubbing.fit import Fitting, PlacedLine, fittings
from studio.scripts.export.export import ExportSource
from studio.scripts.export.levels import TakeLevelsCache, levels_of
from studio.scripts.export.order import ExportOrder
from studio.scripts.export.plan import ExportPlan, SelectedLines, plan_of, selected_lines
from studio.scripts.export.sound_file import LOSSY
from studio.scripts.export.targets import LoudnessReport, ceiling_db, gain_db

__all__ = ["ExportCheck", "check_export"]


@dataclass(frozen=True)
class ExportCheck:
    """unsaid, stale: ids of lines. fits: how lines with a slot lie in it, by id. seconds: of the whole sound, 0 where nothing was said.

    loudness: as it would be, of each file; () where nothing was said, and where the order is for no sound.
    """

    n_lines: int
    unsaid: tuple[str, ...]
    stale: tuple[str, ...]
    fits: tuple[tuple[str, Fitting], ...]
    seconds: float
    loudness: tuple[LoudnessReport, ...]
    is_ready: bool

    @property
    def over(self) -> tuple[tuple[str, Fitting], ...]:
        return tuple((line_id, found) for line_id, found in self.fits if found.kind == "over")


def check_export(source: ExportSource, order: ExportOrder, levels: TakeLevelsCache) -> ExportCheck:
    """Reads each take once; later calls find their levels in memory. Raises what reading a take raises."""
    selected = selected_lines(source.lines(), order, source.stale)
    is_ready = not ((selected.unsaid and order.missing == "refuse") or (selected.stale and order.stale == "refuse")) and selected.n_said > 0
    if not selected.n_said:
        return ExportCheck(len(selected.unsaid), selected.unsaid, (), (), 0.0, (), False)
    plan = plan_of(source.script, selected, order.model_copy(update={"missing": "skip", "stale": "include"}))
    reports = tuple(_predicted(plan, order, source, levels)) if order.is_sound else ()
    n_lines = selected.n_said + len(selected.unsaid)
    fits = tuple(fittings(_placed(selected)))
    return ExportCheck(n_lines, selected.unsaid, selected.stale, fits, plan.seconds, reports, is_ready)


def _placed(selected: SelectedLines) -> Iterator[PlacedLine]:
    for line in selected.lines:
        if line.written.slot and line.sha256:
            yield PlacedLine(line.id, line.written.slot, line.take_samples / line.take_rate)


def _predicted(plan: ExportPlan, order: ExportOrder, source: ExportSource, levels: TakeLevelsCache) -> Iterator[LoudnessReport]:
    parts = list(plan.chapter_plans()) if order.split == "chapter" else [plan]
    for part in parts:
        found = levels_of(part, lambda sha256: levels.of(sha256, source.read))
        by_db = gain_db(order.loudness, found.levels)
        after = found.levels.louder(by_db)
        ceiling = ceiling_db(order.loudness, is_lossy=order.format in LOSSY)
        limited_db = max(0.0, after.peak_dbtp - ceiling)
        name = part.chapters[0].title if order.split == "chapter" else ""
        limited = replace(after, peak_dbtp=min(after.peak_dbtp, ceiling))
        yield LoudnessReport(name, order.loudness, by_db, found.levels, limited, None, round(limited_db, 2), found.noisiest)
