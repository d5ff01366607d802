"""Learns a speaker from a clip: a linear head on the prior network, and a few statistics of voice and level.

Every frame of a clip is matched: without a transcript to a frame of a fixed pool, English sentences as the prior hears eSpeak say them;
with one, by dynamic time warping of the clip onto eSpeak's reading of it (align): monotone, one source row for every clip row.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from engines.errors import CheckpointInvalid
from engines.espeak.prior.prior import LEAST_SHARE, Prior
from engines.espeak.speaker.speaker_model import PULL_SMOOTHING_FRAMES, SpeakerModel, held, loudness, loudness_ceiling, pitch_slope
from engines.kit.signal.clip_analysis import ClipAnalysis
from engines.kit.signal.pitch import log_f0_range
from engines.kit.signal.spectrum import DCT, MEL_HZ, N_CEPSTRA, N_MELS, cepstra_of, dct_matrix, envelope_of, smooth

__all__ = [
    "EVERY_FRAMES",
    "HIDDEN_STEPS",
    "N_ORDERS",
    "SMOOTHING_FRAMES",
    "Fit",
    "Pool",
    "align",
    "alignment_features",
    "cepstral_features",
    "clip_features",
    "clip_targets",
    "compared_features",
    "compared_points",
    "fit_speaker",
    "match_frames",
    "match_head",
    "speaker_base",
    "speaker_tensors",
    "squared_distances",
]

# --- matching


# --- with a transcript


# how far the source may advance per clip row, and what that costs in units of _STEP_COST times the median distance
_ADVANCES = ((0, 1.0), (1, 0.0), (2, 0.3), (3, 0.8), (4, 1.2))
_STEP_COST = 0.15
_FREE_ROWS = 20  # either end may begin or stop this far into the source
_SKIP_COST = 0.3
_N_ORDERS = 14
_UNREACHABLE = 1e9


@lru_cache(maxsize=2 * N_MELS)
def _basis(n_points: int, n_orders: int) -> np.ndarray:
    basis = dct_matrix(n_points, n_orders)
    basis[0] *= np.sqrt(2)  # all orders alike
    return basis


def low_cepstra(log_envelope: np.ndarray, n_points: int, n_orders: int) -> np.ndarray:
    """(F, n_orders) cepstra of the first n_points of the envelope: what a clip of limited bandwidth can be compared by."""
    return log_envelope[:, :n_points] @ _basis(n_points, n_orders).T


def alignment_features(log_envelope: np.ndarray, n_points: int) -> np.ndarray:
    """(F, 2 * 14) normalized cepstra and their slopes, so that neither level nor channel counts."""
    cepstra = low_cepstra(log_envelope, n_points, _N_ORDERS)
    cepstra = (cepstra - cepstra.mean(0)) / (cepstra.std(0) + 1e-6)
    weight = np.ones(_N_ORDERS, np.float32)
    weight[0], weight[8:] = 1.2, 0.6
    slope = np.gradient(cepstra, axis=0) * 2
    slope = (slope + np.roll(slope, 1, 0) + np.roll(slope, -1, 0)) / 3
    return np.concatenate([cepstra * weight, slope * weight], 1).astype(np.float32)


def align(source: np.ndarray, clip: np.ndarray) -> tuple[np.ndarray, float]:
    """The source row of each clip row, and the mean cost of the path relative to the median distance of any two rows.

    source: (S, D), clip: (C, D) features. returns: (C,) ints, cost.
    """
    n_source, n_clip = len(source), len(clip)
    squares = (clip**2).sum(1)[:, None] + (source**2).sum(1) - 2 * clip @ source.T
    distance = np.sqrt(np.maximum(squares, 0)).astype(np.float32)
    median = float(np.median(distance[::4, ::4]))
    step_cost = median * _STEP_COST
    free = min(_FREE_ROWS, n_source)
    # The least cost of a path to every cell, behind as many columns that none can come from as a path may advance. Where it came from is
    # asked of the path's own cells alone.
    most = len(_ADVANCES) - 1
    total = np.full((n_clip, most + n_source), _UNREACHABLE, np.float32)
    total[0, most : most + free] = distance[0, :free] + np.arange(free) * step_cost * _SKIP_COST
    costs = np.array([[cost * step_cost] for _, cost in reversed(_ADVANCES)], np.float32)
    arriving, before = np.empty((len(_ADVANCES), n_source), np.float32), sliding_window_view(total, n_source, 1)
    for row in range(1, n_clip):
        np.add(before[row - 1], costs, arriving)
        np.minimum.reduce(arriving, axis=0, out=total[row, most:])
        total[row, most:] += distance[row]
    tail = max(0, n_source - _FREE_ROWS)
    ends = total[-1, most + tail :] + np.arange(n_source - tail)[::-1] * step_cost * _SKIP_COST
    at = tail + int(np.argmin(ends))
    cost = float(total[-1, most + at] / n_clip / median)
    path = np.zeros(n_clip, np.int64)
    for row in range(n_clip - 1, -1, -1):
        path[row] = at
        if row:
            at = max(0, at - int((total[row - 1, at : at + most + 1] + costs[:, 0])[::-1].argmin()))
    return path, cost


# --- the pool


EVERY_FRAMES = 2
HIDDEN_STEPS = 127  # of a hidden feature from 0 to 1, as the asset keeps it
N_ORDERS = 20  # cepstra that are compared at most


@dataclass(frozen=True, eq=False)
class Pool:
    """hidden: (N, U + 1) features of every second frame of the sentences; segment: (N,) which sentence."""

    hidden: np.ndarray
    segment: np.ndarray

    @classmethod
    def of(cls, prior: Prior) -> "Pool":
        """As the prior's asset has it, whatever eSpeak is installed here. Raises CheckpointInvalid where it has none."""
        if not prior.pool:
            raise CheckpointInvalid("The prior has no sentence pool.")
        hidden = prior.pool["hidden"].astype(np.float32) / HIDDEN_STEPS
        return cls(np.concatenate([hidden, np.ones((len(hidden), 1), np.float32)], 1), prior.pool["segment"].astype(np.int64))

    def cepstra(self, prior: Prior, head: np.ndarray, n_points: int) -> np.ndarray:
        """(N, 20) low cepstra of the pool as the head would speak it: hidden features to low cepstra in one affine map."""
        n_units = self.hidden.shape[1]
        units = prior.cepstra(np.concatenate([np.zeros((1, n_units)), np.eye(n_units)]).astype(np.float32), head)
        mapped = low_cepstra(envelope_of(units), n_points, N_ORDERS)
        return self.hidden @ (mapped[1:] - mapped[0]) + mapped[0]


