"""Servers whose sound costs nothing, for the studio's own share: `python instant_server.py [--bare] [--port P]`.

Run as a file, so that the studio of any checkout answers, by PYTHONPATH. An answer has a chunk of 80 ms per word of its text. With --bare
the same chunks come from Starlette alone: what a server can do at all in this process.
"""

import argparse
import time
from collections.abc import AsyncIterator, Mapping

import numpy as np
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from engines.contract.contract import ChunkStream
from engines.contract.options import Value
from engines.contract.prompt import SpeakerPrompt
from studio.audio.formats import to_pcm16
from studio.measure.server.paced_engine import FRAME_SAMPLES, INFO, PacedEngine
from studio.server import ServedAt, serve
from studio.service import Studio
from studio.settings import Settings, read_settings

__all__ = ["main"]

CHUNK = (0.1 * np.random.default_rng(0).standard_normal(FRAME_SAMPLES)).astype(np.float32)


class InstantEngine(PacedEngine):
    """A chunk of noise per word, at once."""

    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> ChunkStream:
        for _ in text.split():
            yield CHUNK


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--port", type=int, default=7860)
    parser.add_argument("--bare", action="store_true")
    parser.add_argument("--headless", action="store_true", help="accepted and always so")
    options = parser.parse_args()
    if options.bare:
        _serve_bare(options.port)
    else:
        settings = read_settings().model_copy(update={"default_engine": INFO.id})
        serve(settings, ServedAt("127.0.0.1", options.port), headless=True, make_studio=_studio)


def _studio(settings: Settings) -> Studio:
    return Studio(settings, infos={INFO.id: INFO}, open_engine=lambda name: InstantEngine())


def _serve_bare(port: int) -> None:
    app = Starlette(routes=[Route("/v1/audio/speech", _speak, methods=["POST"])])
    listener = uvicorn.Config(app, port=port, log_level="warning").bind_socket()
    print(f"ready in 0.0 s: http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run([listener])


async def _speak(request: Request) -> StreamingResponse:
    arrived = time.perf_counter()
    n_chunks = len((await request.json())["input"].split())
    timing = {"Server-Timing": f"first_audio;dur={(time.perf_counter() - arrived) * 1000:.2f}"}
    return StreamingResponse(_chunks(n_chunks), media_type="audio/pcm", headers=timing)


async def _chunks(n_chunks: int) -> AsyncIterator[bytes]:
    for _ in range(n_chunks):
        yield to_pcm16(CHUNK)


if __name__ == "__main__":
    main()
