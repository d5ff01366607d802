"""What both sides of the parity tests are given: clips, texts, modes and noise, all made by formula."""

from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import torch

from engines.clip import Clip
from engines.layers.noise import gaussian_noise
from tests.engines.qwen3_tts.made_clip import made_clip

__all__ = ["CASES", "ENDINGS", "GOLDEN", "MODES", "SEEDS", "TEXTS", "WORDS"]
__all__ += ["Case", "Ending", "clips", "made_latents", "noise_of"]

GOLDEN = Path(__file__).parent / "golden"
SEEDS = {"usual": 15, "extended": 1, "sparse": 13}  # of the weights, by shape: no choice in any golden hangs on rounding
WORDS = "And then, the voice."  # of the clip; ours puts the blank before the text that the official package wants to be given
TEXTS = {  # by mode; blanks are made single, and Chinese words are read character by character
    "reference": "Oh the\n world,  and\tthen 12!",
    "continuation": "hello 你好世界.",
    "both": "Wo die voice ist: żółw.",
    "design": "(a young woman, gentle)Ha, hello.",
}
MODES = tuple(TEXTS)


@dataclass(frozen=True)
class Case:
    """One speech. patches: at most."""

    shape: str
    mode: str
    cfg_value: float
    inference_timesteps: int
    patches: int = 8
    noise_seed: int = 5

    @property
    def name(self) -> str:
        return f"{self.shape}_{self.mode}"

    @property
    def file(self) -> Path:
        return GOLDEN / f"speech_{self.name}.safetensors"

    @property
    def text(self) -> str:
        return TEXTS[self.mode]


def _steered(shape: str, mode: str) -> tuple[float, int]:
    """Guidance and steps: the defaults; others; steps of which the first two count as zero."""
    if shape == "usual":
        return 2.0, 10
    return {"reference": (3.0, 4), "continuation": (1.0, 10), "both": (1.5, 7), "design": (2.5, 50)}[mode]


CASES = tuple(Case(shape, mode, *_steered(shape, mode)) for shape, mode in product(SEEDS, MODES))


@dataclass(frozen=True)
class Ending:
    """A speech that ends by itself, or does not. ends_after: of the checkpoint (see RandomCheckpoint)."""

    shape: str
    ends_after: float
    text: str
    noise_seed: int = 1

    @property
    def name(self) -> str:
        return f"{self.shape}_{self.ends_after}_{len(self.text)}"


ENDINGS = (
    Ending("usual", 4, "hello"),  # the least
    Ending("sparse", 9, "hello world"),
    Ending("sparse", 300, "hello"),  # its one token may take 16 patches
    Ending("sparse", 300, "a b"),
)


def clips() -> dict[str, Clip]:
    """No whole number of patches each. reference: at the rate of the encoder, the one that all cases speak from. resampled: not."""
    return {"reference": made_clip(1.03, sample_rate=16_000), "resampled": made_clip(1.1, sample_rate=44_100, pitch_hz=190.0, seed=1)}


def noise_of(seed: int, patch: int, shape: tuple[int, int]) -> np.ndarray:
    """What our engine draws for a patch (P, D) of a stream with that seed, float32."""
    positions = torch.arange(shape[0] * shape[1])
    return gaussian_noise(torch.tensor([[seed]]), torch.tensor([[patch]]), positions).reshape(shape).numpy()


def made_latents(count: int, width: int) -> np.ndarray:
    """(N, D) float32, sums of uniform numbers, about as large as those of a recording; by Philox."""
    words = np.random.Philox(key=count * width).random_raw(3 * count * width).reshape(3, count, width) >> np.uint64(40)
    return ((words.astype(np.float64) * 2.0**-24 - 0.5).sum(axis=0) * 2.0).astype(np.float32)
