"""A Space of ZeroGPU over a fake engine: `python -m tests.stand_ins.zero_gpu_space [--port P]`, with the real `spaces` and without torch.

The package does without torch where there is none; with it, it would want a GPU in each process that it forks.
"""

import argparse
import importlib.abc
import itertools
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from engines.contract.options import Value
from engines.contract.prompt import SpeakerPrompt
from studio.running.zero_gpu.zero_gpu import open_zero_gpu
from studio.settings import Settings, read_settings
from tests.stand_ins.fake_engine import CHUNK_SAMPLES, INFO, FakeEngine

DEADLY, ENDLESS = "Die.", "Go on."


class NoTorch(importlib.abc.MetaPathFinder):
    """Whoever imports torch is told that it is not installed."""

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        if name.partition(".")[0] == "torch":
            raise ImportError("torch is left out")


class GpuEngine(FakeEngine):
    """Ends its process, or never ends, when it is told so."""

    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> Iterator[np.ndarray]:
        if text == ENDLESS:
            yield from itertools.repeat(np.full(CHUNK_SAMPLES, 0.1, np.float32))
        for chunk in super().stream(text, prompt, options):
            yield chunk
            if text == DEADLY:
                os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--port", type=int, default=7860)
    options = parser.parse_args()
    sys.meta_path.insert(0, NoTorch())
    open_zero_gpu()
    from studio.server import serve_on_space
    from studio.service import Studio

    info = replace(INFO, wants_gpu=True)

    def make_studio(settings: Settings) -> Studio:
        return Studio(settings, infos={info.id: info}, open_engine=lambda name: GpuEngine(info))

    settings = read_settings().model_copy(update={"default_engine": info.id})
    serve_on_space(settings, host="127.0.0.1", port=options.port, started=time.perf_counter(), make_studio=make_studio)


if __name__ == "__main__":
    main()
