"""SoundTiming: when something is heard in a sound, and how quiet it is between.

Frames have 20 ms, one every 10 ms (engines/clips/clip.py). A frame is audible that lies less than 30 dB under the level of the active ones
(ITU-T P.56) and 5 dB above the background: for speech at -20 dBFS, as it is usually recorded, -50 dBFS is the level at which the studio
calls a sound audible (AUDIBLE_LEVEL), whatever the level of this one. A gap up to 200 ms, the hangover of P.56, is no pause: closures of
stops are shorter.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from engines.clips.clip import FRAMES_PER_SECOND, Clip, ClipSound, decibels

__all__ = ["SoundTiming"]

AUDIBLE_UNDER_DB, ABOVE_BACKGROUND_DB = 30.0, 5.0
LONGEST_GAP_FRAMES = 20


@dataclass(frozen=True)
class SoundTiming:
    """Seconds, to 10 ms. extent: from the first to the last that is heard; sounding: of it, without pauses. 0 of what is silent.

    silence: 0 to 1 of the whole sound. noise_dbfs: of the background where nothing is heard, -120 at least; None
    where something is all the time, and of a silent sound.
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
        audible = _audible(sound)
        frames, quiet = np.flatnonzero(audible), sound.background & ~audible
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


def _audible(sound: ClipSound) -> np.ndarray:
    """(F,) bool, never none."""
    active = sound.active if sound.active.any() else np.ones_like(sound.active)
    least = max(sound.power[active].mean() * 10 ** (-AUDIBLE_UNDER_DB / 10), sound.noise * 10 ** (ABOVE_BACKGROUND_DB / 10))
    audible = sound.power > least
    return audible if audible.any() else active
