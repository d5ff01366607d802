"""The engines there are, by id. A model's code is imported when it is first looked at, its weights when it is opened."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType

from engines.contract import Engine, EngineInfo
from engines.errors import EngineUnavailable
from engines.options import resolve_options

__all__ = ["Progress", "WeightsSource", "engine_availability", "engine_ids", "engine_info", "open_engine", "weights_source"]

# id -> package with INFO: EngineInfo (importing it loads no weights) and open(checkpoint, device, dtype, progress, **INFO.load_options) ->
# Engine; and, where weights do not come with the package, availability(checkpoint) -> EngineUnavailable | None,
# fetch(checkpoint, progress, cancelled) and fetched(checkpoint) -> bool, as in WeightsSource
_PACKAGES = {"espeak": "engines.espeak", "qwen3_tts": "engines.qwen3_tts"}

Progress = Callable[[int, int | None], None]  # bytes so far, bytes in all where known


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
    """Ids in the order in which people should see them, the embedded engine first."""
    return tuple(_PACKAGES)


def engine_info(name: str) -> EngineInfo:
    """What the engine declares before it is opened. Raises KeyError for an id that is not in the catalog."""
    return import_module(_PACKAGES[name]).INFO


def engine_availability(name: str, checkpoint: str | None = None) -> EngineUnavailable | None:
    """Why the engine could not be opened now for want of weights, or None. Looks at names on the disk only. Raises KeyError."""
    look = getattr(import_module(_PACKAGES[name]), "availability", None)
    return look(checkpoint) if look is not None else None


def open_engine(
    name: str,
    *,
    checkpoint: str | None = None,
    device: str | None = None,
    dtype: str | None = None,
    options: Mapping[str, object] = MappingProxyType({}),
    progress: Progress | None = None,
) -> Engine:
    """Load an engine.

    checkpoint: local folder or hub id; None for the engine's own default. device: "cpu", "cuda:0"; None lets the engine choose.
    dtype: "float32", "bfloat16", ...; None for the engine's own. progress: told of bytes while weights are fetched.
    options: some of the engine's load_options; the others have their defaults.
    Raises KeyError for an unknown id, OptionInvalid, EngineUnavailable where weights or libraries are missing, CheckpointInvalid for wrong
    weights.
    """
    package = _PACKAGES[name]
    try:
        module = import_module(package)
    except ImportError as error:
        raise EngineUnavailable(f"{name} needs a library that is not installed: {error}.", "make setup") from error
    resolved = resolve_options(module.INFO.load_options, options)
    return module.open(checkpoint=checkpoint, device=device, dtype=dtype, progress=progress, **resolved)


def weights_source(name: str, *, checkpoint: str | None = None) -> WeightsSource | None:
    """The source of an engine's weights; None for an engine that has nothing to download. Raises KeyError for an unknown id."""
    module = import_module(_PACKAGES[name])
    if not hasattr(module, "fetch"):
        return None
    return WeightsSource(
        is_here=lambda: module.fetched(checkpoint), fetch=lambda progress, cancelled: module.fetch(checkpoint, progress, cancelled)
    )
