"""eSpeak speech as frames: F0, cepstra, level. Each frame is analyzed once, when it is needed, from a bounded window around it.

What a frame becomes depends neither on how far the analysis has got nor, in a speech that was cut short, on what was cut off.
PacedFrames has the frames in the time that a person would take, and what the prior makes of them. Every phone is stretched or shrunk as a
whole, so a frame there lies somewhere between two of eSpeak's.
"""

from dataclasses import replace

import numpy as np

from engines.espeak.prior.hidden_stream import BLOCK_STEPS, LOOK_AHEAD_FRAMES, HiddenStream, frame_inputs
from engines.espeak.prior.prior import N_POINTS, Prior, Prosody, feature_rows, known_frames, phones_at
from engines.kit.phonemes.espeak_library import EspeakSpeech
from engines.kit.phonemes.languages import Language
from engines.kit.signal import pitch
from engines.kit.signal.spectrum import HALF_WINDOW_SAMPLES, HOP_SAMPLES, N_CEPSTRA, cepstra_of, envelope, level_db

__all__ = ["SOURCE_LEVEL_DB", "EspeakFrames", "PacedFrames"]

SOURCE_LEVEL_DB = -6.5  # 95th percentile of the level of our eSpeak voice
_LOUDEST = 0.9  # the loudest amplitude of our eSpeak voice: fixed, since a maximum would depend on the future
_NOISE_SAMPLES = 1 << 17
_NOISE_LEVEL = 1e-5  # what stands in the pauses instead of digital silence, as in training


def _noise_floor() -> np.ndarray:
    return (_NOISE_LEVEL * np.random.default_rng(0).standard_normal(_NOISE_SAMPLES)).astype(np.float32)


_NOISE = _noise_floor()
_STEP_SAMPLES = pitch.STEP_FRAMES * HOP_SAMPLES


