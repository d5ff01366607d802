"""Speaking: speaks the sentences of a WebSocket session in order, and decides when an utterance ends. Nothing here reads messages."""

import asyncio
import time
from collections import deque
from dataclasses import dataclass, replace

from studio.api.socket.spoken_unit import SpokenUnit
from studio.api.socket.wire import Wire
from studio.reading.telling import shown_marks
from studio.running.ended_tasks import all_ended

__all__ = ["Speaking"]


@dataclass(frozen=True)
class _End:
    """session.done of one utterance. left_out: markup behind its last sentence."""

    utterance_index: int
    cancelled: bool = False
    left_out: tuple[str, ...] = ()


class Speaking:
    """`run` speaks until it is cancelled, or all is spoken after `finish`; the other methods return at once.

    The next sentence goes to the engine when it has made the last one, also while that is still being sent: there is no gap between
    them, and never two that compete for the engine.
    """

    def __init__(self, wire: Wire):
        self._wire = wire
        self._jobs: deque[SpokenUnit | _End] = deque()
        self._current: SpokenUnit | _End | None = None
        self._task: asyncio.Task[None] | None = None
        self._news = asyncio.Event()
        self._is_finishing = False
        self._heard_until: float | None = None  # time.perf_counter(), by its listener; None where that one was interrupted
        self._n_spoken = 0  # sentences of the current utterance that had their turn
        self._rested_at = time.perf_counter()  # when the last job was over

    @property
    def is_busy(self) -> bool:
        return self._current is not None or bool(self._jobs)

    @property
    def is_silent(self) -> bool:
        """Nothing is spoken before the client says more."""
        return not self.is_busy or (not self._jobs and isinstance(self._current, SpokenUnit) and self._current.is_starved)

    @property
    def rested_at(self) -> float:
        """time.perf_counter() since when it may be silent."""
        return max(self._rested_at, self._current.sent_at if isinstance(self._current, SpokenUnit) else 0.0)

    @property
    def n_utterances(self) -> int:
        """How many wait for their end."""
        return sum(isinstance(job, _End) for job in self._jobs)

    @property
    def waiting_characters(self) -> int:
        """Of the sentences that are not spoken yet."""
        jobs = (*self._jobs, self._current)
        return sum(job.order.n_characters for job in jobs if isinstance(job, SpokenUnit))

    def add(self, unit: SpokenUnit) -> None:
        self._put(unit)

    def end_utterance(self, index: int, *, cancelled: bool = False, left_out: tuple[str, ...] = ()) -> None:
        """All of its sentences have been added."""
        self._put(_End(index, cancelled, left_out))

    def cancel(self) -> None:
        """Stop the sentence that is being spoken and drop all that wait; utterances that have ended are told to be cancelled."""
        ends = []
        for job in self._jobs:
            if isinstance(job, SpokenUnit):
                job.drop()
            else:
                ends.append(replace(job, cancelled=True))
        self._jobs = deque(ends)
        self._heard_until = None
        if self._task is not None:
            self._task.cancel()

    def finish(self) -> None:
        """Nothing more will be added."""
        self._is_finishing = True
        self._news.set()

    async def run(self) -> None:
        """Raises WebSocketDisconnect once the client is gone."""
        try:
            while await self._has_job():
                job = self._current = self._jobs.popleft()
                await (self._speak(job) if isinstance(job, SpokenUnit) else self._tell_end(job))
                self._current = None
                self._rested_at = time.perf_counter()
        finally:
            self.cancel()
            if self._task is not None:
                await all_ended(self._task)

    async def _has_job(self) -> bool:
        """Waits for one; False where none will come."""
        while not self._jobs and not self._is_finishing:
            self._news.clear()
            await self._news.wait()
        return bool(self._jobs)

    async def _speak(self, unit: SpokenUnit) -> None:
        self._n_spoken += 1
        self._task = asyncio.ensure_future(unit.speak(lambda: self._begin_next(unit), self._heard_until))
        await asyncio.wait({self._task})
        task, self._task = self._task, None
        if not task.cancelled():
            task.result()
            self._heard_until = unit.heard_until
            return
        unit.drop()  # for one that was cancelled before it could do anything
        await unit.tell_cancelled()

    async def _tell_end(self, end: _End) -> None:
        n_spoken, self._n_spoken = self._n_spoken, 0
        members: dict[str, object] = {"cancelled": True} if end.cancelled else {}
        members |= {"left_out": shown_marks(end.left_out)} if end.left_out else {}
        await self._wire.tell("session.done", utterance_index=end.utterance_index, total_sentences=n_spoken, **members)

    def _begin_next(self, unit: SpokenUnit) -> None:
        if self._jobs and isinstance(after := self._jobs[0], SpokenUnit):
            after.begin(unit.heard_until)

    def _put(self, job: SpokenUnit | _End) -> None:
        self._jobs.append(job)
        self._news.set()
