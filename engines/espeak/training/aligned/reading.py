"""One text read twice, by a training voice and by eSpeak. Both are on the frame grid and not yet aligned."""

from dataclasses import dataclass, replace

import numpy as np

from engines.clips.clip import Clip
from engines.espeak.prior.espeak_frames import EspeakFrames, PacedFrames
from engines.espeak.prior.prior import Prior
from engines.kit.phonemes import espeak_library
from engines.kit.phonemes.espeak_library import EspeakSpeech
from engines.kit.phonemes.languages import language_of
from engines.kit.signal.clip_analysis import ClipAnalysis, speech_frames
from engines.text.spoken_pieces import speakable

__all__ = ["ReadSentence"]

_NOTHING = np.zeros(0, np.float32)


@dataclass(frozen=True, eq=False)
class ReadSentence:
    """recording: the voice's, without its samples; peak: their largest amplitude. speech: eSpeak's, without its samples.

    cepstra (S, N_CEPSTRA), f0 (S,) Hz, 0 where unvoiced, of eSpeak's frames; spoken: those of them that are speech, rising.
    frames: the recording's that are.
    predicted: (S, N_CEPSTRA) what the voice is expected to make of eSpeak's frames, where that is known, else None.
    """

    text: str
    recording: ClipAnalysis
    peak: float
    speech: EspeakSpeech
    cepstra: np.ndarray
    f0: np.ndarray
    spoken: np.ndarray
    frames: np.ndarray
    predicted: np.ndarray | None

    @classmethod
    def of(cls, text: str, clip: Clip, language: str, prior: Prior | None, head: np.ndarray | None) -> "ReadSentence":
        """prior, head: what predicts the voice, where there is one."""
        recording = ClipAnalysis.of(clip)
        spoken_in = language_of(text, language)
        speech = espeak_library.speak(speakable(text), spoken_in.voice)
        source = EspeakFrames(speech)
        source.analyze(source.n_frames)
        spoken = np.nonzero(speech_frames(source.level))[0]
        frames = np.nonzero(recording.speech)[0]
        predicted = None
        if prior is not None and head is not None:
            paced = PacedFrames.of(speech, prior, spoken_in, paced=False)
            predicted = prior.cepstra(paced.hidden(paced.n_frames), head)
        peak = float(np.abs(clip.samples).max())
        bare = replace(recording, samples=_NOTHING)
        return cls(
            text, bare, peak, replace(speech, samples=_NOTHING), source.cepstra, source.f0[: source.n_frames], spoken, frames, predicted
        )
