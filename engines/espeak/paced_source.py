"""PacedSource: eSpeak's frames in the time that a person would take, and what the prior makes of them.

A frame here lies somewhere between two frames of eSpeak's: every phone is stretched or shrunk as a whole. As in Source, nothing depends on
how far it has got nor, in a speech that was cut short, on what was cut off.
"""

import numpy as np

from engines.espeak.hidden_stream import HiddenStream, frame_inputs
from engines.espeak.languages import Language
from engines.espeak.library import EspeakSpeech
from engines.espeak.phones import phones_at
from engines.espeak.prior import Prior
from engines.espeak.prosody import N_POINTS, Prosody
from engines.espeak.source import Source
from engines.espeak.spectrum import HOP_SAMPLES

__all__ = ["PacedSource"]

_POINTS = (np.arange(N_POINTS) + 0.5) / N_POINTS


class PacedSource:
    """The frames of one EspeakSpeech at the pace of a prosody. f0_hz: the median F0 of its language.

    n_frames: how many; of a speech cut short, how many are certain. espeak: the Source. at (n_frames,): which of its frames each is,
    fractions allowed. phones: see PhoneFrames. pitch (n_frames,): the prosody's, in deviations of log F0.
    """

    def __init__(self, speech: EspeakSpeech, prior: Prior, f0_hz: float, prosody: Prosody):
        self.espeak = Source(speech)
        n_phones = len(prosody.log_ratio)
        starts = np.array([start for start, _ in speech.phones] + [len(speech.samples)])[: n_phones + 1] / HOP_SAMPLES
        lengths = np.diff(starts) * np.exp(prosody.log_ratio.astype(np.float64))
        paced = starts[0] + np.concatenate([[0.0], np.cumsum(lengths)])
        points = (paced[:-1, None] + lengths[:, None] * _POINTS).ravel()
        frames = np.arange(int(paced[-1] if speech.complete else points.max(initial=0.0)) + 1)
        at = np.interp(frames, np.concatenate([[0.0], paced]), np.concatenate([[0.0], starts]))
        last = self.espeak.n_frames - 1
        self.at = np.minimum(at, last) if speech.complete else at[at < last]
        self.n_frames = len(self.at)
        self.pitch = np.interp(frames[: self.n_frames], points, prosody.pitch.ravel()) if n_phones else np.zeros(self.n_frames)
        self.phones = phones_at(speech, self.at * HOP_SAMPLES, prior.number_of)
        self._prior, self._f0_hz = prior, f0_hz
        self._body: HiddenStream | None = None
        self._hidden = np.zeros((0, 0), np.float32)
        self._n_hidden = 0

    @classmethod
    def of(cls, speech: EspeakSpeech, prior: Prior, language: Language) -> "PacedSource":
        """At the pace that the prior predicts; where pitch tells words apart at eSpeak's own, which was learned for other kinds of languages."""
        if language.is_tonal:
            return cls(speech, prior, language.source_f0_hz, Prosody.unchanged(speech))
        return cls(speech, prior, language.source_f0_hz, Prosody.predicted(speech, prior.tensors, prior.number_of))

    def f0(self, first: int, last: int) -> np.ndarray:
        """(last - first,) Hz of eSpeak's speech, 0 where unvoiced."""
        self._analyse(last)
        return self.espeak.f0[np.round(self.at[first:last]).astype(np.int64)]

    def level(self, first: int, last: int) -> np.ndarray:
        """(last - first,) dB of eSpeak's speech."""
        self._analyse(last)
        return self.espeak.level[np.round(self.at[first:last]).astype(np.int64)]

    def hidden(self, n_frames: int) -> np.ndarray:
        """(n_frames or a few more, U + 1) hidden features of the prior, from the first frame on; at most those there are."""
        n_frames = min(n_frames, self.n_frames)
        if self._body is None:
            self._body = HiddenStream(self._prior.tensors, self.n_frames)
            self._hidden = np.zeros((self.n_frames, self._body.n_features), np.float32)
        while self._n_hidden < n_frames:
            first, last = self._body.wanted
            part = slice(first, min(last, self.n_frames))
            inputs = frame_inputs(self._cepstra(part), self.f0(part.start, part.stop), self.phones.position[part], self._f0_hz)
            made = self._body.push(inputs, self.phones.numbers[part])[: self.n_frames - self._n_hidden]
            self._hidden[self._n_hidden : self._n_hidden + len(made)] = made
            self._n_hidden += len(made)
        return self._hidden[: self._n_hidden]

    def _cepstra(self, part: slice) -> np.ndarray:
        """(F, D) of eSpeak's, linear between its frames."""
        self._analyse(part.stop)
        at = self.at[part]
        left = at.astype(np.int64)
        right = np.minimum(left + 1, self.espeak.n_frames - 1)
        share = (at - left).astype(np.float32)[:, None]
        return (1 - share) * self.espeak.cepstra[left] + share * self.espeak.cepstra[right]

    def _analyse(self, n_frames: int) -> None:
        """Make sure that eSpeak's frames behind the first n_frames are analysed."""
        if n_frames := min(n_frames, self.n_frames):
            self.espeak.analyse(int(self.at[n_frames - 1]) + 2)
