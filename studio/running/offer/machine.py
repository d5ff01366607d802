"""Machine: what the studio's computer has for engines, and whether an engine's wants are met there.

It is told before anybody fetches gigabytes: what is there in all, however much of it is free now. Whether an engine that is here fits
beside the others decides memory_check.py when its weights are read.
"""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from engines.contract.contract import EngineInfo
from studio.running.offer.memory_check import total_gpu_bytes, total_memory_bytes
from studio.running.offer.offer import is_lent
from studio.settings import Settings

__all__ = ["Machine", "MachineFit", "MachineFits", "Verdict", "fit_of", "this_machine"]

# fits, fits_gpu: memory, or that of a GPU, is enough for its weights. lent: a GPU comes from elsewhere for each speech. no_gpu: it speaks
# without the GPU that it wants, slowly. small_memory, small_gpu: its weights are larger. unknown: nobody says what is wanted or there.
Verdict = Literal["fits", "fits_gpu", "lent", "no_gpu", "small_memory", "small_gpu", "unknown"]


@dataclass(frozen=True)
class Machine:
    """gpu_bytes: of its largest GPU, 0 without one. memory_bytes: beside that. None where it is not known."""

    gpu_bytes: int | None
    memory_bytes: int | None


@dataclass(frozen=True)
class MachineFit:
    """needed_bytes: at least, 0 where it is not known. there_bytes: of the memory that the verdict is about."""

    verdict: Verdict
    needed_bytes: int
    there_bytes: int


class MachineFits:
    """How the engines of a studio fit its computer; settled once for each, when it is first asked for."""

    def __init__(self, settings: Settings, infos: Mapping[str, EngineInfo], machine: Callable[[], Machine] | None = None):
        """machine: what is asked once for what is there; None for `this_machine`."""
        self._settings, self._infos, self._machine = settings, infos, machine or this_machine
        self._known: dict[str, MachineFit] = {}

    def of(self, engine: str) -> MachineFit:
        """Raises KeyError for an engine that is not on offer."""
        if engine not in self._known:
            info, device = self._infos[engine], self._settings.for_engine(engine).device
            is_lent_gpu = is_lent(self._settings, engine, info)
            self._known[engine] = fit_of(info, self._machine(), device, is_lent=is_lent_gpu)
        return self._known[engine]


@functools.cache
def this_machine() -> Machine:
    """Takes a second where it has a GPU, once."""
    return Machine(total_gpu_bytes(), total_memory_bytes())


def fit_of(info: EngineInfo, machine: Machine, device: str | None, *, is_lent: bool) -> MachineFit:
    """device: which was set for the engine, None for its own choice. is_lent: whether it works on GPUs that its host lends."""
    needed = info.weights_bytes
    if is_lent:
        return MachineFit("lent", needed, 0)
    has_use_of_gpu = info.wants_gpu and device != "cpu"
    if needed and has_use_of_gpu and machine.gpu_bytes:
        return MachineFit("fits_gpu" if needed <= machine.gpu_bytes else "small_gpu", needed, machine.gpu_bytes)
    if not needed or machine.memory_bytes is None or (has_use_of_gpu and machine.gpu_bytes is None):
        return MachineFit("unknown", needed, 0)
    verdict: Verdict = "no_gpu" if info.wants_gpu else "fits"
    return MachineFit(verdict if needed <= machine.memory_bytes else "small_memory", needed, machine.memory_bytes)
