"""Memory of graphs without a GPU: `python -m studio.measure.engines.memory_rehearsal --engine ID --size SIZE`.

Opens the engine on a fake GPU, warms it up, and counts of each graph the bytes of the tensors that its work makes: alive at once at most,
and alive when the capture ends, which should be none: what a graph gives lies in tensors that outlive it. All graphs of an engine share one
pool, in which what one has freed serves the next: so what they take together is near the most of any. A bound and no measure: what
libraries take inside of one operation is not seen, nor what the driver takes for the kernels of a graph. The last line is JSON.
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass

from engines.catalog import engine_sizes, open_random_engine
from engines.contract.contract import Engine
from engines.kit.gauges.fake_gpu import DEVICE, fake_gpu
from studio.measure.engines.device_work import said
from studio.measure.engines.rehearsal import engine_parser

__all__ = ["GraphMemory", "rehearse_memory"]

MEBIBYTE = 2**20


@dataclass(frozen=True)
class GraphMemory:
    """engine_bytes: networks and rows, without graphs. kernels: in all graphs. graphs: of each, (most bytes at once, bytes at its end)."""

    streams: int
    engine_bytes: int
    kernels: int
    graphs: dict[str, tuple[int, int]]

    @property
    def most_bytes(self) -> int:
        return max((most for most, _ in self.graphs.values()), default=0)

    @property
    def kept_bytes(self) -> int:
        """At the ends of all captures: what no other graph may use."""
        return sum(kept for _, kept in self.graphs.values())


def rehearse_memory(open_engine: Callable[[], Engine]) -> GraphMemory:
    """On DEVICE: open and warm up."""
    with fake_gpu() as gpu, gpu.counting():
        gpu.counts_memory = True
        engine = open_engine()
        engine.warmup()
        memory = GraphMemory(
            streams=engine.width,
            engine_bytes=engine.memory_bytes(),
            kernels=sum(graph.n_kernels for graph in gpu.graphs.values()),
            graphs={said(key): (counter.peak_bytes, counter.alive_bytes) for key, counter in gpu.memory.items()},
        )
        engine.close()
    return memory


def main() -> None:
    """Count the memory of one engine's graphs, at one of its released sizes."""
    parser = engine_parser(main.__doc__)
    parser.add_argument("--width", type=int, default=0, help="rows; the engine's own number where none is given")
    asked = parser.parse_args()
    size, options = asked.size or engine_sizes(asked.engine)[0], asked.load_options | ({"width": asked.width} if asked.width else {})
    memory = rehearse_memory(lambda: open_random_engine(asked.engine, size, device=DEVICE, dtype=asked.dtype, options=options))
    print("| graph | most at once, MiB | at its end, MiB |\n| --- | --- | --- |")
    for name, (most, kept) in sorted(memory.graphs.items(), key=lambda graph: -graph[1][0]):
        print(f"| {name} | {most / MEBIBYTE:.1f} | {kept / MEBIBYTE:.1f} |")
    graphs = f"{len(memory.graphs)} graphs of {memory.kernels:,} kernels, {memory.most_bytes / MEBIBYTE:,.1f} MiB at once"
    held = f"networks and {memory.streams} rows {memory.engine_bytes / MEBIBYTE:,.0f} MiB"
    print(f"{asked.engine} {size}: {graphs}, {memory.kept_bytes / MEBIBYTE:,.1f} at the ends; {held}")
    print(json.dumps({"engine": asked.engine, "size": size, **asdict(memory)}))


if __name__ == "__main__":
    main()
