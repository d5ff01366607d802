"""Estimates: what the estimators find in a sound, measure by measure. Where a measure is missing, they say why."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from studio.analysis.dnsmos import DnsmosScores

__all__ = ["MEASURES", "EstimateUnavailable", "Estimates", "EstimatorStatus", "Measure"]

Measure = Literal["words", "likeness", "dnsmos", "distillmos", "loudness"]
MEASURES: tuple[Measure, ...] = ("words", "likeness", "dnsmos", "distillmos", "loudness")
NOTHING: Mapping[Measure, "EstimateUnavailable"] = MappingProxyType({})


@dataclass(frozen=True)
class EstimateUnavailable:
    """Why a measure cannot be had: case for words of the page (missing, busy, failed, silent, short, closing), values of its sentence.

    fact, hint: the same in English, and the next step. str() gives both.
    """

    case: str
    fact: str
    hint: str = ""
    values: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join(filter(None, (self.fact, self.hint)))


@dataclass(frozen=True)
class EstimatorStatus:
    """lacking: fact and next step; None where the measure can be had."""

    measure: Measure
    lacking: EstimateUnavailable | None = None

    @property
    def is_here(self) -> bool:
        return self.lacking is None


@dataclass(frozen=True)
class Estimates:
    """Each None where it was not asked for, or cannot be had: then `lacking` has the reason under its measure.

    heard: the words, of what has a text. word_errors, n_words: of studio/analysis/heard_words.py; the text's words are characters where the
    language is written without spaces. word_floor: the rate that the recognizer itself has on people's recordings. likeness: cosine with
    the reference, 0 to 1. dnsmos, distillmos: 1 to 5. lufs: ITU-R BS.1770.
    """

    heard: str | None = None
    word_errors: int | None = None
    n_words: int | None = None
    likeness: float | None = None
    dnsmos: DnsmosScores | None = None
    distillmos: float | None = None
    lufs: float | None = None
    lacking: Mapping[Measure, EstimateUnavailable] = field(default_factory=lambda: NOTHING)
    word_floor: float | None = None

    @property
    def word_error_rate(self) -> float | None:
        """0 where all words were heard; more than 1 where much was added."""
        return None if self.word_errors is None or not self.n_words else self.word_errors / self.n_words
