"""Releases: which of the repositories that its makers released an engine opens, where people choose among several. One file remembers it.

What was set from outside (<ENGINE>_CHECKPOINT) comes before what was chosen. The first release is the default, and needs no choice.
"""

import json
import logging
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path

from engines import catalog
from engines.contract.contract import EngineInfo
from engines.contract.release import Release
from engines.durable import put_file, sync_directory
from engines.errors import EngineUnavailable
from engines.plain_json import read_json
from studio.errors import ReleaseFixed, ReleaseUnknown
from studio.running.offer.offer import is_lent, offered_engine, source_of, weights_look
from studio.settings import Settings

__all__ = ["Releases"]

log = logging.getLogger("studio")


class Releases:
    """settings: as they were set. file: JSON, engine -> repository; None where nobody chooses: engines were handed in, or belong to a
    cluster, whose processes would not all hear of it.

    settings of it: those that were set, with the checkpoints that were chosen. Thread-safe. All that asks is asked for every look at the
    engines, so each answer is settled once:
    of(engine): the releases among which people choose; () where there is nothing to choose.
    fixed_by(engine): the setting that decides alone; "" where people may choose.
    look(engine)(): why it could not be opened now for want of weights, or None.
    """

    def __init__(self, settings: Settings, file: Path | None = None):
        self._set, self._file = settings, file
        self._lock = threading.Lock()
        self._chosen: dict[str, str] = {}
        self.of, self.fixed_by, self.look = cache(self._of), cache(self._fixed_by), cache(self._look)
        for engine, repository in self._read().items():
            if self._can_be(engine, repository):
                self._chosen[engine] = repository
        self.settings = self._with_chosen()

    def check(self, info: EngineInfo, repository: str) -> None:
        """Raises ReleaseUnknown, ReleaseFixed."""
        known = tuple(release.repository for release in self.of(info.id))
        if repository not in known:
            raise ReleaseUnknown(repository, info.title, known)
        if setting := self.fixed_by(info.id):
            raise ReleaseFixed(info.title, setting)

    def choose(self, engine: str, repository: str) -> EngineInfo:
        """From now on, and after a restart; what the engine declares with it. Raises OSError where that cannot be written down."""
        assert self._file is not None  # else there is nothing to choose, see `of`
        with self._lock:
            chosen = self._read() | {engine: repository}
            self._file.parent.mkdir(parents=True, exist_ok=True)
            put_file(self._file, [json.dumps(chosen, indent=1).encode()])
            sync_directory(self._file.parent)
            self._chosen = self._chosen | {engine: repository}
            self.settings = self._with_chosen()
            self.look.cache_clear()
        return offered_engine(self.settings, engine)

    def source(self, engine: str) -> catalog.WeightsSource:
        """Where the weights of the release come from that is chosen."""
        source = source_of(self.settings, engine)
        assert source is not None  # what has releases has weights
        return source

    # --- private

    def _of(self, engine: str) -> tuple[Release, ...]:
        return catalog.engine_releases(engine) if self._file is not None and engine in catalog.engine_ids() else ()

    def _fixed_by(self, engine: str) -> str:
        """One on lent GPUs is opened once, when the studio starts."""
        is_fixed = self._set.for_engine(engine).checkpoint or is_lent(self._set, engine, offered_engine(self._set, engine))
        return f"{engine}_CHECKPOINT".upper() if is_fixed else ""

    def _look(self, engine: str) -> Callable[[], EngineUnavailable | None]:
        """A release that was chosen is not fetched before somebody gets it."""
        if self._set.for_engine(engine).checkpoint or engine not in self._chosen:
            return weights_look(self.settings, engine)
        source, info, repository = self.source(engine), offered_engine(self.settings, engine), self._chosen[engine]

        def lack() -> EngineUnavailable | None:
            if source.is_here():
                return None
            return EngineUnavailable(
                command=info.weights_command, sentence="weights_absent", detail=repository, name=repository, engine=info.title
            )

        return lack

    def _with_chosen(self) -> Settings:
        own = {
            engine: self._set.for_engine(engine).model_copy(update={"checkpoint": repository})
            for engine, repository in self._chosen.items()
            if not self._set.for_engine(engine).checkpoint and repository != self.of(engine)[0].repository
        }
        return self._set.model_copy(update={"engine_settings": {**self._set.engine_settings, **own}}) if own else self._set

    def _can_be(self, engine: str, repository: str) -> bool:
        return any(release.repository == repository for release in self.of(engine))

    def _read(self) -> dict[str, str]:
        """What cannot be read was not chosen."""
        if self._file is None or not self._file.is_file():
            return {}
        try:
            return {str(engine): str(repository) for engine, repository in read_json(self._file.read_text("utf-8")).items()}
        except (OSError, ValueError, AttributeError) as error:
            log.warning("the chosen releases cannot be read, so that engines open their defaults: %s", type(error).__name__)
            return {}
