"""Learning a speaker from a clip: a linear head on the prior network, and a few statistics of voice and level."""

from dataclasses import dataclass

import numpy as np

from engines.clip import Transcript
from engines.errors import TranscriptMismatch
from engines.espeak import library
from engines.espeak.alignment import align, alignment_features
from engines.espeak.clip_analysis import ClipAnalysis, speech_frames
from engines.espeak.languages import language_of
from engines.espeak.matching import clip_features, match_frames, nearest_heads
from engines.espeak.paced_source import PacedSource
from engines.espeak.pitch import log_f0_range
from engines.espeak.prior import Prior
from engines.espeak.sentence_pool import EVERY_FRAMES, Pool
from engines.espeak.sentences import speakable
from engines.espeak.speaker_model import SpeakerModel
from engines.espeak.spectrum import FRAMES_PER_SECOND, MEL_HZ, N_CEPSTRA, N_MELS, cepstra_of, envelope_of, smooth

__all__ = [
    "SMOOTHING_FRAMES",
    "SPEECH_POWER",
    "Fit",
    "clip_targets",
    "compared_points",
    "fit_aligned",
    "fit_with_transcript",
    "fit_without_transcript",
    "speaker_tensors",
    "stretches",
]

SMOOTHING_FRAMES = 1
# measured at 4 to 27 s on people and voices in four languages, all but one never trained on: the right words cost 0.37 to 0.58, every other
# word of them 0.62 to 0.78, other words 0.64 to 0.76
MOST_ALIGNMENT_COST = 0.61
LEAST_PHONES_PER_SECOND, MOST_PHONES_PER_SECOND = 4.0, 25.0
_ROUNDS_WITH, _ROUNDS_WITHOUT = 3, 3
_RIDGE_FRAMES = 800.0  # the ridge weighs as much as this many frames
_LEAST_EARLY_RIDGE, _FIRST_RIDGE_WITHOUT = 0.1, 0.5
_COMPARED_HZ = 8000.0
_BREAK_FRAMES = 6  # a longer gap between speech frames begins a new stretch
_VARIED_ORDERS = slice(1, 30)  # cepstra whose variance is restored
_MOST_VARIANCE_GAIN = 1.8
SPEECH_POWER = 10 ** (-15.6 / 10)  # mean power of speech frames, so that speech with its pauses lies near -21 dBFS
_SILENCE_BELOW = np.sqrt(N_MELS)  # the floor lies this far under the quietest speech, in cepstrum 0: 4.3 dB
_EDGE_POINTS = N_MELS // 20  # at the end of a clip's band, by which what lies above it is joined on
_MOST_EXEMPLARS = 1000
_COLOUR_POINTS, _MOST_COLOUR = 8, 1.5  # how smooth, and how strong in natural log power, a colouring is at most
_RATES = (0.63, 1.37)  # of the speaker to eSpeak's rate, at most


@dataclass(frozen=True, eq=False)
class Fit:
    """head: (U + 1, O). targets: (F, O) what the clip's frames wanted. hidden: (F, U + 1) of the matched source frames.

    cost: how well clip and source went together. rate: the speaker's speaking rate relative to eSpeak's.
    """

    head: np.ndarray
    targets: np.ndarray
    hidden: np.ndarray
    cost: float
    rate: float


def fit_with_transcript(prior: Prior, recording: ClipAnalysis, transcript: Transcript) -> Fit:
    """Align eSpeak's reading of the transcript with the clip and fit a head. Raises TranscriptMismatch."""
    fit = fit_aligned(prior, recording, transcript)
    if fit.cost > MOST_ALIGNMENT_COST:
        fact = f"The transcript does not fit the clip (alignment cost {fit.cost:.2f}, at most {MOST_ALIGNMENT_COST})."
        hint = "Correct the transcript, or leave the transcript out."
        raise TranscriptMismatch(fact, hint, cost=fit.cost, most_cost=MOST_ALIGNMENT_COST)
    return fit


def fit_aligned(prior: Prior, recording: ClipAnalysis, transcript: Transcript) -> Fit:
    """The same of words that are known to be right, in rounds. Raises TranscriptMismatch for a pace that nobody speaks at."""
    language = language_of(transcript.text, transcript.language)
    speech = library.speak(speakable(transcript.text), language.voice)
    frames = np.nonzero(recording.speech)[0]
    _check_speaking_rate(sum(name != library.SILENCE for _, name in speech.phones), len(frames) / FRAMES_PER_SECOND)
    source = PacedSource.of(speech, prior, language)
    hidden = source.hidden(source.n_frames)
    spoken = np.nonzero(speech_frames(source.level(0, source.n_frames)))[0]
    n_points = compared_points(recording)
    clip_rows = alignment_features(recording.log_envelope[frames], n_points)[::2]
    ridge = _RIDGE_FRAMES / len(frames)
    head = prior.heads.mean(0)
    for last in (False,) * (_ROUNDS_WITH - 1) + (True,):
        predicted = envelope_of(prior.cepstra(hidden, head))
        path, cost = align(alignment_features(predicted[spoken], n_points)[::2], clip_rows)
        rows = np.interp(np.arange(len(frames)), np.arange(len(path)) * 2, path * 2)
        matched = spoken[np.clip(np.round(rows).astype(np.int64), 0, len(spoken) - 1)]
        targets = clip_targets(recording, frames, predicted[matched])
        head = prior.fit_head(hidden[matched], targets, ridge if last else max(ridge, _LEAST_EARLY_RIDGE))
    return Fit(head, targets, hidden[matched], cost, float(np.clip(len(spoken) / len(frames), *_RATES)))


