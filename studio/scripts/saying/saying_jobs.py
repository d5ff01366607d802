"""SayingJobs: the scripts of this process that are being said, each on threads of its own; how far each is; and Stop.

Where a GPU is lent (ZeroGPU), lines are said in the name of the visitor who asked last, and of their GPU time. After a restart nobody has
asked: such a queue waits, its progress tells why, and goes on when somebody asks on the page again.
"""

from collections.abc import Callable

from studio.errors import ScriptFailed
from studio.running.jobs.background_jobs import BackgroundJobs
from studio.running.jobs.runs import Runs
from studio.scripts.saying.line_states import StaleCounts
from studio.scripts.saying.progress import NOT_BEGUN, SayingProgress
from studio.scripts.saying.saying_parts import SayingParts
from studio.scripts.saying.saying_studio import SayingStudio
from studio.scripts.saying.script_run import ScriptRun

__all__ = ["SayingJobs"]

PATIENCE_SECONDS = 0.5  # between two looks whether another process still says a script


class SayingJobs(Runs[ScriptRun]):
    """What a queue came to is known until something is said of that script again; it outlives the process. stale_counts: of all scripts."""

    def __init__(self, parts: SayingParts):
        super().__init__(BackgroundJobs("lines of a script", ScriptFailed))
        self.parts, self.stale_counts = parts, StaleCounts()

    def begin(self, script_id: str, studio: SayingStudio) -> None:
        """Say what waits of a script. studio: as the script's workspace sees it. Returns at once."""
        with self._lock:
            if not self._jobs.is_running(script_id):
                self._runs.pop(script_id, None)
            elif script_id in self._runs:
                self._runs[script_id].look_again()
        self._jobs.begin(script_id, lambda on_progress, is_stopped: self._work(script_id, studio), behind=True)

    def work_on(self, script_id: str, line_id: str, studio: SayingStudio) -> None:
        """Say what waits of one line, on this thread; where the script is being said already, wait for that. See ScriptRun.work."""
        run = ScriptRun(self.parts, studio, script_id, only=line_id)
        self._work_alone(run, lambda: any(row.line_id == line_id for row in self.parts.store.queued(script_id)))

    def stop(self, script_id: str) -> None:
        """`drop`, and nothing of the script waits any more: what was not said is as new or stale as before."""
        self.drop(script_id)
        self.parts.store.clear_queue(script_id)

    def drop(self, script_id: str) -> None:
        """Lines under way, within a chunk of their engine. The queue stays. Waits for nothing."""
        super().stop(script_id)

    def progress(self, script_id: str) -> SayingProgress:
        with self._lock:
            run = self._runs.get(script_id)
        told = self._jobs.progress(script_id)
        if told is None:
            return NOT_BEGUN
        if run is None:
            return SayingProgress(told.is_running, 0, len(self.parts.store.queued(script_id)), failure=told.failure)
        return run.meter.progress(is_running=told.is_running, failure=told.failure)

    def being_said(self, script_id: str) -> frozenset[str]:
        """Ids of lines."""
        with self._lock:
            run = self._runs.get(script_id)
        return frozenset() if run is None else run.meter.lines()

    def resume(self, studio_of: Callable[[str], SayingStudio]) -> None:
        """Go on with what waited when an earlier process ended. studio_of(workspace): as that sees it."""
        for script in self.parts.store.scripts_with_queue():
            self.begin(script.id, studio_of(script.workspace))

    def _work(self, script_id: str, studio: SayingStudio) -> None:
        if not self.parts.store.queued(script_id):  # whoever was at it said that as well
            return
        run = ScriptRun(self.parts, studio, script_id)
        with self._lock:
            self._runs[script_id] = run
        self._work_alone(run, lambda: bool(self.parts.store.queued(script_id)))

    def _work_alone(self, run: ScriptRun, has_work: Callable[[], bool]) -> None:
        """While another thread or process says lines of the script, that is waited for: it says these as well."""
        while not run.stop.is_given() and has_work():
            with self.parts.sounds.saying(run.script_id) as is_mine:
                if is_mine:
                    return run.work()
            run.stop.wait(PATIENCE_SECONDS)
        return None
