"""RunawayGuard: notices that an autoregressive engine lost its text: its silence does not end, or its frames come again and again.

It looks at what is on the host anyway, a piece of audio at a time, some 30 microseconds per frame of 16 codes, and changes no sample before
it ends a stream.

* Silence: after sound was heard, more than SILENCE_SECONDS in windows of 10 ms below -50 dBFS. A voice as quiet as that is no silence: the
  windows also lie 30 dB below the loudest one so far. Pauses of a reader are shorter: between paragraphs about 1.5 s.
* Loops: every frame has half of its codes or more in common with the frame `period` frames before, for LOOP_SECONDS and two periods at
  least. A sustained vowel has its first code in common at most, since the fine ones are drawn anew in every frame; pauses, whose frames may
  well be equal, are shorter. Speech that says the same words again is not the same in its codes, frame by frame.
"""

import numpy as np

from engines.clips.clip import AUDIBLE_LEVEL, AUDIBLE_SECONDS, window_levels
from engines.contract.speech_end import SpeechEnd

__all__ = ["LOOP_SECONDS", "REST_SECONDS", "SILENCE_SECONDS", "RunawayGuard"]

SILENCE_SECONDS = 2.0
BELOW_LOUDEST = 10 ** (-30 / 20)  # what lies less than this under the loudest window belongs to a very quiet voice
REST_SECONDS = 0.3  # of the silence, which the listener still gets
LOOP_SECONDS = 3.0
MOST_PERIOD_SECONDS = 2.5  # of what is repeated: a clause
LEAST_SHARE = 0.5  # of a frame's codes


class RunawayGuard:
    """Of one stream. frames_per_second: of the codes; unused where none are given."""

    def __init__(self, sample_rate: int, frames_per_second: float = 0.0):
        self._window_samples = max(1, round(AUDIBLE_SECONDS * sample_rate))
        self._unheard = np.zeros(0, np.float32)  # less than a window
        self._loudest = 0.0
        self._n_silent = 0  # windows, up to now
        self._frames_per_second = frames_per_second
        self._past: np.ndarray | None = None  # (P, Q) frames, the newest first; -1 where there were none
        self._repeated = np.zeros(round(MOST_PERIOD_SECONDS * frames_per_second), np.int64)  # (P,) frames in a row, by period

    def heed(self, samples: np.ndarray, codes: np.ndarray | None = None) -> tuple[np.ndarray, SpeechEnd | None]:
        """(what is to be handed out of a piece, the end where the stream must not go on).

        samples: (T,) float32, what follows the last piece. codes: (F, Q) ints, the piece's frames, T a multiple of F.
        """
        found = [self._silence(samples)]
        if codes is not None and len(codes):
            found.append(self._loop(codes, len(samples) // len(codes)))
        keep, end = min((one for one in found if one is not None), key=lambda one: one[0], default=(len(samples), None))
        return samples[:keep], end

    def _silence(self, samples: np.ndarray) -> tuple[int, SpeechEnd] | None:
        """(samples of the piece up to a short rest of the silence, the end), where it lasts too long."""
        n_before = len(self._unheard)
        samples = np.concatenate([self._unheard, samples])
        levels = window_levels(samples, self._window_samples)
        self._unheard = samples[len(levels) * self._window_samples :]
        for index, level in enumerate(levels):
            self._loudest = max(self._loudest, float(level))
            is_silent = self._loudest >= AUDIBLE_LEVEL and level < min(AUDIBLE_LEVEL, self._loudest * BELOW_LOUDEST)
            self._n_silent = self._n_silent + 1 if is_silent else 0
            if self._n_silent * AUDIBLE_SECONDS > SILENCE_SECONDS:
                rest = index + 1 - self._n_silent + round(REST_SECONDS / AUDIBLE_SECONDS)
                return max(0, rest * self._window_samples - n_before), SpeechEnd.silent(SILENCE_SECONDS)
        return None

    def _loop(self, codes: np.ndarray, frame_samples: int) -> tuple[int, SpeechEnd] | None:
        """(samples of the piece up to where the loop was certain, the end), where there is one."""
        if self._past is None:
            self._past = np.full((len(self._repeated), codes.shape[1]), -1, np.int64)
        periods = np.arange(1, len(self._repeated) + 1)
        most = np.maximum(LOOP_SECONDS * self._frames_per_second, 2 * periods)
        for index, frame in enumerate(codes):
            is_same = (self._past == frame).mean(axis=1) >= LEAST_SHARE
            self._repeated = np.where(is_same, self._repeated + 1, 0)
            self._past = np.concatenate([frame[None], self._past[:-1]])
            if (self._repeated >= most).any():
                return (index + 1) * frame_samples, SpeechEnd.repeating(self._repeated.max() / self._frames_per_second)
        return None
