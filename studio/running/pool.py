"""EnginePool: the engines on offer, each with its worker. An engine that is not available never breaks the others.

DefaultEngine says which engine a request means that names none. Every door asks here.
"""

import logging
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Literal

from engines.contract.contract import Engine, EngineInfo
from engines.contract.language_limit import limits_met
from engines.contract.preset_blend import blend_text
from engines.contract.prompt import SpeakerPrompt
from engines.errors import EngineError, EngineUnavailable, LanguageUnsupported
from engines.text.language_guess import guess_language
from engines.text.spoken_length import spoken_seconds
from studio.errors import EngineUnknown
from studio.prompt_key import PromptKey
from studio.reading.language import AUTO, language_code, languages_of
from studio.running.far_worker import FarWorker
from studio.running.lifecycle import EngineStatus, IdleLimit
from studio.running.limits import Limits
from studio.running.offer.memory_check import check_memory, finds_gpu, free_bytes, is_small
from studio.running.offer.offer import is_lent
from studio.running.worker import EngineWorker
from studio.running.zero_gpu.zero_gpu import ZeroGpu
from studio.running.zero_gpu.zero_gpu_worker import ZeroGpuWorker
from studio.settings import Settings

__all__ = ["DefaultEngine", "DefaultReason", "EnginePool", "suiting_cpu"]


class EnginePool:
    """infos: what each engine on offer declares, in the order to show. open_engine(id, check_memory) -> Engine, called on that engine's
    thread; check_memory(): see below. free_bytes(device): of the machine.

    Engines have other names: those of `settings.model_aliases`, and the hub's of their weights. Raises EngineUnknown where one is of none.
    look(id)(): what an engine that nobody has opened lacks; see EngineWorker. gpu_host: what lends a GPU, where it does.
    far: ids of those that run elsewhere.
    """

    def __init__(
        self,
        infos: Mapping[str, EngineInfo],
        open_engine: Callable[[str, Callable[[], None]], Engine],
        settings: Settings,
        *,
        look: Callable[[str], Callable[[], EngineUnavailable | None]] = lambda name: lambda: None,
        gpu_host: ZeroGpu | None = None,
        free_bytes: Callable[[str | None], int | None] = free_bytes,
    ):
        limits = Limits(settings.most_waiting, settings.most_ahead_seconds, settings.admit, settings.most_wait_seconds)
        idle_limit = IdleLimit(settings.unload_after_minutes * 60 or None)

        def worker_of(name: str, info: EngineInfo) -> EngineWorker:
            lacking, opened = partial(self._lack, name), partial(open_engine, name, partial(self.check_memory, name))
            if gpu_host is not None and is_lent(settings, name, info):
                return ZeroGpuWorker(info, opened, gpu_host, limits=limits, availability=lacking)
            if info.runs == "elsewhere":
                return FarWorker(info, opened, limits=limits, availability=lacking, when_opened=partial(self._tell_opened, name))
            return EngineWorker(info, opened, limits=limits, availability=lacking, idle_limit=idle_limit)

        self._look, self._settings, self._free_bytes = look, settings, free_bytes
        self.gpu_host = gpu_host
        self._listeners: tuple[Callable[[str, Engine], None], ...] = ()
        self._declared, self._aliases = MappingProxyType(dict(infos)), settings.model_aliases
        self.far = frozenset(name for name, info in infos.items() if info.runs == "elsewhere")
        self._workers = {name: worker_of(name, info) for name, info in infos.items()}
        self._other_names = self._names()
        for name in self._other_names.values():
            self.worker(name)

    def worker(self, name: str) -> EngineWorker:
        """By the engine's id. Raises EngineUnknown."""
        try:
            return self._workers[name]
        except KeyError:
            raise EngineUnknown(name, tuple(self._workers)) from None

    def carries_one_more(self, name: str, expected_seconds: float) -> bool:
        """See EngineWorker."""
        return self.worker(name).carries_one_more(expected_seconds)

    def when_opened(self, listener: Callable[[str, Engine], None]) -> None:
        """Tell listener(id, engine), on a thread of its own, each time that an engine that runs elsewhere has been opened."""
        self._listeners = (*self._listeners, listener)

    def check_memory(self, name: str) -> None:
        """Raises EngineUnknown; InsufficientMemory where an engine that is not loaded is certain not to fit into memory."""
        worker = self.worker(name)
        if worker.ready or is_small(worker.info):
            return
        loaded = [(status.info, status.memory_bytes) for status in self.statuses() if status.state == "ready"]
        check_memory(worker.info, self._free_bytes(self._settings.for_engine(name).device), loaded)

    @property
    def infos(self) -> Mapping[str, EngineInfo]:
        """What each engine declares; of one that runs elsewhere what it said when it was open, which may be more."""
        return self._declared | {name: self._workers[name].info for name in self.far} if self.far else self._declared

    def declared(self) -> Iterable[EngineInfo]:
        """The same, of all engines."""
        return (self.infos if self.far else self._declared).values()

    def engine_id(self, name: str) -> str:
        """Of the engine that has this name, its own or another. Raises EngineUnknown."""
        found = name if name in self._workers else self._other_names.get(name)
        if found is None:
            raise EngineUnknown(name, tuple(self._workers))
        return found

    def redeclare(self, name: str, settle: Callable[[], EngineInfo]) -> EngineInfo:
        """See EngineWorker: what the engine declares from now on. The hub's name of its former weights means it no longer."""
        info = self.worker(name).redeclare(settle)
        self._declared = MappingProxyType({**self._declared, name: info})
        self._other_names = self._names()
        return info

    def forget_prepared(self, key: PromptKey, prompt: SpeakerPrompt) -> None:
        """Have the key's engine, where it is open, drop what it prepared of a prompt. Waits for nothing."""
        self.worker(key.engine).tell(lambda engine: engine.forget(prompt.content_digest))

    def is_pressed(self) -> bool:
        """Whether a listener of any engine that computes here cannot spare it the processor."""
        return any(worker.is_pressed() for worker in self._workers.values())

    def statuses(self) -> tuple[EngineStatus, ...]:
        return tuple(worker.status() for worker in self._workers.values())

    def begin_closing(self) -> None:
        """See EngineWorker."""
        for worker in self._workers.values():
            worker.begin_closing()

    def close(self) -> None:
        for worker in self._workers.values():
            worker.close()

    def _lack(self, name: str) -> EngineUnavailable | None:
        return self._look(name)()

    def _tell_opened(self, name: str, engine: Engine) -> None:
        for listener in self._listeners:
            listener(name, engine)

    def _names(self) -> dict[str, str]:
        """Other than their ids; of two engines with the same weights the first has the hub's."""
        return {info.hub_id: name for name, info in reversed([*self._declared.items()]) if info.hub_id} | dict(self._aliases)


