"""Clip and Transcript: what an engine is given to learn a speaker from. No files and no decoding here.

What counts as audible is one level and one window, for the first sound of a stream and for the silence inside of it.
"""

import hashlib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from engines.errors import ClipUnusable, TranscriptMismatch

__all__ = ["AUDIBLE_LEVEL", "AUDIBLE_SECONDS", "Clip", "Transcript", "checked_joints", "window_levels"]


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
            raise ClipUnusable("clip_not_finite", "The clip contains non-finite samples.", "Export the recording again.")
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
        hasher.update(self.samples.astype("<f4", copy=False))
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
    n_lines = sum(map(bool, lines))
    fact = f"There are words of {n_lines} recording{'' if n_lines == 1 else 's'}; the voice has {n_recordings}."
    hint = "Write the words of each recording, in their order, or of none."
    return TranscriptMismatch(fact, hint, sentence="transcript_lines", n=n_lines, recordings=n_recordings)


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
