"""Several recordings of one person become one clip, at the highest of their rates."""

from collections.abc import Sequence

import numpy as np
import soxr

from engines.clips.clip import Clip

__all__ = ["joined"]


def joined(clips: Sequence[Clip]) -> Clip:
    """One recording behind the other, as they are, with a joint where each but the first begins.

    clips: one at least, each with samples. Those of a lower rate are resampled; a single one is the result itself.
    """
    if len(clips) == 1:
        return clips[0]
    rate = max(clip.sample_rate for clip in clips)
    recordings = [_resampled(recording, rate) for clip in clips for recording in clip.recordings()]
    joints = np.cumsum([len(samples) for samples in recordings[:-1]])
    return Clip(np.concatenate(recordings), rate, tuple(map(int, joints)))


def _resampled(clip: Clip, rate: int) -> np.ndarray:
    """(T,) float32 at `rate`, Hz."""
    return clip.samples if clip.sample_rate == rate else soxr.resample(clip.samples, clip.sample_rate, rate, quality="HQ")
