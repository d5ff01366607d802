"""A studio for measurements of its page. Its engine has a settable first packet and pace, and notes when a listener begins and leaves."""

import argparse
import json
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from engines.contract.contract import ChunkStream
from engines.contract.options import Option, Value
from engines.contract.prompt import SpeakerPrompt
from studio.measure.server.paced_engine import FRAME_SAMPLES, HZ, SAMPLE_RATE, SECONDS_PER_CHARACTER, PacedEngine
from studio.measure.server.paced_engine import INFO as PACED
from studio.server import ServedAt, serve
from studio.service import Studio
from studio.settings import Settings, read_settings

__all__ = ["main", "read_journal"]

LEVEL = 0.1
OPTIONS = (
    Option("ttfp", "float", 0.1, "Time until the first chunk.", minimum=0.0, maximum=20.0, unit="s"),
    Option("rtf", "float", 0.25, "Computing per second of audio after the first chunk.", minimum=0.0, maximum=4.0),
    Option("chunk_samples", "int", FRAME_SAMPLES, "Samples of one chunk.", minimum=240, maximum=240_000),
)
INFO = replace(PACED, options=OPTIONS, presets=("hum",), default_preset="hum", summary="A sine at a settable pace.")


class SettableEngine(PacedEngine):
    """50 ms of a sine per character. journal: a file that gets one line of JSON for each stream: {began, left, chunks, whole}."""

    def __init__(self, journal: Path):
        super().__init__()
        self.info = INFO
        self._journal = journal

    def preset(self, name: str) -> SpeakerPrompt:
        return self.make_prompt(f"preset:{name}", {"level": np.array([LEVEL], np.float32)})

    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> ChunkStream:
        n_samples = int(len(text) * SECONDS_PER_CHARACTER * SAMPLE_RATE)
        size, ttfp, rtf = (options[name] for name in ("chunk_samples", "ttfp", "rtf"))
        assert isinstance(size, int) and isinstance(ttfp, float) and isinstance(rtf, float)  # of their options' kinds
        began, due = time.time(), time.perf_counter() + ttfp
        n_chunks, whole = 0, False
        try:
            for start in range(0, n_samples, size):
                seconds = np.arange(start, min(start + size, n_samples)) / SAMPLE_RATE
                chunk = (LEVEL * np.sin(2 * np.pi * HZ * seconds)).astype(np.float32)
                time.sleep(max(0.0, due - time.perf_counter()))
                due += size / SAMPLE_RATE * rtf
                n_chunks += 1
                yield chunk
            whole = True
        finally:
            with self._journal.open("a") as journal:
                journal.write(json.dumps({"began": began, "left": time.time(), "chunks": n_chunks, "whole": whole}) + "\n")


def read_journal(journal: Path) -> list[dict[str, float]]:
    """The streams that were left so far, in their order: when begun and left (seconds since 1970), chunks, whether to the end."""
    return [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()] if journal.exists() else []


def main() -> None:
    """Serve page and API until interrupted."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--port", type=int, default=7860)
    parser.add_argument("--headless", action="store_true")
    parser.add_argument("--journal", type=Path, required=True)
    options = parser.parse_args()
    settings = read_settings().model_copy(update={"default_engine": INFO.id})

    def make_studio(settings: Settings) -> Studio:
        return Studio(settings, infos={INFO.id: INFO}, open_engine=lambda name: SettableEngine(options.journal))

    serve(settings, ServedAt("127.0.0.1", options.port), headless=options.headless, make_studio=make_studio)


if __name__ == "__main__":
    main()
