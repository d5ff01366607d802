"""Ingress: a studio behind Serve. Some of its engines are deployments of their own; speakers, prompts, page and API are here."""

from dataclasses import replace

from ray import serve
from ray.serve.handle import DeploymentHandle

from engines.contract.contract import Engine, EngineInfo
from studio.running.offer.offer import offered, open_from_catalog, sources, weights_lacking
from studio.scale.ray_engine import RayEngine
from studio.scale.replica_watch import ReplicaWatch
from studio.scale.whole_studio import ReplicaStudio
from studio.service import Studio
from studio.settings import Settings

__all__ = ["Ingress"]


class Ingress(ReplicaStudio):
    """A ReplicaStudio that calls some of its engines by handles; they are opened at the start, in the background.

    handles: of the engines that run elsewhere, by id. The others that `declared` has run in this process, with weights as ever.
    """

    async def __init__(self, headless: bool, listens_on: str, **handles: DeploymentHandle):
        self._handles = handles
        await super().__init__(headless, listens_on)

    def make_studio(self, settings: Settings) -> Studio:
        handles, declared = self._handles, self.declared(settings)
        infos = {name: replace(info, runs="elsewhere", weights_bytes=0) if name in handles else info for name, info in declared.items()}
        weights = {name: source for name, source in sources(settings, None).items() if name not in handles}

        def open_engine(name: str) -> Engine:
            if name in handles:
                watch = ReplicaWatch(serve.get_replica_context().app_name, handles[name].deployment_name)
                return RayEngine(handles[name], watch, infos[name].title)
            if weights_lacking(settings, name) is None:
                studio.weights.bring(name)
            return open_from_catalog(settings, name)

        studio = Studio(settings, infos=infos, open_engine=open_engine, weights=weights)
        return studio

    def declared(self, settings: Settings) -> dict[str, EngineInfo]:
        """The engines on offer, as they would be in one process."""
        return offered(settings)
