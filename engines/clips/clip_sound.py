"""ClipSound: when something is heard in a recording, and over what background. By power alone: what it is, others say. NumPy only.

The clip is looked at in frames of 20 ms, one every 10 ms; a constant part (DC) is no sound.

* Background: frames up to 3 dB above the quietest 60 ms. Speech leaves gaps, so what is quietest is what else is in the room (the
  idea of Martin, "Noise power spectral density estimation based on optimal smoothing and minimum statistics", IEEE Trans. SAP 9(5), 2001).
* Active: frames above the background that lie less than 15.9 dB under the level of all of them, gaps up to 200 ms closed: margin and
  hangover of the active speech level in ITU-T P.56, method B.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engines.clips.clip import Clip
from engines.errors import ClipUnusable

__all__ = ["FLOOR_DB", "FRAMES_PER_SECOND", "SILENT_DBFS", "ClipSound", "check_audible", "decibels", "hop_samples", "loudest_dbfs"]

SILENT_DBFS = -70.0  # a muted input gives less; the quietest room through a microphone gives more
FLOOR_DB = -120.0  # stands for digital silence
MOST_SNR_DB = 60.0  # digital silence between words says no more than that
FRAMES_PER_SECOND = 100
_SMOOTH_FRAMES = 5  # 60 ms
_BACKGROUND_DB = 3.0
_ABOVE_DB = 5.0
_QUIETEST_PERCENT = 5
_ACTIVE_MARGIN_DB = 15.9
_CLOSED_GAP_FRAMES = 20
_ROUNDING_POWER = 2e-14  # of equal samples near full scale; -137 dBFS


@dataclass(frozen=True, eq=False)
class ClipSound:
    """power: (F,) of 20 ms frames, F at least 1. background, active: (F,) bool; none of either in a silent clip."""

    power: np.ndarray
    background: np.ndarray
    active: np.ndarray

    @classmethod
    def of(cls, clip: Clip) -> "ClipSound":
        """Raises nothing: an empty or silent clip has one, too."""
        power = _frame_power(clip.samples, clip.sample_rate)
        if decibels(power.max()) < SILENT_DBFS:
            none = np.zeros(len(power), bool)
            return cls(power, none, none)
        background = _background(power)
        return cls(power, background, _active_frames(power, float(power[background].mean())))

    @property
    def is_silent(self) -> bool:
        return not self.background.any()

    @property
    def noise(self) -> float:
        """Power of the background; 0 in a silent clip."""
        return float(self.power[self.background].mean()) if self.background.any() else 0.0

    def power_of(self, frames: np.ndarray) -> float:
        """Power of these frames less the background's. frames: (F,) bool."""
        return max(float(self.power[frames].mean()) - self.noise, 0.0) if frames.any() else 0.0

    def snr_db(self, frames: np.ndarray) -> float:
        """Power of these frames over the background, 0 to 60. frames: (F,) bool."""
        ratio_db = 10 * np.log10(max(self.power_of(frames), 1e-30) / max(self.noise, 1e-30))
        return float(np.clip(ratio_db, 0.0, MOST_SNR_DB))


def check_audible(clip: Clip) -> None:
    """Raises ClipUnusable (clip_silent) where no 20 ms of the clip reach -70 dBFS."""
    level_dbfs = loudest_dbfs(clip)
    if level_dbfs < SILENT_DBFS:
        fact = f"Reference audio is silent ({level_dbfs:.0f} dBFS). Its level must be above {SILENT_DBFS:.0f} dBFS."
        raise ClipUnusable("clip_silent", fact, "Check the microphone and record again.", level_dbfs=round(level_dbfs))


def loudest_dbfs(clip: Clip) -> float:
    """RMS of the loudest 20 ms, without DC; -120 for digital silence."""
    return decibels(_frame_power(clip.samples, clip.sample_rate).max())


def decibels(power: float) -> float:
    """Of a power, full scale 1; at least -120."""
    return max(10 * float(np.log10(max(float(power), 1e-30))), FLOOR_DB)


def hop_samples(sample_rate: int) -> int:
    """From the beginning of a frame to that of the next."""
    return round(sample_rate / FRAMES_PER_SECOND)


def _frame_power(samples: np.ndarray, sample_rate: int) -> np.ndarray:
    """(F,) variance of 20 ms frames, F at least 1: a constant counts as nothing, so that digital silence is exactly 0."""
    hop = hop_samples(sample_rate)
    n_hops = len(samples) // hop
    if n_hops < 2:
        return np.array([np.var(samples, dtype=np.float64) if len(samples) else 0.0])
    hops = samples[: n_hops * hop].reshape(n_hops, hop)  # of ten minutes, too: no copy of them all
    total, energy = hops.sum(1, dtype=np.float64), np.einsum("fs,fs->f", hops, hops, dtype=np.float64)
    mean = (total[1:] + total[:-1]) / (2 * hop)
    power = (energy[1:] + energy[:-1]) / (2 * hop) - np.square(mean)
    return np.where(power < _ROUNDING_POWER, 0.0, power)


def _background(power: np.ndarray) -> np.ndarray:
    """(F,) bool: frames in whose 60 ms little more is heard than in the quietest. Never none.

    Digital silence before and after is padding, and tells nothing of the room.
    """
    sounding = np.nonzero(power)[0]
    inner = slice(sounding[0], sounding[-1] + 1)
    n_smooth = min(_SMOOTH_FRAMES, inner.stop - inner.start)
    smooth = np.convolve(power[inner], np.ones(n_smooth) / n_smooth, "valid")
    quiet = smooth <= np.percentile(smooth, _QUIETEST_PERCENT) * 10 ** (_BACKGROUND_DB / 10)
    background = np.zeros(len(power), bool)
    background[inner.start + n_smooth // 2 :][: len(quiet)] = quiet
    return background


def _active_frames(power: np.ndarray, noise: float) -> np.ndarray:
    """(F,) bool. The level of the sound and the threshold under it define each other: it rises from the background until both fit."""
    active = power > noise * 10 ** (_ABOVE_DB / 10)
    while active.any():
        threshold = power[active].mean() * 10 ** (-_ACTIVE_MARGIN_DB / 10)
        louder = active & (power > threshold)
        if louder.sum() == active.sum():
            break
        active = louder
    return _gaps_closed(active)


def _gaps_closed(active: np.ndarray) -> np.ndarray:
    frames = np.nonzero(active)[0]
    closed = active.copy()
    for before, after in pairwise(frames):
        if 1 < after - before <= _CLOSED_GAP_FRAMES:
            closed[before:after] = True
    return closed
