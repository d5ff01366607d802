"""Sounds whose figures are known."""

import numpy as np

from engines.clips.clip import Clip

__all__ = ["RATE", "bursts", "buzz"]

RATE = 24_000


def bursts(*seconds: float, level: float = 0.1, noise: float = 0.0) -> Clip:
    """A tone of 440 Hz and silence in turns, each so long, silence first; level, noise: RMS."""
    parts = [np.full(round(length * RATE), number % 2, np.float32) for number, length in enumerate(seconds)]
    gate = np.concatenate(parts)
    tone = level * np.sqrt(2) * np.sin(2 * np.pi * 440 * np.arange(len(gate)) / RATE)
    return Clip((tone * gate + noise * np.random.default_rng(0).standard_normal(len(gate))).astype(np.float32), RATE)


def buzz(hz: float, seconds: float = 1.0, semitones: float = 0.0) -> Clip:
    """Harmonics of a voice's pitch, which moves up and down by so many semitones (RMS) once a second."""
    t = np.arange(round(seconds * RATE)) / RATE
    f0 = hz * 2 ** (semitones * np.sqrt(2) * np.sin(2 * np.pi * t) / 12)
    phase = 2 * np.pi * np.cumsum(f0) / RATE
    return Clip(sum(np.sin(k * phase) / k for k in range(1, 16)).astype(np.float32) * 0.1, RATE)
