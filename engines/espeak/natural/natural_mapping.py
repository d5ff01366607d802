"""Maps one piece of English text to frames of the speaker's voice. They are the natural source's own frames, moved a little.

Every frame of the source keeps its movement. It is stretched to the speaker's vocal tract and shifted by the amount of its class. What is
added is smoothed over time, since fast changes must stay the source's.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engines.espeak.natural.natural_examples import CONTEXT_FRAMES, NaturalExamples
from engines.espeak.natural.natural_pool import NaturalPool, tract_matrix
from engines.espeak.natural.natural_voice import NaturalSpeech, NaturalVoice, clipped_rate
from engines.espeak.synthesis import VocoderFrames, between
from engines.kit.signal.spectrum import (
    N_BANDS,
    N_CEPSTRA,
    N_MELS,
    aperiodicity,
    cepstra_of,
    envelope_and_harmonicity,
    envelope_of,
    smooth,
)

__all__ = ["NaturalMapping", "NaturalModel", "NaturalParams"]

_SMOOTHING_FRAMES = 4  # of the shift, either side
_BATCH_FRAMES = 24  # even; small, since the first block waits for three stages of them
_F0_RANGE_HZ = (50.0, 600.0)
_PAUSE_SECONDS, _CLAUSE_PAUSE_SECONDS, _LAST_PAUSE_SECONDS = 0.4, 0.15, 0.3
_SENTENCE_ENDS = (".", "!", "?", "…")
_NOISE_LEVEL = 1e-5  # what stands in the pauses instead of digital silence


@dataclass(frozen=True, eq=False)
class NaturalModel:
    """A prompt's tensors, ready to be spoken with. See natural_enrolment.natural_tensors."""

    shift: np.ndarray
    examples: NaturalExamples
    mean: np.ndarray
    spread: np.ndarray
    stretch: np.ndarray
    log_f0: float
    source_log_f0: float
    liveliness: float
    gain: float

    @classmethod
    def of(cls, tensors: Mapping[str, np.ndarray]) -> "NaturalModel":
        """Of a prompt that has natural_enrolment.TENSORS."""
        tract, *rest, n_points = (float(value) for value in tensors["natural_voice"])
        examples = NaturalExamples.of(tensors["exemplars"].astype(np.float32), tensors["natural_frames"], int(n_points))
        mean, spread = tensors["natural_spread"].astype(np.float32)
        return cls(tensors["natural_shift"].astype(np.float32), examples, mean, spread, tract_matrix(tract), *rest)


@dataclass(frozen=True)
class NaturalParams:
    """How a speaker speaks a text. speed: 1 is the source's own. semitones: added to the speaker's pitch."""

    speaker: NaturalModel
    voice: NaturalVoice
    pool: NaturalPool
    speed: float
    semitones: float


