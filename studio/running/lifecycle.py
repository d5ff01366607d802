"""EngineLifecycle: opens an engine at its first use, and closes it on request or when it is idle for long. The next use opens it again."""

import math
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from engines.contract.contract import Engine, EngineInfo
from engines.contract.health import WELL, EngineHealth
from engines.errors import EngineError, EngineFailed, EngineUnavailable
from studio.errors import EngineInUse, SpeechCancelled
from studio.prompt_key import Extractor
from studio.running.offer.memory_check import SMALL_BYTES
from studio.running.stream import EngineJob

__all__ = ["EngineLifecycle", "EngineState", "EngineStatus", "IdleLimit"]

BRIEF_SECONDS = 5.0  # that whoever unloads an engine waits for what nobody asked for

EngineState = Literal["idle", "loading", "ready", "unloading", "failed", "unavailable", "closed"]


@dataclass(frozen=True)
class EngineStatus:
    """What people and /health see of one engine. reason, hint and command say what is wrong and what mends it; code and values are the
    error's.

    unload: the engine that would have to go for this one to fit, where that is what is wrong.
    unloads_in_seconds: until it is unloaded, if nobody wants it before, in whole minutes rounded up, so that a page that shows it changes
    once a minute; None where it stays, and while it is at work.
    stays: whether it cannot be unloaded, since that would free nothing. width: streams that one step of it serves, where it is open.
    health: of what does the work, where the engine is open.
    waiting, streaming: jobs before and after their first turn, now. begun, refused: streams so far; refused are those that had none.
    """

    info: EngineInfo
    state: EngineState
    reason: str = ""
    hint: str = ""
    code: str = ""
    values: Mapping[str, object] = field(default_factory=dict, hash=False)
    command: str = ""
    unload: str = ""
    device: str = ""
    device_is_tested: bool = True
    load_seconds: float | None = None
    memory_bytes: int = 0
    health: EngineHealth = WELL
    waiting: int = 0
    streaming: int = 0
    begun: int = 0
    refused: int = 0
    unloads_in_seconds: int | None = None
    stays: bool = False
    width: int = 1

    @property
    def is_out_of_order(self) -> bool:
        """It speaks with nobody before something is mended."""
        return self.state in ("failed", "unavailable", "closed")


@dataclass(frozen=True)
class IdleLimit:
    """How long an engine may be at work for nobody, seconds of `clock`, before it is unloaded; None for ever."""

    seconds: float | None = None
    clock: Callable[[], float] = time.monotonic