# --- without a transcript


_OFFSETS = (-6, -3, 0, 3, 6)
_LEVEL_WEIGHT = 0.7


def match_frames(prior: Prior, pool: Pool, head: np.ndarray, clip_features: np.ndarray, n_points: int) -> tuple[np.ndarray, float]:
    """The pool row nearest to each clip frame, (F,) ints, and the mean squared distance."""
    distances = squared_distances(clip_features, _features(pool.cepstra(prior, head, n_points), pool.segment))
    nearest = distances.argmin(1)
    return nearest, float(distances[np.arange(len(nearest)), nearest].mean())


def clip_features(log_envelope: np.ndarray, segment: np.ndarray, n_points: int) -> np.ndarray:
    """(F, 16 * 5) normalized cepstra in context, of frames (F, N_MELS) every EVERY_FRAMES; segment (F,) numbers unbroken stretches."""
    return _features(low_cepstra(log_envelope, n_points, N_ORDERS), segment)


def cepstral_features(cepstra: np.ndarray, segment: np.ndarray, n_points: int, axis: np.ndarray | None = None) -> np.ndarray:
    """(F, 16 * 5) the same of frames whose cepstra are (F, N_CEPSTRA). axis: (N_MELS, N_MELS) that their envelopes, as rows, go through."""
    return _features(cepstra @ low_cepstra(DCT if axis is None else DCT @ axis, n_points, N_ORDERS), segment)


def _features(cepstra: np.ndarray, segment: np.ndarray) -> np.ndarray:
    weight = np.concatenate([[_LEVEL_WEIGHT], np.ones(8), np.full(7, 0.6)]).astype(np.float32)
    low = cepstra[:, : len(weight)]
    low = (low - low.mean(0)) / (low.std(0) + 1e-3) * weight
    index = np.arange(len(low))
    parts = []
    for offset in _OFFSETS:
        neighbor = np.clip(index + offset, 0, len(low) - 1)
        neighbor = np.where(segment[neighbor] == segment[index], neighbor, index)
        parts.append(low[neighbor] * np.float32(np.exp(-abs(offset) / 8)))
    return np.concatenate(parts, 1).astype(np.float32)


