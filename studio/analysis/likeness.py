"""LikenessEstimator: estimates how much two recordings sound like one person, by the speaker encoder of Resemblyzer 0.1.4.

Source: Apache 2.0; Wan et al., "Generalized end-to-end loss for speaker verification", 2018. The weights come from the package; nothing
else of it is imported.
"""

from pathlib import Path
from typing import Any

import numpy as np
import soxr

from engines.clips.clip import Clip, ClipSound, hop_samples
from engines.clips.speech_activity import SpeechActivity
from studio.analysis.mel import RATE_HZ, mel_power
from studio.analysis.packages import folder_of

__all__ = ["LikenessEstimator", "is_here"]

PACKAGE, WEIGHTS = "resemblyzer", "pretrained.pt"
# As the package's hparams.py has it.
N_MELS, WINDOW, HOP = 40, 400, 160
WIDTH, N_LAYERS = 256, 3
PART_FRAMES = 160  # 1.6 s are heard at a time,
PARTS_PER_SECOND = 1.3
LEAST_COVERAGE = 0.75  # and a last part that has that much of it
# What is heard is power, not its logarithm: without one level, loudness would count as voice. It was taught by read speech of such levels.
LEVEL_DBFS = -26.0


def is_here() -> bool:
    """Whether the package is."""
    return (folder_of(PACKAGE) or Path()).joinpath(WEIGHTS).is_file()


class LikenessEstimator:
    """For one thread. Raises FileNotFoundError where the package is not here."""

    def __init__(self):
        import torch

        weights = torch.load((folder_of(PACKAGE) or Path()) / WEIGHTS, map_location="cpu", weights_only=True)["model_state"]
        self._lstm = torch.nn.LSTM(N_MELS, WIDTH, N_LAYERS, batch_first=True)
        self._linear = torch.nn.Linear(WIDTH, WIDTH)
        for layer, name in ((self._lstm, "lstm."), (self._linear, "linear.")):
            layer.load_state_dict({key.removeprefix(name): value for key, value in weights.items() if key.startswith(name)})
            layer.requires_grad_(False)

    def likeness(self, clip: Clip, other: Clip) -> float | None:
        """Cosine of the two, 0 to 1; None where nothing is said in one of them."""
        both = [self.embedding(one) for one in (clip, other)]
        return None if any(one is None for one in both) else float(both[0] @ both[1])

    def embedding(self, clip: Clip) -> np.ndarray | None:
        """(256,) float32 of unit length, of what is said in the clip; None where nothing is."""
        spoken = spoken_samples(clip)
        return self.embed(spoken) if len(spoken) else None

    def embed(self, samples: np.ndarray) -> np.ndarray:
        """(256,) float32 of unit length, of (T,) samples at RATE_HZ as they are: the package's `embed_utterance`."""
        starts = part_starts(len(samples))
        padded = np.pad(samples, (0, max(0, (starts[-1] + PART_FRAMES) * HOP - len(samples))))
        mel = mel_power(padded, window=WINDOW, hop=HOP, n_mels=N_MELS)
        parts = self._of_parts(np.stack([mel[start : start + PART_FRAMES] for start in starts])).mean(0)
        return parts / np.linalg.norm(parts)

    def _of_parts(self, mels: np.ndarray) -> np.ndarray:
        """(N, 256) of (N, PART_FRAMES, N_MELS), each of unit length."""
        import torch

        hidden: Any = self._lstm(torch.from_numpy(mels))[1][0][-1]
        raw = torch.relu(self._linear(hidden))
        return (raw / raw.norm(dim=1, keepdim=True)).numpy()


def part_starts(n_samples: int) -> list[int]:
    """Frames at which the parts begin, one at least: the package's `compute_partial_slices`."""
    n_frames = -(-(n_samples + 1) // HOP)
    frames_apart = round(RATE_HZ / PARTS_PER_SECOND / HOP)
    starts = list(range(0, max(1, n_frames - PART_FRAMES + frames_apart + 1), frames_apart))
    coverage = (n_samples - starts[-1] * HOP) / (PART_FRAMES * HOP)
    return starts[:-1] if coverage < LEAST_COVERAGE and len(starts) > 1 else starts


def spoken_samples(clip: Clip) -> np.ndarray:
    """(T,) float32 at RATE_HZ and LEVEL_DBFS: what is said in the clip without its pauses."""
    sound = ClipSound.of(clip)
    frames = SpeechActivity.of(clip, sound).speech(sound)
    kept = np.repeat(frames, hop_samples(clip.sample_rate))[: len(clip.samples)]
    spoken = clip.samples[: len(kept)][kept]
    if not len(spoken):
        return spoken
    heard = soxr.resample(spoken, clip.sample_rate, RATE_HZ) if clip.sample_rate != RATE_HZ else spoken
    level = float(np.sqrt(np.square(heard, dtype=np.float64).mean()))
    return (heard * (10 ** (LEVEL_DBFS / 20) / max(level, 1e-6))).astype(np.float32)
