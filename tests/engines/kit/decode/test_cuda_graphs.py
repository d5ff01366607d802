"""Graphs: done at once where there is no GPU; on one, captured alone in the process and on a stream of the engine's own device."""

import itertools
from contextlib import contextmanager, nullcontext
from threading import Event, Lock, Thread
from weakref import WeakSet

import pytest
import torch

from engines.errors import EngineUnavailable
from engines.kit.decode import cuda_graphs
from engines.kit.decode.cuda_graphs import STREAMS_OF_TORCH, WARM_RUNS, Graphs, empty_cache

SECOND_GPU = torch.device("cuda:1")
PATIENCE_SECONDS = 60  # of a test that would fail


class WatchedLock:
    """Tells when somebody wants it who does not get it at once."""

    def __init__(self):
        self._lock, self.wanted = Lock(), Event()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            self.wanted.set()
            self._lock.acquire()

    def __exit__(self, *_) -> None:
        self._lock.release()


class FakeGraph:
    """Of CUDA, as far as a capture asks for it."""

    replayed = 0

    def pool(self) -> str:
        return "pool"

    def replay(self) -> None:
        self.replayed += 1


class FakeStream:
    def __init__(self, device: torch.device | None = None):
        self.device = device

    def wait_stream(self, other: "FakeStream") -> None:
        assert other.device == self.device


@pytest.fixture
def events(monkeypatch) -> list:
    """What is done on a GPU that is not there, in order."""
    done = []

    def capture(graph, *, pool, stream, capture_error_mode):
        done.append(("capture", stream, pool, capture_error_mode))
        return nullcontext()

    fakes = {"graph": capture, "CUDAGraph": FakeGraph, "Stream": FakeStream, "stream": lambda _: nullcontext()}
    fakes |= {"current_stream": FakeStream, "device": lambda _: nullcontext(), "empty_cache": lambda: done.append("emptied")}
    for name, fake in fakes.items():
        monkeypatch.setattr(torch.cuda, name, fake)
    return done


def test_without_a_gpu_work_is_done_when_it_is_asked_for():
    graphs, done = Graphs(torch.device("cpu")), []
    graphs.capture("work", lambda: done.append("captured"))
    graphs.run("work", lambda: done.append("run"))
    graphs.clear()
    empty_cache(torch.device("cpu"))
    assert done == ["captured", "run"]


def test_captures_are_made_on_one_stream_of_the_engines_own_device_and_share_one_pool(events):
    """What one capture has freed serves the next only in the same pool and on the same stream."""
    graphs, done = Graphs(SECOND_GPU), []
    graphs.capture("one", lambda: done.append(1))
    graphs.capture("other", lambda: done.append(2))
    streams = {stream for _, stream, *_ in events}
    assert [stream.device for stream in streams] == [SECOND_GPU]
    assert [(what, *how) for what, _, *how in events] == [("capture", None, "thread_local"), ("capture", "pool", "thread_local")]
    assert done == [1] * (WARM_RUNS + 1) + [2] * (WARM_RUNS + 1)
    graphs.run("one", lambda: done.append("not replayed"))
    assert done[-1] == 2


def test_the_memory_of_graphs_is_what_grows_while_they_are_captured(events, monkeypatch):
    """The runs before take some too, which is given back when the capture begins."""
    graphs, reserved = Graphs(SECOND_GPU), [1000]

    @contextmanager
    def capture(graph, **_):
        reserved[0] = 1000 + graphs.bytes
        yield

    def work() -> None:
        reserved[0] += 50

    monkeypatch.setattr(torch.cuda, "graph", capture)
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda device: reserved[0])
    for key in range(3):
        graphs.capture(key, work)
    assert (graphs.bytes, graphs.bytes_of) == (3 * 50, {0: 50, 1: 50, 2: 50})
    graphs.clear()
    assert graphs.bytes == 0


def test_nobody_elses_precision_holds_in_a_capture_or_in_the_runs_before_it(events, monkeypatch):
    """A kernel of the graph's own precision would be loaded in the midst of the capture, which CUDA may refuse."""
    order = []

    @contextmanager
    def alone():
        order.append("alone")
        yield
        order.append("no longer")

    monkeypatch.setattr(cuda_graphs, "no_other_precision", alone)
    Graphs(SECOND_GPU).capture("work", lambda: order.append("work"))
    assert order == ["alone", *["work"] * (WARM_RUNS + 1), "no longer"]


@pytest.mark.parametrize("other", ["capture", "empty_cache", "clear"])
def test_one_capture_at_a_time_and_no_memory_is_given_back_meanwhile(events, monkeypatch, other):
    """Whichever engines they are of. The other one is known to have tried before the capture ends."""
    lock, second = WatchedLock(), Graphs(torch.device("cuda:0"))
    monkeypatch.setattr(cuda_graphs, "_capturing", lock)
    done, thread = [], None
    tries = {"capture": lambda: second.capture("work", lambda: None), "empty_cache": lambda: empty_cache(SECOND_GPU), "clear": second.clear}

    def work() -> None:
        nonlocal thread
        if thread is None:
            thread = Thread(target=lambda: (tries[other](), done.append(other)))
            thread.start()
            lock.wanted.wait(PATIENCE_SECONDS)
        done.append("work")

    Graphs(SECOND_GPU).capture("work", work)
    thread.join(PATIENCE_SECONDS)
    assert done == ["work"] * (WARM_RUNS + 1) + [other]


def test_graphs_beside_others_have_a_pool_and_streams_of_their_own(events):
    graphs = Graphs(SECOND_GPU)
    for each in (graphs, graphs.beside(), graphs, graphs.beside()):
        each.capture("work", lambda: None)
    pools, streams = [pool for _, _, pool, _ in events], [stream for _, stream, *_ in events]
    assert pools == [None, None, "pool", "pool"]
    assert streams[0] is streams[2] is not streams[1] is streams[3]


def test_graphs_beside_others_are_counted_and_cleared_with_them(events, monkeypatch):
    graphs, reserved = Graphs(SECOND_GPU), iter(range(0, 400, 100))
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda device: next(reserved))
    graphs.beside().capture("work", lambda: None)
    assert graphs.bytes == 100
    graphs.clear()
    assert graphs.bytes == 0


def test_without_a_gpu_nothing_runs_beside():
    graphs = Graphs(torch.device("cpu"))
    assert graphs.beside() is graphs


def test_nothing_is_asked_of_a_gpu_before_the_first_work(monkeypatch):
    """ZeroGPU opens engines where none is, and forks."""
    monkeypatch.setattr(torch.cuda, "Stream", None)
    Graphs(SECOND_GPU).beside().clear()


def test_a_stream_that_torch_hands_out_again_is_nobody_elses(monkeypatch):
    """Two captures on one stream would share what libraries keep for it."""
    of_torch = itertools.cycle([FakeStream() for _ in range(STREAMS_OF_TORCH)])
    monkeypatch.setattr(torch.cuda, "Stream", lambda _: next(of_torch))
    monkeypatch.setattr(cuda_graphs, "_streams", WeakSet())
    first = cuda_graphs._own_stream(SECOND_GPU)
    for _ in range(STREAMS_OF_TORCH - 1):
        next(of_torch)
    others = {cuda_graphs._own_stream(SECOND_GPU) for _ in range(STREAMS_OF_TORCH - 1)}
    assert first not in others
    assert len(others) == STREAMS_OF_TORCH - 1
    with pytest.raises(EngineUnavailable):
        cuda_graphs._own_stream(SECOND_GPU)