class EspeakFrames:
    """The frames of one EspeakSpeech.

    n_frames: how many it has; of a speech cut short, how many are certain.
    f0 (F,) Hz, 0 where unvoiced; cepstra (F, N_CEPSTRA); level (F,) dB: filled as far as `analyze` was asked.
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
        self._n_pitched = self._n_analyzed = 0

    @staticmethod
    def _certain_frames(speech: EspeakSpeech) -> int:
        ahead = (pitch.SEGMENT_STEPS + pitch.LOOK_AHEAD_STEPS) * _STEP_SAMPLES + pitch.CONTEXT_SAMPLES
        by_pitch = max(0, (len(speech.samples) - ahead) // (pitch.SEGMENT_FRAMES * HOP_SAMPLES) + 1) * pitch.SEGMENT_FRAMES
        by_envelope = (len(speech.samples) - HALF_WINDOW_SAMPLES) // HOP_SAMPLES
        return max(0, min(by_pitch, by_envelope, known_frames(speech)))

    def analyze(self, n_frames: int) -> None:
        """Make sure that the first n_frames frames are analyzed."""
        n_frames = min(n_frames, self.n_frames)
        self.track(n_frames)
        first, count = self._n_analyzed, n_frames - self._n_analyzed
        if count > 0:
            log_envelope = envelope(self._samples, self.f0[first:n_frames], first)
            self.cepstra[first:n_frames] = cepstra_of(log_envelope)
            self.level[first:n_frames] = level_db(log_envelope)
            self._n_analyzed = n_frames

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


# --- in a person's time


_SOURCE_F0_DEVIATION = 0.1  # of the log F0 of our eSpeak voice
_MOST_DEVIATIONS = 4.0  # of its own melody: 98 of 100 frames lie within 3.9 in all languages with tones, what lies further is an octave off
_POINTS = (np.arange(N_POINTS) + 0.5) / N_POINTS


class PacedFrames:
    """The frames of one EspeakSpeech at the pace of a prosody, or, without one, at eSpeak's own pace and with its melody.

    n_frames: how many; of a speech cut short, how many are certain. espeak: the Source. at (n_frames,): which of its frames each is,
    fractions allowed. phones: see PhoneFrames. block_steps: see HiddenStream; whoever wants all of it at once takes long blocks.
    """

    def __init__(self, speech: EspeakSpeech, prior: Prior, language: Language, prosody: Prosody | None, block_steps: int = BLOCK_STEPS):
        self.espeak = EspeakFrames(speech)
        log_ratio = np.zeros(len(speech.phones) - (not speech.complete)) if prosody is None else prosody.log_ratio.astype(np.float64)
        n_phones = len(log_ratio)
        starts = np.array([start for start, _ in speech.phones] + [len(speech.samples)])[: n_phones + 1] / HOP_SAMPLES
        lengths = np.diff(starts) * np.exp(log_ratio)
        paced = starts + np.concatenate([[0.0], np.cumsum(lengths - np.diff(starts))])  # exactly eSpeak's where nothing is stretched
        points = (paced[:-1, None] + lengths[:, None] * _POINTS).ravel()
        frames = np.arange(int(paced[-1] if speech.complete else points.max(initial=0.0)) + 1)
        at = np.interp(frames, np.concatenate([[0.0], paced]), np.concatenate([[0.0], starts]))
        last = self.espeak.n_frames - 1
        self.at = np.minimum(at, last) if speech.complete else at[at < last]
        self.n_frames = len(self.at)
        self._pitch = np.interp(frames[: self.n_frames], points, prosody.pitch.ravel()) if prosody and n_phones else np.zeros(self.n_frames)
        self._own_melody_about_hz = None if prosody else language.tone_f0_hz
        self.phones = phones_at(speech, self.at * HOP_SAMPLES)
        self._features = feature_rows(self.phones.names)
        self._starts, self._paced = starts, paced
        self._prior, self._block_steps = prior, block_steps
        self._body: HiddenStream | None = None
        self._hidden = np.zeros((0, 0), np.float32)
        self._n_hidden = 0

    @classmethod
    def of(
        cls, speech: EspeakSpeech, prior: Prior, language: Language, *, paced: bool = True, block_steps: int = BLOCK_STEPS
    ) -> "PacedFrames":
        """With the melody and, if it is to be paced, the pace that the prior predicts, as far as they hold for the language."""
        if language.is_tonal:
            return cls(speech, prior, language, None, block_steps)
        prosody = Prosody.predicted(speech, prior.tensors)
        if not (paced and language.is_paced):
            prosody = replace(prosody, log_ratio=np.zeros_like(prosody.log_ratio))
        return cls(speech, prior, language, prosody, block_steps)

    def place(self, sample: int) -> float:
        """The frame, fractions allowed, at which a sample of eSpeak's speech is heard; of one that is complete."""
        return float(np.interp(sample / HOP_SAMPLES, self._starts, self._paced))

    def f0(self, first: int, last: int) -> np.ndarray:
        """(last - first,) Hz of eSpeak's speech, 0 where unvoiced."""
        self._analyze(last)
        return self.espeak.f0[np.round(self.at[first:last]).astype(np.int64)]

    def melody(self, first: int, last: int) -> np.ndarray:
        """(last - first,) the F0 that the speech shall have, in deviations of the speaker's log F0."""
        if self._own_melody_about_hz is None:
            return self._pitch[first:last]
        f0 = self.f0(first, last)
        off = np.log(np.where(f0 > 0, f0 / self._own_melody_about_hz, 1)) / _SOURCE_F0_DEVIATION
        return off.clip(-_MOST_DEVIATIONS, _MOST_DEVIATIONS)

    def level(self, first: int, last: int) -> np.ndarray:
        """(last - first,) dB of eSpeak's speech."""
        self._analyze(last)
        return self.espeak.level[np.round(self.at[first:last]).astype(np.int64)]

    def hidden(self, n_frames: int) -> np.ndarray:
        """(n_frames or a few more, U + 1) hidden features of the prior, from the first frame on; at most those there are."""
        n_frames = min(n_frames, self.n_frames)
        if self._body is None:
            self._body = HiddenStream(self._prior.tensors, self.n_frames, self._block_steps)
            self._hidden = np.zeros((self.n_frames, self._body.n_features), np.float32)
        self.espeak.track(self._behind(n_frames + LOOK_AHEAD_FRAMES))  # of its segments several at once cost little more
        while self._n_hidden < n_frames:
            first, last = self._body.wanted
            part = slice(first, min(last, self.n_frames))
            voiced, melody = self.f0(first, part.stop) > 0, self.melody(first, part.stop)
            inputs = frame_inputs(self._cepstra(part), voiced, melody, self.phones.position[part])
            phones = self._features[self.phones.numbers[part]].reshape(len(inputs), self._features.shape[1] * 3)
            made = self._body.push(inputs, phones)[: self.n_frames - self._n_hidden]
            self._hidden[self._n_hidden : self._n_hidden + len(made)] = made
            self._n_hidden += len(made)
        return self._hidden[: self._n_hidden]

    def _cepstra(self, part: slice) -> np.ndarray:
        """(F, D) of eSpeak's, linear between its frames."""
        self._analyze(part.stop)
        at = self.at[part]
        left = at.astype(np.int64)
        right = np.minimum(left + 1, self.espeak.n_frames - 1)
        share = (at - left).astype(np.float32)[:, None]
        return (1 - share) * self.espeak.cepstra[left] + share * self.espeak.cepstra[right]

    def _behind(self, n_frames: int) -> int:
        """How many of eSpeak's frames the first n_frames are between."""
        n_frames = min(n_frames, self.n_frames)
        return int(self.at[n_frames - 1]) + 2 if n_frames else 0

    def _analyze(self, n_frames: int) -> None:
        """Make sure that eSpeak's frames behind the first n_frames are analyzed."""
        self.espeak.analyze(self._behind(n_frames))
