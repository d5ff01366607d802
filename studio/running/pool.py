"""EnginePool: the engines on offer, each with its worker. An engine that cannot be had never breaks the others."""

from collections.abc import Callable, Mapping

from engines.contract import Engine, EngineInfo
from engines.errors import EngineUnavailable
from engines.prompt import SpeakerPrompt
from studio.errors import EngineUnknown
from studio.prompt_key import PromptKey
from studio.running.lifecycle import EngineStatus
from studio.running.worker import EngineWorker

__all__ = ["EnginePool"]


class EnginePool:
    """infos: what each engine on offer declares, in the order to show. open_engine(id) -> Engine, called on that engine's thread.

    availability(id): what an engine that nobody has opened lacks; see EngineWorker.
    """

    def __init__(
        self,
        infos: Mapping[str, EngineInfo],
        open_engine: Callable[[str], Engine],
        *,
        most_waiting: int,
        most_ahead_seconds: float,
        availability: Callable[[str], EngineUnavailable | None] = lambda name: None,
    ):
        self._workers = {
            name: EngineWorker(
                info,
                lambda name=name: open_engine(name),
                most_waiting=most_waiting,
                most_ahead_seconds=most_ahead_seconds,
                availability=lambda name=name: availability(name),
            )
            for name, info in infos.items()
        }

    def worker(self, name: str) -> EngineWorker:
        """Raises EngineUnknown."""
        try:
            return self._workers[name]
        except KeyError:
            raise EngineUnknown(name, tuple(self._workers)) from None

    def forget_prepared(self, key: PromptKey, prompt: SpeakerPrompt) -> None:
        """Have the key's engine, where it is open, drop what it prepared of a prompt. Waits for nothing."""
        self.worker(key.engine).tell(lambda engine: engine.forget(prompt.content_digest))

    def statuses(self) -> tuple[EngineStatus, ...]:
        return tuple(worker.status() for worker in self._workers.values())

    def close(self) -> None:
        for worker in self._workers.values():
            worker.close()