# --- the default engine


# set: by STUDIO_DEFAULT_ENGINE. suits_cpu: it sounds natural without a GPU, and there is none. usual: where neither says otherwise.
DefaultReason = Literal["set", "suits_cpu", "usual"]

log = logging.getLogger("studio")


def suiting_cpu(settings: Settings, infos: Mapping[str, EngineInfo]) -> tuple[str, ...]:
    """The engines on offer that may be the default because they sound natural without a GPU, by id, the first of them first.

    None where a default was set, or there is a GPU, or one is lent. They clone recordings, as far as that is known before they are opened:
    whoever presses one button has a recorded voice spoken.
    """
    if settings.zero_gpu or "default_engine" in settings.model_fields_set:
        return ()
    found = tuple(name for name, info in infos.items() if info.suits_cpu and info.clones_clips)
    return () if found and finds_gpu() else found


class DefaultEngine:
    """settings.default_engine, unless that was left to the studio and the machine has no GPU: then the first engine that suits a CPU and is
    here. That is settled twice and at no other time: when the studio starts, by whether the weights are here, and when such an engine is
    opened for the first time, as it is once its weights have come. One whose first opening fails, or that clones no recordings with these
    weights, is not the default, or no longer. A request has one engine from its beginning to its end, a WebSocket session as well.

    is_here(engine): whether its weights are; a look at the disk. usual: settings.default_engine. has_come: whether it was another one when
    the studio started.
    """

    def __init__(
        self,
        settings: Settings,
        infos: Mapping[str, EngineInfo],
        is_here: Callable[[str], bool],
    ):
        self.has_come = False
        self.usual, self._infos = settings.default_engine, dict(infos)
        self._is_set = "default_engine" in settings.model_fields_set
        self._lock = threading.Lock()
        self._suiting = [name for name in suiting_cpu(settings, infos) if name != self.usual]
        self._opened: set[str] = set()
        self._cloneless: set[str] = set()
        self._chosen = next((name for name in self._suiting if is_here(name)), None)

    @property
    def id(self) -> str:
        return self._chosen or self.usual

    def meant_by(
        self,
        text: str = "",
        language: str | None = None,
        speaker: str | None = "",
        can_learn: Callable[[EngineInfo], bool] = lambda info: False,
        carries: Callable[[str, float], bool] = lambda engine, seconds: True,
    ) -> str:
        """The engine of a request that names none: the default, unless it does not speak the language that the request names or that
        the text seems to be in, or has no letter of that text, or no speaker where none is named: then the one that is usual, where
        that speaks the language.

        So it is where the default has as many listeners as it carries, for a speaker whom the usual engine can learn as well.
        language: None or "Auto" where none is named. speaker: as it is named, None for none. can_learn: whether an engine learns it.
        carries(engine, seconds): whether it carries one more listener of so much audio.
        """
        name, info, usual = self.id, self._infos[self.id], self._infos[self.usual]
        if name == self.usual or _has_built_in(info, speaker or "") or not _speaks(usual, language):
            return name
        spoken = language if language and language != AUTO else guess_language(text)
        suits = _speaks(info, spoken) and not _is_noise(info, text, language) and (speaker is not None or info.default_preset)
        return name if suits and (carries(name, spoken_seconds(text)) or not can_learn(usual)) else self.usual

    @property
    def reason(self) -> DefaultReason:
        if self._chosen:
            return "suits_cpu"
        return "set" if self._is_set else "usual"

    @property
    def better(self) -> str:
        """The engine that would be the default if it could be opened; "" where none would."""
        able = (name for name in self._suiting if name not in self._cloneless)
        return "" if self._chosen else next(able, "")

    def awaits(self, engine: str) -> bool:
        """Whether that engine becomes the default once it is opened."""
        return not self._chosen and engine in self._suiting

    def opening(self, engine: str, open_engine: Callable[[], Engine]) -> Engine:
        """What open_engine gives, or raises. The first time, of an engine that suits a CPU, settles whether it is the default."""
        if engine not in self._suiting or engine in self._opened:
            return open_engine()
        try:
            opened = open_engine()
        except Exception as error:
            self._leave(engine, error.fact if isinstance(error, EngineError) else f"{error}.")
            raise
        self._infos[engine] = opened.info
        if opened.info.clones_clips:
            self._take(engine)
        else:
            self._cloneless.add(engine)
            self._leave(engine, "With these weights it clones no recordings.")
        return opened

    def _take(self, engine: str) -> None:
        with self._lock:
            self._opened.add(engine)
            self._cloneless.discard(engine)
            is_new = self._chosen is None
            self._chosen, self.has_come = self._chosen or engine, self.has_come or is_new
        if is_new:
            log.info("the default engine is %s from now on", engine)

    def _leave(self, engine: str, why: str) -> None:
        with self._lock:
            was_chosen = self._chosen == engine
            self._chosen = None if was_chosen else self._chosen
        if was_chosen:
            log.warning("the default engine is %s, not %s. %s", self.usual, engine, why)


def _has_built_in(info: EngineInfo, speaker: str) -> bool:
    return speaker.casefold() in map(str.casefold, info.presets) or blend_text(speaker, info) is not None


def _speaks(info: EngineInfo, language: str | None) -> bool:
    try:
        language_code(language, info.languages, languages_of([info]))
    except LanguageUnsupported:
        return False
    return True


def _is_noise(info: EngineInfo, text: str, language: str | None) -> bool:
    """Whether the engine misreads every letter of the text."""
    code = language_code(language, info.languages, languages_of([info]))
    return any(
        not any(map(str.isalpha, re.sub(limit.concerns, "", text))) for limit in limits_met(info.language_limits, text, code) if limit.code
    )
