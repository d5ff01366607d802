"""Comparison: measures a sound beside other sounds of the same text. It gives loudness, and what the estimators find.

Nothing here is a verdict: names are seen where sounds are compared.
"""

from typing import Any, Protocol

import numpy as np

from engines.clips.clip import Clip
from engines.errors import EngineError
from studio.speakers.speaker import Speaker

__all__ = [
    "LEAST_LANES",
    "MOST_LANES",
    "MOST_MEASURED_SECONDS",
    "Estimator",
    "loudness_of",
    "recording_of",
    "told_estimates",
    "unavailable_estimate",
]

LEAST_LANES = 2
MOST_LANES = 6  # side by side: as many colors as can be told apart (assets/web/styles/tokens.css), and keys 1 to 6
MOST_MEASURED_SECONDS = 60.0  # of a sound that is measured: as much as estimators take of one


class Estimator(Protocol):
    """What `studio.estimators` is. Blocks."""

    def estimates(
        self, samples: np.ndarray, sample_rate: int, *, text: str | None, language: str | None, reference: Clip | None
    ) -> Any: ...


class HasSpeakers(Protocol):
    def speaker(self, name: str) -> Speaker: ...


def recording_of(studio: HasSpeakers, name: str | None) -> Clip | None:
    """What a stored voice was made from; None of a built-in one, and of one that is gone by now. Blocks."""
    try:
        return studio.speaker(name).read_clip() if name else None
    except (EngineError, LookupError):
        return None


def loudness_of(samples: np.ndarray, sample_rate: int) -> float | None:
    """LUFS of (T,) float32; None of silence, and of what is too short to be measured. Blocks."""
    from studio.audio.loudness import integrated_loudness

    lufs = integrated_loudness(samples, sample_rate)
    return None if lufs is None else round(lufs, 2)


def told_estimates(
    estimators: Estimator, samples: np.ndarray, sample_rate: int, *, text: str, speaker: Clip | None, language: str | None = None
):
    """{likeness, word_errors, n_words, word_floor, heard, dnsmos, distillmos, lacking} in JSON types, None where one cannot be had. Blocks.

    samples: (T,) float32. speaker: the recording that it is to be like. lacking: by measure {reason_code, message, hint, values}.
    """
    found = estimators.estimates(samples, sample_rate, text=text, language=language, reference=speaker)
    dnsmos = found.dnsmos
    return {
        "likeness": _rounded(found.likeness, 3),
        "word_errors": found.word_errors,
        "n_words": found.n_words,
        "word_floor": found.word_floor,
        "heard": found.heard,
        "dnsmos": None if dnsmos is None else {name: _rounded(getattr(dnsmos, name), 2) for name in ("overall", "signal", "background")},
        "distillmos": _rounded(found.distillmos, 2),
        "lacking": {measure: unavailable_estimate(lack) for measure, lack in found.lacking.items()},
    }


def unavailable_estimate(lack: Any) -> dict[str, object]:
    """Why a measure cannot be had, as errors are told. lack: of studio/analysis/estimates.py."""
    return {"reason_code": lack.case, "message": lack.fact, "hint": lack.hint, "values": dict(lack.values)}


def _rounded(value: float | None, decimals: int) -> float | None:
    return None if value is None else round(float(value), decimals)
