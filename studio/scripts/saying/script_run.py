"""ScriptRun: says what waits of one script, line by line, until nothing waits or it is stopped.

What it has said is kept by the same transaction that takes it from the queue: whenever the process dies, nothing is lost, and nothing is
said twice.
"""

import contextvars
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from engines.errors import EngineError
from studio.errors import LineUnknown, ScriptSoundsFull, ScriptUnknown, SpeechCancelled, TakeUnknown
from studio.running.jobs.stop_signal import StopSignal
from studio.running.zero_gpu.zero_gpu_errors import GpuQuotaExceeded, GpuWithoutVisitor
from studio.scripts.keep.queue import QueuedLine
from studio.scripts.saying.asked_line import AskedLine, Casting
from studio.scripts.saying.best_take import best_take
from studio.scripts.saying.candidate import SEED, Candidate, candidate_of
from studio.scripts.saying.engine_turns import width_of
from studio.scripts.saying.line_takes import LineTakes
from studio.scripts.saying.mending import MendedTakes
from studio.scripts.saying.progress import ProgressMeter
from studio.scripts.saying.saying_parts import SayingParts
from studio.scripts.saying.saying_studio import SayingStudio
from studio.scripts.saying.take_judge import TakeJudge, check_hears
from studio.scripts.saying.waiting_lines import WaitingLines
from studio.scripts.script.line import ScriptLine
from studio.scripts.script.mend import LineMend

__all__ = ["ScriptRun"]

SEED_STEP = 1009  # from one take that has a seed asked for to the next, away from what people choose
# Whatever is said next would meet the same: the queue waits for who can mend it.
ENDING = (GpuQuotaExceeded, GpuWithoutVisitor, ScriptSoundsFull, SpeechCancelled)


@dataclass(frozen=True)
class _SayingStep:
    """One take of a line, or the choice among its takes. n_left: takes of the line that come behind it."""

    row: QueuedLine
    is_choice: bool
    n_left: int = 0


