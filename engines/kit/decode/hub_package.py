"""hub_package: makes the EnginePackage of an engine with weights on the hub, on one device. Importing this loads no torch."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from engines.contract.contract import Engine, EngineInfo
from engines.contract.options import Value, resolve_options
from engines.contract.package import EnginePackage, PackageWeights, Progress

__all__ = ["EngineParts", "hub_package"]


class _HubWeights(PackageWeights, Protocol):
    def of(self, options: Mapping[str, Value]) -> "_HubWeights": ...

    def resolve(self, checkpoint: str | None = None, progress: Progress | None = None) -> object:
        """What `EngineParts.read` reads: a folder, or the files one by one. Raises EngineUnavailable."""


@dataclass(frozen=True)
class EngineParts:
    """How an engine is put together. Each imports what it needs when it is called, since that takes torch.

    read: (what the weights resolve to, device, dtype, load options) -> networks of a checkpoint. Raises CheckpointInvalid.
    draw: (size, device, dtype) -> networks of that size whose weights are drawn.
    engine: (info, networks, load options) -> the engine over them.
    where: (names of device and dtype, each None where nobody set it) -> (device, dtype) for read and draw; by default a GPU where there is
    one, and of bfloat16 and float32 the one that suits it, checked where no test has run on such a device. Raises EngineUnavailable.
    info_of: as `EnginePackage.info_of`.
    """

    read: Callable
    draw: Callable
    engine: Callable[..., Engine]
    where: Callable[[str | None, str | None], tuple] | None = None
    info_of: Callable[[EngineInfo, str | None, Mapping[str, Value]], EngineInfo] | None = None


def hub_package(info: EngineInfo, weights: _HubWeights, sizes: tuple[str, ...], parts: EngineParts) -> EnginePackage:
    """Its `open` takes a local folder or a hub id, by default the release in the hub's local cache; device and dtype as parts.where has
    them; progress; info.load_options. It raises OptionInvalid, EngineUnavailable, CheckpointInvalid. `open_random` takes one of sizes, and
    the same but for progress.
    """
    where, info_of = parts.where or _where, parts.info_of or _same

    def open_checkpoint(
        checkpoint: str | None = None,
        device: str | None = None,
        dtype: str | None = None,
        progress: Progress | None = None,
        **options: Value,
    ) -> Engine:
        settings = resolve_options(info.load_options, options)
        chosen = weights.of(settings)
        lack = chosen.availability(checkpoint)  # known without torch, which takes seconds and hundreds of megabytes
        if lack is not None:
            raise lack
        place = where(device, dtype)  # which may be refused, before anything is fetched
        files = chosen.resolve(checkpoint, progress)
        about = {"weights_bytes": chosen.n_bytes(checkpoint), "weights_command": chosen.command(checkpoint)}
        known = replace(info_of(info, checkpoint, settings), **about, hub_id=chosen.hub_id(checkpoint))
        _check_room(known, place, lambda dtype: _on_meta(parts, files, dtype, settings))
        return parts.engine(known, parts.read(files, *place, settings), settings)

    def open_random(size: str, device: str | None = None, dtype: str | None = None, **options: Value) -> Engine:
        settings = resolve_options(info.load_options, options)
        return parts.engine(info_of(info, None, settings), parts.draw(size, *where(device, dtype)), settings)

    return EnginePackage(info, open_checkpoint, weights, sizes, open_random, parts.info_of)


def _where(device: str | None, dtype: str | None) -> tuple:
    from engines.kit.decode.device_check import check_device
    from engines.kit.device import choose_device, choose_dtype

    chosen = choose_device(device)
    place = chosen, choose_dtype(dtype, chosen)
    check_device(*place)
    return place


def _check_room(info: EngineInfo, place: tuple, count: Callable) -> None:
    from engines.kit.decode.room_check import check_room

    check_room(info, place, count)


def _on_meta(parts: EngineParts, files: object, dtype: object, settings: Mapping[str, Value]) -> int:
    """Bytes of the networks, none of whose weights is read."""
    from torch import device

    return parts.read(files, device("meta"), dtype, settings).bytes


def _same(info: EngineInfo, checkpoint: str | None, settings: Mapping[str, Value]) -> EngineInfo:
    return info
