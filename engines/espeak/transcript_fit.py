"""TranscriptFit: eSpeak's reading of a transcript, aligned with the clip, tells whether the clip says these words, and how fast."""

import math
from dataclasses import dataclass

import numpy as np

from engines.clips.clip import Transcript
from engines.errors import TranscriptMismatch
from engines.espeak.prior.espeak_frames import PacedFrames
from engines.espeak.prior.prior import Prior
from engines.espeak.speaker.enrollment import align, alignment_features, clip_targets, compared_points
from engines.kit.phonemes import espeak_library
from engines.kit.phonemes.languages import language_of
from engines.kit.signal.clip_analysis import ClipAnalysis, speech_frames
from engines.kit.signal.spectrum import FRAMES_PER_SECOND, envelope_of
from engines.text.spoken_pieces import speakable

__all__ = ["MOST_ALIGNMENT_COST", "TranscriptFit", "fit_transcript"]

# measured at 4 to 27 s on people in five languages who were never trained on: the right words cost 0.47 to 0.654, every other word of
# them 0.675 to 0.84 (one clip of 40: 0.615), other words 0.69 to 0.81
MOST_ALIGNMENT_COST = 0.66
LEAST_PHONES_PER_SECOND, MOST_PHONES_PER_SECOND = 4.0, 25.0
_ROUNDS = 2  # a third takes 0.01 off all costs, as 10 ms in place of 15 do
_EVERY_FRAMES = 3  # 15 ms: what is aligned
_BLOCK_STEPS = 64  # of the reading, which is wanted whole: 0.7 of the time that a stream of it takes
_RIDGE_FRAMES, _LEAST_RIDGE = 800.0, 0.1  # the ridge weighs as much as this many frames, and at least so much a frame
_RATES = (0.63, 1.37)  # of the speaker to eSpeak's rate, at most


@dataclass(frozen=True)
class TranscriptFit:
    """cost: of the alignment, see `align`. rate: the speaker's speaking rate relative to eSpeak's."""

    cost: float
    rate: float


def fit_transcript(prior: Prior, recording: ClipAnalysis, transcript: Transcript, base: np.ndarray) -> TranscriptFit:
    """Align in rounds, from the head `base` (U + 1, O) on. Raises TranscriptMismatch for other words, or a pace that nobody speaks at."""
    language = language_of(transcript.text, transcript.language)
    speech = espeak_library.speak(speakable(transcript.text), language.voice)
    frames = np.nonzero(recording.speech)[0]
    _check_speaking_rate(sum(name != espeak_library.SILENCE for _, name in speech.phones), len(frames) / FRAMES_PER_SECOND)
    source = PacedFrames.of(speech, prior, language, block_steps=_BLOCK_STEPS)
    hidden = source.hidden(source.n_frames)
    spoken = np.nonzero(speech_frames(source.level(0, source.n_frames)))[0]
    n_points = compared_points(recording)
    clip_rows = alignment_features(recording.log_envelope[frames], n_points)[::_EVERY_FRAMES]
    head, cost = base, math.inf
    for left in reversed(range(_ROUNDS)):
        predicted = envelope_of(prior.cepstra(hidden, head))
        path, cost = align(alignment_features(predicted[spoken], n_points)[::_EVERY_FRAMES], clip_rows)
        if not left:
            break
        rows = np.interp(np.arange(len(frames)), np.arange(len(path)) * _EVERY_FRAMES, path * _EVERY_FRAMES)
        matched = spoken[np.clip(np.round(rows).astype(np.int64), 0, len(spoken) - 1)]
        ridge = max(_RIDGE_FRAMES / len(frames), _LEAST_RIDGE)
        head = prior.fit_head(base, hidden[matched], clip_targets(recording, frames, predicted[matched]), ridge)
    if cost > MOST_ALIGNMENT_COST:
        detail = f"the cost of their alignment is {cost:.2f}, and {MOST_ALIGNMENT_COST} is the most"
        raise TranscriptMismatch(detail=detail, cost=cost, most_cost=MOST_ALIGNMENT_COST)
    return TranscriptFit(cost, float(np.clip(len(spoken) / len(frames), *_RATES)))


def _check_speaking_rate(n_phones: int, seconds: float) -> None:
    rate = n_phones / max(seconds, 1e-3)
    if not LEAST_PHONES_PER_SECOND <= rate <= MOST_PHONES_PER_SECOND:
        least, most = LEAST_PHONES_PER_SECOND, MOST_PHONES_PER_SECOND
        raise TranscriptMismatch(sentence="transcript_pace", rate=round(rate, 1), seconds=seconds, least=least, most=most)
