"""A clip on the frame grid: 24 kHz samples, F0, envelope, harmonicity, and which frames are speech."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import soxr

from engines.clips.clip import Clip
from engines.kit.signal import pitch
from engines.kit.signal.spectrum import (
    FRAMES_PER_SECOND,
    HOP_SAMPLES,
    MEL_HZ,
    SAMPLE_RATE,
    aperiodicity,
    envelope_and_harmonicity,
    level_db,
)

__all__ = ["ClipAnalysis", "speech_frames"]

_PEAK = 0.7
_NOISE_LEVEL = 1e-5  # instead of digital silence
_SPEECH_DB = 40  # below the loudest
_CLOSED_GAP_SECONDS = 0.12
_DROP_DB = 45  # the band ends where the mean spectrum lies this far below that of 1.5 to 3.5 kHz
_MEASURED_SECONDS = 30.0


@dataclass(frozen=True, eq=False)
class ClipAnalysis:
    """samples: (T,) at SAMPLE_RATE, peak 0.7, no DC. f0, voicing_strength: (F,). log_envelope: (F, N_MELS). aperiodicity: (F, N_BANDS)."""

    samples: np.ndarray
    f0: np.ndarray
    voicing_strength: np.ndarray
    log_envelope: np.ndarray
    aperiodicity: np.ndarray

    @classmethod
    def of(cls, clip: Clip) -> "ClipAnalysis":
        """The first half minute of the clip, analyzed. The clip must not be empty or silent."""
        samples = clip.samples[: int(_MEASURED_SECONDS * clip.sample_rate)]
        if clip.sample_rate != SAMPLE_RATE:
            samples = soxr.resample(samples, clip.sample_rate, SAMPLE_RATE)
        samples = samples - samples.mean()
        samples = (samples * (_PEAK / np.abs(samples).max())).astype(np.float32)
        samples += (_NOISE_LEVEL * np.random.default_rng(0).standard_normal(len(samples))).astype(np.float32)
        f0, strength = pitch.track(samples, len(samples) // HOP_SAMPLES + 1)
        log_envelope, harmonicity = envelope_and_harmonicity(samples, f0)
        return cls(samples, f0, strength, log_envelope, aperiodicity(harmonicity))

    @cached_property
    def level(self) -> np.ndarray:
        """(F,) dB."""
        return level_db(self.log_envelope)

    @cached_property
    def speech(self) -> np.ndarray:
        """(F,) whether the frame belongs to speech, short gaps included."""
        return speech_frames(self.level)

    @cached_property
    def bandwidth_hz(self) -> float:
        """Where the recording's spectrum ends, at most half the engine's rate."""
        mean_db = 10 / np.log(10) * self.log_envelope[self.speech].mean(0)
        middle = mean_db[(MEL_HZ > 1500) & (MEL_HZ < 3500)].mean()
        above = np.nonzero(mean_db > middle - _DROP_DB)[0]
        return float(MEL_HZ[above[-1]])


def speech_frames(level: np.ndarray) -> np.ndarray:
    """(F,) bool: frames within 40 dB of the loudest and clear of the floor, gaps up to 120 ms closed, 15 ms added either side."""
    top, floor = np.percentile(level, 95), np.percentile(level, 5)
    active = level > max(top - _SPEECH_DB, floor + min(8, (top - floor) * 0.3))
    gap = int(_CLOSED_GAP_SECONDS * FRAMES_PER_SECOND)
    frames = np.nonzero(active)[0]
    for before, after in pairwise(frames):
        if 1 < after - before <= gap:
            active[before:after] = True
    return np.convolve(active, np.ones(7), "same") > 0
