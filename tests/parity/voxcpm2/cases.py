"""What both sides of the parity tests are given: clips, texts, modes, latents and noise, all made by formula."""

from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import torch

from engines.clips.clip import Clip
from engines.kit.sampling.sampling import gaussian_noise
from tests.engines.clips.made_clip import made_clip

__all__ = [
    "BFLOAT16_CASES",
    "CASES",
    "ENDINGS",
    "GOLDEN",
    "GRIDS",
    "GUIDANCE",
    "MODES",
    "POSITIONS",
    "SEEDS",
    "TEXTS",
    "TOKEN_TEXTS",
    "WORDS",
]
__all__ += ["Case", "Ending", "clips", "looked_at", "made_numbers", "noise_of", "thinned"]

GOLDEN = Path(__file__).parent / "golden"
SEEDS = {"usual": 15, "extended": 1, "sparse": 13}  # of the weights, by shape: no choice in any golden hangs on rounding
WORDS = "And then, the voice."  # of the clip; ours puts the blank behind them that the official package has to be given
TEXTS = {  # by mode; blanks are made single, and Chinese words are read character by character
    "reference": "Oh the\n world,  and\tthen 12!",
    "continuation": "hello 你好世界.",
    "both": "Wo die voice ist: żółw.",
    "design": "(a young woman, gentle)Ha, hello.",
}
MODES = tuple(TEXTS)
# As they stand, but for blanks. Not "<s>": it is a control token to the official package, and letters to ours.
TOKEN_TEXTS = (*TEXTS.values(), f"{WORDS} hello", "世界你好，世界", "a", "the the voice", "naïve 声音 🙂", "你好 the 你好")
POSITIONS = 400  # that a table of rotation is compared over
GRIDS = (2, 4, 10, 25, 49, 50)  # numbers of steps
GUIDANCE = 2.5
MOST_SAMPLES = 3000  # of a waveform in a golden


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

    @property
    def has_reference(self) -> bool:
        return self.mode in ("reference", "both")

    @property
    def goes_on(self) -> bool:
        return self.mode in ("continuation", "both")


def _steered(shape: str, mode: str) -> tuple[float, int]:
    """Guidance and steps: the defaults, and others, among them so many that the first two count as zero."""
    if shape == "usual":
        return 2.0, 10
    if (shape, mode) == ("extended", "design"):
        return GUIDANCE, 50
    return {"reference": (3.0, 4), "continuation": (1.0, 5), "both": (1.5, 7), "design": (4.0, 3)}[mode]


CASES = tuple(Case(shape, mode, *_steered(shape, mode)) for shape, mode in product(SEEDS, MODES))
BFLOAT16_CASES = tuple(
    case for case in CASES if case.name in ("usual_reference", "usual_both", "usual_design", "extended_continuation", "sparse_both")
)


@dataclass(frozen=True)
class Ending:
    """A speech by a checkpoint whose stop head counts. ends_after: see RandomCheckpoint; past what the text may take, it is cut."""

    shape: str
    ends_after: int
    text: str
    noise_seed: int = 1

    @property
    def name(self) -> str:
        return f"{self.shape}_{self.ends_after}_{len(self.text)}"


ENDINGS = (
    Ending("usual", 4, "hello"),  # the fewest that there can be
    Ending("extended", 17, "hello world."),
    Ending("sparse", 9, "hello world"),
    Ending("sparse", 300, "hello"),  # six patches for its only token, and ten
    Ending("sparse", 300, "(oh)a b"),
)


@cache
def clips() -> dict[str, Clip]:
    """No whole number of patches each. reference: at the rate of the encoder, the one that all cases speak from. resampled: not."""
    return {"reference": made_clip(1.03, sample_rate=16_000), "resampled": made_clip(1.1, sample_rate=44_100, pitch_hz=190.0, seed=1)}


def noise_of(seed: int, patch: int, shape: tuple[int, int]) -> np.ndarray:
    """What our engine draws for a patch (P, D) of a stream with that seed, float32."""
    positions = torch.arange(shape[0] * shape[1])
    return gaussian_noise(torch.tensor([[seed]]), torch.tensor([[patch]]), positions).reshape(shape).numpy()


def made_numbers(count: int, width: int) -> np.ndarray:
    """(N, D) float32, latents or rows of about unit size: sums of uniform numbers, by Philox."""
    words = np.random.Philox(key=count * width).random_raw(3 * count * width).reshape(3, count, width) >> np.uint64(40)
    return ((words.astype(np.float64) * 2.0**-24 - 0.5).sum(axis=0) * 2.0).astype(np.float32)


def looked_at(n_rows: int) -> list[int]:
    """Rows of a prompt that goldens hold: the last, and three of those before."""
    return [n_rows // 5, n_rows // 2, n_rows - n_rows // 5, n_rows - 1]


def thinned(samples: np.ndarray) -> np.ndarray:
    """So many samples of a waveform that a golden stays small, evenly spaced, by no divisor of a rate of the decoder."""
    stride = -(-len(samples) // MOST_SAMPLES)
    while stride > 1 and any(stride % prime == 0 for prime in (2, 3, 5, 7)):
        stride += 1
    return samples[::stride]
