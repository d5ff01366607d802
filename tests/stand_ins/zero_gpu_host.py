"""ZeroGpuHost: lends processes as ZeroGPU lends GPUs: forked when there is a slot, everything pickled, used again when idle, with a quota.

Modelled on spaces 0.51.3, wrappers.py and client.py; tests/server/test_zero_gpu_wheel.py asks the package itself.
"""

import inspect
import multiprocessing
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from queue import Queue

import gradio as gr

from studio.running.zero_gpu.zero_gpu import GpuShare, ZeroGpu

__all__ = ["Call", "ZeroGpuHost"]

FORK = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Call:
    """One that was let in."""

    function: str
    seconds: int
    visitor: object
    size: str = "large"


class ZeroGpuHost:
    """n_slots: how many processes may be at work at one time; whoever comes later waits. left: seconds of GPU time, a limit of each call.
    visitor: whose event is under way in this context. calls: let in. emulating: threads whose torch believes in a GPU.
    """

    def __init__(self, n_slots: int = 1, left: int = 120, share: GpuShare = GpuShare()):
        self.left, self.share = left, share
        self.calls: list[Call] = []
        self.emulating: set[int] = set()
        self.n_forks = 0
        self.visitor: ContextVar[object | None] = ContextVar("visitor", default=None)
        self.released = threading.Semaphore(0)  # one for every call that has given its slot back
        self.queued = threading.Semaphore(0)  # one for every call that was let in and asks for a slot
        self._slots = threading.Semaphore(n_slots)
        self._processes: list[_Process] = []

    def zero_gpu(self) -> ZeroGpu:
        """What the studio is given."""
        return ZeroGpu(self._decorated, lambda: self.emulating.add(threading.get_ident()), self.visitor, self.share)

    def close(self) -> None:
        for process in self._processes:
            process.kill()

    def _decorated(self, function: Callable, *, duration: Callable[..., int], size: str) -> Callable:
        idle: list[_Process] = []

        def results(arguments: tuple) -> Iterator[object]:
            process = self._lend(Call(function.__name__, duration(*arguments), self.visitor.get(), size), function, idle)
            process.arguments.put(arguments)
            drained, drainer = process.drain(lambda: (idle.append(process), self._give_back()), self._give_back)
            while True:
                kind, value = drained.get()
                if kind == "value":
                    try:
                        yield value
                    except GeneratorExit:
                        process.stop.set()
                        drainer.join()
                        raise
                elif kind == "end":
                    return
                else:
                    raise gr.Error(value, title="ZeroGPU worker error", print_exception=False)

        if inspect.isgeneratorfunction(function):
            return lambda *arguments: results(arguments)

        def call(*arguments: object) -> object:
            [answer] = results(arguments)
            return answer

        return call

    def _lend(self, call: Call, function: Callable, idle: list["_Process"]) -> "_Process":
        if call.seconds > self.left:
            message = f"You have exceeded your free ZeroGPU quota ({call.seconds}s requested vs. {self.left}s left). Try again in 3:12:07. "
            raise gr.Error(message, title="ZeroGPU quota exceeded", print_exception=False)
        self.calls.append(call)
        self.queued.release()
        self._slots.acquire()
        if idle and idle[-1].process.is_alive():
            return idle.pop()
        self.n_forks += 1
        self._processes.append(_Process(function))
        return self._processes[-1]

    def _give_back(self) -> None:
        self._slots.release()
        self.released.release()


class _Process:
    """A fork of this one as it is now; it runs the function on whatever arguments come, one call at a time."""

    def __init__(self, function: Callable):
        self.arguments, self.results, self.stop = FORK.SimpleQueue(), FORK.SimpleQueue(), FORK.Event()
        self.process = FORK.Process(target=self._run, args=(function,), daemon=True)
        self.process.start()
        threading.Thread(target=self._tell_its_end, daemon=True).start()

    def drain(self, on_end: Callable[[], object], on_failure: Callable[[], object]) -> "tuple[Queue[tuple[str, object]], threading.Thread]":
        """Everything that one call gives, as fast as it comes and whether or not anybody takes it from the queue."""
        taken: Queue[tuple[str, object]] = Queue()

        def fill() -> None:
            while True:
                kind, value = self.results.get()
                if kind == "end":
                    on_end()
                elif kind != "value":
                    on_failure()
                taken.put((kind, value))
                if kind != "value":
                    return

        drainer = threading.Thread(target=fill, daemon=True)
        drainer.start()
        return taken, drainer

    def kill(self) -> None:
        self.process.kill()
        self.process.join()

    def _tell_its_end(self) -> None:
        self.process.join()
        self.results.put(("aborted", "GPU task aborted"))

    def _run(self, function: Callable) -> None:
        while True:
            arguments = self.arguments.get()
            self.stop.clear()
            try:
                for value in self._values(function, arguments):
                    self.results.put(("value", value))
                self.results.put(("end", None))
            except Exception as error:
                self.results.put(("failed", type(error).__name__))

    def _values(self, function: Callable, arguments: tuple) -> Iterator[object]:
        if not inspect.isgeneratorfunction(function):
            yield function(*arguments)
            return
        made = function(*arguments)
        for value in made:
            if self.stop.is_set():
                made.close()
                return
            yield value
