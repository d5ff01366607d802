"""StreamOrder: checks on a fake GPU whether work on several streams of the device is in order where it touches the same memory.

A happens-before checker with vector clocks (Lamport 1978, doi 10.1145/359545.359563; Fidge 1988). Every operation reads and writes
storages on the stream that is current when it is asked for. It is ordered behind what its stream was asked for before, what an event that
the stream waits for was recorded behind, and what the host had waited for. Of two operations that are not ordered, of which one writes
what the other touches, it reports a race. A replay reads and writes what its capture did, and writes its graphs' pool of memory. Memory
that is freed may be written next on the stream that it was made on, as torch's caching allocator hands it out again; `record_stream` puts
that off.
It knows whole storages, not parts of them, and it knows no libraries: workspaces that they keep per stream are not seen.
"""

import contextlib
import sys
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

import torch
from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._pytree import tree_leaves

from engines.kit.gauges.dispatch_gauge import DispatchGauge
from engines.kit.gauges.launch_counter import COPIES, FREE

__all__ = ["USUAL", "Launch", "Race", "StreamOrder"]

Clock = dict[int, int]  # stream -> how many of its operations have happened before
USUAL = 0  # the stream that is current where nobody says other
SWEPT = 4096  # operations until memory that is gone is forgotten


@dataclass(frozen=True)
class Launch:
    """An operation, or a replay of a graph. count: its number on its stream. clock: what has happened before it, itself included."""

    stream: int
    count: int
    what: str
    clock: Clock = field(compare=False, repr=False)

    def is_before(self, clock: Clock) -> bool:
        return clock.get(self.stream, 0) >= self.count


@dataclass(frozen=True)
class Race:
    """Two operations that may happen in either order, of which one writes what the other touches."""

    first: str
    second: str


@dataclass(eq=False)
class _Memory:
    """A storage. made_on: its stream. lent: streams that `record_stream` named. The newest launches of each stream that touch it."""

    ref: StorageWeakRef | None
    made_on: int
    lent: set[int] = field(default_factory=set)
    writes: dict[int, Launch] = field(default_factory=dict)
    reads: dict[int, Launch] = field(default_factory=dict)

    @property
    def is_gone(self) -> bool:
        return self.ref is not None and self.ref.expired()


@dataclass
class _Touched:
    reads: list[_Memory] = field(default_factory=list)
    writes: list[_Memory] = field(default_factory=list)


