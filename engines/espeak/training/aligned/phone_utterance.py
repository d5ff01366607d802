"""An aligned utterance phone by phone: how long the recording holds each phone, and how the pitch moves in it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engines.espeak.prior.prior import N_POINTS, feature_rows, phone_facts
from engines.espeak.training.aligned.aligned_utterance import AlignedUtterance
from engines.espeak.training.aligned.melody import melody_of
from engines.kit.phonemes import espeak_library
from engines.kit.phonemes.languages import language_of
from engines.kit.signal.pitch import LogRange, log_f0_range
from engines.kit.signal.spectrum import HOP_SAMPLES
from engines.text.spoken_pieces import speakable

__all__ = ["PhoneUtterance", "phone_utterances"]

_RISING = 1e-4  # frames: makes times that stand still rise, so that they can be inverted
_MOST_LOG_RATIO = 2.0
_UNVOICED_WEIGHT = 0.1  # of a pitch that is only drawn through


@dataclass(frozen=True, eq=False)
class PhoneUtterance:
    """P phones. features (P, N_PHONE_FEATURES) and facts (P, N_FACTS): what the prosody is told from.

    log_ratio (P,): natural log of the length in the recording to eSpeak's, about the voice's mean; timed (P,): 1 where there is one, else
    0. pitch (P, N_POINTS): in the voice's deviations; weight (P, N_POINTS): how much it counts. sounding (P,) bool: no silence. Floats are
    float32.
    """

    features: np.ndarray
    facts: np.ndarray
    log_ratio: np.ndarray
    timed: np.ndarray
    pitch: np.ndarray
    weight: np.ndarray
    sounding: np.ndarray


def phone_utterances(utterances: Sequence[AlignedUtterance]) -> list[PhoneUtterance]:
    """Of one voice's utterances."""
    f0_range = log_f0_range(np.concatenate([utterance.f0 for utterance in utterances]))
    found = [_phones_of(utterance, f0_range) for utterance in utterances]
    counted = [phones.log_ratio[(phones.timed > 0) & phones.sounding] for phones in found]
    tempo = np.concatenate(counted).mean()
    for phones in found:
        phones.log_ratio[:] -= tempo
    return found


def _phones_of(utterance: AlignedUtterance, f0_range: LogRange) -> PhoneUtterance:
    speech = espeak_library.speak(speakable(utterance.text), language_of(utterance.text, utterance.language).voice)
    facts = phone_facts(speech)
    names = [name for _, name in speech.phones]
    starts = np.array([start for start, _ in speech.phones] + [len(speech.samples)]) / HOP_SAMPLES
    n_frames = len(utterance.f0)
    frames = np.arange(n_frames)
    begins = np.interp(starts, utterance.at + frames * _RISING, frames, left=np.nan, right=np.nan)
    lengths = np.diff(begins)
    timed = np.isfinite(lengths) & (np.diff(starts) > 0)
    timed[0] = False  # begins before the recording's first frame of speech
    ratio = np.where(timed, lengths, 1).clip(1) / np.where(timed, np.diff(starts), 1).clip(1)
    quarters = begins[:-1, None] + lengths[:, None] * np.arange(N_POINTS + 1) / N_POINTS
    pitch, voiced = _pitch(utterance.f0, np.nan_to_num(quarters), f0_range)
    weight = np.where(voiced, 1, _UNVOICED_WEIGHT) * timed[:, None]
    sounding = np.array([name != espeak_library.SILENCE for name in names])
    log_ratio = np.log(ratio).clip(-_MOST_LOG_RATIO, _MOST_LOG_RATIO)
    return PhoneUtterance(
        feature_rows(tuple(names)),
        facts,
        log_ratio=log_ratio.astype(np.float32),
        timed=timed.astype(np.float32),
        pitch=pitch.astype(np.float32),
        weight=weight.astype(np.float32),
        sounding=sounding,
    )


def _pitch(f0: np.ndarray, edges: np.ndarray, f0_range: LogRange) -> tuple[np.ndarray, np.ndarray]:
    """(P, N) mean melody between edges (P, N + 1) in frames, and whether most of it was voiced."""
    first = np.floor(edges[:, :-1]).astype(np.int64).clip(0, len(f0) - 1)
    last = np.maximum(np.ceil(edges[:, 1:]).astype(np.int64).clip(0, len(f0)), first + 1)
    sums, counts = (np.concatenate([[0.0], np.cumsum(rows)]) for rows in (melody_of(f0, f0_range).astype(np.float64), f0 > 0))
    return (sums[last] - sums[first]) / (last - first), (counts[last] - counts[first]) / (last - first) > 0.5
