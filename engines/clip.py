"""Clip and Transcript: what an engine is given to learn a speaker from. No files and no decoding here."""

import hashlib
import unicodedata
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engines.errors import ClipUnusable

__all__ = ["Clip", "Transcript"]


@dataclass(frozen=True, eq=False)
class Clip:
    """Mono speech, never without its rate.

    samples: (T,) float32, finite; full scale is [-1, 1], but a float recording may exceed it. Read-only.
    sample_rate: Hz.
    """

    samples: np.ndarray
    sample_rate: int

    def __post_init__(self):
        samples = _owned(self.samples)
        if samples.ndim != 1:
            raise ValueError(f"Clip wants mono samples of shape (T,), got {samples.shape}")
        if not 1_000 <= self.sample_rate <= 768_000:
            raise ValueError(f"Clip wants a sample rate in Hz, got {self.sample_rate}")
        if not np.isfinite(samples).all():
            raise ClipUnusable("clip_not_finite", "The clip contains non-finite samples.", "Export the recording again.")
        object.__setattr__(self, "samples", samples)

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.sample_rate

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the rate (4 bytes) and the samples (float32), both little endian: the clip's identity, whatever file it came in."""
        hasher = hashlib.sha256(int(self.sample_rate).to_bytes(4, "little"))
        hasher.update(self.samples.astype("<f4", copy=False))
        return hasher.hexdigest()


@dataclass(frozen=True)
class Transcript:
    """The words of a clip, and the language they are in (a code such as "en" or "de"; None where nobody said)."""

    text: str
    language: str | None = None

    @classmethod
    def of(cls, text: str | None, language: str | None = None) -> "Transcript | None":
        """A Transcript of stripped NFC text, or None where there are no words."""
        text = unicodedata.normalize("NFC", text or "").strip()
        return cls(text, language or None) if text else None

    @cached_property
    def digest(self) -> str:
        """SHA-256 of language and text."""
        return hashlib.sha256(f"{self.language or ''}\n{self.text}".encode()).hexdigest()


def _owned(samples: np.ndarray) -> np.ndarray:
    """Read-only contiguous float32: shared when it is that already and no view, copied otherwise."""
    ours = isinstance(samples, np.ndarray) and samples.dtype == np.float32 and samples.flags.c_contiguous
    if ours and samples.base is None and not samples.flags.writeable:
        return samples
    copy = np.array(samples, dtype=np.float32, order="C", copy=True)
    copy.flags.writeable = False
    return copy
