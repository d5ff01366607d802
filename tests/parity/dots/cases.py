"""What both sides of the parity tests are given: clips, texts, kinds of checkpoints, latents and noise, all made by formula."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import torch

from engines.clips.clip import Clip
from engines.contract.editing import EditOperation
from engines.dots.options import CONTINUATION, VOICE
from engines.kit.sampling.sampling import TEXT_STRIDE, gaussian_noise
from tests.engines.clips.made_clip import made_clip

__all__ = [
    "CASES", "EDITS", "GOLDEN", "PARTS", "TOKEN_TEXTS", "WORDS", "Case", "EditCase", "clips", "made_numbers", "noise_of", "thinned"
]  # fmt: skip

GOLDEN = Path(__file__).parent / "golden"
WORDS = " And then, the voice. "
TEXT = "The voice and the world 12!"
# Ids of these are compared, with and without words before them.
TOKEN_TEXTS = ("hello", "the world\n", " a", "世界你好，世界", "naïve 声音 🙂", "我生平不hào此道", "[EN]the voice")
MOST_SAMPLES = 3000  # of a waveform in a golden
PARTS = ("usual", "small")  # shapes whose networks are compared one by one


@dataclass(frozen=True)
class Case:
    """One speech. ends_after: patches of the speech, those of the recording among them. patches: at most, where it is cut.

    options: those of ours that are not by default. noise_seed: of our stream.
    """

    shape: str
    kind: str
    mode: str
    ends_after: int
    patches: int = 9
    options: Mapping = field(default_factory=dict)
    noise_seed: int = 5

    @property
    def name(self) -> str:
        return f"{self.shape}_{self.kind}_{self.mode}_{self.ends_after}"

    @property
    def file(self) -> Path:
        return GOLDEN / f"speech_{self.name}.safetensors"

    @property
    def reads_along(self) -> bool:
        """Whether its text is read token by token."""
        return self.kind.startswith("stts")

    @property
    def goes_on(self) -> bool:
        return self.mode == CONTINUATION


CASES = (
    Case("small", "soar", VOICE, 5),
    Case("usual", "soar", CONTINUATION, 11, options={"language": "de"}),
    Case("small", "soar", CONTINUATION, 10, options={"num_steps": 4, "guidance_scale": 0.3, "language": "yue"}),
    Case("small", "mf", VOICE, 5, options={"language": "en", "speaker_scale": 0.7}),
    Case("usual", "mf", CONTINUATION, 11),
    Case("small", "mf", CONTINUATION, 10, options={"num_steps": 2}),
    Case("small", "mf", VOICE, 300, patches=6),  # it is cut
    Case("small", "mf-1step", VOICE, 4),
    Case("usual", "mf-1step", CONTINUATION, 11),
    Case("small", "mf-2steps", VOICE, 4),
    Case("usual", "mf-2steps", CONTINUATION, 11),
    Case("small", "edit", VOICE, 5),
    Case("usual", "edit", CONTINUATION, 11),
    Case("small", "stts", VOICE, 5, patches=60),
    Case("small", "stts", CONTINUATION, 5, patches=60),
    Case("small", "stts-even", VOICE, 5, patches=60),
)


@dataclass(frozen=True)
class EditCase:
    """One edit of the clip of that name. instruction: of the operations, as the makers write it. ends_after: see count_patches.

    options: those of ours that are not by default. language: of ours, whose tag the official package gets with the words.
    """

    name: str
    shape: str
    clip: str
    words: str
    operations: tuple[EditOperation, ...]
    instruction: str
    ends_after: int
    patches: int = 9
    options: Mapping = field(default_factory=dict)
    language: str | None = None
    noise_seed: int = 5

    @property
    def file(self) -> Path:
        return GOLDEN / f"edit_{self.name}.safetensors"


EDITS = (
    EditCase(
        "replace", "small", "voice", "And then, the voice isn't <mine>.",
        (EditOperation("replace", 14, 19, "world's \"sentence\""),),
        "And then, the <sub targ=\"world&#x27;s &quot;sentence&quot;\">voice</sub> isn&#x27;t &lt;mine&gt;.",
        5,
    ),
    EditCase(
        "insert_pause", "usual", "resampled", "你好，the voice and the world.",
        (EditOperation("insert", 3, 3, "世界"), EditOperation("pause", 12, 12, values={"act": "shorten", "level": 3})),
        "你好，<ins>世界</ins>the voice<pause act=\"red\" level=\"3\"/> and the world.",
        5,
        options={"num_steps": 4, "guidance_scale": 0.3, "speaker_scale": 0.7},
    ),
    EditCase(
        "emotion", "small", "resampled", "The voice and the world.",
        (EditOperation("emotion", 4, 9, values={"type": "sad", "level": 3}), EditOperation("denoise", 0, 0)),
        "<enhance>The <emo type=\"sad\" level=\"3\">voice</emo> and the world.</enhance>",
        5,
        language="en",
    ),
    EditCase(
        "remove_pitch_pace", "usual", "voice", "The voice and then the voice",
        (
            EditOperation("pitch", 4, 9, values={"semitones": "-7"}),
            EditOperation("remove", 10, 13),
            EditOperation("pace", 23, 28, values={"factor": 0.8}),
        ),
        "The <pitch, semitones=-7>voice</pitch> <del>and</del> then the <rate, factor=0.8>voice</rate>",
        300,
        patches=5,  # it is cut
    ),
)  # fmt: skip


@cache
def clips() -> dict[str, Clip]:
    """voice: at the model's rate, with silence at its ends, no whole number of patches. resampled: at another. short: one patch."""
    speech = made_clip(1.17, sample_rate=48_000).samples
    return {
        "voice": Clip(np.concatenate([np.zeros(9_000, np.float32), speech, np.zeros(5_000, np.float32)]), 48_000),
        "resampled": made_clip(1.3, sample_rate=44_100, pitch_hz=190.0, seed=1),
        "short": Clip(made_clip(1.0, sample_rate=48_000).samples[:7_000].copy(), 48_000),
    }


def noise_of(seed: int, patch: int, n_draws: int, shape: tuple[int, int]) -> np.ndarray:
    """What our engine draws for a patch of a stream with that seed: (draws, P, D) float32. patch: its number, a recording's counted."""
    numbers = torch.arange(shape[0] * shape[1])
    positions = torch.cat([draw * TEXT_STRIDE + numbers for draw in range(n_draws)])
    return gaussian_noise(torch.tensor([[seed]]), torch.tensor([[patch]]), positions).reshape(n_draws, *shape).numpy()


def made_numbers(count: int, width: int, key: int = 0) -> np.ndarray:
    """(N, D) float32, latents or rows of about unit size: sums of uniform numbers, by Philox."""
    words = np.random.Philox(key=count * width + 7919 * key).random_raw(3 * count * width).reshape(3, count, width) >> np.uint64(40)
    return ((words.astype(np.float64) * 2.0**-24 - 0.5).sum(axis=0) * 2.0).astype(np.float32)


def thinned(samples: np.ndarray) -> np.ndarray:
    """So many samples of a waveform that a golden stays small, evenly spaced, by no divisor of a rate of the decoder."""
    stride = -(-len(samples) // MOST_SAMPLES)
    while stride > 1 and any(stride % prime == 0 for prime in (2, 3, 5, 7)):
        stride += 1
    return samples[::stride]
