"""ScriptSaying: what a workspace may have said of its scripts: lines, takes of a line, the best of several, all from a line on.

What is written in a script is a matter of others; here it is only read.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from studio.errors import LineUnknown, TakeUnknown
from studio.scripts.keep.queue import QueuedLine
from studio.scripts.saying.asked_line import Casting
from studio.scripts.saying.line_states import line_states, stale_takes
from studio.scripts.saying.mending import line_mend, text_of
from studio.scripts.saying.play import ScriptPlay
from studio.scripts.saying.progress import SayingProgress
from studio.scripts.saying.saying_jobs import SayingJobs
from studio.scripts.saying.saying_studio import SayingStudio
from studio.scripts.saying.take_judge import check_hears
from studio.scripts.script.line import MOST_TAKES, LineState, ScriptLine
from studio.scripts.script.mend import MendWish

__all__ = ["Saying", "ScriptSaying"]


@dataclass(frozen=True)
class Saying:
    """What is asked to be said. lines: ids; None for all, or all from `from_line` on. only: "stale" leaves out what is said and has not
    changed since: new, stale and failed lines stay. n_takes: of each line. best: the ears choose among them.
    """

    lines: tuple[str, ...] | None = None
    from_line: str | None = None
    only: Literal["stale", "all"] = "stale"
    n_takes: int = 1
    best: bool = False


class ScriptSaying:
    """Of one workspace. Thread-safe; every method blocks. Raises what the store does."""

    def __init__(self, jobs: SayingJobs, studio: SayingStudio):
        self._jobs, self._studio = jobs, studio
        self._store = jobs.parts.store

    # --- the queue

    def say(self, script_id: str, saying: Saying) -> SayingProgress:
        """Have lines wait, in the order of the script, and begin. Raises LineUnknown; TranscriberMissing for the best without ears."""
        if saying.best:
            check_hears(self._studio)
        lines = self._meant(script_id, saying)
        if saying.only == "stale":
            states = self.states(script_id, lines)
            lines = [line for line, state in zip(lines, states, strict=True) if state in ("new", "stale", "failed")]
        n_takes = min(max(1, saying.n_takes), MOST_TAKES)
        force = saying.only == "all" or n_takes > 1 or saying.best
        rows = [QueuedLine(line.id, n_takes, saying.best, force=force, choose=n_takes == 1 and not saying.best) for line in lines]
        return self._begin(script_id, rows)

    def stop(self, script_id: str) -> SayingProgress:
        """See SayingJobs.stop."""
        self._store.script(script_id, self._studio.workspace)
        self._jobs.stop(script_id)
        return self.progress(script_id)

    def progress(self, script_id: str) -> SayingProgress:
        return self._jobs.progress(script_id)

    # --- takes of a line

    def say_again(self, script_id: str, line_id: str, n_takes: int = 1, *, seed: int | None = None, best: bool = False) -> SayingProgress:
        """Another take of a line, before whatever else waits; it is the one that is heard from then on. Of several none is, before one is
        chosen. seed: of the take, of the first of several; None for another one than any before.

        Raises LineUnknown; TranscriberMissing for the best without ears.
        """
        if best:
            check_hears(self._studio)
        self._owned(script_id)
        return self._begin(script_id, [self._again(line_id, n_takes, seed, best)], first=True)

    def say_line(self, script_id: str, line_id: str, n_takes: int = 1, *, seed: int | None = None, best: bool = False) -> ScriptLine:
        """As say_again, on this very thread: the line with its takes, or with the reason why it was not said. For a page on a lent GPU,
        which is lent to an event that waits. Raises what keeps all lines from being said.
        """
        if best:
            check_hears(self._studio)
        self._owned(script_id)
        self._store.enqueue(script_id, [self._again(line_id, n_takes, seed, best)], first=True)
        self._jobs.work_on(script_id, line_id, self._studio)
        return self._store.line(script_id, line_id)

    def mend(self, script_id: str, line_id: str, wish: MendWish) -> SayingProgress:
        """Words of a take are made anew, before whatever else waits, and all else of its sound stays. What comes of it is another take,
        which is heard from then on; with the text of the line that is one step of undo.

        Raises LineUnknown, and what line_mend does.
        """
        line = self._owned_line(script_id, line_id)
        mend = line_mend(wish, line, self._casting(script_id), self._studio)
        return self._begin(script_id, [QueuedLine(line_id, seed=wish.seed, force=True, mend=mend)], first=True)

    def take_text(self, script_id: str, line_id: str, take_id: str) -> str | None:
        """That was said in a take; None where it cannot be told. Raises LineUnknown, TakeUnknown."""
        line = self._owned_line(script_id, line_id)
        return text_of(line, take_id, self._casting(script_id))

    def choose_best(self, script_id: str, line_ids: Iterable[str] | None = None) -> SayingProgress:
        """Have the ears choose among takes that are there. line_ids: None for all lines with several.

        Raises TranscriberMissing where there are no ears, LineUnknown, TakeUnknown for a line that was never said.
        """
        check_hears(self._studio)
        self._owned(script_id)
        if line_ids is None:
            lines = [line for line in self._store.lines(script_id) if len(line.takes) > 1]
        else:
            lines = [self._store.line(script_id, line_id) for line_id in line_ids]
            if any(not line.takes for line in lines):
                raise TakeUnknown
        return self._begin(script_id, [QueuedLine(line.id, 0, best=True, force=True, choose=False) for line in lines])

    # --- what is told

    def states(self, script_id: str, lines: Sequence[ScriptLine]) -> tuple[LineState, ...]:
        waiting = frozenset(row.line_id for row in self._store.queued(script_id))
        return line_states(lines, self._casting(script_id), waiting, self._jobs.being_said(script_id))

    def stale_takes(self, script_id: str, lines: Sequence[ScriptLine]) -> frozenset[str]:
        """Ids of takes whose line, cast or dictionary have changed since."""
        return stale_takes(lines, self._casting(script_id))

    def n_stale(self, script_id: str) -> int:
        """Lines whose chosen take is stale. Cheap where nothing has changed since it was asked."""
        script = self._store.script(script_id, self._studio.workspace)
        casting = Casting(script, self._studio)
        return self._jobs.stale_counts.of(script, casting, lambda: self._store.lines(script_id))

    # --- playing

    def play(self, script_id: str, from_line: str | None = None, received: float | None = None) -> ScriptPlay:
        """From a line on, the first one when None. Returns when the first sound is there. received: time.perf_counter() at the request.

        Raises LineUnknown, and what saying the first line does where it was never said.
        """
        self._owned(script_id)
        return ScriptPlay(self._jobs.parts, self._studio, script_id, from_line, received=received)

    # --- private

    def _owned(self, script_id: str) -> None:
        self._store.script(script_id, self._studio.workspace)

    def _owned_line(self, script_id: str, line_id: str) -> ScriptLine:
        self._owned(script_id)
        return self._store.line(script_id, line_id)

    def _again(self, line_id: str, n_takes: int, seed: int | None, best: bool) -> QueuedLine:
        n_takes = min(max(1, n_takes), MOST_TAKES)
        return QueuedLine(line_id, n_takes, best, seed, force=True, choose=n_takes == 1 and not best)

    def _casting(self, script_id: str) -> Casting:
        return Casting(self._store.script(script_id, self._studio.workspace), self._studio)

    def _meant(self, script_id: str, saying: Saying) -> list[ScriptLine]:
        """In the order of the script, without what is not said."""
        self._owned(script_id)
        lines = self._store.lines(script_id)
        at = {line.id: n for n, line in enumerate(lines)}
        first = 0 if saying.from_line is None else at.get(saying.from_line)
        if first is None or any(line_id not in at for line_id in saying.lines or ()):
            raise LineUnknown
        wanted = None if saying.lines is None else frozenset(saying.lines)
        return [line for line in lines[first:] if (wanted is None or line.id in wanted) and line.written.is_heard]

    def _begin(self, script_id: str, rows: Sequence[QueuedLine], *, first: bool = False) -> SayingProgress:
        if rows:
            self._store.enqueue(script_id, rows, first=first)
        if self._store.queued(script_id):  # also of an earlier process
            self._jobs.begin(script_id, self._studio)
        return self.progress(script_id)
