"""chosen_ways: which ways to compute a layer are taken on a device. They are tried, since no table knows every card and driver."""

import logging
from collections.abc import Callable, Hashable, Sequence, Set
from typing import Protocol

import torch
from torch import Tensor

from engines.kit.fused.fused_use import FusedUse
from engines.kit.nn.attention import KVCache
from engines.kit.nn.fusable import LAYER_WAYS, OVERLAPPING, fuse
from engines.kit.nn.transformer import Decoder, DecoderConfig

__all__ = ["can_overlap", "chosen_ways", "faster_ways"]

logger = logging.getLogger(__name__)

OVERLAPPING_CAPABILITY = (9, 0)  # programmatic dependent launch (CUDA C++ Programming Guide): from Hopper on
TRIED_ROWS = {
    "layers_of_few_rows": (0, 1),
    "layers_of_some_rows": (8, 16),
    "layers_of_many_rows": (2, 512),
}  # streams, 0: a step's; positions
WEIGHT_BYTES = 160 << 20  # of the layers that are tried: more than any cache of a GPU holds, or they would be read from there
N_KEYS = 512
REPLAYS, ROUNDS = 10, 5
LEAST_GAIN = 0.03  # below it what is plain stays


class Capturing(Protocol):
    """Captures work as graphs, and replays it."""

    def capture(self, key: Hashable, work: Callable[[], None], /) -> None: ...

    def run(self, key: Hashable, work: Callable[[], None], /) -> None: ...

    def clear(self) -> None: ...


GraphsOn = Callable[[torch.device], Capturing]


def chosen_ways(layers: str, uses: Sequence[FusedUse], kernels: Set[str], width: int, graphs_on: GraphsOn) -> frozenset[str]:
    """The names of LAYER_WAYS, and OVERLAPPING, that networks of these uses are to take, which lie on one device.

    layers: of gpu_use.py. "measured": those that are faster here; "plain": none; "fused": all; "overlapping": all, and overlapping too,
    which has no effect where the device is older than that. kernels: the trusted ones. width: streams of a step. What was tried leaves
    memory that torch keeps for others.
    """
    halves = [use for use in uses if use.dtype in (torch.bfloat16, torch.float16)]  # in float32 matrix units do not multiply
    if layers == "plain" or not halves:
        return frozenset()
    early = frozenset({OVERLAPPING}) if can_overlap(uses[0].device) else frozenset()
    if layers == "measured":
        return faster_ways(halves, kernels | early, width, graphs_on)
    return frozenset(LAYER_WAYS) | (early if layers == "overlapping" else frozenset())


def can_overlap(device: torch.device) -> bool:
    """Whether kernels may begin before those before them have ended."""
    return torch.version.hip is None and torch.cuda.get_device_capability(device) >= OVERLAPPING_CAPABILITY


@torch.inference_mode()
def faster_ways(uses: Sequence[FusedUse], names: Set[str], width: int, graphs_on: GraphsOn) -> frozenset[str]:
    """Those of LAYER_WAYS that are faster than plain layers here, and OVERLAPPING if it is among the names and makes a step faster still.
    Waits for the device. names: of trusted kernels.

    Layers of each use are timed as graphs, with weights of that size; what all uses take together decides. What cannot be tried is not
    taken.
    """
    kernels, early = frozenset(names) - {OVERLAPPING}, names & {OVERLAPPING}
    ways: set[str] = set()
    for way, (streams, length) in TRIED_ROWS.items():
        is_step = length == 1  # which decides how layers of more rows are started
        tried = [frozenset(), *([frozenset({way})] if is_step and early else []), frozenset({way, *(early if is_step else ways & early)})]
        times = [sum(_tried(use, kernels | way_names, (streams or width, length), graphs_on) for use in uses) for way_names in tried]
        logger.info("%s on %s, plain ones first: %s ms.", way, uses[0].device, ", ".join(f"{time:.3f}" for time in times))
        if min(times[1:]) < times[0] * (1 - LEAST_GAIN):
            ways.add(way)
            ways |= early if is_step and times[-1] < times[1] * (1 - LEAST_GAIN) else set()
    return frozenset(ways)


def _tried(use: FusedUse, names: Set[str], shape: tuple[int, int], graphs_on: GraphsOn) -> float:
    """Milliseconds; endless where it cannot be tried."""
    try:
        return _milliseconds(use, names, shape, graphs_on)
    except Exception as error:  # no room for it, a capture that is refused: whatever it is, it is not taken
        logger.warning("Layers of %d rows cannot be tried on %s: %r", shape[0] * shape[1], use.device, error)
        return float("inf")


def _milliseconds(use: FusedUse, names: Set[str], shape: tuple[int, int], graphs_on: GraphsOn) -> float:
    """The least time of a pass through a few layers. shape: streams and positions."""
    attention, device, (batch, length) = use.attention, use.device, shape
    inner, is_step = 3 * attention.hidden_size, length == 1
    heads = (2 * attention.n_heads + 2 * attention.n_kv_heads) * attention.head_dim
    n_layers = max(2, -(-WEIGHT_BYTES // ((heads + 3 * inner) * attention.hidden_size * 2)))
    with torch.device(device):
        decoder = Decoder(DecoderConfig(attention, inner, n_layers, causal=is_step)).to(use.dtype)
        rows, positions = torch.zeros(batch, length, attention.hidden_size, dtype=use.dtype), torch.zeros(batch, length, dtype=torch.int64)
        made = torch.zeros_like(rows)
    fuse(decoder, names)
    cache = decoder.new_cache(batch, N_KEYS) if is_step else None
    if is_step:
        positions.fill_(N_KEYS - 1)
    graphs = graphs_on(device)
    graphs.capture("pass", lambda: _pass_through(decoder, rows, positions, cache, made))
    best = min(_replayed(graphs, device) for _ in range(ROUNDS))
    graphs.clear()
    return best


def _pass_through(decoder: Decoder, rows: Tensor, positions: Tensor, cache: KVCache | None, made: Tensor) -> None:
    step = decoder.step_over(positions) if cache is None else decoder.step(positions, N_KEYS)
    made.copy_(decoder(rows, step, cache))


def _replayed(graphs: Capturing, device: torch.device) -> float:
    """Milliseconds of a replay."""
    begun, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    with torch.cuda.device(device):
        begun.record()
        for _ in range(REPLAYS):
            graphs.run("pass", _nothing)
        ended.record()
    ended.synchronize()
    return begun.elapsed_time(ended) / REPLAYS


def _nothing() -> None:
    """In place of work that was captured."""
