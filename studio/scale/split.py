"""The split shape: ingress studios, and one deployment per engine that wants a GPU. `split` builds it for `serve run` and config files."""

import math
from collections.abc import Mapping
from functools import partial

from pydantic import BaseModel, ConfigDict, Field
from ray import serve
from ray.serve import Application
from ray.serve.config import RequestRouterConfig

from engines.contract.contract import EngineInfo
from studio.running.offer.offer import offered, offered_settings, open_from_catalog
from studio.scale.engine_replica import EngineReplica
from studio.scale.ingress import Ingress
from studio.scale.speaker_router import SpeakerRouter
from studio.scale.whole_studio import MOST_ONGOING
from studio.settings import Settings

__all__ = ["SplitArguments", "engine_deployment", "ingress_deployment", "split"]

LISTENERS = 256  # streams that a replica may have under way beside those that wait; the engine's own limits are reached before
HEALTH_SECONDS, HEALTH_TIMEOUT_SECONDS = 5.0, 30.0
POLICY = "studio.scale.autoscaling:by_queue_and_ttfp"


class SplitArguments(BaseModel):
    """`args` of the application.

    ingresses, replicas: of the ingress, and of each engine at the start. most_replicas: what autoscaling may go up to; none where it is not
    more than `replicas`. streams_per_replica: that one is meant to speak at a time; beyond them voices go to their next replica, and
    autoscaling aims at it. ttfp_goal_ms: autoscaling aims at it too. host: at which the cluster is asked for.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    engines: str = Field("", description="ids between commas; those that want a GPU when empty")
    ingresses: int = Field(1, ge=1)
    replicas: int = Field(1, ge=1)
    most_replicas: int = Field(0, ge=0)
    streams_per_replica: float = Field(8.0, gt=0)
    ttfp_goal_ms: float = Field(1000.0, gt=0)
    headless: bool = False
    host: str = "127.0.0.1"

    def deployed(self, infos: Mapping[str, EngineInfo]) -> tuple[str, ...]:
        """Ids of engines that are deployments. Raises ValueError for one that is not on offer, and where there is none."""
        named = tuple(filter(None, (name.strip() for name in self.engines.split(","))))
        chosen = named or tuple(name for name, info in infos.items() if info.wants_gpu)
        unknown = [name for name in chosen if name not in infos]
        if unknown or not chosen:
            raise ValueError(f"No engine to deploy: {', '.join(unknown) or 'none wants a GPU'}. On offer are {', '.join(infos)}.")
        return chosen


class CatalogReplica(EngineReplica):
    """An engine of the catalog, as the environment of this process says."""

    def __init__(self, name: str, ttfp_goal_seconds: float):
        settings = offered_settings()
        super().__init__(offered(settings)[name], partial(open_from_catalog, settings, name), settings, ttfp_goal_seconds)


def split(args: Mapping[str, str]) -> Application:
    """See SplitArguments. Raises ValueError for arguments that cannot be."""
    arguments, settings = SplitArguments.model_validate(args), offered_settings()
    infos = offered(settings)
    goal = arguments.ttfp_goal_ms / 1000
    engines = {
        name: engine_deployment(CatalogReplica, infos[name], arguments, settings).bind(name, goal) for name in arguments.deployed(infos)
    }
    return ingress_deployment(Ingress, arguments, settings).bind(arguments.headless, arguments.host, **engines)


def ingress_deployment(kind: type[Ingress], arguments: SplitArguments, settings: Settings) -> serve.Deployment:
    """Named Ingress. A replica that is to go finishes what it speaks."""
    return serve.deployment(
        serve.ingress()(kind),
        name="Ingress",
        num_replicas=arguments.ingresses,
        max_ongoing_requests=MOST_ONGOING,
        health_check_period_s=HEALTH_SECONDS,
        logging_config={"enable_access_log": False},
        graceful_shutdown_timeout_s=settings.most_audio_seconds,
        ray_actor_options={"num_cpus": 1},
    )


def engine_deployment(kind: type[EngineReplica], info: EngineInfo, arguments: SplitArguments, settings: Settings) -> serve.Deployment:
    """Named as the engine. A replica that is to go finishes every speech, however long a request's audio may be."""
    autoscaling = None
    if arguments.most_replicas > arguments.replicas:
        autoscaling = {
            "min_replicas": arguments.replicas,
            "max_replicas": arguments.most_replicas,
            "target_ongoing_requests": arguments.streams_per_replica,
            "look_back_period_s": 10.0,
            "metrics_interval_s": 2.0,
            "upscale_delay_s": 5.0,
            "downscale_delay_s": 120.0,
            "policy": {"policy_function": POLICY},
        }
    return serve.deployment(
        kind,
        name=info.id,
        num_replicas="auto" if autoscaling else arguments.replicas,
        autoscaling_config=autoscaling,
        max_ongoing_requests=settings.most_waiting + LISTENERS,
        max_queued_requests=settings.most_waiting,
        graceful_shutdown_timeout_s=settings.most_audio_seconds,
        logging_config={"enable_access_log": False},
        health_check_period_s=HEALTH_SECONDS,
        health_check_timeout_s=HEALTH_TIMEOUT_SECONDS,
        request_router_config=RequestRouterConfig(
            request_router_class=SpeakerRouter, request_router_kwargs={"spill_at": math.ceil(arguments.streams_per_replica)}
        ),
        ray_actor_options={"num_cpus": 1, "num_gpus": 1 if info.wants_gpu and settings.for_engine(info.id).device != "cpu" else 0},
    )
