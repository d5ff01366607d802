"""ZeroGpuWorker: an engine that ZeroGPU lends a GPU, call by call; to the rest of the studio a worker like any other.

What differs from EngineWorker, and why:
* A call has a thread, not the engine: a visitor who waits for a GPU must not hold up another who has one. The thread carries the context of
  whoever asked, since the package `spaces` reads from it whose GPU time it is.
* Nothing waits in our queue, so nothing is ever taken in turn; who waits, waits for a GPU. "started" is marked when there is one.
* A slow listener rests this side alone. There the speech is made to its end, as fast as it goes: every second on the GPU is the visitor's.
* Hanging up ends it within a chunk, by a flag in shared memory: `spaces` hears of it only with the next chunk. While a GPU is waited for,
  it hears of visitors who leave the page; for others the wait goes on, and nothing is computed when it is over.
* It is not warmed up: captures and compiled kernels would be paid by each process that is forked, out of a visitor's time.
* It is never unloaded. Its weights are packed on the disk and on a GPU only while somebody speaks, so that there is nothing to give back.

Tested with `spaces` and without a GPU; not tested: a real GPU's start and pace, whether START_SECONDS and LEARNING_SECONDS suffice, packs
of gigabytes, what the Hub's frame signs, and how the host ends processes that lie idle.
"""

import threading
from collections.abc import Callable
from concurrent.futures import InvalidStateError
from contextlib import suppress
from contextvars import copy_context

from engines.contract import Advanced, Engine, EngineInfo
from engines.errors import EngineUnavailable
from studio.errors import SpeechCancelled
from studio.running.job import EngineJob
from studio.running.limits import Limits
from studio.running.worker import EngineWorker
from studio.running.zero_gpu import ZeroGpu
from studio.running.zero_gpu_engine import LentEngine, ZeroGpuEngine, stop_flag
from studio.running.zero_gpu_errors import NothingToUnload

__all__ = ["ZeroGpuWorker"]


class ZeroGpuWorker(EngineWorker):
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
        super().__init__(info, open_engine, limits=limits, availability=availability)
        self._gpu = gpu
        self._lent = LentEngine(gpu)
        self._flags: dict[EngineJob, int] = {}  # of the jobs under way

    def unload(self) -> None:
        """Of one that could not be opened, forget why. Raises NothingToUnload, and EngineInUse while it is being loaded."""
        if self.ready:
            raise NothingToUnload(self.info.title)
        super().unload()

    def _opened(self) -> Engine:
        self._gpu.emulate()  # on this thread, which puts the weights on `cuda`
        self._lent.engine = self._open_engine()
        return ZeroGpuEngine(self._lent)

    def _accept(self, job: EngineJob) -> None:
        super()._accept(job)
        context, flag = copy_context(), self._lent.stops.take()
        context.run(stop_flag.set, flag)
        self._flags[job] = flag
        threading.Thread(target=context.run, args=(self._carry_out, job), name=f"gpu-{self._info.id}", daemon=True).start()

    def _wake(self) -> None:
        """A listener wants more, or is gone: then the process on the GPU is told at once, whatever the job's thread waits for."""
        with self._changed:
            for job in self._jobs:
                if job.stream is not None and job.stream.closed:
                    self._lent.stops.hoist(self._flags[job])
            self._changed.notify_all()

    def _n_waiting(self) -> int:
        return sum(job.stream is None or job.stream.timeline.since_received("started") is None for job in self._jobs)

    # --- the engine's thread

    def _serve(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._ending)

    def _cancel_jobs(self) -> None:
        """Tell whoever waits. Their threads may be waiting for a GPU, which nothing ends; they end with the wait, or with the process."""
        with self._changed:
            for job in self._jobs:
                self._lent.stops.hoist(self._flags[job])
                _say_closing(job)

    # --- a job's thread

    def _carry_out(self, job: EngineJob) -> None:
        over = False
        while not over:
            with self._changed:
                self._changed.wait_for(lambda: self._ending or job.runnable)
                if self._ending:
                    break
            with suppress(InvalidStateError):  # whoever waited was told meanwhile that the studio is closing
                over = bool(self._advance([job]))
        if not over:
            _say_closing(job)
            if job.chunks is not None:
                job.chunks.close()
        with self._changed:
            self._dismiss([job])
            self._lent.stops.give_back(self._flags.pop(job))

    def _mark_begun(self, job: EngineJob) -> None:
        """Nothing: begun is not started, which it is when there is a GPU."""

    def _took_result(self, job: EngineJob, result: Advanced) -> bool:
        timeline = job.stream.timeline
        if timeline.since_received("started") is None and not isinstance(result, Exception):
            timeline.mark("started")
            timeline.compute_seconds = 0.0  # so far it waited for a GPU
        return super()._took_result(job, result)


def _say_closing(job: EngineJob) -> None:
    closing = SpeechCancelled("The studio is closing.")
    if job.stream is not None:
        job.stream.fail(closing)
        return
    with suppress(InvalidStateError):  # it was said already, or is over
        job.result.set_exception(closing)
