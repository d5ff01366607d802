"""Refiner: goes on learning stored voices beside speech, where their engine refines. One quiet thread for all; there is one per process.

A voice that is asked for is taken into the line, and the one that was asked for last comes first. Each better prompt takes the place of the
one in memory, and is written behind; speech under way goes on with what it began with. Between two steps the thread waits while a listener
would run dry. It stops where the prompt is no longer there, or the engine is no longer open: what is forgotten stays forgotten.
Bound: MOST_IN_LINE and MOST_FAILURES, the oldest go first. Nothing is begun that nobody asked for: what a restart broke off goes on from
the prompt on disk when its voice is used again.
"""

import logging
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

from engines.contract.contract import Engine
from engines.contract.prompt import SpeakerPrompt
from engines.contract.refinement import RefinementStep, refinement_of
from engines.errors import EngineError
from studio.analysis.quiet_worker import limited_threads, step_back
from studio.errors import ClipMissing, LearningUnfinished, SpeechCancelled
from studio.prompt_key import PromptKey
from studio.prompts.cache import SpeakerCache
from studio.prompts.source import PromptSource
from studio.running.offer.memory_check import finds_gpu
from studio.running.pool import EnginePool
from studio.settings import Settings
from studio.speakers.speaker import Generation
from studio.storage.prompt_files import check_identity

__all__ = ["Learning", "Refiner", "learn_seconds"]

LEARN_SECONDS, SPACE_LEARN_SECONDS = 90.0, 30.0  # of CPU for a voice; a free Space has two cores for all its visitors

LEARNED_SECONDS = "learned_seconds"  # the fact of a prompt that says what was spent on it, so that a restart begins no second budget
SETTLE_SECONDS = 0.5  # after a voice was asked for: who asked is about to speak with it, and is in no engine's queue yet
LOOK_SECONDS = 0.1  # between two looks at listeners who cannot spare a core
LEAST_LEFT_SECONDS = 0.1  # of what goes on: 0 is for what is over
MOST_IN_LINE = 256
MOST_FAILURES = 1024

log = logging.getLogger("studio")


@dataclass(frozen=True)
class Learning:
    """How far an engine has come with a voice: `step` of `of`. is_under_way: whether the voice is in the line.

    seconds_left: by the clock on the wall; 0 where it is as good as it gets here, None where that is not known.
    """

    step: int
    of: int
    seconds_left: float | None = None
    is_under_way: bool = False

    @property
    def told(self) -> dict[str, float | None]:
        """As doors tell it."""
        return {"step": self.step, "of": self.of, "seconds_left": self.seconds_left and round(self.seconds_left, 1)}


@dataclass(eq=False)
class _InLine:
    """spent_seconds: of CPU, before it came into the line as well. The other figures are of the n_steps made since."""

    key: PromptKey
    source: PromptSource
    step: int
    of: int
    spent_seconds: float
    n_steps: int = 0
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    is_at_rest: bool = True  # nothing is lost by stopping here

    def made(self, step: RefinementStep, wall_seconds: float, cpu_seconds: float) -> None:
        self.step, self.of, self.is_at_rest = step.step, step.of, step.prompt is not None
        self.n_steps += 1
        self.wall_seconds += wall_seconds
        self.cpu_seconds += cpu_seconds
        self.spent_seconds += cpu_seconds

    def seconds_left(self, budget_seconds: float) -> float | None:
        """By the mean of the steps that were made; None before the first."""
        if not self.n_steps:
            return None
        n_left, each = float(self.of - self.step), self.cpu_seconds / self.n_steps
        if each:
            n_left = min(n_left, (budget_seconds - self.spent_seconds) / each)
        return max(LEAST_LEFT_SECONDS, n_left * self.wall_seconds / self.n_steps)


