"""Ingress: a studio behind Serve whose engines are partly deployments of their own. Speakers, prompts, page and API are here."""

from collections.abc import Mapping
from dataclasses import replace

from ray import serve
from ray.serve.handle import DeploymentHandle
from starlette.types import ASGIApp

from engines.contract import Engine, EngineInfo
from studio.running.offer import open_from_catalog, sources, weights_lacking
from studio.scale.ray_engine import RayEngine
from studio.scale.replica_watch import ReplicaWatch
from studio.server import api_only, guarded, page_and_api
from studio.service import Studio
from studio.settings import Settings

__all__ = ["Ingress", "open_ingress_studio"]


class Ingress:
    """One replica of it.

    declared: the engines on offer, as they would be in one process. headless: the API alone. handles: of those that are deployments.
    """

    def __init__(self, settings: Settings, declared: Mapping[str, EngineInfo], headless: bool, handles: Mapping[str, DeploymentHandle]):
        self.studio = open_ingress_studio(settings, declared, handles)
        self._headless = headless
        self.studio.begin_loading()
        for name in handles:
            self.studio.begin_loading(name)

    def __serve_build_asgi_app__(self) -> ASGIApp:
        return guarded((api_only if self._headless else page_and_api)(self.studio), self.studio.settings)

    def __del__(self):
        if hasattr(self, "studio"):
            self.studio.close()


def open_ingress_studio(settings: Settings, declared: Mapping[str, EngineInfo], handles: Mapping[str, DeploymentHandle]) -> Studio:
    """handles: of the engines that run elsewhere, by id; the others of `declared` run in this process, with weights as ever."""
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
