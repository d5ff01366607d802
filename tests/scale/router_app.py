"""An application of one engine deployment and a driver that speaks by it with sixteen threads, as an ingress does."""

import json
import random
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from ray import serve
from ray.serve import Application
from ray.serve.handle import DeploymentHandle

from engines.errors import EngineError
from studio.scale.ray_engine import RayEngine
from studio.scale.replica_watch import ReplicaWatch
from studio.scale.split import SplitArguments, engine_deployment
from studio.settings import Settings
from tests.scale.split_app import FAKE, GatedReplica

VOICES, AT_A_TIME, ZIPF = 30, 16, 0.8
OPTIONS = {"seed": 0, "speed": 1.0, "language": None}
TEXT = "A"  # 50 ms: one chunk


class RouterDriver:
    """Of `requests` speeches in VOICES voices, the number-th as often as 1 / number ** ZIPF: how each ended."""

    def __init__(self, handle: DeploymentHandle, folder: str):
        self._engine = RayEngine(handle, ReplicaWatch(serve.get_replica_context().app_name, FAKE.id), "Fake")
        tone = self._engine.embed(_embedding(0))
        self._prompts = [replace(tone, source_digest=f"{voice:064x}") for voice in range(VOICES)]
        self._told = Path(folder) / "spoken"

    def drive(self, requests: int, seed: int) -> str:
        weights = [1 / (voice + 1) ** ZIPF for voice in range(VOICES)]
        voices = random.Random(seed).choices(range(VOICES), weights, k=requests)
        with ThreadPoolExecutor(AT_A_TIME) as threads:
            return json.dumps(Counter(threads.map(self._speak, voices)))

    def _speak(self, voice: int) -> str:
        samples = 0
        try:
            for chunk in self._engine.stream(TEXT, self._prompts[voice], OPTIONS):
                samples += len(chunk)
        except EngineError as error:
            return f"{type(error).__name__}: {error.fact}"
        finally:
            with self._told.open("a") as told:
                told.write("x")
        return "whole" if samples == 1200 else f"{samples} samples"


def _embedding(seed: int):
    import numpy as np

    return np.random.default_rng(seed).uniform(0, 1, FAKE.embedding_size).astype(np.float32)


def driven(args: Mapping[str, str]) -> Application:
    """folder, replicas."""
    # none is too busy for its voices, however slowly this machine lets it speak: what happens then is told by test_rendezvous.py
    arguments = SplitArguments(replicas=args["replicas"], streams_per_replica=AT_A_TIME)
    engine = engine_deployment(GatedReplica, FAKE, arguments, Settings()).options(ray_actor_options={"num_cpus": 0.1})
    driver = serve.deployment(RouterDriver, name="Driver", ray_actor_options={"num_cpus": 0.1})
    return driver.bind(engine.bind(args["folder"]), args["folder"])
