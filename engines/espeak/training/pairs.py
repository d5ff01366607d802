"""Pairs of frames, eSpeak's and a training voice's, of the same sentences: what the prior network learns from.

The voices are slt, rms and awb of Carnegie Mellon's flite (Debian package `flite`), built from the CMU Arctic recordings of the same
names (Kominek and Black 2004), whose licence allows any use with attribution. No other voice is ever read here: kal16 and all
human recordings are kept for measurement.
"""

from dataclasses import dataclass

import numpy as np

from engines.espeak import library
from engines.espeak.alignment import align, alignment_features
from engines.espeak.clip_analysis import ClipAnalysis, speech_frames
from engines.espeak.enrolment import clip_targets, compared_points
from engines.espeak.prior import Prior, network_inputs
from engines.espeak.source import Source
from engines.espeak.spectrum import N_CEPSTRA, context, envelope_of
from engines.espeak.training.flite_voice import read_aloud

__all__ = ["VOICES", "Pairs", "align_voice", "read_aloud"]

VOICES = ("slt", "rms", "awb")
_GROUP = 4  # sentences that are aligned in one go
_BOOTSTRAP_ROUNDS = 4
_BOOTSTRAP_OFFSETS = (-8, 0, 8)
_BOOTSTRAP_RIDGE = 0.1


@dataclass(frozen=True, eq=False)
class Pairs:
    """inputs (F, D) and phones (F, 3) of the network, targets (F, O), and the mean alignment cost."""

    inputs: np.ndarray
    phones: np.ndarray
    targets: np.ndarray
    cost: float


def align_voice(voice: str, sentences: tuple[str, ...], prior: Prior, head: np.ndarray | None) -> Pairs:
    """Read the sentences, align them with eSpeak's reading: by the prior's head for this voice, or without a prior by bootstrapping."""
    groups = [" ".join(sentences[start : start + _GROUP]) for start in range(0, len(sentences), _GROUP)]
    parts = [_align_group(ClipAnalysis.of(read_aloud(voice, text)), text, prior, head) for text in groups]
    joined = [np.concatenate([getattr(part, name) for part in parts]) for name in ("inputs", "phones", "targets")]
    return Pairs(*joined, float(np.mean([part.cost for part in parts])))


def _align_group(recording: ClipAnalysis, text: str, prior: Prior, head: np.ndarray | None) -> Pairs:
    source = Source(library.speak(text, "en-us"), prior)
    source.analyse(source.n_frames)
    spoken = np.nonzero(speech_frames(source.level))[0]
    frames = np.nonzero(recording.speech)[0]
    plain = envelope_of(source.cepstra)
    if head is None:
        matched, cost = _bootstrap(recording, source, spoken, frames)
    else:
        predicted = envelope_of(prior.cepstra(source.hidden(0, source.n_frames), head))
        matched, cost = _match(recording, predicted, spoken, frames)
    inputs = network_inputs(source.cepstra, source.f0[: source.n_frames] > 0, source.phones.position)
    return Pairs(inputs[matched], source.phones.numbers[matched], clip_targets(recording, frames, plain[matched]), cost)


def _match(recording: ClipAnalysis, predicted: np.ndarray, spoken: np.ndarray, frames: np.ndarray) -> tuple[np.ndarray, float]:
    """The source frame of each clip frame."""
    n_points = compared_points(recording)
    rows = alignment_features(recording.log_envelope[frames], n_points)[::2]
    path, cost = align(alignment_features(predicted[spoken], n_points)[::2], rows)
    at = np.interp(np.arange(len(frames)), np.arange(len(path)) * 2, path * 2)
    return spoken[np.clip(np.round(at).astype(np.int64), 0, len(spoken) - 1)], cost


def _bootstrap(recording: ClipAnalysis, source: Source, spoken: np.ndarray, frames: np.ndarray) -> tuple[np.ndarray, float]:
    """Rounds of aligning and of fitting a ridge regression from source frames and phones to the clip's cepstra."""
    one_hot = np.eye(source.phones.numbers.max() + 1, dtype=np.float32)[source.phones.numbers[:, 0]]
    features = np.concatenate([context(source.cepstra, _BOOTSTRAP_OFFSETS), one_hot], 1)
    features = (features - features.mean(0)) / (features.std(0) + 1e-3)
    predicted = envelope_of(source.cepstra)
    for _ in range(_BOOTSTRAP_ROUNDS):
        matched, cost = _match(recording, predicted, spoken, frames)
        wanted = clip_targets(recording, frames, predicted[matched])[:, :N_CEPSTRA]
        rows, mean = features[matched], wanted.mean(0)
        ridge = _BOOTSTRAP_RIDGE * len(rows) * np.eye(rows.shape[1])
        weights = np.linalg.solve(rows.T @ rows + ridge, rows.T @ (wanted - mean))
        predicted = envelope_of((features @ weights + mean).astype(np.float32))
    return matched, cost
