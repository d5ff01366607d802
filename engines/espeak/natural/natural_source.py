"""NaturalSource: says whether the optional natural voice speaks a text instead of eSpeak, and how. It loads what it needs when asked.

A speaker is learned against the source: the frames of its vocal tract, then a shift of the cepstra for every class of them. The source's
frames are kept and only moved, so that what was natural stays so. Frames of clip and source are paired without a transcript, in rounds,
to and fro (INCA: Erro, Moreno and Bonafonte 2010, "INCA algorithm for training voice conversion systems from nonparallel corpora").
"""

import threading
from collections.abc import Iterator, Mapping

import numpy as np

from engines.errors import OptionInvalid
from engines.espeak.natural.natural_mapping import NaturalMapping, NaturalModel, NaturalParams
from engines.espeak.natural.natural_pool import NaturalPool, find_tract, tract_matrix
from engines.espeak.natural.natural_voice import PACKAGE, NaturalVoice, is_here, is_readable
from engines.espeak.speaker.enrollment import (
    SPEECH_POWER,
    cepstral_features,
    clip_targets,
    compared_features,
    exemplar_frames,
    learned_frames,
    squared_distances,
)
from engines.espeak.synthesis import SynthesisParams, hurried_pieces, speakable, stream_pieces
from engines.kit.phonemes.languages import Language
from engines.kit.signal.clip_analysis import ClipAnalysis
from engines.kit.signal.pitch import log_f0_range
from engines.kit.signal.spectrum import DCT, N_CEPSTRA, cepstra_of, envelope_of

__all__ = ["TENSORS", "NaturalSource", "natural_tensors"]

_LANGUAGE = "en"  # the voice is American
_NEAR_TRACTS = (0.9, 1.1)  # of speaker to source: a woman's; a man, moved so far, is less alike than eSpeak's clone of him


class NaturalSource:
    """Of one engine. Thread-safe; what it loaded stays until it is forgotten.

    Whether the voice is installed is looked up once: each look searches the disk, and a package that comes later is there from the next
    start on.
    """

    def __init__(self):
        self._is_here = is_here()
        self._pool: NaturalPool | None = None
        self._voice: NaturalVoice | None = None
        self._last: tuple[Mapping[str, np.ndarray], NaturalModel] | None = None  # the speaker that spoke last, by identity
        self._lock = threading.Lock()

    def load(self) -> None:
        """Load the voice where it is installed, so that the first sentence does not wait. Raises EngineUnavailable."""
        if self._is_here:
            self._loaded()

    def tract(self, recording: ClipAnalysis) -> float:
        """The speaker's vocal tract against this voice's, see find_tract; measured whether the voice is installed or not."""
        return find_tract(self._frames(), recording)

    def tensors(self, recording: ClipAnalysis, tract: float) -> dict[str, np.ndarray]:
        """What a prompt holds for this source; learned whether the voice is installed or not."""
        return natural_tensors(self._frames(), recording, tract)

    def speaks(self, wanted: str, text: str, language: Language, tensors: Mapping[str, np.ndarray]) -> bool:
        """Whether this source is the one for the text. wanted: "auto", "espeak" or "natural".

        Auto takes it where it can and the speaker is near to its voice. Raises OptionInvalid where natural is wanted and cannot be.
        """
        if wanted == "espeak":
            return False
        fact, hint = self._incompatibility(text, language, tensors)
        if fact and wanted == "natural":
            choices = ("auto", "espeak")
            raise OptionInvalid("source", fact, hint, sentence="option_no_choice", value=wanted, choices=choices)
        return not fact and (wanted == "natural" or _is_near(tensors))

    def stream(self, text: str, tensors: Mapping[str, np.ndarray], delivery: SynthesisParams) -> Iterator[np.ndarray]:
        """(T,) float32 blocks as synthesis.stream has them. Raises TextUnspeakable, EngineUnavailable and EngineFailed."""
        params = NaturalParams(self._model(tensors), self._loaded(), self._frames(), delivery.speed, delivery.pitch_semitones)

        def convert(piece: str, end_pause: bool, _hurried: bool) -> NaturalMapping:
            return NaturalMapping(piece, params, end_pause=end_pause)

        yield from stream_pieces(hurried_pieces(speakable(text)), convert, delivery)

    def forget(self) -> None:
        """Free the voice and the frames."""
        self._pool = self._voice = self._last = None

    def memory_bytes(self) -> int:
        """Of the frames; what the package holds is not known."""
        return 0 if self._pool is None else self._pool.cepstra.nbytes

    def _frames(self) -> NaturalPool:
        with self._lock:
            if self._pool is None:
                self._pool = NaturalPool.load()
            return self._pool

    def _model(self, tensors: Mapping[str, np.ndarray]) -> NaturalModel:
        last = self._last
        if last is None or last[0] is not tensors:
            last = self._last = tensors, NaturalModel.of(tensors)
        return last[1]

    def _incompatibility(self, text: str, language: Language, tensors: Mapping[str, np.ndarray]) -> tuple[str, str]:
        """Why the natural voice cannot speak, and what to do; ("", "") where it can."""
        if not self._is_here:
            return f"The natural voice needs the package {PACKAGE}, which is not installed.", f"pip install {PACKAGE}"
        if language.code != _LANGUAGE:
            return f"The natural voice speaks {_LANGUAGE} only, and the text is {language.code}.", "Leave the source out."
        if not all(name in tensors for name in TENSORS):
            return "The speaker was learned before there was a natural voice.", "Extract the prompt again, or leave the source out."
        if not is_readable(text):
            return "The natural voice cannot read every letter of the text.", "Leave the source out."
        return "", ""

    def _loaded(self) -> NaturalVoice:
        with self._lock:
            if self._voice is None:
                self._voice = NaturalVoice()
            return self._voice