class EngineLifecycle(ABC):
    """The engine, its state, and the one thread that opens it, serves with it and closes it. A subclass says how it serves.

    open_engine: gives the engine, on that thread. availability: what is known to be missing before anybody has tried to open it; asked for
    every status of an idle engine, so cheap.
    """

    stays = False  # opened once, it is never unloaded

    def __init__(
        self,
        info: EngineInfo,
        open_engine: Callable[[], Engine],
        availability: Callable[[], EngineUnavailable | None],
        idle_limit: IdleLimit,
    ):
        self._info = info
        self._open_engine = open_engine
        self._availability = availability
        self._idle_limit = idle_limit
        self._idle_since = 0.0
        self._changed = threading.Condition()
        self._jobs: list[EngineJob] = []
        self._engine: Engine | None = None
        self._extractor: Extractor | None = None
        self._state: EngineState = "idle"
        self._failure: EngineError | None = None
        self._load_seconds: float | None = None
        self._n_begun = self._n_refused = 0
        self._closing = False
        self._thread: threading.Thread | None = None

    def load(self) -> Engine:
        """The opened engine, waiting for it. Raises EngineUnavailable or EngineFailed; a later call tries again."""
        with self._changed:
            while True:  # it may be unloaded again before we look
                self.begin_loading()
                self._changed.wait_for(lambda: self._state != "loading")
                if self._state == "ready":
                    return self._serving
                if self._failure is not None:
                    raise self._failure
                if self._closing:
                    raise SpeechCancelled(sentence="studio_closing")

    def begin_loading(self) -> None:
        """Start opening the engine, if it is not open or being opened. Waits while it is being closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._state != "unloading")
            if self._closing or self._state in ("loading", "ready"):
                return
            self._state, self._failure = "loading", None
            self._thread = threading.Thread(target=self._work, name=f"engine-{self._info.id}", daemon=True)
            self._thread.start()

    def unload(self) -> None:
        """Close the engine and free its memory; the next request opens it again. Of one that could not be opened, forget why.

        Raises EngineInUse while it is loading, speaking or extracting.
        """
        with self._changed:
            self._changed.wait_for(lambda: not self._jobs or not all(job.is_brief for job in self._jobs), BRIEF_SECONDS)
            if self._state in ("unloading", "closed") or self._closing:
                return
            if self._state == "loading":
                raise EngineInUse(self.info.title, 0)
            if self._jobs:
                raise EngineInUse(self.info.title, len(self._jobs))
            if self._state != "ready":
                self._state, self._failure = "idle", None
                return
            self._begin_unloading()
            thread = self._thread
        if thread is not None:
            thread.join()

    def redeclare(self, settle: Callable[[], EngineInfo]) -> EngineInfo:
        """Open something else from now on. settle(): settles what, and gives what it declares; called while nothing can be opened.

        What decides about its prompts is not known before that is open. Raises EngineInUse where the engine is open or being opened.
        """
        with self._changed:
            if self._state not in ("idle", "failed", "unavailable"):
                raise EngineInUse(self.info.title, len(self._jobs))
            self._info = settle()
            self._state, self._failure, self._extractor, self._load_seconds = "idle", None, None, None
            return self._info

    def close(self) -> None:
        """Cancel everything, close the engine, end the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()
        with self._changed:
            self._state = "closed"
            self._changed.notify_all()

    @property
    def extractor(self) -> Extractor | None:
        """What decides about the prompts of the engine; None before it was opened for the first time."""
        return self._extractor

    @property
    def info(self) -> EngineInfo:
        """What the engine declares: the opened one's own word, else the catalog's."""
        engine = self._engine
        return engine.info if engine else self._info

    @property
    def opened(self) -> Engine | None:
        """The engine, while it is open; nothing is opened for that."""
        return self._engine if self.ready and not self._closing else None

    @property
    def ready(self) -> bool:
        return self._state == "ready"

    def status(self) -> EngineStatus:
        lacking = self._availability() if self._state == "idle" else None
        with self._changed:
            engine, failure, state = self._engine, self._failure, self._state
            if lacking is not None and state == "idle":
                failure, state = lacking.of_engine(self._info.title), "unavailable"
            waiting, unloads_in = self._n_waiting(), self._unloads_in()
            return EngineStatus(
                info=self.info,
                state=state,
                reason=failure.fact if failure else "",
                hint=failure.hint if failure else "",
                code=failure.code if failure else "",
                values=failure.values if failure else {},
                command=getattr(failure, "command", ""),
                unload=getattr(failure, "unload", ""),
                device=engine.device if engine else "",
                device_is_tested=engine.device_is_tested if engine else True,
                load_seconds=self._load_seconds,
                memory_bytes=engine.memory_bytes() if engine else 0,
                health=engine.health() if engine else WELL,
                waiting=waiting,
                streaming=sum(not job.is_brief for job in self._jobs) - waiting,
                begun=self._n_begun,
                refused=self._n_refused,
                unloads_in_seconds=None if unloads_in is None else math.ceil(unloads_in / 60) * 60,
                stays=self.stays,
                width=engine.width if engine else 1,
            )

    # --- for the subclass

    @abstractmethod
    def _serve(self) -> None:
        """Do what the engine is asked for, until `_ending`. On the engine's thread; nothing a job does may end it."""

    @abstractmethod
    def _cancel_jobs(self) -> None:
        """End whatever is still under way: the studio is closing. On the engine's thread."""

    @abstractmethod
    def _n_waiting(self) -> int:
        """Jobs that have not had their first turn, brief ones apart; wants the lock held."""

    def _opened(self) -> Engine:
        """The engine, ready to serve."""
        engine = self._open_engine()
        try:
            engine.warmup()
        except BaseException:
            engine.close()
            raise
        return engine

    @property
    def _serving(self) -> Engine:
        """The engine, where it is open."""
        assert self._engine is not None
        return self._engine

    @property
    def _ending(self) -> bool:
        return self._closing or self._state == "unloading"

    def _dismiss(self, jobs: Sequence[EngineJob]) -> None:
        """They are over. Whoever has nothing more to do is idle from now on; wants the lock held."""
        self._jobs = [job for job in self._jobs if job not in jobs]
        self._idle_since = self._idle_limit.clock()
        self._changed.notify_all()

    def _unloads_in(self) -> float | None:
        """Seconds until it has been idle for too long; wants the lock held.

        An engine that holds next to nothing stays, as the embedded one: unloaded it would free nothing, and cost the next listener its
        start. What counts is what the opened engine says it holds; the size of weights is not known beforehand for every checkpoint.
        """
        limit, engine = self._idle_limit, self._engine if self._state == "ready" else None
        if limit.seconds is None or self.stays or self._jobs or engine is None or engine.memory_bytes() < SMALL_BYTES:
            return None
        return max(0.0, self._idle_since + limit.seconds - limit.clock())

    def _begin_unloading(self) -> None:
        """Wants the lock held, and nothing to do."""
        self._state = "unloading"
        self._changed.notify_all()

    # --- the engine's thread

    def _work(self) -> None:
        if self._open():
            self._serve()
            self._shut_down()

    def _open(self) -> bool:
        started = time.perf_counter()
        engine, failure, state = None, None, "ready"
        try:
            engine = self._opened()
        except EngineUnavailable as error:
            failure, state = error.of_engine(self._info.title), "unavailable"
        except EngineError as error:
            failure, state = error.of_engine(self._info.title), "failed"
        except Exception as error:
            failure, state = _not_opened(self._info.title, error), "failed"
            failure.__cause__ = error
        with self._changed:
            self._engine, self._failure, self._state = engine, failure, state
            self._load_seconds = time.perf_counter() - started if engine else None
            self._extractor = Extractor.of(engine) if engine else self._extractor
            self._idle_since = self._idle_limit.clock()
            self._changed.notify_all()
        return engine is not None

    def _shut_down(self) -> None:
        self._cancel_jobs()
        try:
            self._serving.close()
        finally:
            with self._changed:
                self._engine = None
                self._state = "idle" if self._state == "unloading" else self._state
                self._changed.notify_all()


def _not_opened(title: str, error: Exception) -> EngineFailed:
    return EngineFailed(sentence="engine_not_opened", detail=f"{error}", engine=title)
