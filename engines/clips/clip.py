"""Clip and Transcript: what an engine learns a speaker from. No files and no decoding here.

One level and one window decide what is audible, both for the first sound of a stream and for the silence inside of it.
ClipSound: when something sounds in a recording, and over what background. It measures power alone; other code says what sounds. NumPy only.
Frames have 20 ms, one every 10 ms. A constant part (DC) is no sound.

* Background: frames up to 3 dB above the quietest 60 ms. Speech leaves gaps, so the quietest part is the rest of the room (the
  idea of Martin, "Noise power spectral density estimation based on optimal smoothing and minimum statistics", IEEE Trans. SAP 9(5), 2001).
* Active: frames above the background that lie less than 15.9 dB under the level of all of them, gaps up to 200 ms closed: margin and
  hangover of the active speech level in ITU-T P.56, method B.
"""

import hashlib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from engines.errors import ClipUnusable, TranscriptMismatch

__all__ = [
    "AUDIBLE_LEVEL",
    "AUDIBLE_SECONDS",
    "FLOOR_DB",
    "FRAMES_PER_SECOND",
    "SILENT_DBFS",
    "Clip",
    "ClipSound",
    "Span",
    "Transcript",
    "check_audible",
    "checked_joints",
    "decibels",
    "hop_samples",
    "loudest_dbfs",
    "window_levels",
]


Span = tuple[float, float]  # seconds: start and end


@dataclass(frozen=True, eq=False)
class Clip:
    """Mono speech, never without its rate.

    samples: (T,) float32, finite; full scale is [-1, 1], but a float recording may exceed it. Read-only.
    sample_rate: Hz.
    joints: samples at which another recording of the same person begins, rising, each recording with one sample at least; () for one.
    """

    samples: np.ndarray
    sample_rate: int
    joints: tuple[int, ...] = ()

    def __post_init__(self):
        samples = _owned(self.samples)
        if samples.ndim != 1:
            raise ValueError(f"Clip wants mono samples of shape (T,), got {samples.shape}")
        if not 1_000 <= self.sample_rate <= 768_000:
            raise ValueError(f"Clip wants a sample rate in Hz, got {self.sample_rate}")
        if not np.isfinite(samples).all():
            raise ClipUnusable("clip_not_finite")
        object.__setattr__(self, "joints", checked_joints(self.joints, len(samples)))
        object.__setattr__(self, "samples", samples)

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.sample_rate

    @property
    def n_recordings(self) -> int:
        return len(self.joints) + 1

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the rate (4 bytes) and the samples (float32), both little endian: the clip's identity, whatever file it came in.

        With joints, SHA-256 over "joints", that digest and the joints (8 bytes each): of no length that a rate and samples have.
        """
        hasher = hashlib.sha256(int(self.sample_rate).to_bytes(4, "little"))
        hasher.update(self.samples.astype("<f4", copy=False).data)
        if self.joints:
            hasher = hashlib.sha256(b"joints" + hasher.digest() + np.array(self.joints, "<u8").tobytes())
        return hasher.hexdigest()

    def recordings(self) -> "tuple[Clip, ...]":
        """The recordings that it was joined from, each without joints; itself where it is one."""
        if not self.joints:
            return (self,)
        edges = pairwise((0, *self.joints, len(self.samples)))
        return tuple(Clip(self.samples[first:last], self.sample_rate) for first, last in edges)


@dataclass(frozen=True)
class Transcript:
    """The words of a clip, and the language they are in (a code such as "en" or "de"; None where nobody said).

    Of a clip of several recordings the words have a line for each, in their order.
    by_transcriber: a machine has heard them, and no person has read them through; the same words are the same, whoever wrote them.
    """

    text: str
    language: str | None = None
    by_transcriber: bool = field(default=False, compare=False)

    @classmethod
    def of(cls, text: str | None, language: str | None = None) -> "Transcript | None":
        """A Transcript of stripped NFC text, or None where there are no words."""
        text = unicodedata.normalize("NFC", text or "").strip()
        return cls(text, language or None) if text else None

    @classmethod
    def of_recordings(cls, texts: Sequence[str], n_recordings: int, language: str | None = None) -> "Transcript | None":
        """The words of a clip of so many recordings, given for each; None where there are none at all. Raises TranscriptMismatch."""
        if len(texts) == n_recordings == 1:
            return cls.of(texts[0], language)
        lines = [" ".join(text.split()) for text in texts]
        if any(lines) and (len(lines) != n_recordings or not all(lines)):
            raise _words_missing(lines, n_recordings)
        return cls.of("\n".join(lines), language)

    def lines(self, n_recordings: int) -> tuple[str, ...]:
        """The words of each recording of a clip, blank lines aside; all of them where it is one. Raises TranscriptMismatch where they do
        not go round.
        """
        if n_recordings == 1:
            return (self.text,)
        lines = tuple(line.strip() for line in self.text.split("\n") if line.strip())
        if len(lines) != n_recordings:
            raise _words_missing(lines, n_recordings)
        return lines

    @cached_property
    def digest(self) -> str:
        """SHA-256 of language and text."""
        return hashlib.sha256(f"{self.language or ''}\n{self.text}".encode()).hexdigest()


def checked_joints(joints: Sequence[int], n_samples: int) -> tuple[int, ...]:
    """The same as a tuple. Raises ValueError for what is no joints of a clip of so many samples."""
    whole = isinstance(joints, list | tuple) and all(type(joint) is int for joint in joints)
    if not whole or (joints and not all(first < second for first, second in pairwise((0, *joints, n_samples)))):
        raise ValueError(f"Clip wants joints that rise between 0 and {n_samples}, got {joints!r:.80}")
    return tuple(joints)


def _words_missing(lines: Sequence[str], n_recordings: int) -> TranscriptMismatch:
    return TranscriptMismatch(sentence="transcript_lines", n=sum(map(bool, lines)), recordings=n_recordings)


def _owned(samples: np.ndarray) -> np.ndarray:
    """Read-only contiguous float32: shared when it is that already and no view, copied otherwise."""
    ours = isinstance(samples, np.ndarray) and samples.dtype == np.float32 and samples.flags.c_contiguous
    if ours and samples.base is None and not samples.flags.writeable:
        return samples
    copy = np.array(samples, dtype=np.float32, order="C", copy=True)
    copy.flags.writeable = False
    return copy


AUDIBLE_SECONDS = 0.010  # the first 10 ms ...
AUDIBLE_LEVEL = 10 ** (-50 / 20)  # ... above -50 dBFS (RMS, full scale 1.0) are the first audible sound


def window_levels(samples: np.ndarray, window_samples: int) -> np.ndarray:
    """RMS (W,) of the whole windows in samples (T,), W = T // window_samples."""
    n_windows = len(samples) // window_samples
    windows = samples[: n_windows * window_samples].reshape(n_windows, window_samples)
    return np.sqrt(np.mean(np.square(windows), axis=1))


