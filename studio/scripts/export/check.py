"""ExportCheck: what an export would find, before one is made."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from studio.scripts.dubbing.fit import Fitting, PlacedLine, fittings
from studio.scripts.export.export import ExportSource
from studio.scripts.export.levels import TakeLevelsCache, levels_of
from studio.scripts.export.order import ExportOrder
from studio.scripts.export.plan import ExportPlan, SelectedLines, plan_of, selected_lines
from studio.scripts.export.sound_file import LOSSY
from studio.scripts.export.targets import LoudnessReport, ceiling_db, gain_db, told_loudness

__all__ = ["ExportCheck", "check_export", "slot_fits"]

MOST_LISTED = 200


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

    def told(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "is_ready": self.is_ready,
            "lines": self.n_lines,
            "unsaid": len(self.unsaid),
            "stale": len(self.stale),
            "unsaid_lines": list(self.unsaid[:MOST_LISTED]),
            "stale_lines": list(self.stale[:MOST_LISTED]),
            "seconds": round(self.seconds, 3),
            "over": [{"line": line_id, "over_seconds": round(found.over_seconds, 3)} for line_id, found in self.over],
            "loudness": [told_loudness(report) for report in self.loudness],
        }


def check_export(source: ExportSource, order: ExportOrder, levels: TakeLevelsCache) -> ExportCheck:
    """Reads each take once; later calls find their levels in memory. Raises what reading a take raises."""
    selected = selected_lines(source.lines(), order, source.stale())
    is_ready = not ((selected.unsaid and order.missing == "refuse") or (selected.stale and order.stale == "refuse")) and selected.n_said > 0
    if not selected.n_said:
        return ExportCheck(len(selected.unsaid), selected.unsaid, (), (), 0.0, (), False)
    plan = plan_of(source.script, selected, order.model_copy(update={"missing": "skip", "stale": "include"}))
    reports = tuple(_predicted(plan, order, source, levels)) if order.is_sound else ()
    n_lines = selected.n_said + len(selected.unsaid)
    return ExportCheck(n_lines, selected.unsaid, selected.stale, tuple(slot_fits(selected)), plan.seconds, reports, is_ready)


def slot_fits(selected: SelectedLines) -> Iterator[tuple[str, Fitting]]:
    """(id, how its take lies in its slot) of lines that have one."""
    placed = (
        PlacedLine(line.id, line.written.slot, line.take_samples / line.take_rate)
        for line in selected.lines
        if line.written.slot and line.sha256
    )
    yield from fittings(placed)


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
