"""Assembly: the sound of a plan, block after block. Never more than one take, and what still sounds of the one before, is in memory."""

from collections.abc import Callable, Iterator

import numpy as np
import soxr

from studio.scripts.export.plan import ExportPlan, PlannedLine

__all__ = ["BLOCK_SAMPLES", "ReadTake", "assembled"]

BLOCK_SAMPLES = 1 << 16
# A take may begin or end off zero. A ramp of 3 ms keeps the joint from clicking, and is shorter than any sound of speech: a plosive's burst
# lasts 5 ms and more (Stevens, "Acoustic Phonetics", section 7.2).
EDGE_SECONDS = 0.003

ReadTake = Callable[[str], tuple[np.ndarray, int]]  # SHA-256 of a take -> samples, (T,) int16, and their rate


def assembled(plan: ExportPlan, read: ReadTake) -> Iterator[np.ndarray]:
    """(T,) float32, T up to BLOCK_SAMPLES, in all plan.n_samples. What overlaps is added; it may exceed 1. Raises what `read` raises."""
    sounding = np.zeros(0, np.float32)  # from `now` on
    now = 0
    for line in plan.lines:
        yield from _blocks(sounding[: line.start - now], line.start - now)
        sounding = sounding[line.start - now :]
        now = line.start
        sound = _sound(line, plan.sample_rate, read)
        longest = max(len(sounding), len(sound))
        sounding = np.pad(sounding, (0, longest - len(sounding))) + np.pad(sound, (0, longest - len(sound))) if len(sounding) else sound
    yield from _blocks(sounding, plan.n_samples - now)


def _blocks(samples: np.ndarray, n_samples: int) -> Iterator[np.ndarray]:
    """Samples, and silence behind them, n_samples together."""
    for start in range(0, n_samples, BLOCK_SAMPLES):
        n = min(BLOCK_SAMPLES, n_samples - start)
        block = samples[start : start + n]
        yield np.concatenate([block, np.zeros(n - len(block), np.float32)]) if len(block) < n else block


def _sound(line: PlannedLine, rate: int, read: ReadTake) -> np.ndarray:
    """(n_samples of the line,) float32 at its gain."""
    samples, take_rate = read(line.line.sha256)
    sound = samples.astype(np.float32) / 32768
    if take_rate != rate:
        sound = soxr.resample(sound, take_rate, rate, quality="HQ")
    sound = sound[: line.n_samples] if len(sound) >= line.n_samples else np.pad(sound, (0, line.n_samples - len(sound)))
    if line.gain_db:
        sound = sound * np.float32(10 ** (line.gain_db / 20))
    return _ramped(sound, round(EDGE_SECONDS * rate))


def _ramped(sound: np.ndarray, n_edge: int) -> np.ndarray:
    n_edge = min(n_edge, len(sound) // 2)
    ramp = np.sin(np.linspace(0, np.pi / 2, n_edge, endpoint=False, dtype=np.float32)) ** 2
    ramped = sound.copy()
    ramped[:n_edge] *= ramp
    ramped[len(sound) - n_edge :] *= ramp[::-1]
    return ramped