class StreamOrder(DispatchGauge):
    """Streams and events always; what operations touch while it is entered.

    races: what it found. replays: of graphs, in the order in which they were asked for. host_waits: of the host for the device, by line
    of the engines. waits: of streams for events, (who waits, for which stream).
    """

    def __init__(self):
        super().__init__()
        self.races: set[Race] = set()
        self.replays: list[Launch] = []
        self.host_waits: Counter[str] = Counter()
        self.waits: Counter[tuple[int, int]] = Counter()
        self.current = USUAL
        self._clocks: dict[int, Clock] = {USUAL: {}}
        self._host: Clock = {}
        self._memories: dict[int, _Memory] = {}
        self._foreign: set[_Memory] = set()  # touched on another stream than their own
        self._pools: dict[int, _Memory] = {}
        self._graphs: dict[Hashable, _Touched] = {}
        self._capture: _Touched | None = None
        self._n_launches = 0

    # --- streams and events, in place of torch's

    def of_torch(self) -> list[tuple[object, str, object]]:
        """Stand-ins for what needs a driver."""

        @contextlib.contextmanager
        def stream(stream: _OrderedStream) -> Iterator[None]:
            before, self.current = self.current, stream.index
            try:
                yield
            finally:
                self.current = before

        return [
            (torch.cuda, "Stream", lambda *_, **__: _OrderedStream(self, self._new_stream())),
            (torch.cuda, "Event", lambda *_, **__: _OrderedEvent(self)),
            (torch.cuda, "current_stream", lambda *_: _OrderedStream(self, self.current)),
            (torch.cuda, "stream", stream),
            (Tensor, "record_stream", lambda tensor, stream: self._memory(tensor).lent.add(stream.index)),
        ]

    def recorded(self, stream: int) -> Clock:
        """What an event knows that is recorded now."""
        self._sweep_foreign()
        return dict(self._clocks[stream])

    def wait(self, stream: int, recorded: Clock, of: int) -> None:
        """What is asked for on the stream from now on comes behind what was recorded."""
        self._sweep_foreign()
        self.waits[stream, of] += 1
        _join(self._clocks[stream], recorded)

    def host_wait(self, recorded: Clock) -> None:
        """So does all that the host asks for from now on."""
        self._sweep_foreign()
        self.host_waits[_site()] += 1
        _join(self._host, recorded)

    # --- what is launched

    def copied_to_host(self, tensor: Tensor) -> Clock:
        """A copy that nobody waits for; what an event behind it knows."""
        self._launch(_Touched([self._memory(tensor)]), f"copy to the host {_site()}")
        return self.recorded(self.current)

    @contextlib.contextmanager
    def capturing(self, key: Hashable, pool: int) -> Iterator[None]:
        """Keeps what the work touches for `replay`; it happens once, in the usual order. pool: of memory for what it makes on its way."""
        before, self._capture = self._capture, _Touched()
        try:
            yield
            touched = _Touched(*([one for one in ones if not one.is_gone] for ones in (self._capture.reads, self._capture.writes)))
        finally:
            self._capture = before
        touched.writes.append(self._pools.setdefault(pool, _Memory(None, USUAL)))
        self._graphs[key] = touched
        self._launch(touched, f"capture of {key}")

    def replay(self, key: Hashable) -> None:
        self.replays.append(self._launch(self._graphs.get(key, _Touched()), f"graph {key}"))

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        name = func._schema.name.split("::")[1].rstrip("_") or func._schema.name
        if name in FREE and "empty" not in name:
            return result
        made = _on_device(result)
        given = [] if name in FREE else _on_device((args, kwargs))
        if not given and not made:
            return result
        known = {id(memory): memory for memory in map(self._memory, given)}
        new = [memory for memory in map(self._memory, made) if id(memory) not in known]
        if name in FREE:
            return result  # memory that somebody has now
        touched = _Touched([*known.values()], [*map(self._memory, _written(func, args, kwargs)), *new])
        if self._capture is not None:
            self._capture.reads += touched.reads
            self._capture.writes += touched.writes
            return result
        self._launch(touched, f"{name} {_site()}")
        if name in COPIES and not made:
            self.host_wait(self.recorded(self.current))
        return result

    # --- private

    def _new_stream(self) -> int:
        self._clocks[len(self._clocks)] = {}
        return len(self._clocks) - 1

    def _memory(self, tensor: Tensor) -> _Memory:
        storage = tensor.untyped_storage()
        known = self._memories.get(storage._cdata)
        if known is None or known.is_gone:
            known = self._memories[storage._cdata] = _Memory(StorageWeakRef(storage), self.current)
        return known

    def _launch(self, touched: _Touched, what: str) -> Launch:
        self._sweep_foreign()
        stream, clock = self.current, self._clocks[self.current]
        _join(clock, self._host)
        clock[stream] = clock.get(stream, 0) + 1
        launch = Launch(stream, clock[stream], what, dict(clock))
        for memory in touched.writes:
            self._check(launch, chain(memory.writes.values(), memory.reads.values()))
        for memory in touched.reads:
            self._check(launch, memory.writes.values())
        for memory in touched.writes:
            memory.writes[stream] = launch
        for memory in touched.reads:
            memory.reads[stream] = launch
        self._foreign.update(memory for memory in (*touched.writes, *touched.reads) if memory.made_on != stream)
        self._forget()
        return launch

    def _check(self, launch: Launch, others: Iterable[Launch]) -> None:
        for other in others:
            if not other.is_before(launch.clock):
                self.races.add(Race(other.what, launch.what))

    def _sweep_foreign(self) -> None:
        """Memory that was freed since the last event may be written by the next operation of the stream that it was made on."""
        for memory in [memory for memory in self._foreign if memory.is_gone]:
            self._foreign.discard(memory)
            clock = dict(self._clocks[memory.made_on])
            _join(clock, self._host)
            for launch in (*memory.writes.values(), *memory.reads.values()):
                if launch.stream not in memory.lent and not launch.is_before(clock):
                    self.races.add(Race(launch.what, f"memory of stream {memory.made_on} is given to others"))

    def _forget(self) -> None:
        self._n_launches += 1
        if self._n_launches % SWEPT == 0:
            self._memories = {key: memory for key, memory in self._memories.items() if not memory.is_gone}


def _join(clock: Clock, other: Clock) -> None:
    for stream, count in other.items():
        clock[stream] = max(clock.get(stream, 0), count)


def _on_device(tree: object) -> list[Tensor]:
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, Tensor) and leaf.is_cuda]


def _written(func: torch._ops.OpOverload, args: tuple, kwargs: dict) -> list[Tensor]:
    """Arguments that the operation's schema says it writes."""
    written = [
        kwargs.get(argument.name, args[place] if place < len(args) else None)
        for place, argument in enumerate(func._schema.arguments)
        if argument.alias_info is not None and argument.alias_info.is_write
    ]
    return _on_device(written)


def _site() -> str:
    """The innermost line of the engines that is being run, apart from what measures it."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if "/engines/" in name and "/gauges/" not in name and "/tests/" not in name:
            return f"{name.rsplit('/engines/', 1)[1]}:{frame.f_lineno}"
        frame = frame.f_back
    return "somewhere outside of the engines"


class _OrderedStream:
    """In place of torch.cuda.Stream."""

    def __init__(self, order: StreamOrder, index: int):
        self._order, self.index = order, index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _OrderedStream) and other.index == self.index

    def __hash__(self) -> int:
        return self.index

    def wait_event(self, event: "_OrderedEvent") -> None:
        self._order.wait(self.index, event.clock, event.stream)

    def wait_stream(self, other: "_OrderedStream") -> None:
        self._order.wait(self.index, self._order.recorded(other.index), other.index)

    def synchronize(self) -> None:
        self._order.host_wait(self._order.recorded(self.index))


class _OrderedEvent:
    """In place of torch.cuda.Event."""

    def __init__(self, order: StreamOrder):
        self._order, self.stream, self.clock = order, USUAL, Clock()

    def record(self, stream: _OrderedStream | None = None) -> None:
        self.stream = self._order.current if stream is None else stream.index
        self.clock = self._order.recorded(self.stream)
