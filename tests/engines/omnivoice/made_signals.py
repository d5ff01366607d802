"""Signals by formula, the same to the last bit on every machine, that have what a removal of silences decides on; and digests of what it
leaves, as the official package's are kept in tests/parity/omnivoice/golden.
"""

import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import numpy as np

from tests.parity import golden

__all__ = ["FINISHINGS", "RATE", "SETTINGS", "cut_up", "digest", "golden_digests", "made_noise", "made_signal", "made_signals"]

GOLDEN = Path(__file__).parents[2] / "parity" / "omnivoice" / "golden" / "silences.safetensors"

RATE = 24_000
N_SIGNALS = 40  # of each setting
# (middle, leading, trailing) in ms: what upstream sets for a recording and for speech, its defaults, and edges of what can be set.
SETTINGS = ((200, 100, 200), (500, 100, 100), (300, 100, 300), (0, 100, 100), (0, 0, 0), (10, 5, 7), (50, 13, 31), (100, 0, 0))
# (level of the recording, whether silences are removed); None for the voice of no recording
FINISHINGS = ((None, True), (None, False), (0.05, True), (0.05, False), (0.1, True), (0.25, False))
# Of samples: silence, 103 and 104 of 32768, which lie on either side of -50 dBFS, quiet and loud speech, too loud.
LEVELS = (0.0, 0.0, 103 / 32768, 104 / 32768, 1e-3, 6e-3, 0.1, 0.6, 1.3)
LONGEST = (40, 3_000, 24_000, 60_000)  # samples
UNITS = (1, 24, 240, 1_200)  # samples: stretches begin within milliseconds, at them, at steps of 10 ms and of 50 ms


def made_signal(seed: int) -> np.ndarray:
    """(T,) float32 of 0 to 2.5 s at 24 kHz, T any number: stretches of constants, of noise and of single clicks."""
    draws = iter(np.random.Philox(key=seed).random_raw(4_000).tolist())
    is_silent, n_samples = next(draws) % 8 == 0, next(draws) % LONGEST[next(draws) % len(LONGEST)]
    stretches, n_made = [], 0
    while n_made < n_samples:
        kind, level = next(draws) % 4, 0.0 if is_silent else LEVELS[next(draws) % len(LEVELS)]
        n = min((1 + next(draws) % 40) * UNITS[next(draws) % len(UNITS)], n_samples - n_made)
        stretches.append(_stretch(kind, n, next(draws)) * level)
        n_made += n
    return np.concatenate([*stretches, np.zeros(0)]).astype(np.float32)


def cut_up(signal: np.ndarray, seed: int) -> list[np.ndarray]:
    """The same in pieces, some of them empty."""
    draws = np.random.Philox(key=seed).random_raw(65)
    ends = np.sort(draws[1:] % np.uint64(len(signal) + 1)).astype(np.int64)
    return np.split(signal, ends[: int(draws[0] % np.uint64(64))])


def made_noise(n: int, seed: int) -> np.ndarray:
    """(n,) float64 in [-1, 1)."""
    return (np.random.Philox(key=seed).random_raw(n) >> np.uint64(40)).astype(np.float64) * 2.0**-23 - 1


def made_signals() -> Iterable[np.ndarray]:
    return map(made_signal, range(N_SIGNALS))


@cache
def golden_digests() -> Mapping[str, bytes]:
    """Of made_signals: "removed/" and a setting's numbers, "finished/", a level and whether silences are removed."""
    return {name: tensor.tobytes() for name, tensor in golden.read(GOLDEN).items()}


def digest(sounds: Iterable[np.ndarray]) -> bytes:
    """SHA-256 of lengths (int64) and samples (float32), little endian."""
    hasher = hashlib.sha256()
    for sound in sounds:
        hasher.update(np.array(len(sound), "<i8").tobytes() + sound.astype("<f4").tobytes())
    return hasher.digest()


def _stretch(kind: int, n: int, seed: int) -> np.ndarray:
    """(n,) at level 1: a constant, a square wave, noise of that root mean square, or a click."""
    if kind == 0:
        return np.ones(n)
    if kind == 1:
        return 1.0 - 2.0 * (np.arange(n) % 2)
    if kind == 2:
        return made_noise(n, seed) * 1.75
    return np.where(np.arange(n) == seed % n, 1.0, 0.0)
