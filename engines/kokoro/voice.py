"""LearnedVoice: what a prompt holds of a person, and how it becomes the timbre of a speech."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from engines.kokoro.network.generator import Generator, Timbre, VoiceNorms

__all__ = ["LearnedVoice"]

STYLES, ADDITIONS, NORMS, PITCH, GAINS = "styles", "additions", "norms", "pitch", "gains"
START, LEARNED = 0, 1
DTYPES = {STYLES: np.float32, ADDITIONS: np.float16, NORMS: np.float16, PITCH: np.float32, GAINS: np.float32}


@dataclass(frozen=True, eq=False)
class LearnedVoice:
    """start: where learning began, and learned: what it came to, both with recorded norms. median_hz: of the speaker's pitch.

    gains: of both, that make speech as loud as the built-in voices'.
    """

    start: Timbre
    learned: Timbre
    median_hz: float
    gains: tuple[float, float]

    def gain(self, strength: float) -> float:
        return float(self.gains[START] ** (1 - strength) * self.gains[LEARNED] ** strength)

    def timbre(self, strength: float) -> Timbre:
        """Between the two: 0 is natural, 1 is alike. Deviations are mixed by their logarithms, all else linearly."""
        style = torch.lerp(self.start.style, self.learned.style, strength)
        additions = {name: addition * strength for name, addition in self.learned.additions.items()}
        norms = {}
        for name, (mean, spread) in self.start.recorded.items():
            other_mean, other_spread = self.learned.recorded[name]
            norms[name] = torch.lerp(mean, other_mean, strength), torch.lerp(spread.log(), other_spread.log(), strength).exp()
        return Timbre(style, additions, norms)

    def tensors(self) -> dict[str, np.ndarray]:
        """Of a prompt: styles (2, S); additions (2 C,), norms (2, 2, C) in 16 bits, norm by norm; pitch (1,) Hz; gains (2,)."""
        both = (self.start, self.learned)
        norms = [[torch.cat([pair[part].flatten() for pair in timbre.recorded.values()]) for part in range(2)] for timbre in both]
        additions = [self.learned.additions[name] for name in self.start.recorded] if self.learned.additions else []
        n_additions = 2 * len(norms[0][0])
        flat = torch.cat(additions) if additions else torch.zeros(n_additions)
        return {
            STYLES: torch.cat([timbre.style for timbre in both]).numpy().astype(np.float32),
            ADDITIONS: flat.numpy().astype(np.float16),
            NORMS: torch.stack([torch.stack(parts) for parts in norms]).numpy().astype(np.float16),
            PITCH: np.array([self.median_hz], np.float32),
            GAINS: np.array(self.gains, np.float32),
        }

    @classmethod
    def of(cls, tensors: Mapping[str, np.ndarray], generator: Generator) -> "LearnedVoice":
        """Raises ValueError where the tensors are not what this engine makes."""
        widths = {name: norm.fc.out_features // 2 for name, norm in generator.norms.items()}
        n_channels, style = sum(widths.values()), generator.style_width
        shapes = {STYLES: (2, style), ADDITIONS: (2 * n_channels,), NORMS: (2, 2, n_channels), PITCH: (1,), GAINS: (2,)}
        held = {name: (tensor.dtype, tensor.shape) for name, tensor in tensors.items()}
        if held != {name: (np.dtype(DTYPES[name]), shape) for name, shape in shapes.items()}:
            raise ValueError("other tensors")
        above_zero = tensors[NORMS][:, 1], tensors[GAINS], tensors[PITCH]
        if not all(np.isfinite(tensor).all() for tensor in tensors.values()) or any((tensor <= 0).any() for tensor in above_zero):
            raise ValueError("values that are no numbers of a voice")
        styles, flat = (torch.from_numpy(tensors[name].astype(np.float32)) for name in (STYLES, ADDITIONS))
        norms = torch.from_numpy(tensors[NORMS].astype(np.float32))
        additions = dict(zip(widths, flat.split([2 * width for width in widths.values()]), strict=True))
        recorded = [_norms(norms[which], widths) for which in (START, LEARNED)]
        start = Timbre(styles[START:LEARNED], {}, recorded[START])
        learned = Timbre(styles[LEARNED:], additions, recorded[LEARNED])
        return cls(start, learned, float(tensors[PITCH][0]), tuple(tensors[GAINS].tolist()))


def _norms(rows: Tensor, widths: Mapping[str, int]) -> VoiceNorms:
    """rows: (2, C), means and deviations of all norms."""
    parts = rows[:, None, None].split(list(widths.values()), 3)
    return {name: (part[0], part[1]) for name, part in zip(widths, parts, strict=True)}
