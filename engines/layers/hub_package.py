"""hub_package: the EnginePackage of an engine whose weights are a repository of the hub, on one device. Importing this loads no torch."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from engines.contract import Engine, EngineInfo
from engines.layers.weights import HubWeights
from engines.options import Value, resolve_options
from engines.package import EnginePackage, Progress

__all__ = ["EngineParts", "hub_package"]


@dataclass(frozen=True)
class EngineParts:
    """How an engine is put together. Each imports what it needs when it is called, since that takes torch.

    read: (folder, device, dtype, load options) -> networks of a checkpoint. Raises CheckpointInvalid.
    draw: (size, device, dtype) -> networks of that size whose weights are drawn.
    engine: (info, networks, load options) -> the engine over them.
    """

    read: Callable
    draw: Callable
    engine: Callable[..., Engine]


def hub_package(info: EngineInfo, weights: HubWeights, sizes: tuple[str, ...], parts: EngineParts) -> EnginePackage:
    """Its `open` takes a local folder or a hub id, by default the release in the hub's local cache; a device, by default a GPU where there
    is one; a dtype, by default "bfloat16" on a GPU and "float32" on a CPU, of whatever the engine says; progress; info.load_options.
    It raises OptionInvalid, EngineUnavailable, CheckpointInvalid. `open_random` takes one of sizes, and the same but for progress.
    """

    def open_checkpoint(
        checkpoint: str | None = None,
        device: str | None = None,
        dtype: str | None = None,
        progress: Progress | None = None,
        **options: Value,
    ) -> Engine:
        settings = resolve_options(info.load_options, options)
        folder = weights.resolve(checkpoint, progress)
        known = replace(info, weights_bytes=weights.n_bytes(str(folder)), hub_id=weights.hub_id(checkpoint))
        return opened(known, lambda *where: parts.read(folder, *where, settings), (device, dtype), settings)

    def open_random(size: str, device: str | None = None, dtype: str | None = None, **options: Value) -> Engine:
        settings = resolve_options(info.load_options, options)
        return opened(info, partial(parts.draw, size), (device, dtype), settings)

    def opened(known: EngineInfo, load: Callable, where: tuple[str | None, str | None], settings: Mapping[str, Value]) -> Engine:
        from engines.layers.device import choose_device, choose_dtype

        device = choose_device(where[0])
        return parts.engine(known, load(device, choose_dtype(where[1], device)), settings)

    return EnginePackage(info, open_checkpoint, weights, sizes, open_random)
