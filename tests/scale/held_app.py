"""Studios of a fake engine as replicas, which a test holds and hears of by files: `held(args)` is what the cluster serves."""

import os
import time
from pathlib import Path

from ray.serve import Application

from studio.scale.app import of_replicas
from studio.scale.whole_studio import ReplicaStudio
from studio.service import Studio
from studio.settings import Settings
from tests.stand_ins.fake_engine import INFO, FakeEngine

SLOW = "slowly "  # what a text begins with that is spoken in real time
CHUNK_SECONDS = 0.08


class HeldEngine(FakeEngine):
    """notes: a folder. While `hold` lies there, no extraction ends. `extracting-PID`: one began; `closed-PID`: a stream ended."""

    def __init__(self, notes: Path):
        super().__init__(before_extract=self._wait)
        self._notes = notes

    def stream(self, text, prompt, options):
        try:
            for chunk in super().stream(text, prompt, options):
                if text.startswith(SLOW):
                    time.sleep(CHUNK_SECONDS)
                yield chunk
        finally:
            (self._notes / f"closed-{os.getpid()}").write_text(str(self.streams_closed))

    def _wait(self) -> None:
        (self._notes / f"extracting-{os.getpid()}").touch()
        while (self._notes / "hold").exists():
            time.sleep(0.01)


class HeldReplica(ReplicaStudio):
    """Says in each answer which process gave it, and writes `over-PID` when its studio was closed."""

    def make_studio(self, settings: Settings) -> Studio:
        notes = settings.speakers_dir.parent / "notes"
        self._kept.callback((notes / f"over-{os.getpid()}").touch)
        settings = settings.model_copy(update={"default_engine": INFO.id, "engines": None, "warm_uploads": False})
        return Studio(settings, infos={INFO.id: INFO}, open_engine=lambda name: HeldEngine(notes))

    def __serve_build_asgi_app__(self):
        app = super().__serve_build_asgi_app__()

        async def signed(scope, receive, send):
            async def send_signed(message):
                if message["type"] == "http.response.start":
                    message = {**message, "headers": [*message["headers"], (b"x-replica", str(os.getpid()).encode())]}
                await send(message)

            await app(scope, receive, send_signed if scope["type"] == "http" else send)

        return signed


def held(args: dict[str, str]) -> Application:
    return of_replicas(HeldReplica, args)