def squared_distances(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """(R, C) of rows (R, D) and columns (C, D), in one product: to add the lengths to so large a matrix would take as long again."""
    left = [-2 * rows, np.ones((len(rows), 1), np.float32), _lengths(rows)]
    right = [columns, _lengths(columns), np.ones((len(columns), 1), np.float32)]
    return np.concatenate(left, 1) @ np.concatenate(right, 1).T


def _lengths(rows: np.ndarray) -> np.ndarray:
    """(R, 1) squared."""
    return (rows**2).sum(1, keepdims=True)


# --- learning


SMOOTHING_FRAMES = 1
_ROUNDS = 3
_EVERY_COMPARED = 2  # learned frames by which the two voices of the base are compared
_NEARER = (0.08, 0.15)  # share of the squared distance: people who are no more alike gain nothing (studio/measure/DIARY.md)
_COMPARED_HZ = 8000.0
_BREAK_FRAMES = 6  # a longer gap between speech frames begins a new stretch
_VARIED_ORDERS = slice(1, N_CEPSTRA)  # cepstra whose variance is restored
_MOST_VARIANCE_GAIN = 4.0
_SPEECH_POWER = 10 ** (-15.6 / 10)  # mean power of speech frames, so that speech with its pauses lies near -21 dBFS
_SILENCE_BELOW = np.sqrt(N_MELS)  # the floor lies this far under the quietest speech, in cepstrum 0: 4.3 dB
_EDGE_POINTS = N_MELS // 20  # at the end of a clip's band, by which what lies above it is joined on
_MOST_EXEMPLARS = 1000
_COLOR_POINTS, _MOST_COLOR = 8, 1.5  # how smooth, and how strong in natural log power, a coloring is at most


@dataclass(frozen=True, eq=False)
class Fit:
    """head: (U + 1, O). targets: (F, O) what the clip's frames wanted. hidden: (F, U + 1) of the matched source frames.

    cost: mean squared distance of the features that were matched.
    """

    head: np.ndarray
    targets: np.ndarray
    hidden: np.ndarray
    cost: float


def speaker_base(prior: Prior, pool: Pool, recording: ClipAnalysis, tract: float) -> np.ndarray:
    """(U + 1, O) what the speaker's head is made of: more of the prior's second voice the nearer her frames come to the clip's than those
    of the first do, and all of it where the speaker is much like her.
    """
    wanted, n_points = compared_features(recording)
    wanted = wanted[::_EVERY_COMPARED]
    first, second = (match_frames(prior, pool, prior.base_head(tract, share), wanted, n_points)[1] for share in (0.0, 1.0))
    return prior.base_head(tract, float(np.interp(1 - second / first, _NEARER, (LEAST_SHARE, 1.0))))


def fit_speaker(prior: Prior, pool: Pool, recording: ClipAnalysis, base: np.ndarray) -> Fit:
    """Match the clip's frames to the pool and fit a head to them, made of `base` (U + 1, O), in rounds. No words are asked for: with their
    frames aligned instead, clones are as much alike and blurred (studio/measure/DIARY.md).
    """
    fit = match_head(prior, pool, recording, prior.start_head)
    for _ in range(_ROUNDS - 1):
        fit = match_head(prior, pool, recording, prior.fit_head(base, fit.hidden, fit.targets))
    return replace(fit, head=prior.fit_head(base, fit.hidden, fit.targets))


def match_head(prior: Prior, pool: Pool, recording: ClipAnalysis, head: np.ndarray) -> Fit:
    """The clip's frames beside those of the pool that are nearest as the head (U + 1, O) speaks them."""
    frames = learned_frames(recording)
    matched, cost = match_frames(prior, pool, head, *compared_features(recording))
    hidden = pool.hidden[matched]
    return Fit(head, clip_targets(recording, frames, envelope_of(prior.cepstra(hidden, head))), hidden, cost)


def speaker_tensors(prior: Prior, recording: ClipAnalysis, fit: Fit, rate: float = 1.0) -> dict[str, np.ndarray]:
    """The tensors of a prompt.

    head (U + 1, O) float16; cepstral_mean (N_CEPSTRA,) and variance_gain (N_CEPSTRA,) of the prediction; exemplars (E, N_CEPSTRA) float16,
    frames of the clip; pitch_slope (N_CEPSTRA,), see speaker_model.py; color (N_MELS,), what brings the long-term spectrum to the clip's,
    in natural log power; voice (7,): log F0 median and deviation, silence floor in cepstrum 0, ceiling of loudness and gain in log power,
    rate, bandwidth in Hz. rate: of speaking, relative to eSpeak's.
    """
    head = fit.head.astype(np.float16)
    predicted = smooth(prior.cepstra(fit.hidden, head.astype(np.float32)), SMOOTHING_FRAMES)
    wanted = fit.targets[:, :N_CEPSTRA]
    gain = np.ones(N_CEPSTRA, np.float32)
    ratio = wanted.std(0) / np.maximum(predicted.std(0), 1e-3)
    gain[_VARIED_ORDERS] = np.clip(ratio[_VARIED_ORDERS], 1, _MOST_VARIANCE_GAIN)
    median, deviation = log_f0_range(recording.f0)
    floor = wanted[:, 0].min() - _SILENCE_BELOW
    exemplars = _some(wanted).astype(np.float16)
    slope, no_color = pitch_slope(recording), np.zeros(N_MELS, np.float32)
    statistics = predicted.mean(0), gain, exemplars.astype(np.float32), slope, no_color, median, deviation, floor
    plain = SpeakerModel(head, *statistics, np.inf, 0.0, rate)
    varied = plain.varied(predicted)
    pull = smooth(plain.pull(varied), PULL_SMOOTHING_FRAMES // EVERY_FRAMES)
    spoken = plain.log_power(smooth(varied, SMOOTHING_FRAMES) + pull)
    color = _long_term(envelope_of(wanted)) - _long_term(spoken)
    color = smooth(color[:, None], _COLOR_POINTS)[:, 0].clip(-_MOST_COLOR, _MOST_COLOR)
    f0 = recording.f0[learned_frames(recording)]
    moved = envelope_of(plain.shift_at(np.log(np.where(f0 > 0, f0, 1)) - median, f0 > 0))  # by the clip's melody
    ceiling = loudness_ceiling(envelope_of(wanted))
    level = np.log(_SPEECH_POWER) - np.log(np.exp(loudness(held(spoken + color + moved, ceiling))).mean())
    voice = [median, deviation, floor, ceiling, level, rate, recording.bandwidth_hz]
    return {
        "head": head,
        "cepstral_mean": predicted.mean(0).astype(np.float32),
        "variance_gain": gain,
        "exemplars": exemplars,
        "pitch_slope": slope,
        "colour": color.astype(np.float32),
        "voice": np.array(voice, np.float32),
    }


def learned_frames(recording: ClipAnalysis) -> np.ndarray:
    """(F,) rising: the speech frames that are learned from, one in EVERY_FRAMES."""
    return np.nonzero(recording.speech)[0][::EVERY_FRAMES]


def _some(rows: np.ndarray) -> np.ndarray:
    """At most _MOST_EXEMPLARS of the rows, evenly."""
    return rows[:: -(-len(rows) // _MOST_EXEMPLARS)]


def compared_features(recording: ClipAnalysis) -> tuple[np.ndarray, int]:
    """clip_features of the frames that are learned from, and by how many mel points."""
    frames, n_points = learned_frames(recording), compared_points(recording)
    return clip_features(recording.log_envelope[frames], stretches(frames), n_points), n_points


def stretches(frames: np.ndarray) -> np.ndarray:
    """(F,) to which unbroken stretch, counted from 0, each of the rising frames belongs."""
    return np.cumsum(np.concatenate([[0], np.diff(frames) > _BREAK_FRAMES]))


def _long_term(log_power: np.ndarray) -> np.ndarray:
    """(N_MELS,) natural log of the mean power."""
    return np.log(np.exp(log_power).mean(0))


def _edge(recording: ClipAnalysis) -> int:
    """The first mel point that the clip's bandwidth no longer reaches."""
    return int(np.searchsorted(MEL_HZ, recording.bandwidth_hz * 0.95))


def compared_points(recording: ClipAnalysis) -> int:
    return min(_edge(recording), int(np.searchsorted(MEL_HZ, _COMPARED_HZ)))


def clip_targets(recording: ClipAnalysis, frames: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """(F, O) targets of the clip's frames; above the clip's band its edge goes on in the shape of the predicted envelope (F, N_MELS)."""
    log_envelope = recording.log_envelope[frames]
    edge = _edge(recording)
    if edge < N_MELS:
        below = slice(edge - _EDGE_POINTS, edge)
        shape = predicted[:, edge:] - predicted[:, below].mean(1, keepdims=True)
        log_envelope[:, edge:] = log_envelope[:, below].mean(1, keepdims=True) + shape.clip(-40, 6)
    voicing = (recording.f0[frames] > 0).astype(np.float32)[:, None]
    return np.concatenate([cepstra_of(log_envelope), recording.aperiodicity[frames], voicing], 1)