def fit_without_transcript(prior: Prior, pool: Pool, recording: ClipAnalysis) -> Fit:
    """Match the clip's frames to the pool and fit a head, in rounds; starts from the trained heads nearest to the clip."""
    frames = np.nonzero(recording.speech)[0][::EVERY_FRAMES]
    segment = stretches(frames)
    n_points = compared_points(recording)
    log_envelope = recording.log_envelope[frames]
    wanted = clip_features(log_envelope, segment, n_points)
    head = nearest_heads(prior, pool, log_envelope, segment, n_points).mean(0)
    last_ridge = _RIDGE_FRAMES / 2 / len(frames)
    ridges = np.maximum(np.geomspace(_FIRST_RIDGE_WITHOUT, last_ridge, _ROUNDS_WITHOUT), last_ridge)
    for ridge in ridges:
        matched, cost = match_frames(prior, pool, head, wanted, n_points)
        hidden = pool.hidden[matched]
        targets = clip_targets(recording, frames, envelope_of(prior.cepstra(hidden, head)))
        head = prior.fit_head(hidden, targets, float(ridge))
    return Fit(head, targets, hidden, cost, 1.0)


def speaker_tensors(prior: Prior, recording: ClipAnalysis, fit: Fit) -> dict[str, np.ndarray]:
    """The tensors of a prompt.

    head (U + 1, O) float16; cepstral_mean (N_CEPSTRA,) and variance_gain (N_CEPSTRA,) of the prediction; exemplars (E, N_CEPSTRA) float16,
    frames of the clip; colour (N_MELS,), what brings the long-term spectrum to the clip's, in natural log power;
    voice (6,): log F0 median and deviation, silence floor in cepstrum 0, gain in log power, rate, bandwidth in Hz.
    """
    head = fit.head.astype(np.float16)
    predicted = smooth(prior.cepstra(fit.hidden, head.astype(np.float32)), SMOOTHING_FRAMES)
    wanted = fit.targets[:, :N_CEPSTRA]
    gain = np.ones(N_CEPSTRA, np.float32)
    ratio = wanted.std(0) / np.maximum(predicted.std(0), 1e-3)
    gain[_VARIED_ORDERS] = np.clip(ratio[_VARIED_ORDERS], 1, _MOST_VARIANCE_GAIN)
    median, deviation = log_f0_range(recording.f0)
    floor = wanted[:, 0].min() - _SILENCE_BELOW
    exemplars = wanted[:: -(-len(wanted) // _MOST_EXEMPLARS)].astype(np.float16)
    plain = SpeakerModel(
        head, predicted.mean(0), gain, exemplars.astype(np.float32), np.zeros(N_MELS, np.float32), median, deviation, floor, 0.0, fit.rate
    )
    spoken = plain.log_power(smooth(plain.moved(predicted), SMOOTHING_FRAMES))
    colour = _long_term(envelope_of(wanted)) - _long_term(spoken)
    colour = smooth(colour[:, None], _COLOUR_POINTS)[:, 0].clip(-_MOST_COLOUR, _MOST_COLOUR)
    level = np.log(SPEECH_POWER) - np.log(np.exp(spoken + colour).mean())
    voice = [median, deviation, floor, level, fit.rate, recording.bandwidth_hz]
    return {
        "head": head,
        "cepstral_mean": predicted.mean(0).astype(np.float32),
        "variance_gain": gain,
        "exemplars": exemplars,
        "colour": colour.astype(np.float32),
        "voice": np.array(voice, np.float32),
    }


def stretches(frames: np.ndarray) -> np.ndarray:
    """(F,) to which unbroken stretch, counted from 0, each of the rising frames belongs."""
    return np.cumsum(np.concatenate([[0], np.diff(frames) > _BREAK_FRAMES]))


def _long_term(log_power: np.ndarray) -> np.ndarray:
    """(N_MELS,) natural log of the mean power."""
    return np.log(np.exp(log_power).mean(0))


def _check_speaking_rate(n_phones: int, seconds: float) -> None:
    rate = n_phones / max(seconds, 1e-3)
    if not LEAST_PHONES_PER_SECOND <= rate <= MOST_PHONES_PER_SECOND:
        fact = (
            f"The transcript does not fit the clip: {n_phones} sounds in {seconds:.1f} s of speech are {rate:.1f} a second, "
            f"speech has {LEAST_PHONES_PER_SECOND:.0f} to {MOST_PHONES_PER_SECOND:.0f}."
        )
        hint = "Correct the transcript, or leave the transcript out."
        least, most = LEAST_PHONES_PER_SECOND, MOST_PHONES_PER_SECOND
        raise TranscriptMismatch(fact, hint, sentence="transcript_pace", rate=round(rate, 1), seconds=seconds, least=least, most=most)


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
