"""eSpeak speech as frames: F0, cepstra, level. Analysed as far as asked, each frame once, each from a bounded window around it.

What a frame becomes depends neither on how far the analysis has got nor, in a speech that was cut short, on what was cut off.
"""

import numpy as np

from engines.espeak.reading.library import EspeakSpeech
from engines.espeak.reading.phones import known_frames
from engines.espeak.signal import pitch
from engines.espeak.signal.envelope import HALF_WINDOW_SAMPLES, envelope
from engines.espeak.signal.spectrum import HOP_SAMPLES, N_CEPSTRA, cepstra_of, level_db

__all__ = ["SOURCE_LEVEL_DB", "Source"]

SOURCE_LEVEL_DB = -6.5  # 95th percentile of the level of our eSpeak voice
_LOUDEST = 0.9  # the loudest amplitude of our eSpeak voice: fixed, since a maximum would depend on the future
_NOISE_SAMPLES = 1 << 17
_NOISE_LEVEL = 1e-5  # what stands in the pauses instead of digital silence, as in training


def _noise_floor() -> np.ndarray:
    return (_NOISE_LEVEL * np.random.default_rng(0).standard_normal(_NOISE_SAMPLES)).astype(np.float32)


_NOISE = _noise_floor()
_STEP_SAMPLES = pitch.STEP_FRAMES * HOP_SAMPLES


class Source:
    """The frames of one EspeakSpeech.

    n_frames: how many it has; of a speech cut short, how many are certain.
    f0 (F,) Hz, 0 where unvoiced; cepstra (F, N_CEPSTRA); level (F,) dB: filled as far as `analyse` was asked.
    """

    def __init__(self, speech: EspeakSpeech):
        n_samples = len(speech.samples)
        self._samples = speech.samples + np.resize(_NOISE, n_samples)
        self.n_frames = n_samples // HOP_SAMPLES + 1 if speech.complete else self._certain_frames(speech)
        n_segments = -(-self.n_frames // pitch.SEGMENT_FRAMES)
        self.f0 = np.zeros(n_segments * pitch.SEGMENT_FRAMES)
        self.cepstra = np.zeros((self.n_frames, N_CEPSTRA), np.float32)
        self.level = np.zeros(self.n_frames, np.float32)
        self._candidates: list[pitch.Candidates] = []  # of steps on end
        self._n_pitched = self._n_analysed = 0

    @staticmethod
    def _certain_frames(speech: EspeakSpeech) -> int:
        ahead = (pitch.SEGMENT_STEPS + pitch.LOOK_AHEAD_STEPS) * _STEP_SAMPLES + pitch.CONTEXT_SAMPLES
        by_pitch = max(0, (len(speech.samples) - ahead) // (pitch.SEGMENT_FRAMES * HOP_SAMPLES) + 1) * pitch.SEGMENT_FRAMES
        by_envelope = (len(speech.samples) - HALF_WINDOW_SAMPLES) // HOP_SAMPLES
        return max(0, min(by_pitch, by_envelope, known_frames(speech)))

    def analyse(self, n_frames: int) -> None:
        """Make sure that the first n_frames frames are analysed."""
        n_frames = min(n_frames, self.n_frames)
        self.track(n_frames)
        first, count = self._n_analysed, n_frames - self._n_analysed
        if count > 0:
            log_envelope = envelope(self._samples, self.f0[first:n_frames], first)
            self.cepstra[first:n_frames] = cepstra_of(log_envelope)
            self.level[first:n_frames] = level_db(log_envelope)
            self._n_analysed = n_frames

    def track(self, n_frames: int) -> None:
        """Make sure that the first n_frames frames have their F0, a segment from candidates that reach LOOK_BACK_STEPS before it and
        LOOK_AHEAD_STEPS after it.
        """
        first, last = self._n_pitched // pitch.SEGMENT_FRAMES, -(-min(n_frames, self.n_frames) // pitch.SEGMENT_FRAMES)
        if first >= last:
            return
        size = pitch.SEGMENT_STEPS
        n_needed = last * size + pitch.LOOK_AHEAD_STEPS
        n_found = sum(len(part.amplitude) for part in self._candidates)
        if n_found < n_needed:
            self._candidates.append(pitch.find_candidates(self._samples, n_found * _STEP_SAMPLES, n_needed - n_found))
        known = pitch.Candidates.joined(self._candidates)
        self._candidates = [known]
        while first < last:  # the first segments have fewer steps before them, all others may be decided at once
            look_back = min(first * size, pitch.LOOK_BACK_STEPS)
            some = range(first, last if look_back == pitch.LOOK_BACK_STEPS else first + 1)
            windows = [known.steps(k * size - look_back, (k + 1) * size + pitch.LOOK_AHEAD_STEPS) for k in some]
            f0 = pitch.segments_f0(windows, look_back, _LOUDEST).reshape(-1)
            self.f0[self._n_pitched : self._n_pitched + len(f0)] = f0
            self._n_pitched += len(f0)
            first = some.stop
