"""SoundTiming: when something is heard in a sound, and how quiet it is between.

Frames have 20 ms, one every 10 ms (engines/clips/clip.py). A frame is audible that lies less than 30 dB under the level of the active ones
(ITU-T P.56) and 5 dB above the background of the pauses: for speech at -20 dBFS, as it is usually recorded, that is -50 dBFS, at which the
studio calls a sound audible (AUDIBLE_LEVEL). A gap up to 200 ms, the hangover of P.56, is no pause: closures of stops are shorter.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from engines.clips.clip import FRAMES_PER_SECOND, Clip, ClipSound, decibels

__all__ = ["SoundTiming"]

AUDIBLE_UNDER_DB, ABOVE_BACKGROUND_DB = 30.0, 5.0
LONGEST_GAP_FRAMES = 20
RESTING_SHARE = 0.8  # of a pause's frames: noise goes up and down


@dataclass(frozen=True)
class SoundTiming:
    """Seconds, to 10 ms. extent: from the first to the last that is heard; sounding: of it, without pauses. 0 of what is silent.

    silence: 0 to 1 of the whole sound. noise_dbfs: of the background of the pauses, -120 at least; None without
    a pause, and of a silent sound.
    """

    seconds: float
    start_silence_seconds: float
    end_silence_seconds: float
    longest_pause_seconds: float
    sounding_seconds: float
    noise_dbfs: float | None

    @property
    def extent_seconds(self) -> float:
        return max(0.0, self.seconds - self.start_silence_seconds - self.end_silence_seconds)

    @property
    def is_silent(self) -> bool:
        return self.sounding_seconds <= 0

    @property
    def silence(self) -> float:
        return 1 - self.sounding_seconds / self.seconds if self.seconds else 1.0

    @classmethod
    def of(cls, clip: Clip) -> Self:
        """Raises nothing: an empty or silent clip has one, too."""
        sound = ClipSound.of(clip)
        if sound.is_silent:
            return cls(clip.seconds, clip.seconds, 0.0, 0.0, 0.0, None)
        resting = _resting(sound)
        audible = _audible(sound, resting)
        frames, quiet = np.flatnonzero(audible), resting & ~audible
        first = int(frames[0])
        last = max(int(frames[-1]), first + 1)  # a click is not longer than a hop, and no shorter
        # What begins within a frame is in its second half: the frame before, which is not audible, has the first.
        start = (first + 1) / FRAMES_PER_SECOND if first else 0.0
        end = clip.seconds - (last + 1) / FRAMES_PER_SECOND if last < len(sound.power) - 1 else 0.0
        apart = np.diff(frames)
        pauses = apart[apart > LONGEST_GAP_FRAMES] / FRAMES_PER_SECOND
        sounding = clip.seconds - start - end - float(pauses.sum())
        return cls(
            clip.seconds, start, end, float(pauses.max(initial=0.0)), sounding, decibels(sound.power[quiet].mean()) if quiet.any() else None
        )


def _resting(sound: ClipSound) -> np.ndarray:
    """(F,) bool: frames of the background in what is a pause by its length. In speech without one the background is the end of a sound."""
    if len(sound.background) < LONGEST_GAP_FRAMES:
        return np.zeros_like(sound.background)
    around = np.convolve(sound.background, np.ones(LONGEST_GAP_FRAMES), "same")
    return sound.background & (around >= RESTING_SHARE * LONGEST_GAP_FRAMES)


def _audible(sound: ClipSound, resting: np.ndarray) -> np.ndarray:
    """(F,) bool, never none. A sound of one level has no background of its own to stand out of."""
    level = float(sound.power[sound.active].mean() if sound.active.any() else sound.power.max())
    near = sound.power > level * 10 ** (-AUDIBLE_UNDER_DB / 10)
    if not resting.any():
        return near
    above = near & (sound.power > sound.power[resting].mean() * 10 ** (ABOVE_BACKGROUND_DB / 10))
    return above if above.any() else near
