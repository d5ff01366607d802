"""ScriptsFolder: the scripts of all workspaces, in one folder: database, sounds, and the work under way."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from studio.audio.flac import samples_of
from studio.audio.kept_takes import KeptTakes
from studio.errors import DiskFull, ScriptFileUnusable
from studio.scripts.export.levels import TakeLevelsCache
from studio.scripts.keep.covers import checked_cover
from studio.scripts.keep.limits import WorkspaceLimits
from studio.scripts.keep.store import ScriptStore
from studio.scripts.keep.tables import scripts_database
from studio.scripts.saying.saying_jobs import SayingJobs
from studio.scripts.saying.saying_parts import SayingParts
from studio.scripts.script.edited import ScriptCounts
from studio.scripts.script.script import ReadScript, ReadTake, Script
from studio.scripts.script.take import LineTake

__all__ = ["ScriptsFolder"]

MOST_KNOWN = 512  # scripts of which is known how much of them is said


class ScriptsFolder:
    """Thread-safe. Raises ScriptsUnreadable, ScriptsNewer, DiskError and OSError.

    folder: of the database and of a folder of sounds for each script; made at the first script. is_live(generation id): whether that
    recording of a speaker is there still. has_shared_memory: whether the folder is on a real disk (studio/storage/database.py).
    clock: seconds since 1970.
    """

    def __init__(
        self,
        folder: Path,
        *,
        limits: WorkspaceLimits = WorkspaceLimits(),
        is_live: Callable[[str], bool] = lambda generation_id: True,
        has_shared_memory: bool = True,
        clock: Callable[[], float] = time.time,
    ):
        self.database = scripts_database((folder / "scripts").with_suffix(".sqlite"), has_shared_memory=has_shared_memory)
        self.takes = KeptTakes(folder)
        self.limits = limits
        self.store = ScriptStore(self.database, self.takes, limits, clock, is_live=is_live)
        self.levels = TakeLevelsCache()
        self.saying = SayingJobs(SayingParts(self.store, self.takes, clock=clock))
        self._known_counts: OrderedDict[str, tuple[int, ScriptCounts]] = OrderedDict()
        self._is_swept = False

    def create(self, read: ReadScript, workspace: str) -> Script:
        """With its cover and with the takes that came along, or not at all. Raises what ScriptStore.create and add_takes do, CoverUnusable,
        ScriptFileUnusable for a sound that is none."""
        cover = None if read.cover is None else checked_cover(read.cover)
        script = self.store.create(read, workspace)
        try:
            if cover is not None:
                self.store.set_cover(script.id, cover)
            if read.takes:
                lines = self.store.line_ids(script.id)
                self.store.add_takes(script.id, [(lines[one.index], self._kept(script.id, one), one.is_chosen) for one in read.takes])
        except BaseException:
            self.delete(script.id)
            raise
        return self.store.script(script.id)

    def counts(self, script: Script) -> ScriptCounts:
        """Of a script as it is now; counted anew where it has changed."""
        known = self._known_counts.get(script.id)
        if known is None or known[0] != script.token:
            known = self._known_counts[script.id] = script.token, self.store.counts(script.id)
            if len(self._known_counts) > MOST_KNOWN:
                self._known_counts.popitem(last=False)
        return known[1]

    def close(self) -> None:
        """Stop saying lines, which goes on where it was at the next start."""
        self.saying.close()
        self.database.close()

    def forget_old(self, is_old: Callable[[str, float], bool]) -> None:
        """Delete the scripts of all workspaces of which is_old(workspace, when they were made) says so."""
        for script_id in self.store.old(is_old):
            self.delete(script_id)

    def delete(self, script_id: str) -> None:
        """From the database first, so that nobody asks for what goes; on a full disk files make room."""
        self.saying.drop(script_id)
        try:
            self.store.delete(script_id)
        except DiskFull:
            self.takes.remove_all(script_id)
            self.store.delete(script_id)
        self.sweep(again=True)

    def sweep(self, *, again: bool = False) -> None:
        """Files of deleted scripts that are there still, since a process died or somebody had them open: once per process, and again
        where another script goes."""
        if again or not self._is_swept:
            self._is_swept = True
            for script_id in self.store.leaving():
                if self.takes.remove_all(script_id):
                    self.store.left(script_id)

    def _kept(self, script_id: str, read: ReadTake) -> LineTake:
        """Encoded anew, so that no foreign bytes are kept. Raises ScriptFileUnusable, OSError."""
        try:
            samples, sample_rate = samples_of(read.flac)
        except Exception as error:  # whatever a decoder makes of damaged bytes
            raise ScriptFileUnusable(f"the sound of line {read.index} cannot be decoded") from error
        if samples.ndim != 1 or not len(samples):
            raise ScriptFileUnusable(f"the sound of line {read.index} is not mono, or empty")
        sha256, n_bytes = self.takes.keep(script_id, samples, sample_rate)
        return replace(read.take, sha256=sha256, n_bytes=n_bytes, sample_rate=sample_rate, seconds=len(samples) / sample_rate)