# --- the sound of a clip


SILENT_DBFS = -70.0  # a muted input gives less; the quietest room through a microphone gives more
FLOOR_DB = -120.0  # stands for digital silence
MOST_SNR_DB = 60.0  # digital silence between words says no more than that
FRAMES_PER_SECOND = 100
_SMOOTH_FRAMES = 5  # 60 ms
_BACKGROUND_DB = 3.0
_ABOVE_DB = 5.0
_QUIETEST_PERCENT = 5
_ACTIVE_MARGIN_DB = 15.9
_CLOSED_GAP_FRAMES = 20
_ROUNDING_POWER = 2e-14  # of equal samples near full scale; -137 dBFS


@dataclass(frozen=True, eq=False)
class ClipSound:
    """power: (F,) of 20 ms frames, F at least 1. background, active: (F,) bool; none of either in a silent clip."""

    power: np.ndarray
    background: np.ndarray
    active: np.ndarray

    @classmethod
    def of(cls, clip: Clip) -> "ClipSound":
        """Raises nothing: an empty or silent clip has one, too."""
        power = _frame_power(clip.samples, clip.sample_rate)
        if decibels(power.max()) < SILENT_DBFS:
            none = np.zeros(len(power), bool)
            return cls(power, none, none)
        background = _background(power)
        return cls(power, background, _active_frames(power, float(power[background].mean())))

    @property
    def is_silent(self) -> bool:
        return not self.background.any()

    @property
    def noise(self) -> float:
        """Power of the background; 0 in a silent clip."""
        return float(self.power[self.background].mean()) if self.background.any() else 0.0

    def power_of(self, frames: np.ndarray) -> float:
        """Power of these frames less the background's. frames: (F,) bool."""
        return max(float(self.power[frames].mean()) - self.noise, 0.0) if frames.any() else 0.0

    def snr_db(self, frames: np.ndarray) -> float:
        """Power of these frames over the background, 0 to 60. frames: (F,) bool."""
        ratio_db = 10 * np.log10(max(self.power_of(frames), 1e-30) / max(self.noise, 1e-30))
        return float(np.clip(ratio_db, 0.0, MOST_SNR_DB))


