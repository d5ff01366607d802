"""StreamOrder: of two operations that are not ordered, of which one writes what the other touches, it tells; of all others nothing."""

from collections.abc import Callable, Iterator

import pytest
import torch

from engines.kit.decode.cuda_graphs import Graphs, HostCopy
from engines.kit.gauges.fake_gpu import DEVICE, FakeGpu, fake_gpu


@pytest.fixture
def gpu() -> Iterator[FakeGpu]:
    with fake_gpu() as gpu, gpu.order, torch.inference_mode():
        yield gpu


def zeros() -> torch.Tensor:
    return torch.zeros(4, device=DEVICE)


def beside(work: Callable[[], object], stream: "torch.cuda.Stream") -> object:
    with torch.cuda.stream(stream):
        return work()


def test_reads_may_come_in_any_order_and_writes_may_not(gpu):
    shared, side = zeros(), torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    beside(shared.sum, side)
    shared.sum()
    assert not gpu.order.races
    shared.add_(1)
    assert len(gpu.order.races) == 1


def test_an_event_orders_what_was_asked_for_before_it_and_nothing_else(gpu):
    first, second, side, event = zeros(), zeros(), torch.cuda.Stream(), torch.cuda.Event()
    event.record()
    second.add_(1)
    side.wait_event(event)
    beside(first.sum, side)
    assert not gpu.order.races
    beside(second.sum, side)
    assert len(gpu.order.races) == 1


def test_a_host_that_has_waited_orders_what_it_asks_for_next(gpu):
    shared, side = zeros(), torch.cuda.Stream()
    copy = HostCopy(shared)
    copy.wait()
    copy.wait()
    beside(lambda: shared.add_(1), side)
    assert not gpu.order.races
    assert gpu.order.host_waits.total() == 1


def test_memory_is_given_to_others_when_nobody_reads_it_any_more(gpu):
    side = torch.cuda.Stream()
    dropped, lent, known = zeros(), zeros(), zeros()
    side.wait_stream(torch.cuda.current_stream())
    for tensor in (dropped, lent, known):
        beside(tensor.sum, side)
    lent.record_stream(side)
    del lent
    zeros()
    assert not gpu.order.races
    del dropped
    zeros()
    assert len(gpu.order.races) == 1
    torch.cuda.current_stream().wait_stream(side)
    del known
    zeros()
    assert len(gpu.order.races) == 1


def test_graphs_that_share_their_memory_run_in_order(gpu):
    side, graphs, others = torch.cuda.Stream(), Graphs(torch.device(DEVICE)), Graphs(torch.device(DEVICE))
    for each, key in ((graphs, "one"), (graphs, "two"), (others, "other")):
        each.capture(key, lambda: zeros().add(1))
    side.wait_stream(torch.cuda.current_stream())
    graphs.run("one", lambda: None)
    beside(lambda: others.run("other", lambda: None), side)
    assert not gpu.order.races
    beside(lambda: graphs.run("two", lambda: None), side)
    assert {(race.first, race.second) for race in gpu.order.races} == {("graph one", "graph two")}
