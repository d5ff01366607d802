"""Learning a speaker from a clip: a linear head on the prior network, and a few statistics of voice and level."""

from dataclasses import dataclass, replace

import numpy as np

from engines.espeak.prior.prior import LEAST_SHARE, Prior
from engines.espeak.signal.clip_analysis import ClipAnalysis
from engines.espeak.signal.pitch import log_f0_range
from engines.espeak.signal.spectrum import MEL_HZ, N_CEPSTRA, N_MELS, cepstra_of, envelope_of, smooth
from engines.espeak.speaker.matching import EVERY_FRAMES, Pool, clip_features, match_frames
from engines.espeak.speaker.speaker_model import PULL_SMOOTHING_FRAMES, SpeakerModel, held, loudness, loudness_ceiling, pitch_slope

__all__ = [
    "SMOOTHING_FRAMES",
    "SPEECH_POWER",
    "Fit",
    "clip_targets",
    "compared_features",
    "compared_points",
    "exemplar_frames",
    "fit_speaker",
    "learned_frames",
    "match_head",
    "speaker_base",
    "speaker_tensors",
    "stretches",
]

SMOOTHING_FRAMES = 1
_ROUNDS = 3
_EVERY_COMPARED = 2  # learned frames by which the two voices of the base are compared
_NEARER = (0.08, 0.15)  # share of the squared distance: people who are no more alike gain nothing (studio/measure/DIARY.md)
_COMPARED_HZ = 8000.0
_BREAK_FRAMES = 6  # a longer gap between speech frames begins a new stretch
_VARIED_ORDERS = slice(1, N_CEPSTRA)  # cepstra whose variance is restored
_MOST_VARIANCE_GAIN = 4.0
SPEECH_POWER = 10 ** (-15.6 / 10)  # mean power of speech frames, so that speech with its pauses lies near -21 dBFS
_SILENCE_BELOW = np.sqrt(N_MELS)  # the floor lies this far under the quietest speech, in cepstrum 0: 4.3 dB
_EDGE_POINTS = N_MELS // 20  # at the end of a clip's band, by which what lies above it is joined on
_MOST_EXEMPLARS = 1000
_COLOUR_POINTS, _MOST_COLOUR = 8, 1.5  # how smooth, and how strong in natural log power, a colouring is at most


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
    head = prior.start_head
    for _ in range(_ROUNDS):
        fit = match_head(prior, pool, recording, head)
        head = prior.fit_head(base, fit.hidden, fit.targets)
    return replace(fit, head=head)


def match_head(prior: Prior, pool: Pool, recording: ClipAnalysis, head: np.ndarray) -> Fit:
    """The clip's frames beside those of the pool that are nearest as the head (U + 1, O) speaks them."""
    frames = learned_frames(recording)
    matched, cost = match_frames(prior, pool, head, *compared_features(recording))
    hidden = pool.hidden[matched]
    return Fit(head, clip_targets(recording, frames, envelope_of(prior.cepstra(hidden, head))), hidden, cost)


def speaker_tensors(prior: Prior, recording: ClipAnalysis, fit: Fit, rate: float = 1.0) -> dict[str, np.ndarray]:
    """The tensors of a prompt.

    head (U + 1, O) float16; cepstral_mean (N_CEPSTRA,) and variance_gain (N_CEPSTRA,) of the prediction; exemplars (E, N_CEPSTRA) float16,
    frames of the clip; pitch_slope (N_CEPSTRA,), see speaker_model.py; colour (N_MELS,), what brings the long-term spectrum to the clip's,
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
    slope, no_colour = pitch_slope(recording), np.zeros(N_MELS, np.float32)
    statistics = predicted.mean(0), gain, exemplars.astype(np.float32), slope, no_colour, median, deviation, floor
    plain = SpeakerModel(head, *statistics, np.inf, 0.0, rate)
    varied = plain.varied(predicted)
    pull = smooth(plain.pull(varied), PULL_SMOOTHING_FRAMES // EVERY_FRAMES)
    spoken = plain.log_power(smooth(varied, SMOOTHING_FRAMES) + pull)
    colour = _long_term(envelope_of(wanted)) - _long_term(spoken)
    colour = smooth(colour[:, None], _COLOUR_POINTS)[:, 0].clip(-_MOST_COLOUR, _MOST_COLOUR)
    f0 = recording.f0[learned_frames(recording)]
    moved = envelope_of(plain.shift_at(np.log(np.where(f0 > 0, f0, 1)) - median, f0 > 0))  # by the clip's melody
    ceiling = loudness_ceiling(envelope_of(wanted))
    level = np.log(SPEECH_POWER) - np.log(np.exp(loudness(held(spoken + colour + moved, ceiling))).mean())
    voice = [median, deviation, floor, ceiling, level, rate, recording.bandwidth_hz]
    return {
        "head": head,
        "cepstral_mean": predicted.mean(0).astype(np.float32),
        "variance_gain": gain,
        "exemplars": exemplars,
        "pitch_slope": slope,
        "colour": colour.astype(np.float32),
        "voice": np.array(voice, np.float32),
    }


def learned_frames(recording: ClipAnalysis) -> np.ndarray:
    """(F,) rising: the speech frames that are learned from, one in EVERY_FRAMES."""
    return np.nonzero(recording.speech)[0][::EVERY_FRAMES]


def exemplar_frames(recording: ClipAnalysis) -> np.ndarray:
    """(E,) rising: of those the ones that a prompt holds."""
    return _some(learned_frames(recording))


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
