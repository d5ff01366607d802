"""hub_package: makes the EnginePackage of an engine with weights on the hub, on one device. Importing this loads no torch."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, cast

from engines.contract.contract import Engine, EngineInfo
from engines.contract.options import Value, resolve_options
from engines.contract.package import EnginePackage, PackageWeights, Progress

if TYPE_CHECKING:
    import torch

__all__ = ["InfoOf", "hub_package"]

InfoOf = Callable[[EngineInfo, str | None, Mapping[str, Value]], EngineInfo]


class _HubWeights(PackageWeights, Protocol):
    def of(self, options: Mapping[str, Value]) -> "_HubWeights": ...

    def resolve(self, checkpoint: str | None = None, progress: Progress | None = None) -> object:
        """What `_Opening.read` reads: a folder, or the files one by one. Raises EngineUnavailable."""


class _Opening(Protocol):
    """The module of an engine that opens it, which takes torch; it is imported when the engine is opened."""

    def read(self, files: Any, device: "torch.device", dtype: Any, settings: Mapping[str, Value], /) -> Any:
        """The networks of a checkpoint. files: what the weights resolve to. Raises CheckpointInvalid."""
        ...

    def draw(self, size: str, device: "torch.device", dtype: Any, /, **drawn: Any) -> Any:
        """The networks of that size, whose weights are drawn."""
        ...

    def engine(self, info: EngineInfo, networks: Any, settings: Mapping[str, Value], /) -> Engine:
        """The engine over them."""
        ...


def hub_package(
    info: EngineInfo,
    weights: _HubWeights,
    sizes: tuple[str, ...],
    opening: str,
    *,
    info_of: InfoOf | None = None,
    drawn: Mapping[str, str] = MappingProxyType({}),
) -> EnginePackage:
    """Its `open` takes a local folder or a hub id, by default the release in the hub's local cache; device and dtype; progress;
    info.load_options. It raises OptionInvalid, EngineUnavailable, CheckpointInvalid. `open_random` takes one of sizes, and the same but for
    progress.

    opening: the name of a module with `read`, `draw` and `engine` (_Opening). Where it has `where`, that makes (device, dtype) of their
    names, each None where nobody set it, and raises EngineUnavailable; by default it is a GPU where there is one, and of bfloat16 and
    float32 the one that suits it, checked where no test has run on such a device. info_of: as `EnginePackage.info_of`. drawn: what `draw`
    is told beside.
    """
    known_of = info_of or _same

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
        parts = _imported(opening)
        place = _place(parts, device, dtype)  # which may be refused, before anything is fetched
        files = chosen.resolve(checkpoint, progress)
        about = {"weights_bytes": chosen.n_bytes(checkpoint), "weights_command": chosen.command(checkpoint)}
        known = replace(known_of(info, checkpoint, settings), **about, hub_id=chosen.hub_id(checkpoint))
        _check_room(known, place, lambda dtype: _on_meta(parts, files, dtype, settings))
        return parts.engine(known, parts.read(files, *place, settings), settings)

    def open_random(size: str, device: str | None = None, dtype: str | None = None, **options: Value) -> Engine:
        settings, parts = resolve_options(info.load_options, options), _imported(opening)
        networks = parts.draw(size, *_place(parts, device, dtype), **drawn)
        return parts.engine(known_of(info, None, settings), networks, settings)

    return EnginePackage(info, open_checkpoint, weights, sizes, open_random, info_of)


def _imported(opening: str) -> _Opening:
    return cast(_Opening, import_module(opening))


def _place(parts: _Opening, device: str | None, dtype: str | None) -> "tuple[torch.device, Any]":
    return getattr(parts, "where", _where)(device, dtype)


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


def _on_meta(parts: _Opening, files: object, dtype: object, settings: Mapping[str, Value]) -> int:
    """Bytes of the networks, none of whose weights is read."""
    from torch import device

    return parts.read(files, device("meta"), dtype, settings).bytes


def _same(info: EngineInfo, checkpoint: str | None, settings: Mapping[str, Value]) -> EngineInfo:
    return info
