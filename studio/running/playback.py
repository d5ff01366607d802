"""Playback: a simulated listener of one stream. It tells when the listener would run dry, and how long it has waited in silence."""

import numpy as np

from engines.clips.audible import AUDIBLE_LEVEL, AUDIBLE_SECONDS, window_levels

__all__ = ["Playback"]


class Playback:
    """A player that starts with the first chunk and plays on as long as it has audio.

    dry_at: the clock time at which it runs out; None before the first chunk.
    underrun_seconds: silence so far because a chunk came late.
    audible_at: the clock time at which it plays the first audible sample; None until then.
    """

    def __init__(self, sample_rate: int):
        self._sample_rate = sample_rate
        self._window = max(1, round(AUDIBLE_SECONDS * sample_rate))
        self._unheard = np.zeros(0, np.float32)
        self.dry_at: float | None = None
        self.audible_at: float | None = None
        self.underrun_seconds = 0.0
        self.audio_seconds = 0.0

    def receive(self, chunk: np.ndarray, now: float) -> None:
        """A chunk (T,) has come at clock time `now` (seconds)."""
        if self.dry_at is None:
            self.dry_at = now
        elif now > self.dry_at:
            self.underrun_seconds += now - self.dry_at
            self.dry_at = now
        if self.audible_at is None:
            self._listen(chunk)
        seconds = len(chunk) / self._sample_rate
        self.audio_seconds += seconds
        self.dry_at += seconds

    def _listen(self, chunk: np.ndarray) -> None:
        """Look for the first whole window above the audible level; windows may straddle chunks. Plays from `dry_at` on."""
        samples = np.concatenate([self._unheard, chunk])
        levels = window_levels(samples, self._window)
        loud = np.flatnonzero(levels > AUDIBLE_LEVEL)
        if len(loud):
            offset_samples = int(loud[0]) * self._window - len(self._unheard)
            self.audible_at = self.dry_at + offset_samples / self._sample_rate
        self._unheard = samples[len(levels) * self._window :]
