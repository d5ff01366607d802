"""Time map: for each moment of a recording, its place in eSpeak's speech. It is smooth, so movements keep their shape when they are
stretched.
"""

import numpy as np

__all__ = ["time_map"]

_RADIUS_FRAMES = 4


def time_map(rows: np.ndarray, frames: np.ndarray, spoken: np.ndarray) -> np.ndarray:
    """(F,) fractional source frame of each recording frame from the first speech frame to the last, never falling.

    rows: (N,) which of the source's speech frames, `spoken`, each of the recording's, `frames`, is aligned with; never falling.
    An alignment goes in steps, which repeat and drop frames; a moving mean over +-20 ms makes it a slope. Each stretch of speech is taken
    alone, and speech frames are counted without pauses, so that none is drawn into a pause; through a pause the map is a straight line.
    """
    stretches = np.split(np.arange(len(frames)), np.nonzero(np.diff(frames) > 1)[0] + 1)
    smooth = np.concatenate([_smoothed(rows[stretch].astype(np.float64)) for stretch in stretches])
    smooth = np.maximum.accumulate(smooth).clip(0, len(spoken) - 1)
    at = np.interp(smooth, np.arange(len(spoken)), spoken)
    return np.interp(np.arange(frames[0], frames[-1] + 1), frames, at)


def _smoothed(rows: np.ndarray) -> np.ndarray:
    """Moving mean, the ends mirrored through their points so that they stay where they are."""
    radius = min(_RADIUS_FRAMES, len(rows) - 1)
    before, after = 2 * rows[0] - rows[radius:0:-1], 2 * rows[-1] - rows[-2 : -2 - radius : -1]
    padded = np.concatenate([before, rows, after]) if radius else rows
    sums = np.concatenate([[0.0], np.cumsum(padded)])
    width = 2 * radius + 1
    return (sums[width:] - sums[:-width]) / width