def _is_near(tensors: Mapping[str, np.ndarray]) -> bool:
    shortest, longest = _NEAR_TRACTS
    return shortest <= float(tensors["natural_voice"][0]) <= longest


# --- learning against it


TENSORS = ("exemplars", "natural_frames", "natural_shift", "natural_spread", "natural_voice")
_PAIR_ROWS = (1800, 2400)  # of the clip and of the pool that are paired: a row is 10 ms
_ROUNDS = 3
_RIDGE_SHARE = 1 / 2000  # of the frames, added to each class's own weight
_POOL_WEIGHT = 0.5  # of the pairs that the pool's frames choose, against those that the clip's choose
_SPREAD_RANGE = (0.6, 1.8)  # by which the spread of each order is taken to the clip's, at most
_LIVELINESS, _LIVELINESS_RANGE = 1.2, (0.6, 1.8)  # of the melody, relative to that of speaker to source


def natural_tensors(pool: NaturalPool, recording: ClipAnalysis, tract: float) -> dict[str, np.ndarray]:
    """The tensors by which the natural source speaks as this speaker, beside the frames of the clip that every prompt holds (`exemplars`,
    see enrollment.speaker_tensors). tract: see find_tract.

    natural_shift (K, N_CEPSTRA) float16: what is added to the cepstra of each class. natural_spread (2, N_CEPSTRA): the mean of the moved
    cepstra and the factor on what lies about it. natural_frames (E,) int32: at which frame of the clip each exemplar
    stands. natural_voice (6,): tract, log F0 of speaker and of source, liveliness, gain in log power, and
    how many points of the envelope lie within the clip's band.
    """
    matching = _Matching(recording, pool)
    start = pool.cepstra @ cepstra_of(DCT @ tract_matrix(tract))
    shares = pool.own_shares
    moved = start
    for _ in range(_ROUNDS):
        shift, targets = _shift(matching, shares, start, moved)
        moved = start + shares @ shift
    spread = np.clip(targets.std(0) / np.maximum(moved.std(0), 1e-3), *_SPREAD_RANGE)
    spread[0] = 1  # loudness keeps the source's
    mean = moved.mean(0)
    level = np.log(SPEECH_POWER) - np.log(np.exp(envelope_of((moved - mean) * spread + mean)).mean())
    return {
        "natural_shift": shift.astype(np.float16),
        "natural_spread": np.stack([mean, spread]).astype(np.float32),
        "natural_frames": exemplar_frames(recording).astype(np.int32),
        "natural_voice": np.array([tract, *_melody(recording, pool), level, matching.n_points], np.float32),
    }


class _Matching:
    """The clip's speech frames beside the pool's: features of all, of which evenly chosen ones are compared."""

    def __init__(self, recording: ClipAnalysis, pool: NaturalPool):
        self._recording, self._frames, self._pool = recording, learned_frames(recording), pool
        self._features, self.n_points = compared_features(recording)

    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Frames that are paired: the clip's first ones, and the pool's evenly."""
        n_pool = len(self._pool.segment)
        return np.arange(min(_PAIR_ROWS[0], len(self._features))), np.arange(0, n_pool, -(-n_pool // _PAIR_ROWS[1]))

    def distances(self, cepstra: np.ndarray, rows: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """(clip, pool) squared distances of those frames, the pool's cepstra being (N, N_CEPSTRA)."""
        return squared_distances(self._features[rows[0]], cepstral_features(cepstra, self._pool.segment, self.n_points)[rows[1]])

    def targets(self, rows: np.ndarray, cepstra: np.ndarray) -> np.ndarray:
        """(P, N_CEPSTRA) of the clip's frames `rows`; above the clip's band in the shape of cepstra (P, N_CEPSTRA)."""
        return clip_targets(self._recording, self._frames[rows], envelope_of(cepstra))[:, :N_CEPSTRA]


def _shift(matching: _Matching, shares: np.ndarray, start: np.ndarray, moved: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(K, N_CEPSTRA) shift of every class, by ridge towards the shift of all, and the targets of the clip's frames."""
    clip_rows, pool_rows = rows = matching.rows()
    distance = matching.distances(moved, rows)
    chosen, choosing = pool_rows[distance.argmin(1)], clip_rows[distance.argmin(0)]
    targets = matching.targets(clip_rows, moved[chosen])
    wanted = np.concatenate([targets - start[chosen], matching.targets(choosing, moved[pool_rows]) - start[pool_rows]])
    members = shares[np.concatenate([chosen, pool_rows])]
    weight = np.ones((len(members), 1), np.float32)
    weight[len(chosen) :] = _POOL_WEIGHT * len(chosen) / len(pool_rows)
    common = (weight * wanted).sum(0) / weight.sum()
    moment = members.T @ (weight * members) + np.eye(shares.shape[1]) * (weight.sum() * _RIDGE_SHARE)
    own = np.linalg.solve(moment, members.T @ (weight * (wanted - common)))
    return (own + common).astype(np.float32), targets


def _melody(recording: ClipAnalysis, pool: NaturalPool) -> tuple[float, float, float]:
    """Log F0 median of the speaker and mean of the source, and how much livelier the speaker's melody is."""
    median, deviation = map(float, log_f0_range(recording.f0))
    source, source_deviation = (float(value) for value in pool.log_f0)
    return median, source, float(np.clip(_LIVELINESS * deviation / source_deviation, *_LIVELINESS_RANGE))
