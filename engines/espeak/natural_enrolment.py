"""Learning a speaker against the natural source: the length of the vocal tract, then a shift of the cepstra for every class of frames.

The source's frames are kept and only moved, so that what was natural stays so. Frames of clip and source are paired without a transcript,
in rounds, to and fro (INCA: Erro, Moreno and Bonafonte 2010, "INCA algorithm for training voice conversion systems from nonparallel
corpora").
"""

import numpy as np

from engines.espeak.clip_analysis import ClipAnalysis
from engines.espeak.enrolment import clip_targets, compared_points
from engines.espeak.matching import EVERY_FRAMES, clip_features
from engines.espeak.natural_pool import NaturalPool
from engines.espeak.spectrum import MEL_HZ, N_CEPSTRA, cepstra_of, envelope_of, interpolation

__all__ = ["TENSORS", "natural_tensors", "tract_matrix"]

TENSORS = ("natural_examples", "natural_segment", "natural_shift", "natural_spread", "natural_voice")
_TRACTS = np.arange(0.74, 1.23, 0.04)  # frequency scale, speaker to source: from a tall man to a small child
_FINE_TRACTS = (-0.02, 0.0, 0.02)
_TRACT_ROWS = (400, 1300)  # frames of clip and pool, at most, by which tracts are told apart
_PAIR_ROWS = (1800, 3400)  # and that are paired: a row of the clip is 10 ms
_ROUNDS = 4
_RIDGE_SHARE = 1 / 2000  # of the frames, added to each class's own weight
_POOL_WEIGHT = 0.5  # of the pairs that the pool's frames choose, against those that the clip's choose
_SPREAD_RANGE = (0.6, 1.8)  # by which the spread of each order is taken to the clip's, at most
_BREAK_FRAMES = 6  # a longer gap between speech frames begins a new stretch
_LIVELINESS, _LIVELINESS_RANGE = 1.2, (0.6, 1.8)  # of the melody, relative to that of speaker to source
_F0_SPREAD = 0.7  # log F0 further from the median is a tracker's error
_SPEECH_POWER = 10 ** (-15.6 / 10)  # mean power of speech frames, as in enrolment.py


def tract_matrix(tract: float) -> np.ndarray:
    """(N_MELS, N_MELS): log envelopes (as rows) to those with the frequency axis stretched by `tract`."""
    return interpolation(MEL_HZ, np.minimum(MEL_HZ / tract, MEL_HZ[-1])).T


def natural_tensors(pool: NaturalPool, recording: ClipAnalysis) -> dict[str, np.ndarray]:
    """The tensors of a prompt by which the natural source speaks as this speaker.

    natural_shift (K, N_CEPSTRA) float16: what is added to the cepstra of each class. natural_spread (2, N_CEPSTRA): the mean of the moved
    cepstra and the factor on what lies about it. natural_examples (E, N_CEPSTRA) float16 and natural_segment (E,) int16: frames of the clip
    and which unbroken stretch they are of. natural_voice (6,): tract, log F0 of speaker and of source, liveliness, gain in log power, and
    how many points of the envelope lie within the clip's band.
    """
    frames = np.nonzero(recording.speech)[0][::EVERY_FRAMES]
    matching = _Matching(recording, frames, pool)
    envelope = pool.log_envelope
    tract = _tract(matching, envelope)
    start = cepstra_of(envelope @ tract_matrix(tract))
    shares = pool.shares(pool.cepstra)
    moved = start
    for _ in range(_ROUNDS):
        shift, targets = _shift(matching, shares, start, moved)
        moved = start + shares @ shift
    spread = np.clip(targets.std(0) / np.maximum(moved.std(0), 1e-3), *_SPREAD_RANGE)
    spread[0] = 1  # loudness keeps the source's
    mean = moved.mean(0)
    level = np.log(_SPEECH_POWER) - np.log(np.exp(envelope_of((moved - mean) * spread + mean)).mean())
    return {
        "natural_shift": shift.astype(np.float16),
        "natural_spread": np.stack([mean, spread]).astype(np.float32),
        "natural_examples": targets.astype(np.float16),
        "natural_segment": matching.segment[: len(targets)].astype(np.int16),
        "natural_voice": np.array([tract, *_melody(recording, pool), level, matching.n_points], np.float32),
    }


