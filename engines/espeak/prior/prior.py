"""The prior network: turns eSpeak frames into features that all speakers share. A speaker is one linear head on top of it.

Trained by engines/espeak/training on generated speech only. NumPy, float32; shapes: F frames, D inputs, U hidden units, O outputs.

Prosody is how long each phone of eSpeak's speech would last in a person's, and how the pitch would move: a small network over phones. It
reads phones in order and looks AHEAD_PHONES ahead, so that the first of a text are known as soon as eSpeak has said a few. Trained by
engines/espeak/training on voices that pass for natural; the speaker's own tempo and pitch come later. It is told what is known of every
phone before it sounds (phone_facts): stress, eSpeak's length, where in its clause it stands. PhoneFrames lead from eSpeak's phone events
to what every frame is part of: phone, its neighbors, position inside it.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import safetensors.numpy

from engines.errors import CheckpointInvalid
from engines.espeak.prior.hidden_stream import DILATIONS, DilatedStream, leaky
from engines.kit.phonemes.espeak_library import SILENCE, EspeakSpeech
from engines.kit.phonemes.ipa import PHONES
from engines.kit.phonemes.phone_features import phone_features
from engines.kit.signal.spectrum import HOP_SAMPLES, N_BANDS, N_CEPSTRA

__all__ = [
    "AHEAD_PHONES",
    "LEAST_SHARE",
    "N_FACTS",
    "N_OUTPUTS",
    "N_POINTS",
    "PROSODY_TENSORS",
    "REACHES",
    "VOICING",
    "PhoneFrames",
    "Prior",
    "Prosody",
    "feature_rows",
    "known_frames",
    "phone_facts",
    "phones_at",
]

# --- phones


_MIDDLE = 0.5


@dataclass(frozen=True)
class PhoneFrames:
    """names: the speech's phones, between two silences. numbers (F, 3): in them the frame's phone, the one before and the one after it.

    position: (F,) float32, inside the phone, from 0 to 1. silent: (F,) whether the phone is silence.
    """

    names: tuple[str, ...]
    numbers: np.ndarray
    position: np.ndarray
    silent: np.ndarray


def known_frames(speech: EspeakSpeech) -> int:
    """How many leading frames of a speech that was cut short have a phone whose end is known."""
    return speech.phones[-1][0] // HOP_SAMPLES if speech.phones else 0


def phones_at(speech: EspeakSpeech, times: np.ndarray) -> PhoneFrames:
    """The phones at times (F,) in samples, fractions allowed."""
    names = (SILENCE, *(name for _, name in speech.phones), SILENCE)
    starts = np.array([-np.inf, *(start for start, _ in speech.phones), np.inf])
    index = np.searchsorted(starts, times, side="right") - 1
    last = len(names) - 1
    start, end = starts[index], starts[np.minimum(index + 1, last)]
    inside = np.isfinite(start) & np.isfinite(end)
    length = np.where(inside, np.maximum(np.where(inside, end - np.where(inside, start, 0), 1), 1), 1)
    position = np.where(inside, (times - np.where(inside, start, 0)) / length, _MIDDLE).clip(0, 1).astype(np.float32)
    neighbors = np.stack([np.clip(index + offset, 0, last) for offset in (0, -1, 1)], 1)
    return PhoneFrames(names, neighbors, position, np.array([name == SILENCE for name in names])[index])


def feature_rows(names: tuple[str, ...]) -> np.ndarray:
    """(P, N_PHONE_FEATURES) float32 features of the phones."""
    return np.stack([phone_features(name) for name in names])


# --- prosody


N_POINTS = 4  # of the pitch, in a phone, each in the middle of its quarter
REACHES = ((1, 1), (2, 2), (4, 0))
AHEAD_PHONES = sum(ahead for _, ahead in REACHES)
_BLOCK_PHONES = 4
_MOST_LOG_RATIO = 1.2  # no phone becomes more than 3.3 times as long, or as short
PROSODY_TENSORS = (
    *("prosody_first_weight", "prosody_first_bias"),
    *(f"prosody_{number}_{kind}" for number in range(len(REACHES)) for kind in ("weight", "bias")),
    *("prosody_outputs_weight", "prosody_outputs_bias"),
)


@dataclass(frozen=True, eq=False)
class Prosody:
    """Of the first P phones of a speech.

    log_ratio: (P,) natural log of their length over eSpeak's. pitch: (P, N_POINTS) in deviations of log F0.
    """

    log_ratio: np.ndarray
    pitch: np.ndarray

    @classmethod
    def predicted(cls, speech: EspeakSpeech, tensors: Mapping[str, np.ndarray]) -> "Prosody":
        """Of all phones, or, of a speech that was cut short, of those that nothing behind the cut could change."""
        facts = phone_facts(speech)
        n_phones = len(facts)
        n_certain = n_phones if speech.complete else n_phones - AHEAD_PHONES
        if n_certain <= 0:
            return cls(np.zeros(0, np.float32), np.zeros((0, N_POINTS), np.float32))
        stream = DilatedStream(tensors, "prosody", REACHES, n_phones)
        outputs = np.zeros((n_certain + _BLOCK_PHONES, 1 + N_POINTS), np.float32)
        padding = -(-(n_certain + AHEAD_PHONES) // _BLOCK_PHONES) * _BLOCK_PHONES - n_phones
        rows = np.concatenate([feature_rows(tuple(name for _, name in speech.phones[:n_phones])), facts], 1)
        rows = np.concatenate([rows, np.zeros((padding, rows.shape[1]), np.float32)])
        for block in np.split(rows, len(rows) // _BLOCK_PHONES):
            step, x = stream.push(leaky(block @ tensors["prosody_first_weight"] + tensors["prosody_first_bias"]))
            made = x @ tensors["prosody_outputs_weight"] + tensors["prosody_outputs_bias"]
            part = slice(max(0, step), min(n_certain, step + _BLOCK_PHONES))
            outputs[part] = made[part.start - step : part.stop - step]
        return cls(outputs[:n_certain, 0].clip(-_MOST_LOG_RATIO, _MOST_LOG_RATIO), outputs[:n_certain, 1:])


# --- facts of phones


_MEAN_LOG_LENGTH = 2.5  # of frames: about where eSpeak's phones lie, so that the column is centerd
_WORD = re.compile(rf"{PHONES.pattern}|\w+(?:['’.,-]\w+)*")
_CLAUSE_MARKS = {**dict.fromkeys(",;:—–،，、；：", 0), **dict.fromkeys(".…。।", 1), **dict.fromkeys("?？؟", 2), **dict.fromkeys("!！", 3)}
_FULL_STOP = 1
_N_MARKS = 4
N_FACTS = 11 + _N_MARKS


def phone_facts(speech: EspeakSpeech) -> np.ndarray:
    """(P, N_FACTS) float32, of all phones whose end is known: the last phone of a speech that was cut short is left out.

    Columns: secondary and primary stress, first of a word, log length in frames, silence; the mark that ends the clause (pause, full
    stop, question, call); logs of words left and passed in the clause; its last and first word; last clause; log of words left in all.
    What a cut left of the speech has the facts that it has in the whole: words are counted in the text.
    """
    starts = np.array([start for start, _ in speech.phones] + [len(speech.samples)] * speech.complete) / HOP_SAMPLES
    n_phones = max(0, len(starts) - 1)
    if not n_phones:
        return np.zeros((0, N_FACTS), np.float32)
    word = np.searchsorted([at / HOP_SAMPLES for at, _, _ in speech.words], starts[:-1], side="right") - 1
    stress = np.array(speech.stresses[:n_phones])
    silent = np.array([name == SILENCE for _, name in speech.phones[:n_phones]])
    token, mark, begin, end = _clauses(speech.text, np.array([place - 1 for _, place, _ in speech.words] or [0])[word.clip(0)])
    left, passed, of_all = end[token] - token, token - begin[token], len(mark) - 1 - token
    columns = [stress == 1, stress == 2, np.diff(word, prepend=-2) != 0, np.log(np.diff(starts).clip(1)) - _MEAN_LOG_LENGTH, silent]
    columns += [mark[token] == kind for kind in range(_N_MARKS)]
    columns += [np.log1p(left), np.log1p(passed), left == 0, passed == 0, end[token] == len(mark) - 1, np.log1p(of_all)]
    return np.stack(columns, 1).astype(np.float32)


def _clauses(text: str, places: np.ndarray) -> tuple[np.ndarray, ...]:
    """Of each place in the text, in characters, the number of its word; and of each word the mark, first and last word of its clause."""
    words = [match.span() for match in _WORD.finditer(text)] or [(0, len(text))]
    ends = [start for start, _ in words[1:]] + [len(text)]
    marks = [
        max((_CLAUSE_MARKS.get(sign, -1) for sign in text[stop:until]), default=-1) for (_, stop), until in zip(words, ends, strict=True)
    ]
    marks[-1] = marks[-1] if marks[-1] >= 0 else _FULL_STOP
    token = np.searchsorted([start for start, _ in words], places, side="right") - 1
    begin, end, mark = (np.zeros(len(words), np.int64) for _ in range(3))
    first = 0
    for last, sign in enumerate(marks):
        if sign >= 0:
            begin[first : last + 1], end[first : last + 1], mark[first : last + 1] = first, last, sign
            first = last + 1
    return token.clip(0), mark, begin, end


# --- the prior


VOICING = N_CEPSTRA + N_BANDS
N_OUTPUTS = VOICING + 1  # cepstra, aperiodicity of each band, voicing
# Natural voices that speakers are made of, and how long a vocal tract they have beside the first's. The first, a person who speaks Russian,
# serves the sounds of all languages best, the other English (studio/measure/DIARY.md). The first's tract as find_tract measures it, and how
# much of a speaker's difference from that is taken over: the map finds the rest.
_BASES = {"nsh": 1.0, "heart": 1.3}
LEAST_SHARE = 0.2  # of the second
_BASE_TRACT, _TRACT_SHARE = 0.77, 0.7
_START_TRACTS = (0.77, 0.98)  # a man's and a woman's
_BIAS_RIDGE = 1e-3
_MAP_RIDGE = 1.0  # of the linear map of cepstra, in units of their variance
_TENSORS = (
    *("input_mean", "input_scale", "target_mean", "target_scale"),
    *("first_weight", "first_bias"),
    *(f"convolution_{number}_{kind}" for number in range(len(DILATIONS)) for kind in ("weight", "bias")),
    *("frames_weight", "frames_bias", "local_weight", "heads"),
    *PROSODY_TENSORS,
)


@dataclass(frozen=True)
class Prior:
    """tensors: named float32 arrays. head_names: one a trained head.

    presets: per built-in speaker the tensors of its prompt. fingerprint: SHA-256 of the asset. pool: see Pool; empty while training.
    """

    tensors: dict[str, np.ndarray]
    head_names: tuple[str, ...]
    presets: dict[str, dict[str, np.ndarray]]
    fingerprint: str
    pool: dict[str, np.ndarray] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> "Prior":
        """Read the asset. Raises CheckpointInvalid where a tensor is missing or extra."""
        data = path.read_bytes()
        stored = safetensors.numpy.load(data)
        metadata = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
        presets: dict[str, dict[str, np.ndarray]] = {}
        for name in [name for name in stored if name.startswith("preset.")]:
            _, speaker, tensor = name.split(".")
            presets.setdefault(speaker, {})[tensor] = stored.pop(name)
        pool = {name.removeprefix("pool."): stored.pop(name) for name in list(stored) if name.startswith("pool.")}
        missing, extra = set(_TENSORS) - set(stored), set(stored) - set(_TENSORS)
        if missing or extra:
            raise CheckpointInvalid(f"{path.name}: missing tensors {sorted(missing)}, extra tensors {sorted(extra)}.")
        tensors = {name: tensor.astype(np.float32) for name, tensor in stored.items()}
        return cls(tensors, tuple(metadata["heads"].split(" ")), presets, hashlib.sha256(data).hexdigest(), pool)

    @property
    def heads(self) -> np.ndarray:
        """(V, U + 1, O) one linear head a trained voice."""
        return self.tensors["heads"]

    @property
    def start_head(self) -> np.ndarray:
        """(U + 1, O) what clips are matched by before anything is known of them."""
        return np.mean([self.base_head(tract) for tract in _START_TRACTS], 0)

    def outputs(self, hidden: np.ndarray, head: np.ndarray) -> np.ndarray:
        """(F, O) in natural units: cepstra, aperiodicity, voicing."""
        return (hidden @ head) * self.tensors["target_scale"] + self.tensors["target_mean"]

    def cepstra(self, hidden: np.ndarray, head: np.ndarray) -> np.ndarray:
        """(F, N_CEPSTRA)."""
        scale, mean = self.tensors["target_scale"][:N_CEPSTRA], self.tensors["target_mean"][:N_CEPSTRA]
        return (hidden @ head[:, :N_CEPSTRA]) * scale + mean

    def base_head(self, tract: float, share: float = LEAST_SHARE) -> np.ndarray:
        """(U + 1, O) what a speaker's head is made of: of two people's voices, each with the vocal tract that comes nearest.

        tract: see find_tract. share: of the second of them, who speaks English.
        """
        scale = (tract / _BASE_TRACT) ** _TRACT_SHARE
        heads = [self._trained_head(name, scale / own) for name, own in _BASES.items()]
        return np.average(heads, 0, [1 - share, share])

    def _trained_head(self, voice: str, scale: float) -> np.ndarray:
        """(U + 1, O) the voice's, with the nearest of the tracts that it was trained with."""
        known = {name: float(name.partition("*")[2]) for name in self.head_names if name.startswith(f"{voice}*")}
        return self.heads[self.head_names.index(min(known, key=lambda name: abs(np.log(known[name] / scale))))]

    def fit_head(self, base: np.ndarray, hidden: np.ndarray, targets: np.ndarray, ridge_per_frame: float | None = None) -> np.ndarray:
        """(U + 1, O) head that maps hidden (F, U + 1) to targets (F, O) about as `base` does.

        A linear map of the base's cepstra that stays close to identity, which keeps what is sharp in them sharp, and the targets' mean;
        with ridge_per_frame, ridge on the rest, which comes nearer and blurs.
        """
        wanted = (targets - self.tensors["target_mean"]) / self.tensors["target_scale"]
        head = base.astype(np.float32)
        predicted = hidden @ head
        rows = (predicted - predicted.mean(0))[:, :N_CEPSTRA]
        missing = (wanted - predicted)[:, :N_CEPSTRA]
        gram = rows.T @ rows + _MAP_RIDGE * len(rows) * np.eye(N_CEPSTRA)
        change = np.linalg.solve(gram, rows.T @ (missing - missing.mean(0)))
        head[:, :N_CEPSTRA] += head[:, :N_CEPSTRA] @ change
        left = wanted - hidden @ head
        head[-1] += left.mean(0)
        if ridge_per_frame is None:
            return head
        ridge = np.full(hidden.shape[1], ridge_per_frame * len(hidden))
        ridge[-1] = _BIAS_RIDGE * len(hidden)
        moment = (hidden.T @ hidden).astype(np.float64) + np.diag(ridge)
        return (head + np.linalg.solve(moment, hidden.T @ (left - left.mean(0)))).astype(np.float32)
