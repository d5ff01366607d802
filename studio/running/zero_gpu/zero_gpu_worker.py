"""ZeroGpuWorker: the worker of an engine that gets a GPU from ZeroGPU, call by call. The rest of the studio uses it like any other worker.

What differs from EngineWorker, and why:
* A call has a thread, not the engine (threaded_worker.py): a visitor who waits for a GPU must not hold up another who has one. The thread
  carries the context of whoever asked, since the package `spaces` reads from it whose GPU time it is.
* Who waits, waits for a GPU. "started" is marked when there is one.
* A slow listener rests this side alone. There the speech is made to its end, as fast as it goes: every second on the GPU is the visitor's.
* Hanging up ends it within a chunk, by a flag in shared memory: `spaces` hears of it only with the next chunk. While a GPU is waited for,
  it hears of visitors who leave the page; for others the wait goes on, and nothing is computed when it is over.
* It is not warmed up: captures and compiled kernels would be paid by each process that is forked, out of a visitor's time.
* It is never unloaded. Its weights are packed on the disk and on a GPU only while somebody speaks, so that there is nothing to give back.

Tested with `spaces` and without a GPU; not tested: a real GPU's start and pace, whether what is asked for suffices, packs
of gigabytes, what the Hub's frame signs, and how the host ends processes that lie idle.
"""

import threading
from collections.abc import Callable
from contextvars import Context

from engines.contract.contract import Engine, EngineInfo, StepResult
from engines.errors import EngineUnavailable
from studio.running.limits import Limits
from studio.running.stream import EngineJob, StreamJob
from studio.running.threaded_worker import ThreadedWorker
from studio.running.zero_gpu.zero_gpu import ZeroGpu
from studio.running.zero_gpu.zero_gpu_engine import LentEngine, ZeroGpuEngine, stop_flag
from studio.running.zero_gpu.zero_gpu_errors import NothingToUnload

__all__ = ["ZeroGpuWorker"]


class ZeroGpuWorker(ThreadedWorker):
    """As EngineWorker; gpu: the host's. To be made before the page is launched, and loaded by then where the weights are at hand."""

    stays = True

    def __init__(
        self,
        info: EngineInfo,
        open_engine: Callable[[], Engine],
        gpu: ZeroGpu,
        *,
        limits: Limits = Limits(),
        availability: Callable[[], EngineUnavailable | None] = lambda: None,
    ):
        super().__init__(info, open_engine, limits=limits, availability=lambda: availability() or gpu.room.lack(self.info))
        self._gpu = gpu
        self._lent = LentEngine(gpu)
        self._flags: dict[EngineJob, int] = {}  # of the jobs under way

    def unload(self) -> None:
        """Of one that could not be opened, forget why. Raises NothingToUnload, and EngineInUse while it is being loaded."""
        if self.ready:
            raise NothingToUnload(self.info.title)
        super().unload()

    def gpu_seconds(self, spoken_seconds: float) -> int | None:
        return self._gpu.share.quota_seconds(self._lent.start_seconds + spoken_seconds) if spoken_seconds else 0

    def _opened(self) -> Engine:
        with self._gpu.room.opening(self._info) as settle:
            self._gpu.emulate()  # on this thread, which puts the weights on `cuda`
            engine = self._open_engine()
            try:
                settle(engine.memory_bytes())
            except EngineUnavailable:
                engine.close()
                raise
        self._lent.engine = engine
        return ZeroGpuEngine(self._lent)

    def _waits(self, job: EngineJob) -> bool:
        return not isinstance(job, StreamJob) or job.stream.timeline.since_received("started") is None

    def _prepare(self, job: EngineJob, context: Context) -> None:
        self._flags[job] = flag = self._lent.stops.take()
        context.run(stop_flag.set, flag)

    def _let_go_of(self, job: EngineJob) -> None:
        self._lent.stops.give_back(self._flags.pop(job))

    def _wake(self, stirred: threading.Event) -> None:
        """Of a listener who is gone, the process on the GPU is told at once, whatever the job's thread waits for."""
        with self._changed:
            for job in self._jobs:
                if job.stirred is stirred and job.gone:
                    self._lent.stops.hoist(self._flags[job])
        super()._wake(stirred)

    def _cancel_jobs(self) -> None:
        """The jobs' threads may be waiting for a GPU, which nothing ends; they end with the wait, or with the process."""
        with self._changed:
            for job in self._jobs:
                self._lent.stops.hoist(self._flags[job])
        super()._cancel_jobs()

    # --- a job's thread

    def _mark_begun(self, job: StreamJob) -> None:
        """Nothing: begun is not started, which it is when there is a GPU."""

    def _took_result(self, job: StreamJob, result: StepResult) -> bool:
        timeline = job.stream.timeline
        if timeline.since_received("started") is None and not isinstance(result, Exception):
            timeline.mark("started")
            timeline.compute_seconds = 0.0  # so far it waited for a GPU
        return super()._took_result(job, result)
