"""ReleaseChoice: has an engine open another of the repositories that its makers released, while the studio runs."""

from engines.contract.contract import EngineInfo
from studio.running.lifecycle import EngineStatus
from studio.running.offer.machine import MachineFits
from studio.running.offer.releases import Releases
from studio.running.offer.weights import Weights
from studio.running.pool import EnginePool

__all__ = ["ReleaseChoice"]


class ReleaseChoice:
    """infos: what the engines of the studio declare, by id; it is changed here. The others hear of the change."""

    def __init__(self, releases: Releases, infos: dict[str, EngineInfo], pool: EnginePool, weights: Weights, fits: MachineFits):
        self._releases, self._infos, self._pool, self._weights, self._fits = releases, infos, pool, weights, fits

    def choose(self, engine: str, repository: str) -> EngineStatus:
        """From now on, and after a restart. One that was loaded is opened again at once, where the release is here.

        engine: its id. Raises EngineUnknown, ReleaseUnknown, ReleaseFixed, EngineInUse, and OSError where it cannot be written down.
        """
        worker = self._pool.worker(engine)
        self._releases.check(self._infos[engine], repository)
        was_loaded = worker.ready
        if self._infos[engine].hub_id != repository:
            worker.unload()
            self._infos[engine] = self._pool.redeclare(engine, lambda: self._releases.choose(engine, repository))
            self._weights.replace_source(engine, self._releases.source(engine))
            self._fits.forget(engine)
            if was_loaded and not self._weights.are_lacking(engine):
                worker.begin_loading()
        return worker.status()