class ScriptRun:
    """`work` blocks; the rest is thread-safe. studio: as the script's workspace sees it.

    Several lines are said at once where their engine serves several streams by one step. A line that cannot be said is told why, and the
    others go on. only: that line alone.
    """

    def __init__(self, parts: SayingParts, studio: SayingStudio, script_id: str, only: str | None = None):
        self._parts, self._studio, self.script_id = parts, studio, script_id
        self.stop, self.meter = StopSignal(), ProgressMeter()
        self._takes = LineTakes(parts, studio, script_id)
        self._mended = MendedTakes(parts, studio, script_id)
        self._lock = threading.Lock()
        self._waiting = WaitingLines(parts.store, script_id, only, self._count)
        self._steps: list[_SayingStep] = []
        self._candidates: list[tuple[str, Candidate]] = []
        self._threads: list[threading.Thread] = []
        self._failure: BaseException | None = None

    def work(self) -> None:
        """Raises what keeps all lines from being said: ScriptSoundsFull, GpuWithoutVisitor, DiskError, OSError. Their queue stays."""
        self._serve()
        while self._threads:
            self._threads.pop().join()
        if self._failure is not None and not (isinstance(self._failure, SpeechCancelled) or self.stop.is_given()):
            raise self._failure

    # --- steps

    def _serve(self) -> None:
        """On each of its threads."""
        try:
            while (step := self._next()) is not None:
                with self._under_way(step):
                    self._do(step)
        except BaseException as error:
            with self._lock:
                self._failure = self._failure or error
            if not isinstance(error, Exception):
                raise

    def _next(self) -> _SayingStep | None:
        """The first that nobody is at, which the caller is at from now on."""
        with self._lock:
            if self.stop.is_given() or self._failure is not None:
                return None
            step = self._first_step()
            if step is None:  # of those that were known
                self._waiting.read()
                step = self._first_step()
            if step is not None:
                self._steps.append(step)
            return step

    def _first_step(self) -> _SayingStep | None:
        for row in self._waiting.rows():
            own = [step for step in self._steps if step.row.line_id == row.line_id]
            left = row.n_takes - len(own)
            if left > 0 or (row.n_takes == 0 and not own):
                return _SayingStep(row, row.n_takes == 0, max(0, left - 1))
        return None

    def look_again(self) -> None:
        """Lines were added."""
        with self._lock:
            self._waiting.changed()

    def _count(self, rows: list[QueuedLine]) -> None:
        self.meter.told({row.line_id: self._n_characters(row) for row in rows})

    @contextmanager
    def _under_way(self, step: _SayingStep) -> Iterator[None]:
        self.meter.begin(step.row.line_id)
        try:
            yield
        finally:
            self.meter.leave(step.row.line_id)
            with self._lock:
                self._steps.remove(step)

    def _n_characters(self, row: QueuedLine) -> int:
        """Of all takes that are to be said."""
        return max(1, row.n_takes) * self._takes.n_characters(row.line_id)

    def _do(self, step: _SayingStep) -> None:
        line_id = step.row.line_id
        try:
            if step.is_choice:
                self._choose(line_id)
            else:
                self._say_in_turn(step)
        except (LineUnknown, TakeUnknown):  # it was deleted meanwhile, and waits no more
            self._drop(line_id)
        except ScriptUnknown:
            self.stop.give()
        except ENDING:
            raise
        except EngineError as error:
            if not self.stop.is_given():
                self._takes.fail(line_id, error)
                self._drop(line_id)

    def _drop(self, line_id: str) -> None:
        with suppress(LineUnknown, ScriptUnknown):
            self._parts.store.dequeue(self.script_id, line_id)
        with self._lock:
            self._waiting.drop(line_id)
        self.meter.done(line_id)

    # --- one take

    def _say_in_turn(self, step: _SayingStep) -> None:
        mend = step.row.mend
        engine = mend.engine if mend else self._takes.casting().asked(self._line(step.row.line_id).written).engine
        width = width_of(self._studio, engine)
        with self._parts.turns.turn(engine, width, self.stop.is_given) as is_mine:
            if is_mine and mend:
                self._mend(step.row, mend)
            elif is_mine:  # somebody may have played it, and so said it, since
                self._say(step, self._line(step.row.line_id), self._takes.casting())
        self._widen(engine)

    def _line(self, line_id: str) -> ScriptLine:
        return self._parts.store.line(self.script_id, line_id)

    def _say(self, step: _SayingStep, line: ScriptLine, casting: Casting) -> None:
        row, asked = step.row, casting.asked(line.written)
        chosen = line.chosen_take
        is_fresh = chosen is not None and chosen.key == asked.key
        if not line.written.is_heard or (is_fresh and not row.force):
            self._takes.fail(row.line_id, None)
            return self._drop(row.line_id)
        if row.best:
            check_hears(self._studio)
        with self._candidate(step, line, asked, casting) as candidate:
            sound = self._takes.say(line, casting, candidate, self.stop)
            if sound is None:
                return None
            is_moved = self._takes.key(line.id) != asked.key  # it was edited meanwhile, and waits on
            self._takes.keep(line.id, sound, choose=row.choose or not is_fresh, dequeue=not is_moved)
            with self._lock:
                self._waiting.take_one_off(line.id if not is_moved else "")
        self.meter.said(len(asked.text))
        return None if is_moved or step.n_left or row.best else self.meter.done(row.line_id)

    def _mend(self, row: QueuedLine, mend: LineMend) -> None:
        sound = self._mended.mend(self._line(row.line_id), mend, row.seed, self.stop)
        if sound is None:
            return
        self._mended.keep(row.line_id, sound, mend)
        with self._lock:
            self._waiting.take_one_off(row.line_id)
        self.meter.said(len(mend.text))
        self.meter.done(row.line_id)

    @contextmanager
    def _candidate(self, step: _SayingStep, line: ScriptLine, asked: AskedLine, casting: Casting) -> Iterator[Candidate]:
        info, seed = self._studio.engine_info(asked.engine), step.row.seed
        seed = None if seed is None else seed + step.n_left * (SEED_STEP if info.draws else 1)
        usual = casting.member(line.written.who).options.get(SEED)
        fresh = [take for take in line.takes if take.key == asked.key]
        with self._lock:
            beside = [candidate for line_id, candidate in self._candidates if line_id == line.id]
            candidate = candidate_of(info, fresh, seed=seed, beside=beside, usual=usual if isinstance(usual, int) else None)
            place = line.id, candidate
            self._candidates.append(place)
        try:
            yield candidate
        finally:
            with self._lock:
                self._candidates.remove(place)

    def _widen(self, engine: str) -> None:
        """As many threads as that engine serves at once, as far as lines wait for them."""
        with self._lock:
            n_more = width_of(self._studio, engine) - 1 - len(self._threads)
            for _ in range(n_more):
                thread = threading.Thread(target=contextvars.copy_context().run, args=(self._serve,), name="script-line", daemon=True)
                self._threads.append(thread)
                thread.start()

    # --- the best of several

    def _choose(self, line_id: str) -> None:
        """Among the takes of the line as it is written now."""
        line = self._line(line_id)
        asked = self._takes.casting().asked(line.written)
        takes = [take for take in line.takes if take.key == asked.key]
        heard = self._takes.heard(line.id, takes, asked, TakeJudge(self._studio, self.stop))
        if heard is None:
            return
        if heard:
            self._takes.choose_best(line.id, heard, best_take(heard, line.chosen))
        self._drop(line.id)
