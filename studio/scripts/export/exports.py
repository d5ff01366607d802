"""ScriptExports: scripts of a workspace as files, and in videos. What doors hold of exports, behind the facade."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from studio.audio.kept_takes import KeptTakes
from studio.scripts.dubbing.order import DubOrder
from studio.scripts.export.check import ExportCheck, check_export
from studio.scripts.export.dubbed import dub_video
from studio.scripts.export.export import ExportSource, Progress, export_sounds
from studio.scripts.export.levels import TakeLevelsCache
from studio.scripts.export.order import ExportedFile, ExportOrder
from studio.scripts.export.text_files import export_text
from studio.scripts.keep.store import ScriptStore
from studio.scripts.script.line import ScriptLine
from studio.scripts.script.script import Script

__all__ = ["ScriptExports", "StaleTakes"]

PAGE_LINES = 200  # read at a time: a whole book with its takes and word times would be a hundred megabytes

StaleTakes = Callable[[str, Sequence[ScriptLine]], frozenset[str]]  # id of a script, lines of it -> ids of stale takes


class ScriptExports:
    """Thread-safe; every method blocks, for seconds to minutes. Raises what the store does, and ScriptTakeDamaged."""

    def __init__(self, store: ScriptStore, takes: KeptTakes, levels: TakeLevelsCache, stale_takes: StaleTakes):
        self._store, self._takes, self._levels, self._stale_takes = store, takes, levels, stale_takes

    def export(self, script: Script, order: ExportOrder, progress: Progress | None = None) -> ExportedFile:
        """The file is the caller's to close. Raises LinesUnsaid, LinesStale, ExportEmpty, LineUnknown, DiskError."""
        source = self._source(script, order.lines)
        return export_sounds(source, order, self._levels, progress) if order.is_sound else export_text(source, order, self._flac_of(script))

    def check(self, script: Script, order: ExportOrder) -> ExportCheck:
        """Raises LineUnknown."""
        return check_export(self._source(script, order.lines), order, self._levels)

    def dub(self, script: Script, video: Path, order: DubOrder, progress: Progress | None = None) -> ExportedFile:
        """Raises VideoUnreadable, VideoWithoutPicture, VideoTooLarge, VideoTooLong, LinesUnsaid, LinesStale, ExportEmpty, DiskError."""
        return dub_video(self._source(script), video, order, self._levels, progress)

    def _source(self, script: Script, line_ids: Sequence[str] | None = None) -> ExportSource:
        for line_id in set(line_ids or ()) - set(self._store.line_ids(script.id) if line_ids else ()):
            self._store.line(script.id, line_id)  # which says that it is unknown
        return ExportSource(
            script,
            lambda: self._lines(script.id),
            lambda: self._stale(script.id),
            lambda sha256: self._takes.read(script.id, sha256),
            self._store.cover(script.id) if script.has_cover else None,
        )

    def _pages(self, script_id: str) -> Iterator[tuple[ScriptLine, ...]]:
        first = 0
        while page := self._store.lines(script_id, first, PAGE_LINES):
            yield page
            first += len(page)

    def _lines(self, script_id: str) -> Iterator[ScriptLine]:
        for page in self._pages(script_id):
            yield from page

    def _stale(self, script_id: str) -> frozenset[str]:
        found: set[str] = set()
        for page in self._pages(script_id):
            takes = self._stale_takes(script_id, page)
            found |= {line.id for line in page if line.chosen in takes}
        return frozenset(found)

    def _flac_of(self, script: Script) -> Callable[[str], bytes]:
        return lambda sha256: self._takes.read_flac(script.id, sha256)
