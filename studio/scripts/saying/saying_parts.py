"""SayingParts: what all scripts of a process are said with."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from studio.audio.kept_takes import KeptTakes
from studio.scripts.keep.store import ScriptStore
from studio.scripts.saying.engine_turns import EngineTurns

__all__ = ["SayingParts"]


@dataclass(frozen=True)
class SayingParts:
    """store, sounds: where scripts and takes are kept. clock: seconds since 1970."""

    store: ScriptStore
    sounds: KeptTakes
    turns: EngineTurns = field(default_factory=EngineTurns)
    clock: Callable[[], float] = time.time
