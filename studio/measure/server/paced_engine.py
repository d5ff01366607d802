"""PacedEngine: an engine that takes a set time per frame and uses no processor. So a measurement shows the studio around it."""

import time
from collections.abc import Mapping

import numpy as np

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import ChunkStream, Engine, EngineInfo
from engines.contract.license import License
from engines.contract.options import Value
from engines.contract.prompt import SpeakerPrompt

__all__ = ["INFO", "PacedEngine"]

SAMPLE_RATE = 24_000
FRAME_SAMPLES = 1_920  # 80 ms, the frame of most neural codecs
FRAME_SECONDS = 0.020  # a quarter of real time, as Qwen3-TTS takes on a mid-range GPU
SECONDS_PER_CHARACTER = 0.05
HZ = 440.0

INFO = EngineInfo(
    id="paced",
    title="Paced",
    summary="A sine at a set pace, for load measurements.",
    licenses=(License("Apache-2.0"),),
    sample_rate=SAMPLE_RATE,
    streams="frame",
    transcript="unused",
    transcript_shapes_prompt=False,
    extractor_revision="1",
    languages=("en",),
    options=(),
)


class PacedEngine(Engine):
    """80 ms of audio per 20 ms; 50 ms of audio per character of text."""

    def __init__(self):
        self.info = INFO
        self.weights_fingerprint = "none"
        self.numeric_mode = "fp32"
        self.device = "none"

    def extract(self, clip: Clip, transcript: Transcript | None = None) -> SpeakerPrompt:
        return self.make_prompt(clip.digest, {"level": np.array([0.1], np.float32)})

    def stream(self, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value]) -> ChunkStream:
        level = float(prompt.tensors["level"][0])
        n_samples = int(len(text) * SECONDS_PER_CHARACTER * SAMPLE_RATE)
        for start in range(0, n_samples, FRAME_SAMPLES):
            ends = time.perf_counter() + FRAME_SECONDS
            seconds = np.arange(start, min(start + FRAME_SAMPLES, n_samples)) / SAMPLE_RATE
            frame = (level * np.sin(2 * np.pi * HZ * seconds)).astype(np.float32)
            time.sleep(max(0.0, ends - time.perf_counter()))
            yield frame

    def close(self) -> None:
        """Nothing to free."""
