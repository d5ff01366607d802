"""Aligns all recordings of one voice with eSpeak's readings of the same texts, over the whole voice at once."""

import numpy as np

from engines.espeak.prior.hidden_stream import N_CEPSTRA_IN
from engines.espeak.prior.prior import phones_at
from engines.espeak.speaker.enrollment import align, alignment_features, compared_points
from engines.espeak.training.aligned.reading import ReadSentence
from engines.kit.signal.spectrum import HOP_SAMPLES, N_CEPSTRA, cepstra_of, context, envelope_of

__all__ = ["align_reading", "align_voice_alone"]

_ROUNDS = 5
_LEARNT_FROM = 130  # readings at most, spread evenly
_OFFSETS = (-12, -6, 0, 6, 12)
_RIDGE = 0.01  # of the mean square of a feature, per frame


def align_reading(reading: ReadSentence, predicted: np.ndarray) -> tuple[np.ndarray, float]:
    """Which of the source's speech frames each of the recording's is, (N,) fractional, and the cost; predicted: (S, up to N_CEPSTRA)."""
    n_points = compared_points(reading.recording)
    wanted = alignment_features(reading.recording.log_envelope[reading.frames], n_points)[::2]
    path, cost = align(alignment_features(envelope_of(predicted)[reading.spoken], n_points)[::2], wanted)
    at = np.interp(np.arange(len(reading.frames)), np.arange(len(path)) * 2, path * 2)
    return at.clip(0, len(reading.spoken) - 1), cost


def align_voice_alone(readings: list[ReadSentence], number_of: dict[str, int]) -> list[np.ndarray]:
    """(S, N_CEPSTRA) of each reading: what the voice makes of eSpeak's frames, learned from nothing but these readings.

    Rounds of aligning and of a ridge regression from source cepstra in context and phones to the voice's cepstra. number_of: of the phones.
    """
    every = -(-len(readings) // _LEARNT_FROM)
    learnt_from = readings[::every]
    features = [_features(reading, number_of) for reading in learnt_from]
    predicted = [reading.cepstra for reading in learnt_from]
    n_features = features[0].shape[1]
    weights = np.zeros((n_features, N_CEPSTRA), np.float32)
    for _ in range(_ROUNDS):
        moment, cross = np.zeros((n_features, n_features)), np.zeros((n_features, N_CEPSTRA))
        for reading, rows, guess in zip(learnt_from, features, predicted, strict=True):
            at, _ = align_reading(reading, guess)
            matched = rows[reading.spoken[np.round(at).astype(np.int64)]].astype(np.float64)
            moment += matched.T @ matched
            cross += matched.T @ cepstra_of(reading.recording.log_envelope[reading.frames])
        ridge = np.diag(np.diag(moment) * _RIDGE + 1e-6 * np.trace(moment))
        weights = np.linalg.solve(moment + ridge, cross).astype(np.float32)
        predicted = [rows @ weights for rows in features]
    return [_features(reading, number_of) @ weights for reading in readings]


def _features(reading: ReadSentence, number_of: dict[str, int]) -> np.ndarray:
    """(S, D) float32: cepstra in context, voicing, one column a phone (the first is of no phone, so it is the constant)."""
    n_frames = len(reading.cepstra)
    phones = phones_at(reading.speech, np.arange(n_frames) * HOP_SAMPLES)
    numbers = np.array([number_of[name] for name in phones.names])
    one_hot = np.eye(len(number_of) + 1, dtype=np.float32)[numbers[phones.numbers[:, 0]]]
    one_hot[:, 0] = 1
    return np.concatenate([context(reading.cepstra[:, :N_CEPSTRA_IN], _OFFSETS), reading.f0[:, None] > 0, one_hot], 1).astype(np.float32)