def check_audible(clip: Clip) -> None:
    """Raises ClipUnusable (clip_silent) where no 20 ms of the clip reach -70 dBFS."""
    level_dbfs = loudest_dbfs(clip)
    if level_dbfs < SILENT_DBFS:
        detail = f"its level is {level_dbfs:.0f} dBFS, and must be above {SILENT_DBFS:.0f} dBFS"
        raise ClipUnusable("clip_silent", detail=detail, level_dbfs=round(level_dbfs))


def loudest_dbfs(clip: Clip) -> float:
    """RMS of the loudest 20 ms, without DC; -120 for digital silence."""
    return decibels(_frame_power(clip.samples, clip.sample_rate).max())


def decibels(power: float) -> float:
    """Of a power, full scale 1; at least -120."""
    return max(10 * float(np.log10(max(float(power), 1e-30))), FLOOR_DB)


def hop_samples(sample_rate: int) -> int:
    """From the beginning of a frame to that of the next."""
    return round(sample_rate / FRAMES_PER_SECOND)


def _frame_power(samples: np.ndarray, sample_rate: int) -> np.ndarray:
    """(F,) variance of 20 ms frames, F at least 1: a constant counts as nothing, so that digital silence is exactly 0."""
    hop = hop_samples(sample_rate)
    n_hops = len(samples) // hop
    if n_hops < 2:
        return np.array([np.var(samples, dtype=np.float64) if len(samples) else 0.0])
    hops = samples[: n_hops * hop].reshape(n_hops, hop)  # of ten minutes, too: no copy of them all
    total, energy = hops.sum(1, dtype=np.float64), np.einsum("fs,fs->f", hops, hops, dtype=np.float64)
    mean = (total[1:] + total[:-1]) / (2 * hop)
    power = (energy[1:] + energy[:-1]) / (2 * hop) - np.square(mean)
    return np.where(power < _ROUNDING_POWER, 0.0, power)


def _background(power: np.ndarray) -> np.ndarray:
    """(F,) bool: frames in whose 60 ms little more is heard than in the quietest. Never none.

    Digital silence before and after is padding, and tells nothing of the room.
    """
    sounding = np.nonzero(power)[0]
    inner = slice(sounding[0], sounding[-1] + 1)
    n_smooth = min(_SMOOTH_FRAMES, inner.stop - inner.start)
    smooth = np.convolve(power[inner], np.ones(n_smooth) / n_smooth, "valid")
    quiet = smooth <= np.percentile(smooth, _QUIETEST_PERCENT) * 10 ** (_BACKGROUND_DB / 10)
    background = np.zeros(len(power), bool)
    background[inner.start + n_smooth // 2 :][: len(quiet)] = quiet
    return background


def _active_frames(power: np.ndarray, noise: float) -> np.ndarray:
    """(F,) bool. The level of the sound and the threshold under it define each other: it rises from the background until both fit."""
    active = power > noise * 10 ** (_ABOVE_DB / 10)
    while active.any():
        threshold = power[active].mean() * 10 ** (-_ACTIVE_MARGIN_DB / 10)
        louder = active & (power > threshold)
        if louder.sum() == active.sum():
            break
        active = louder
    return _gaps_closed(active)


def _gaps_closed(active: np.ndarray) -> np.ndarray:
    frames = np.nonzero(active)[0]
    closed = active.copy()
    for before, after in pairwise(frames):
        if 1 < after - before <= _CLOSED_GAP_FRAMES:
            closed[before:after] = True
    return closed
