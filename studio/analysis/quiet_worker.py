"""QuietWorker: one thread that analyzes one recording at a time. So no listener of the studio has to wait for it.

step_back and limited_threads are what makes any thread quiet.
"""

import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Any

from threadpoolctl import ThreadpoolController

from studio.errors import SpeechCancelled

__all__ = ["QuietWorker", "QuietWorkerFull", "half_the_cores", "limited_threads", "step_back"]

MOST_WAITING = 8  # recordings of 30 s: a minute or two on a small machine

NICENESS = 10  # of 0 to 19: a tenth of the time of a core that somebody else wants, all of one that nobody wants (sched(7))


class QuietWorkerFull(Exception):
    """MOST_WAITING wait already."""


def half_the_cores() -> int:
    """How many threads a model that hears may compute with."""
    return max(1, (os.cpu_count() or 1) // 2)


@contextmanager
def limited_threads(n: int) -> Iterator[None]:
    """What torch computes within, it computes with so many threads: of this thread alone, other than torch.set_num_threads."""
    with ThreadpoolController().limit(limits=n, user_api="openmp"):
        yield


def step_back() -> None:
    """Of this thread, and of those that it begins: whoever speaks comes first where cores are few. Linux alone has it by thread."""
    if sys.platform == "linux":
        with suppress(OSError):  # where a sandbox forbids it
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


class QuietWorker:
    """Thread-safe. open_model: on its thread, at the first work, and again after idle_seconds without any; 0 keeps the model for ever."""

    def __init__(self, name: str, open_model: Callable[[], Any], idle_seconds: float = 0.0):
        self._name = name
        self._open_model = open_model
        self._idle_seconds = idle_seconds
        self._tasks: queue.Queue[tuple[Callable[[Any], Any], Future] | None] = queue.Queue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_closing = False

    @property
    def n_waiting(self) -> int:
        return self._tasks.qsize()

    def run(self, work: Callable[[Any], Any]) -> Any:
        """What work(model) gives or raises, after the work before it. Raises QuietWorkerFull, SpeechCancelled."""
        answer: Future = Future()
        with self._lock:
            self.check_closing()
            if self._tasks.qsize() >= MOST_WAITING:
                raise QuietWorkerFull
            self._tasks.put((work, answer))
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                self._thread.start()
        return answer.result()

    def check_closing(self) -> None:
        """For long work, now and then. Raises SpeechCancelled."""
        if self._is_closing:
            raise SpeechCancelled(sentence="studio_closing")

    def close(self) -> None:
        """Who waits is told that the studio closes; what is under way ends at its next look."""
        with self._lock:
            self._is_closing = True
            self._tasks.put(None)
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        step_back()
        model = None
        while True:
            try:
                task = self._tasks.get(timeout=self._idle_seconds or None)
            except queue.Empty:
                model = None
                continue
            if task is None:
                return
            work, answer = task
            try:
                self.check_closing()
                model = self._open_model() if model is None else model
                answer.set_result(work(model))
            except Exception as error:
                answer.set_exception(error)
            del task, work, answer  # nothing of it is held while nothing is to be done
