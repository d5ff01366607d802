"""The engines there are, by id. A model's code is imported when it is first looked at, its weights when it is opened."""

from collections.abc import Callable
from importlib import import_module

from engines.contract import Engine, EngineInfo
from engines.errors import EngineUnavailable

__all__ = ["engine_availability", "engine_ids", "engine_info", "open_engine"]

# id -> package with INFO: EngineInfo (importing it loads no weights) and open(checkpoint, device, dtype, progress) -> Engine; and, where
# weights do not come with the package, availability(checkpoint) -> EngineUnavailable | None
_PACKAGES = {"espeak": "engines.espeak", "qwen3_tts": "engines.qwen3_tts"}

Progress = Callable[[int, int | None], None]  # bytes so far, bytes in all where known


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
    name: str, *, checkpoint: str | None = None, device: str | None = None, dtype: str | None = None, progress: Progress | None = None
) -> Engine:
    """Load an engine.

    checkpoint: local folder or hub id; None for the engine's own default. device: "cpu", "cuda:0"; None lets the engine choose.
    dtype: "float32", "bfloat16", ...; None for the engine's own. progress: told of bytes while weights are fetched.
    Raises KeyError for an unknown id, EngineUnavailable where weights or libraries are missing, CheckpointInvalid for wrong weights.
    """
    package = _PACKAGES[name]
    try:
        module = import_module(package)
    except ImportError as error:
        raise EngineUnavailable(f"{name} needs a library that is not installed: {error}.", "make setup") from error
    return module.open(checkpoint=checkpoint, device=device, dtype=dtype, progress=progress)
