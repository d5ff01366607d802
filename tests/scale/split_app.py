"""Applications for tests of the split shape: the ingress with the embedded engine inside, and fake engines as deployments."""

import asyncio
import fcntl
import os
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing, contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
from ray import serve
from ray.serve import Application
from ray.serve.handle import DeploymentHandle

from engines import catalog
from engines.clips.clip import Transcript
from engines.contract.contract import YIELD_POINT, EngineInfo
from engines.contract.options import Value
from engines.contract.prompt import SpeakerPrompt
from studio.running.error_as_data import ErrorAsData
from studio.scale.engine_replica import EngineReplica, SentClip, Spoken
from studio.scale.ingress import Ingress
from studio.scale.split import SplitArguments, engine_deployment, ingress_deployment
from studio.service import Studio
from studio.settings import Settings
from tests.stand_ins.fake_engine import INFO, FakeEngine

GATHER = "gather "  # a text that begins so is spoken when as many of them as its next word has letters are asked for, at all replicas
BROKEN = "broken"  # a file that keeps replicas from starting
HOLD = "hold "  # a text that begins so is spoken no further than HELD_CHUNKS while the gate is closed
HELD_CHUNKS = 250  # 20 s, so that whoever has them lets others have their turn
KEPT = 12
FAKE = replace(INFO, presets=(), default_preset=None, streams="sentence")
EMBEDDED = "espeak"


@contextmanager
def closed_gate(folder: Path) -> Iterator[None]:
    """Inside, extractions at fake replicas begin and do not end, nor do speeches of HOLD."""
    with (folder / "gate").open("w") as gate:
        fcntl.flock(gate, fcntl.LOCK_EX)
        yield


class GatedEngine(FakeEngine):
    """folder: where it says what it does, and waits at the gate. It keeps the state of KEPT prompts."""

    def __init__(self, folder: Path, info: EngineInfo = FAKE):
        super().__init__(info, before_extract=self._pass_gate, seconds_per_character=0.05)
        self.kept: OrderedDict[str, None] = OrderedDict()
        self.hits = self.misses = 0
        self.folder = folder

    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Iterator[np.ndarray]:
        chunks = super().stream(text, prompt, options)
        if text.startswith(HOLD):
            yield from islice(chunks, HELD_CHUNKS)
            while not self._gate_is_open():
                time.sleep(0.01)  # or it would take the core from whoever opens it
                yield YIELD_POINT
        yield from chunks

    def prepare(self, prompt: SpeakerPrompt) -> None:
        super().prepare(prompt)
        if prompt.content_digest in self.kept:
            self.hits += 1
        else:
            self.misses += 1
        self.kept[prompt.content_digest] = None
        self.kept.move_to_end(prompt.content_digest)
        while len(self.kept) > KEPT:
            self.kept.popitem(last=False)

    def forget(self, content_digest: str) -> None:
        super().forget(content_digest)
        self.kept.pop(content_digest, None)

    def _gate_is_open(self) -> bool:
        with (self.folder / "gate").open("a") as gate:
            try:
                fcntl.flock(gate, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        return True

    def _pass_gate(self) -> None:
        with (self.folder / "extractions").open("a") as told:
            told.write("begun\n")
        with (self.folder / "gate").open("a") as gate:
            fcntl.flock(gate, fcntl.LOCK_SH)


class GatedReplica(EngineReplica):
    def __init__(self, folder: str, info: EngineInfo = FAKE, ttfp_goal_seconds: float = 1.0):
        if (Path(folder) / BROKEN).exists():
            raise RuntimeError("told not to start")
        self.engine, self.asked = self.make_engine(folder, info), 0
        super().__init__(info, lambda: self.engine, Settings(admit="all"), ttfp_goal_seconds)

    def make_engine(self, folder: str, info: EngineInfo) -> GatedEngine:
        return GatedEngine(Path(folder), info)

    async def extract(self, clip: SentClip, transcript: Transcript | None) -> bytes | ErrorAsData:
        self.asked += 1
        return await super().extract(clip, transcript)

    async def stream(
        self, speech: str, prompt: bytes, text: str, options: Mapping[str, Value], is_heard: bool = False
    ) -> AsyncGenerator[Spoken, None]:
        if text.startswith(GATHER):
            gathered = self.engine.folder / "gathered"
            with gathered.open("a") as told:
                told.write(".")
            while gathered.stat().st_size < len(text.split()[1]):
                await asyncio.sleep(0.01)
        async with aclosing(super().stream(speech, prompt, text, options, is_heard)) as spoken:
            async for piece in spoken:
                yield piece

    async def status(self) -> dict[str, object]:
        figures = {
            "asked": self.asked,
            "closed": self.engine.streams_closed,
            "hits": self.engine.hits,
            "misses": self.engine.misses,
            "kept": list(self.engine.kept),
        }
        return await super().status() | figures

    async def break_down(self, process: int) -> None:
        """The engine fails from now on, in that process."""
        if os.getpid() == process:
            self.engine._fail_at_chunk = 0


class FakesIngress(Ingress):
    """The embedded engine inside, and the fake one elsewhere."""

    async def __init__(self, folder: str, **handles: DeploymentHandle):
        self._settings = Settings(speakers_dir=Path(folder) / "speakers", default_engine=EMBEDDED)
        await super().__init__(True, "127.0.0.1", **handles)

    def make_studio(self, settings: Settings) -> Studio:
        return super().make_studio(self._settings)

    def declared(self, settings: Settings) -> dict[str, EngineInfo]:
        return {EMBEDDED: catalog.engine_info(EMBEDDED), FAKE.id: FAKE}


def fakes(args: Mapping[str, str]) -> Application:
    """folder: for speakers and the gate; the other args as for `split`."""
    folder = args["folder"]
    arguments = SplitArguments(**{name: value for name, value in args.items() if name != "folder"})
    engine = engine_deployment(GatedReplica, FAKE, arguments, Settings()).options(
        health_check_period_s=1, ray_actor_options={"num_cpus": 0.1}
    )
    return ingress_deployment(FakesIngress, arguments, Settings()).bind(folder, fake=engine.bind(folder))


def handle(engine: str = FAKE.id) -> DeploymentHandle:
    """Of an engine's deployment, for a process that has joined the cluster."""
    return serve.get_deployment_handle(engine, "studio")