class Refiner:
    """Thread-safe. version: moves with every change of what `learning` and `failure` tell.

    publish(owners, key, prompt): told of each prompt that has taken the place of another. learn_seconds: of CPU for a voice; 0 for none.
    clock, cpu_clock: seconds, the latter of the thread that asks.
    """

    def __init__(
        self,
        cache: SpeakerCache,
        pool: EnginePool,
        publish: Callable[[Collection[Generation], PromptKey, SpeakerPrompt], None],
        learn_seconds: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        cpu_clock: Callable[[], float] = time.thread_time,
    ):
        self.version = 0
        self._cache = cache
        self._pool = pool
        self._publish = publish
        self._learn_seconds = learn_seconds
        self._clock = clock
        self._cpu_clock = cpu_clock
        self._changed = threading.Condition()
        self._line: OrderedDict[PromptKey, _InLine] = OrderedDict()  # asked for last, last
        self._failures: OrderedDict[PromptKey, Exception] = OrderedDict()
        self._costs: dict[str, tuple[int, float]] = {}
        self._asked_at = -SETTLE_SECONDS
        self._is_closing = False
        self._resting: Counter[str] = Counter()  # workspaces
        self._thread: threading.Thread | None = None

    @contextmanager
    def resting(self, scope: str) -> Iterator[None]:
        """Within it nothing is refined that is asked for in that workspace, nor goes what was asked for on."""
        with self._changed:
            self._resting[scope] += 1
            for key in [key for key in self._line if key.scope == scope]:
                del self._line[key]
            self._tell()
        try:
            yield
        finally:
            with self._changed:
                self._resting[scope] -= 1

    def want(self, key: PromptKey, source: PromptSource) -> None:
        """Go on learning what is in memory under that key, before all else; not where that has failed, or it is as good as it gets.

        A recording that is nobody's voice is not refined.
        """
        if not self._learn_seconds or source.owner is None or source.read_clip is None or not self._pool.worker(key.engine).refines:
            return
        with self._changed:
            prompt = self._cache.peek(key)
            if self._is_closing or key in self._failures or prompt is None or not self._can_improve(prompt):
                return
            if self._resting[key.scope] > 0:
                return
            self._line[key] = self._line.pop(key, None) or _in_line(key, source, prompt)
            while len(self._line) > MOST_IN_LINE:
                self._line.popitem(last=False)
            self._asked_at = self._clock()
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="refiner", daemon=True)
                self._thread.start()
            self._tell()

    def learning(self, key: PromptKey) -> Learning | None:
        """None where nothing is in memory, or nothing that can be refined."""
        prompt = self._cache.peek(key) if self._learn_seconds and self._pool.worker(key.engine).refines else None
        reached = refinement_of(prompt) if prompt is not None else None
        if prompt is None or reached is None:
            return None
        with self._changed:
            job = self._line.get(key)
            if job is not None:
                return Learning(job.step, job.of, job.seconds_left(self._learn_seconds), is_under_way=True)
        return Learning(reached.step, reached.of, None if self._can_improve(prompt) else 0.0)

    def failure(self, key: PromptKey) -> Exception | None:
        """Why it is refined no further."""
        return self._failures.get(key)

    @property
    def costs(self) -> Mapping[str, tuple[int, float]]:
        """By engine: steps so far, and their seconds of CPU."""
        return dict(self._costs)

    def forgive(self, key: PromptKey) -> None:
        """Let what has failed be tried again, when it is wanted."""
        with self._changed:
            if self._failures.pop(key, None):
                self._tell()

    def wait(self, key: PromptKey, most_seconds: float) -> None:
        """Until it is as good as it gets; not at all where it is not refined. Raises what its engine raised, LearningUnfinished,
        SpeechCancelled."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_closing or key not in self._line or not self._cache.contains(key), most_seconds)
            if self._is_closing:
                raise SpeechCancelled(sentence="studio_closing")
            if key in self._failures:
                raise self._failures[key]
        learning, title = self.learning(key), self._pool.worker(key.engine).info.title
        if learning is None:
            if not self._cache.contains(key):
                raise LearningUnfinished(title)
        elif learning.seconds_left != 0:
            raise LearningUnfinished(title, most_seconds if learning.is_under_way else 0.0)

    def stop(self) -> None:
        """Begin no further step."""
        with self._changed:
            self._is_closing = True
            self._tell()

    def close(self) -> None:
        """The same, and wait for the step under way."""
        self.stop()
        if self._thread is not None:
            self._thread.join()

    # --- private

    def _can_improve(self, prompt: SpeakerPrompt) -> bool:
        reached = refinement_of(prompt)
        return reached is not None and not reached.is_complete and _spent(prompt) < self._learn_seconds

    def _tell(self) -> None:
        """Wants the lock held."""
        self.version += 1
        self._changed.notify_all()

    def _leave(self, job: _InLine) -> None:
        with self._changed:
            self._line.pop(job.key, None)
            self._tell()

    # --- its thread

    def _work(self) -> None:
        step_back()
        while (job := self._next()) is not None:
            try:
                with limited_threads(1):
                    self._refine(job)
            except ClipMissing:  # the voice is being deleted or replaced
                self._leave(job)
            except Exception as error:
                self._fail(job, error)
            del job  # nothing of it is held while nothing is to be done

    def _next(self) -> _InLine | None:
        """None where the studio is closing."""
        with self._changed:
            self._changed.wait_for(lambda: self._line or self._is_closing)
            return None if self._is_closing else next(reversed(self._line.values()))

    def _refine(self, job: _InLine) -> None:
        """Until it is as good as it gets, another voice was asked for and nothing is lost by turning to it, or it must stop."""
        begun = self._begun(job)
        if begun is None:
            return
        engine, prompt = begun
        assert job.source.read_clip is not None  # `want` takes recordings alone
        clip = job.source.read_clip()
        # others who share the prompt may have sent other words for one speech; where words shape it, its key is of these
        words = job.source.transcript if job.key.transcript_digest else job.source.owner_transcript
        has_ended = False
        with closing(engine.refine(clip, words, prompt)) as steps:
            while not has_ended and self._goes_on(job, engine, prompt):
                step = self._made(job, steps)
                has_ended = step is None  # the engine is being closed
                if step is not None and step.prompt is not None:
                    prompt = self._replaced(job, prompt, step.prompt)
        if job.spent_seconds > _spent(prompt):
            self._replaced(job, prompt, prompt)
        if has_ended:
            self._leave(job)

    def _begun(self, job: _InLine) -> tuple[Engine, SpeakerPrompt] | None:
        """What to go on with; None, and out of the line, where there is nothing."""
        with self._changed:  # so that who asks meanwhile is not lost
            engine, prompt = self._pool.worker(job.key.engine).opened, self._cache.peek(job.key)
            if engine is not None and prompt is not None and self._can_improve(prompt):
                job.is_at_rest = True
                return engine, prompt
            self._leave(job)
            return None

    def _goes_on(self, job: _InLine, engine: Engine, prompt: SpeakerPrompt) -> bool:
        """Whether another step is to be made, once listeners can spare it."""
        while self._is_wanted(job, engine, prompt):
            if self._clock() >= self._asked_at + SETTLE_SECONDS and not self._pool.is_pressed():
                return True
            with self._changed:
                self._changed.wait_for(lambda: self._is_closing, LOOK_SECONDS)
        return False

    def _is_wanted(self, job: _InLine, engine: Engine, prompt: SpeakerPrompt) -> bool:
        with self._changed:
            if self._is_closing or self._line.get(job.key) is not job:
                return False
            if job.is_at_rest and next(reversed(self._line)) != job.key:
                return False
        is_there = self._pool.worker(job.key.engine).opened is engine and self._cache.peek(job.key) is prompt
        return is_there and self._can_improve(prompt) and job.spent_seconds < self._learn_seconds

    def _made(self, job: _InLine, steps: Generator[RefinementStep, None, None]) -> RefinementStep | None:
        started, cpu_before = self._clock(), self._cpu_clock()
        step = next(steps, None)
        if step is None:
            return None
        wall_seconds, cpu_seconds = self._clock() - started, self._cpu_clock() - cpu_before
        with self._changed:
            n_steps, seconds = self._costs.get(job.key.engine, (0, 0.0))
            self._costs[job.key.engine] = n_steps + 1, seconds + cpu_seconds
            job.made(step, wall_seconds, cpu_seconds)
            self._tell()
        return step

    def _replaced(self, job: _InLine, prompt: SpeakerPrompt, better: SpeakerPrompt) -> SpeakerPrompt:
        """What is to be spoken with from now on: the better one, with what was spent so far. Where the prompt is gone, so is this."""
        check_identity(job.key, better)
        better = replace(better, facts={**better.facts, LEARNED_SECONDS: job.spent_seconds})
        owners = self._cache.replace(job.key, prompt, better)
        if owners is None:
            return prompt
        self._publish(owners, job.key, better)
        return better

    def _fail(self, job: _InLine, error: Exception) -> None:
        """Remembered, unless it is the engine's way of being closed."""
        engine, owner = job.key.engine, job.source.owner
        assert owner is not None  # `want` takes stored voices alone
        if self._pool.worker(engine).opened is None:
            self._leave(job)
            return
        if isinstance(error, EngineError):
            log.info("%s did not go on learning %s: %s", engine, owner.key, error.fact)
        else:
            log.exception("%s could not go on learning %s", engine, owner.key)
        error.__cause__ = error.__context__ = None
        with self._changed:
            self._failures[job.key] = error.with_traceback(None)  # whose frames hold clip and prompt
            while len(self._failures) > MOST_FAILURES:
                self._failures.popitem(last=False)
            self._leave(job)


def learn_seconds(settings: Settings, finds_gpu: Callable[[], bool] = finds_gpu) -> float:
    """What may be spent on a voice, by default: less on a Space without a GPU."""
    if settings.learn_seconds is not None:
        return settings.learn_seconds
    return SPACE_LEARN_SECONDS if settings.space_id and not finds_gpu() else LEARN_SECONDS


def _in_line(key: PromptKey, source: PromptSource, prompt: SpeakerPrompt) -> _InLine:
    reached = refinement_of(prompt)
    assert reached is not None  # it can improve
    return _InLine(key, source, reached.step, reached.of, _spent(prompt))


def _spent(prompt: SpeakerPrompt) -> float:
    """Seconds of CPU; 0 where its facts do not say."""
    spent = prompt.facts.get(LEARNED_SECONDS, 0.0)
    return float(spent) if isinstance(spent, int | float) else 0.0
