"""EnginePool: the engines on offer, each with its worker. An engine that cannot be had never breaks the others."""

from collections.abc import Callable, Mapping
from functools import partial

from engines.contract.contract import Engine, EngineInfo
from engines.contract.prompt import SpeakerPrompt
from engines.errors import EngineUnavailable
from studio.errors import EngineUnknown
from studio.prompt_key import PromptKey
from studio.running.far_worker import FarWorker
from studio.running.lifecycle import EngineStatus, IdleLimit
from studio.running.limits import Limits
from studio.running.offer.offer import is_lent
from studio.running.worker import EngineWorker
from studio.running.zero_gpu.zero_gpu import ZeroGpu
from studio.running.zero_gpu.zero_gpu_worker import ZeroGpuWorker
from studio.settings import Settings

__all__ = ["EnginePool"]


class EnginePool:
    """infos: what each engine on offer declares, in the order to show. open_engine(id) -> Engine, called on that engine's thread.

    Engines have other names: those of `settings.model_aliases`, and the hub's of their weights. Raises EngineUnknown where one is of none.
    availability(id): what an engine that nobody has opened lacks; see EngineWorker. gpu_host: what lends a GPU, where it does.
    far: ids of those that run elsewhere. when_opened(id, engine): told on a thread of its own each time that one of them has been opened.
    """

    def __init__(
        self,
        infos: Mapping[str, EngineInfo],
        open_engine: Callable[[str], Engine],
        settings: Settings,
        *,
        availability: Callable[[str], EngineUnavailable | None] = lambda name: None,
        gpu_host: ZeroGpu | None = None,
        when_opened: Callable[[str, Engine], None] = lambda name, engine: None,
    ):
        limits = Limits(settings.most_waiting, settings.most_ahead_seconds, settings.admit, settings.most_wait_seconds)
        idle_limit = IdleLimit(settings.unload_after_minutes * 60 or None)

        def worker_of(name: str, info: EngineInfo) -> EngineWorker:
            lacking, opened = partial(availability, name), partial(open_engine, name)
            if gpu_host is not None and is_lent(settings, name, info):
                return ZeroGpuWorker(info, opened, gpu_host, limits=limits, availability=lacking)
            if info.runs == "elsewhere":
                return FarWorker(info, opened, limits=limits, availability=lacking, when_opened=partial(when_opened, name))
            return EngineWorker(info, opened, limits=limits, availability=lacking, idle_limit=idle_limit)

        self._declared = dict(infos)
        self.far = frozenset(name for name, info in infos.items() if info.runs == "elsewhere")
        self._workers = {name: worker_of(name, info) for name, info in infos.items()}
        hub_ids = {info.hub_id: name for name, info in reversed(infos.items()) if info.hub_id}  # the first of two with the same weights
        self._other_names = hub_ids | dict(settings.model_aliases)
        for name in self._other_names.values():
            self.worker(name)

    def worker(self, name: str) -> EngineWorker:
        """By the engine's id. Raises EngineUnknown."""
        try:
            return self._workers[name]
        except KeyError:
            raise EngineUnknown(name, tuple(self._workers)) from None

    @property
    def infos(self) -> dict[str, EngineInfo]:
        """What each engine declares; of one that runs elsewhere what it said when it was open, which may be more."""
        return {name: self._workers[name].info if name in self.far else info for name, info in self._declared.items()}

    def presets(self) -> tuple[str, ...]:
        """Names of all built-in speakers."""
        return tuple(preset for info in self.infos.values() for preset in info.presets)

    def engine_id(self, name: str) -> str:
        """Of the engine that has this name, its own or another. Raises EngineUnknown."""
        found = name if name in self._workers else self._other_names.get(name)
        if found is None:
            raise EngineUnknown(name, tuple(self._workers))
        return found

    def forget_prepared(self, key: PromptKey, prompt: SpeakerPrompt) -> None:
        """Have the key's engine, where it is open, drop what it prepared of a prompt. Waits for nothing."""
        self.worker(key.engine).tell(lambda engine: engine.forget(prompt.content_digest))

    def statuses(self) -> tuple[EngineStatus, ...]:
        return tuple(worker.status() for worker in self._workers.values())

    def close(self) -> None:
        for worker in self._workers.values():
            worker.close()
