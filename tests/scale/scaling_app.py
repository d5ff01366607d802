"""An application of two slow engines that differ in what listeners may wait, each as many replicas as `by_queue_and_ttfp` says."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from ray import serve
from ray.serve import Application
from ray.serve.handle import DeploymentHandle

from engines.contract.contract import YIELD_POINT
from engines.contract.options import Value
from engines.contract.prompt import SpeakerPrompt
from studio.scale.ray_engine import RayEngine
from studio.scale.replica_watch import ReplicaWatch
from studio.scale.split import POLICY, SplitArguments, engine_deployment
from studio.settings import Settings
from tests.scale.split_app import FAKE, GatedEngine, GatedReplica

LATE_SECONDS = 0.2  # every first sound
STRICT, LAX = replace(FAKE, id="strict"), replace(FAKE, id="lax")
GOALS = {STRICT.id: LATE_SECONDS / 2, LAX.id: 100 * LATE_SECONDS}
QUICK = {
    "min_replicas": 1,
    "max_replicas": 2,
    "target_ongoing_requests": 100,
    "look_back_period_s": 2.0,
    "metrics_interval_s": 0.5,
    "upscale_delay_s": 0.5,
    "policy": {"policy_function": POLICY},
}


class LateEngine(GatedEngine):
    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Iterator[np.ndarray]:
        yield YIELD_POINT
        time.sleep(LATE_SECONDS)
        yield from super().stream(text, prompt, options)


class LateReplica(GatedReplica):
    def make_engine(self, folder: str, info) -> GatedEngine:
        return LateEngine(Path(folder), info)


class ScalingDriver:
    """Speaks by both, one speech at a time, so that nobody waits in a queue."""

    def __init__(self, strict: DeploymentHandle, lax: DeploymentHandle):
        application = serve.get_replica_context().app_name
        handles = {STRICT.id: strict, LAX.id: lax}
        self._engines = [RayEngine(handle, ReplicaWatch(application, name), name) for name, handle in handles.items()]
        self._prompts = [engine.embed(np.full(FAKE.embedding_size, 0.5, np.float32)) for engine in self._engines]

    def drive(self) -> None:
        for engine, prompt in zip(self._engines, self._prompts, strict=True):
            list(engine.stream("A short text.", prompt, {"seed": 0, "speed": 1.0, "language": None}))


def scaled(args: Mapping[str, str]) -> Application:
    """folder."""
    arguments = SplitArguments(most_replicas=2)
    engines = {}
    for info in (STRICT, LAX):
        options = {"autoscaling_config": QUICK, "ray_actor_options": {"num_cpus": 0.1}}
        deployment = engine_deployment(LateReplica, info, arguments, Settings()).options(**options)
        engines[info.id] = deployment.bind(args["folder"], info, GOALS[info.id])
    return serve.deployment(ScalingDriver, name="Driver", ray_actor_options={"num_cpus": 0.1}).bind(**engines)
