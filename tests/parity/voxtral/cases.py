"""What both sides of the parity tests are given: clips, texts, voices, codes, hidden states and noise, all made by formula."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from engines.clips.clip import Clip
from engines.kit.sampling.sampling import gaussian_noise
from tests.engines.clips.made_clip import made_clip
from tests.engines.voxtral.tiny_checkpoint import SHAPES

__all__ = [
    "BFLOAT16",
    "CLIP_SAMPLES",
    "DECODED_FRAMES",
    "ENDINGS",
    "GOLDEN",
    "N_ACOUSTIC",
    "SCALES",
    "SEEDS",
    "SHAPES",
    "SPEECHES",
    "Ending",
]
__all__ += ["Speech", "clip_of", "looked_at", "made_codes", "made_states", "noise_of", "noise_of_rows", "thinned"]

GOLDEN = Path(__file__).parent / "golden"
SAMPLE_RATE, N_ACOUSTIC = 24_000, 36
SEEDS = dict.fromkeys(SHAPES, 0)  # of all weights of a shape: no choice in any golden hangs on rounding
TEXT = "Say it: the voice!"
CLIP_SEED = 1

SCALES = (1.2, 1.0, 3.0, 1.2)  # of the guidance, per row of the flow head's golden; the fourth row is the end
DECODED_FRAMES = (1, 2, 5, 22, 60)  # lengths of speeches for the codec: less and more than it looks back
# Lengths of recordings, in samples: parts of a patch (240) and of a frame (1920), and more than any window.
CLIP_SAMPLES = (1, 240, 241, 1680, 1921, 7000, 40_000)


@dataclass(frozen=True)
class Speech:
    """voice: a built-in one; None: that of a recording. scale: of the guidance. n_frames: at most."""

    shape: str
    voice: str | None
    seed: int
    scale: float = 1.2
    n_frames: int = 12
    text: str = TEXT

    @property
    def name(self) -> str:
        return f"{self.shape}_{self.voice or 'recording'}"

    @property
    def file(self) -> Path:
        return GOLDEN / f"speech_{self.name}.safetensors"

    @property
    def clip(self) -> Clip | None:
        return None if self.voice else clip_of(25_000)


SPEECHES = (
    Speech("usual", "neutral_female", 1),
    Speech("usual", None, 2, scale=3.0),
    Speech("sparse", "hi_male", 3, scale=1.0, text="Zwölf, 12; 你好"),
    Speech("sparse", None, 4, scale=1.7),
)
BFLOAT16 = tuple(Speech(shape, "de_male", 5, n_frames=8) for shape in SHAPES)


@dataclass(frozen=True)
class Ending:
    """A speech by a checkpoint that ends every speech after so many frames, or where no more are asked for."""

    shape: str
    ends_after: int
    n_frames: int

    @property
    def name(self) -> str:
        return f"{self.shape}_{self.ends_after}_{self.n_frames}"

    @property
    def speech(self) -> Speech:
        return Speech(self.shape, "casual_male", 6, n_frames=self.n_frames)


ENDINGS = (Ending("usual", 3, 20), *(Ending("sparse", 5, most) for most in (20, 6, 5, 4)))


def noise_of(seed: int, frame: int) -> Tensor:
    """(A,) float32: what a frame of a stream begins as."""
    return gaussian_noise(torch.tensor([[seed]]), torch.tensor([[frame]]), torch.arange(N_ACOUSTIC))[0]


def noise_of_rows(n_rows: int) -> Tensor:
    """(B, A), a seed for each."""
    return torch.stack([noise_of(7 + row, 0) for row in range(n_rows)])


def made_states(n_rows: int, width: int) -> Tensor:
    """(B, D) float32 of about unit size: sums of uniform numbers, by Philox. The fourth is the end: see tests/engines/voxtral/ending.py."""
    words = np.random.Philox(key=n_rows * width).random_raw(3 * n_rows * width).reshape(3, n_rows, width) >> np.uint64(40)
    states = torch.from_numpy(((words.astype(np.float64) * 2.0**-24 - 0.5).sum(axis=0) * 2.0).astype(np.float32))
    states[:, 0] = 1.0
    states[3, 0] = -1.0
    return states


def made_codes(n_frames: int, n_semantic: int) -> np.ndarray:
    """(Q, F) int64 below the sizes of the books, by Philox; the first frames are the least, the largest, and an entry never used."""
    sizes = np.array([n_semantic, *[21] * N_ACOUSTIC])[:, None]
    words = np.random.Philox(key=n_semantic).random_raw(len(sizes) * 64).reshape(64, len(sizes)).T >> np.uint64(40)
    codes = words.astype(np.int64) % sizes
    codes[:, :2] = np.concatenate([np.zeros_like(sizes), sizes - 1], axis=1)
    codes[0, 2] = 3
    return codes[:, :n_frames]


def clip_of(n_samples: int) -> Clip:
    """A recording of so many samples."""
    clip = made_clip((n_samples + 0.25) / SAMPLE_RATE, sample_rate=SAMPLE_RATE, pitch_hz=150.0, seed=CLIP_SEED)
    return Clip(np.ascontiguousarray(clip.samples[:n_samples]), SAMPLE_RATE)


def looked_at(n_rows: int) -> list[int]:
    """Rows of a prompt that goldens hold whole: among the voice's, of the text, the last."""
    return [0, 3, n_rows // 2, n_rows - 1]


def thinned(samples: np.ndarray, most: int = 800) -> np.ndarray:
    """So many samples of a waveform that a golden stays small, evenly spaced, by no divisor of a patch."""
    stride = -(-len(samples) // most)
    while stride > 1 and any(stride % prime == 0 for prime in (2, 3, 5)):
        stride += 1
    return samples[::stride]
