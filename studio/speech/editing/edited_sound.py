"""EditedSound: a recording in which something else is said now."""

from dataclasses import dataclass

import numpy as np

from engines.clips.clip import Span
from engines.contract.contract import EngineInfo
from studio.speech.timed_words import TimedWord

__all__ = ["EditedSound"]


@dataclass(frozen=True, eq=False)
class EditedSound:
    """samples: (T,) float32 at sample_rate, which is the source's. text: that is said in it.

    changed: seconds of it that are new, in order; all else are the source's own samples. words: of `text`, in time; () where that is not
    known, which it always is but of a sound that is new as a whole. engine: that changed it. seed: None of one that takes none.
    """

    samples: np.ndarray
    sample_rate: int
    text: str
    changed: tuple[Span, ...]
    words: tuple[TimedWord, ...]
    engine: EngineInfo
    seed: int | None
