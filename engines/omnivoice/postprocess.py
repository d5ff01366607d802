"""SentencePostprocessor: changes silences, level, fades and pads of a decoded sentence before it is heard, piece by piece.

Upstream (omnivoice/models/omnivoice.py, _post_process_audio @ 468e927) does this to the whole of a speech, after it has joined the pieces
of a long text with 0.1 s of fade, of silence and of fade. Here every sentence is finished by itself, for it is heard before the next one is
computed: what upstream makes of one sentence is made of each. So between two sentences there are the one's fade and pad and the other's pad
and fade, 0.2 s of silence where upstream has 0.1 s; a pause that goes over the end of a sentence is cut on both sides of that end; and
without a recording to go by each sentence has its own peak at half of full scale, where upstream has the loudest one's. The pad before the
first sentence is left out, since whoever waits for sound would wait for it, too.
"""

import numpy as np

from engines.omnivoice.silence import SilenceRemover

__all__ = ["LEAST_RMS", "SentencePostprocessor"]

# All upstream's: the arguments of remove_silence in _post_process_audio, and pad_duration and fade_duration of OmniVoiceGenerationConfig.
MIDDLE_MS, LEADING_MS, TRAILING_MS = 500, 100, 100
FADE_SECONDS, PAD_SECONDS = 0.1, 0.1
LEAST_RMS = 0.1  # of a recording: quieter ones are raised to it before they are encoded, and what is spoken is lowered again
PEAK, LEAST_PEAK = 0.5, 1e-6  # of what is spoken in no recording's voice; sound below the second is left as it is


class SentencePostprocessor:
    """One sentence on its way out. Its pieces are together what upstream makes of the whole, sample by sample, within full scale.

    It holds back what is not certain: the last 0.1 s, which fades out where nothing follows, the first 0.2 s, whose fades are shorter where
    nothing follows, and silences as SilenceRemover does. Without a recording's level everything, for it depends on the peak.
    """

    def __init__(self, rate: int, rms: float | None, *, is_first: bool, removes_silences: bool = True):
        """rate: Hz. rms: of the recording before it was raised, None where the voice comes from none.

        is_first: of a speech, without a pad before it. removes_silences: False leaves them, and the samples their precision.
        """
        self._rms = rms
        self._remover = SilenceRemover(rate, MIDDLE_MS, LEADING_MS, TRAILING_MS) if removes_silences else None
        self._n_fade = int(FADE_SECONDS * rate)
        self._pad = np.zeros(int(PAD_SECONDS * rate), np.float32)
        self._is_padded = is_first
        self._is_faded_in = False
        self._held = np.zeros(0, np.float32)

    def feed(self, samples: np.ndarray) -> np.ndarray:
        """samples: (T,) float32. returns: (T',) float32 in [-1, 1], what is certain now."""
        certain = self._remover.feed(samples) if self._remover else samples
        self._held = np.concatenate([self._held, certain])
        if self._rms is None:
            return self._held[:0]
        return self._within(self._pad_before(), self._certain())

    def finish(self) -> np.ndarray:
        """(T',) float32 in [-1, 1], the rest; of a sentence that is silent throughout nothing at all. Nothing may be fed behind it."""
        if self._remover:
            self._held = np.concatenate([self._held, self._remover.finish()])
        if self._rms is None:
            self._held = _at_peak(self._held)
        before, rest = self._pad_before(), self._levelled(self._held)
        if not len(rest):
            return rest
        n_fade = self._n_fade if self._is_faded_in else min(self._n_fade, len(rest) // 2)
        if not self._is_faded_in:
            rest[:n_fade] *= _fade_in(n_fade)
        rest[len(rest) - n_fade :] *= _fade_out(n_fade)
        return self._within(before, rest, self._pad)

    def _certain(self) -> np.ndarray:
        """What is held but the end that may fade out; nothing before the length of the fades is known."""
        n_certain = len(self._held) - self._n_fade
        if n_certain < (0 if self._is_faded_in else self._n_fade):
            return self._held[:0]
        certain, self._held = self._levelled(self._held[:n_certain]), self._held[n_certain:]
        if not self._is_faded_in:
            certain[: self._n_fade] *= _fade_in(self._n_fade)
            self._is_faded_in = True
        return certain

    def _pad_before(self) -> np.ndarray:
        """The pad, once, as soon as there is something to be heard behind it."""
        if self._is_padded or not len(self._held):
            return self._pad[:0]
        self._is_padded = True
        return self._pad

    def _levelled(self, samples: np.ndarray) -> np.ndarray:
        """A copy, as loud as the recording was."""
        if self._rms is None or self._rms >= LEAST_RMS:
            return samples.copy()
        return samples * np.float32(self._rms) / np.float32(LEAST_RMS)

    @staticmethod
    def _within(*parts: np.ndarray) -> np.ndarray:
        """Joined, within full scale: without the removal of silences, which cuts there as well, the decoder may exceed it a little."""
        return np.concatenate(parts).clip(-1.0, 1.0)


def _at_peak(samples: np.ndarray) -> np.ndarray:
    peak = np.abs(samples).max(initial=0.0)
    return samples / peak * np.float32(PEAK) if peak > LEAST_PEAK else samples


def _fade_in(n_samples: int) -> np.ndarray:
    return np.linspace(0, 1, n_samples, dtype=np.float32)


def _fade_out(n_samples: int) -> np.ndarray:
    return np.linspace(1, 0, n_samples, dtype=np.float32)