class _Matching:
    """The clip's speech frames beside the pool's: features of all, of which evenly chosen ones are compared."""

    def __init__(self, recording: ClipAnalysis, frames: np.ndarray, pool: NaturalPool):
        self._recording, self._frames, self._pool = recording, frames, pool
        self.n_points = compared_points(recording)
        self.segment = np.cumsum(np.concatenate([[0], np.diff(frames) > _BREAK_FRAMES]))
        self._features = clip_features(recording.log_envelope[frames], self.segment, self.n_points)

    def rows(self, most: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        """At most so many frames: the clip's first ones, and of the pool evenly."""
        n_pool = len(self._pool.segment)
        return np.arange(min(most[0], len(self._features))), np.arange(0, n_pool, -(-n_pool // most[1]))

    def distances(self, envelope: np.ndarray, rows: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """(clip, pool) squared distances of those frames, the pool's envelope being (N, N_MELS)."""
        clip = self._features[rows[0]]
        pool = clip_features(envelope, self._pool.segment, self.n_points)[rows[1]]
        return (clip**2).sum(1)[:, None] + (pool**2).sum(1) - 2 * clip @ pool.T

    def targets(self, rows: np.ndarray, envelope: np.ndarray) -> np.ndarray:
        """(P, N_CEPSTRA) of the clip's frames `rows`; above the clip's band in the shape of envelope (P, N_MELS)."""
        return clip_targets(self._recording, self._frames[rows], envelope)[:, :N_CEPSTRA]


def _tract(matching: _Matching, envelope: np.ndarray) -> float:
    """The frequency scale under which the pool's frames (N, N_MELS) lie nearest to the clip's."""
    rows = matching.rows(_TRACT_ROWS)

    def cost(tract: float) -> float:
        return float(matching.distances(envelope @ tract_matrix(tract), rows).min(1).mean())

    nearest = min(_TRACTS, key=cost)
    return float(min((nearest + step for step in _FINE_TRACTS), key=cost))


def _shift(matching: _Matching, shares: np.ndarray, start: np.ndarray, moved: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(K, N_CEPSTRA) shift of every class, by ridge towards the shift of all, and the targets of the clip's frames."""
    clip_rows, pool_rows = rows = matching.rows(_PAIR_ROWS)
    envelope = envelope_of(moved)
    distance = matching.distances(envelope, rows)
    chosen, choosing = pool_rows[distance.argmin(1)], clip_rows[distance.argmin(0)]
    targets = matching.targets(clip_rows, envelope[chosen])
    wanted = np.concatenate([targets - start[chosen], matching.targets(choosing, envelope[pool_rows]) - start[pool_rows]])
    members = shares[np.concatenate([chosen, pool_rows])]
    weight = np.ones((len(members), 1), np.float32)
    weight[len(chosen) :] = _POOL_WEIGHT * len(chosen) / len(pool_rows)
    common = (weight * wanted).sum(0) / weight.sum()
    moment = members.T @ (weight * members) + np.eye(shares.shape[1]) * (weight.sum() * _RIDGE_SHARE)
    own = np.linalg.solve(moment, members.T @ (weight * (wanted - common)))
    return (own + common).astype(np.float32), targets


def _melody(recording: ClipAnalysis, pool: NaturalPool) -> tuple[float, float, float]:
    """Log F0 median of the speaker and mean of the source, and how much livelier the speaker's melody is."""
    log_f0 = np.log(recording.f0[recording.f0 > 0])
    median = float(np.median(log_f0))
    deviation = float(log_f0[np.abs(log_f0 - median) < _F0_SPREAD].std())
    source, source_deviation = (float(value) for value in pool.log_f0)
    return median, source, float(np.clip(_LIVELINESS * deviation / source_deviation, *_LIVELINESS_RANGE))
