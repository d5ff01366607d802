"""An application of one engine deployment and a driver that speaks by it with sixteen threads, as an ingress does."""

import json
import random
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
from ray import serve
from ray.serve import Application
from ray.serve.handle import DeploymentHandle

from engines.contract.contract import YIELD_POINT, EngineInfo
from engines.contract.options import Value
from engines.contract.prompt import SpeakerPrompt
from engines.errors import EngineError
from studio.scale.ray_engine import RayEngine
from studio.scale.replica_watch import ReplicaWatch
from studio.scale.split import SplitArguments, engine_deployment
from studio.settings import Settings
from tests.scale.split_app import FAKE, GatedEngine, GatedReplica
from tests.stand_ins.fake_engine import FakeEngine

VOICES, AT_A_TIME, ZIPF = 30, 16, 0.8
TEXT = "a" * 12  # 600 ms: eight chunks
CHUNK_SECONDS = 0.002  # that each of them takes to make, so that replicas die in the middle of speeches
HUNG_UP_EVERY = 10  # of whom one hangs up at the first sound


class PacedEngine(GatedEngine):
    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Iterator[np.ndarray]:
        for chunk in super().stream(text, prompt, options):
            time.sleep(CHUNK_SECONDS)
            yield chunk


class PacedReplica(GatedReplica):
    def make_engine(self, folder: str, info: EngineInfo) -> GatedEngine:
        return PacedEngine(Path(folder), info)


class RouterDriver:
    """Of `requests` speeches in VOICES voices, the number-th as often as 1 / number ** ZIPF: how each ended."""

    def __init__(self, handle: DeploymentHandle, folder: str):
        self._engine = RayEngine(handle, ReplicaWatch(serve.get_replica_context().app_name, FAKE.id), "Fake")
        tone = self._engine.embed(_embedding(0))
        self._prompts = [replace(tone, source_digest=f"{voice:064x}") for voice in range(VOICES)]
        undisturbed = FakeEngine(FAKE)
        self._undisturbed = [np.concatenate(list(undisturbed.stream(TEXT, tone, _options(voice)))) for voice in range(VOICES)]
        self._told = Path(folder) / "spoken"

    def drive(self, requests: int, seed: int) -> str:
        weights = [1 / (voice + 1) ** ZIPF for voice in range(VOICES)]
        voices = random.Random(seed).choices(range(VOICES), weights, k=requests)
        with ThreadPoolExecutor(AT_A_TIME) as threads:
            return json.dumps(Counter(threads.map(self._speak, voices, range(requests))))

    def _speak(self, voice: int, number: int) -> str:
        try:
            return self._heard(voice, hangs_up=number % HUNG_UP_EVERY == 0)
        except EngineError as error:
            return f"{type(error).__name__}: {error.fact}"
        finally:
            with self._told.open("a") as told:
                told.write("x")

    def _heard(self, voice: int, *, hangs_up: bool) -> str:
        heard = [YIELD_POINT]
        with closing(self._engine.stream(TEXT, self._prompts[voice], _options(voice))) as speech:
            for chunk in speech:
                heard.append(chunk)
                if len(chunk) and hangs_up:
                    return "hung up"
        return "whole" if np.array_equal(np.concatenate(heard), self._undisturbed[voice]) else f"{sum(map(len, heard))} samples"


def _embedding(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0, 1, FAKE.embedding_size).astype(np.float32)


def _options(voice: int) -> dict[str, object]:
    return {"seed": voice, "speed": 1.0, "language": None}


def driven(args: Mapping[str, str]) -> Application:
    """folder, replicas."""
    # none is too busy for its voices, however slowly this machine lets it speak: what happens then is told by test_rendezvous.py
    arguments = SplitArguments(replicas=args["replicas"], streams_per_replica=AT_A_TIME)
    engine = engine_deployment(PacedReplica, FAKE, arguments, Settings()).options(ray_actor_options={"num_cpus": 0.1})
    driver = serve.deployment(RouterDriver, name="Driver", ray_actor_options={"num_cpus": 0.1})
    return driver.bind(engine.bind(args["folder"]), args["folder"])
