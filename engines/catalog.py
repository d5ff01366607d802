"""The list of engines, by id: our own, and those of other packages (plugins.py). A model's code is imported when it is first looked at,
its weights when it is opened.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from types import MappingProxyType

from engines.contract.contract import Engine, EngineInfo
from engines.contract.options import Option, resolve_options
from engines.contract.package import EnginePackage, PackageWeights, Progress
from engines.contract.release import Release
from engines.errors import EngineUnavailable
from engines.plugins import Plugin, found_plugins

__all__ = [
    "WeightsSource", "availability_look", "engine_availability", "engine_ids", "engine_info", "engine_releases", "engine_sizes",
    "open_engine", "open_random_engine", "several_load_options", "weights_source",
]  # fmt: skip

NO_OPTIONS: Mapping[str, object] = MappingProxyType({})

# id -> module with PACKAGE: EnginePackage
_PACKAGES = {
    "espeak": "engines.espeak",
    "kokoro": "engines.kokoro",
    "pocket_tts": "engines.pocket_tts",
    "voxcpm2": "engines.voxcpm2",
    "dots": "engines.dots",
    "qwen3_tts": "engines.qwen3_tts",
    "qwen3_tts_custom": "engines.qwen3_tts.custom_voice",
    "qwen3_tts_design": "engines.qwen3_tts.voice_design",
    "fish_speech": "engines.fish_speech",
    "omnivoice": "engines.omnivoice",
    "cosyvoice3": "engines.cosyvoice3",
    "voxtral": "engines.voxtral",
}

# what the ids of several engines begin with, each of them opened with a checkpoint of its own -> their module
_SEVERAL = {"remote": "engines.remote"}


@dataclass(frozen=True)
class WeightsSource:
    """How an engine's weights come to this machine.

    is_here(): whether they are complete, from a look at the disk; no network, and quick enough to be asked every second.
    fetch(progress, cancelled): brings them, going on where a former call ended. Asks cancelled() between pieces and raises FetchCancelled
    when it is true; `progress` may raise it too, so a downloader that knows progress only can be stopped as well. Keeps what has arrived.
    Raises EngineUnavailable where they cannot be had, or are not what they should be.
    """

    is_here: Callable[[], bool]
    fetch: Callable[[Progress, Callable[[], bool]], None]


def engine_ids() -> tuple[str, ...]:
    """Ids in the order in which people should see them, the embedded engine first, those of other packages last. Of engines of which
    there may be several, none.
    """
    return (*_PACKAGES, *_plugins())


def several_load_options(kind: str) -> tuple[Option, ...]:
    """What may be set when an engine of that kind is opened, of which there may be several. Raises KeyError for an unknown kind."""
    return import_module(_SEVERAL[kind]).PACKAGE.info.load_options


def engine_info(name: str, checkpoint: str | None = None, options: Mapping[str, object] = NO_OPTIONS) -> EngineInfo:
    """What the engine declares before it is opened with that checkpoint and some of its load options, with what is known of the weights.

    name: an id of `engine_ids`, or a kind of which there are several with "_" and a name behind it: remote_gpu.
    Raises KeyError for an unknown id, OptionInvalid.
    """
    package = _package(name)
    resolved = resolve_options(package.info.load_options, options)
    declared = replace(package.info, id=name) if _kind(name) else package.info
    info = package.info_of(declared, checkpoint, resolved) if package.info_of else declared
    if package.weights is None:
        return info
    weights = package.weights.of(resolved)
    if checkpoint is None and weights is package.weights:  # which info is about, so that nobody looks at the disk
        return info
    known = {"weights_bytes": weights.n_bytes(checkpoint), "weights_command": weights.command(checkpoint)}
    return replace(info, **known, hub_id=weights.hub_id(checkpoint))


def engine_availability(name: str, checkpoint: str | None = None, options: Mapping[str, object] = NO_OPTIONS) -> EngineUnavailable | None:
    """Why the engine could not be opened now for want of weights, or None. Looks at names on the disk. Raises KeyError, OptionInvalid."""
    return availability_look(name, checkpoint, options)()


def availability_look(
    name: str, checkpoint: str | None = None, options: Mapping[str, object] = NO_OPTIONS
) -> Callable[[], EngineUnavailable | None]:
    """`engine_availability`, to be asked again and again: which weights are meant is settled once. Raises KeyError, OptionInvalid."""
    weights, refused = _weights(name, options), _package(name).refused
    return partial(weights.availability, checkpoint) if weights is not None else lambda: refused


def open_engine(
    name: str,
    *,
    checkpoint: str | None = None,
    device: str | None = None,
    dtype: str | None = None,
    options: Mapping[str, object] = NO_OPTIONS,
    progress: Progress | None = None,
) -> Engine:
    """Load an engine.

    checkpoint: local folder or hub id; None for the engine's own default. device: "cpu", "cuda:0"; None lets the engine choose.
    dtype: "float32", "bfloat16", ...; None for the engine's own. progress: told of bytes while weights are fetched.
    options: some of the engine's load_options; the others have their defaults.
    Raises KeyError for an unknown id, OptionInvalid, EngineUnavailable where weights or libraries are missing, CheckpointInvalid for wrong
    weights.
    """
    package = _installed(name)
    resolved = resolve_options(package.info.load_options, options)
    named = {"name": name} if _kind(name) else {}
    return package.open(checkpoint=checkpoint, device=device, dtype=dtype, progress=progress, **named, **resolved)


def engine_releases(name: str) -> tuple[Release, ...]:
    """The repositories that its makers released, the default first, where there are several. Raises KeyError for an unknown id."""
    return _package(name).releases


def engine_sizes(name: str) -> tuple[str, ...]:
    """The released sizes that `open_random_engine` opens. Raises KeyError for an unknown id."""
    return _package(name).sizes


def open_random_engine(
    name: str,
    size: str,
    *,
    device: str | None = None,
    dtype: str | None = None,
    options: Mapping[str, object] = NO_OPTIONS,
) -> Engine:
    """An engine of a released size whose weights are drawn: it computes as fast as with real ones, and says nothing. For measurements.

    Raises KeyError for an unknown id, OptionInvalid, and EngineUnavailable for a size that the engine does not have.
    """
    package = _installed(name)
    if package.open_random is None or size not in package.sizes:
        sizes = ", ".join(package.sizes) or "none"
        detail = f"it has no size {size!r} to draw weights for; its sizes: {sizes}"
        raise EngineUnavailable(sentence="weights_folder_gone", detail=detail, engine=package.info.title)
    return package.open_random(size, device=device, dtype=dtype, **resolve_options(package.info.load_options, options))


def weights_source(name: str, *, checkpoint: str | None = None, options: Mapping[str, object] = NO_OPTIONS) -> WeightsSource | None:
    """The source of an engine's weights; None for an engine that has nothing to download. Raises KeyError, OptionInvalid."""
    weights = _weights(name, options)
    if weights is None:
        return None
    return WeightsSource(is_here=partial(weights.is_here, checkpoint), fetch=partial(weights.fetch, checkpoint))


def _weights(name: str, options: Mapping[str, object]) -> PackageWeights | None:
    package = _package(name)
    return package.weights and package.weights.of(resolve_options(package.info.load_options, options))


def _kind(name: str) -> str:
    """Of which several engines it is one; "" for an engine of which there is one alone."""
    return next((kind for kind in _SEVERAL if name.startswith(f"{kind}_") and name != f"{kind}_"), "")


def _package(name: str) -> EnginePackage:
    kind = _kind(name)
    if not kind and name not in _PACKAGES:
        return _plugins()[name].package
    return import_module(_SEVERAL[kind] if kind else _PACKAGES[name]).PACKAGE


@cache
def _plugins() -> dict[str, Plugin]:
    """What is installed when it is first asked for."""
    return found_plugins(_PACKAGES)


def _installed(name: str) -> EnginePackage:
    try:
        return _package(name)
    except ImportError as error:
        detail = f"{name} cannot be imported ({error})"
        raise EngineUnavailable(command="make setup", sentence="engine_library_absent", detail=detail) from error