class NaturalMapping:
    """The frames of one piece of text. end_pause: whether the pause after the piece belongs to it."""

    def __init__(self, text: str, params: NaturalParams, *, end_pause: bool):
        self._text, self._params, self._end_pause = text, params, end_pause
        self._rate = clipped_rate(params.speed)
        self._speed = params.speed / self._rate  # what the voice itself cannot follow
        self._log_f0 = params.speaker.log_f0 + params.semitones * np.log(2) / 12
        self._speech: NaturalSpeech | None = None
        self._n_frames = self._n_analyzed = self._n_moved = self._n_drawn = 0

    def frames(self, first: int, count: int) -> VocoderFrames:
        """Output frames from `first` on: count of them, fewer only where the piece ends. Raises TextUnspeakable and EngineFailed."""
        if self._speech is None:
            self._speak()
        count = max(0, min(count, max(1, round(self._n_frames / self._speed)) - first))
        if not count:
            return VocoderFrames(np.zeros(0), np.zeros((0, N_MELS), np.float32), np.zeros((0, N_BANDS), np.float32))
        position = np.minimum((first + np.arange(count)) * self._speed, self._n_frames - 1)
        left = position.astype(np.int64)
        start, stop = int(left[0]), min(int(left[-1]) + 2, self._n_frames)
        return between(self._converted(start, stop), left - start, position - left)

    def _speak(self) -> None:
        self._speech = speech = self._params.voice.speak(self._text, self._rate, self._pause_seconds())
        self._samples = speech.samples + _noise(len(speech.samples))
        self._n_frames = n = len(speech.f0)
        self._power = np.zeros((n, N_MELS), np.float32)  # of the source in the speaker's vocal tract, then moved
        self._cepstra, self._shift, self._drawn = (np.zeros((n, N_CEPSTRA), np.float32) for _ in range(3))
        self._share = np.zeros((n, N_BANDS), np.float32)

    def _pause_seconds(self) -> float:
        """At most so much silence after the piece."""
        if not self._end_pause:
            return _LAST_PAUSE_SECONDS
        return _PAUSE_SECONDS if self._text.rstrip("\"'”’»)").endswith(_SENTENCE_ENDS) else _CLAUSE_PAUSE_SECONDS

    def _converted(self, first: int, last: int) -> VocoderFrames:
        """Source frames [first, last) in the speaker's voice."""
        speaker = self._params.speaker
        low, high = max(0, first - _SMOOTHING_FRAMES), min(self._n_frames, last + _SMOOTHING_FRAMES)
        self._draw(high)
        drawn = smooth(self._drawn[low:high], _SMOOTHING_FRAMES)[first - low : last - low]
        f0 = self._speech.f0[first:last]
        voiced = f0 > 0
        mapped = np.exp((np.log(np.where(voiced, f0, 1)) - speaker.source_log_f0) * speaker.liveliness + self._log_f0)
        power = self._power[first:last] + envelope_of(drawn) + np.float32(speaker.gain)
        return VocoderFrames(np.where(voiced, mapped.clip(*_F0_RANGE_HZ), 0), power, self._share[first:last])

    # Three stages, each always in the same batches, so that rounding cannot depend on the blocks.

    def _draw(self, n_frames: int) -> None:
        """Make sure that for the first n_frames it is known how the speaker's examples draw them."""
        while self._n_drawn < n_frames:
            first = self._n_drawn
            last = min(first + _BATCH_FRAMES, self._n_frames)
            low, high = max(0, first - CONTEXT_FRAMES), min(self._n_frames, last + CONTEXT_FRAMES)
            self._move(high)
            examples = self._params.speaker.examples
            self._drawn[first:last] = examples.draw(self._power[low:high], self._cepstra[low:high], first - low, last - low)
            self._n_drawn = last

    def _move(self, n_frames: int) -> None:
        """Make sure that the first n_frames are moved by the smoothed shift, and spread as the speaker's are."""
        speaker = self._params.speaker
        while self._n_moved < n_frames:
            first = self._n_moved
            last = min(first + _BATCH_FRAMES, self._n_frames)
            low, high = max(0, first - _SMOOTHING_FRAMES), min(self._n_frames, last + _SMOOTHING_FRAMES)
            self._analyze(high)
            shift = smooth(self._shift[low:high], _SMOOTHING_FRAMES)[first - low : last - low]
            added = shift + (self._cepstra[first:last] + shift - speaker.mean) * (speaker.spread - 1)
            self._power[first:last] += envelope_of(added)
            self._cepstra[first:last] += added
            self._n_moved = last

    def _analyze(self, n_frames: int) -> None:
        """Make sure that the first n_frames are analyzed."""
        while self._n_analyzed < n_frames:
            first = self._n_analyzed
            last = min(first + _BATCH_FRAMES, self._n_frames)
            log_envelope, harmonicity = envelope_and_harmonicity(self._samples, self._speech.f0[first:last], first)
            self._power[first:last] = log_envelope @ self._params.speaker.stretch
            self._cepstra[first:last] = cepstra_of(self._power[first:last])
            self._shift[first:last] = self._params.pool.shares(cepstra_of(log_envelope)) @ self._params.speaker.shift
            self._share[first:last] = aperiodicity(harmonicity)
            self._n_analyzed = last


def _noise(n_samples: int) -> np.ndarray:
    return (_NOISE_LEVEL * np.random.default_rng(0).standard_normal(n_samples)).astype(np.float32)
