"""CellTable: the figures of an evaluation by system and cell, seeds averaged, in the form that means and comparisons are made of."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from studio.analysis.heard_words import counts_characters
from studio.evaluations.plan.cell import EvaluatedCell
from studio.evaluations.plan.evaluation import EvaluationData
from studio.evaluations.plan.figures import FIGURES, figure_kind
from studio.evaluations.plan.plan import EvaluationText

__all__ = ["LEAST_RATIO", "OF_WORDS", "CellTable", "CellValue", "Place", "differences", "scores", "value_of"]

Place = tuple[str, str]  # voice, text
LEAST_RATIO = 1e-4  # of figures that are compared by factors, in their unit: nothing is 0 times as long
OF_WORDS = "wrong_words"


class CellValue(NamedTuple):
    """value: of a figure; log2 of it where it is compared by factors. weight: the words that should be heard, where wrong ones are counted;
    1 of other figures. unit: what is counted together, a language, or its characters."""

    voice: str
    text: str
    language: str
    value: float
    weight: float = 1.0


class CellTable:
    """Of one evaluation. Texts of which nobody knows the language have "" for it."""

    def __init__(self, data: EvaluationData):
        plan = data.evaluation.plan
        self.data = data
        self.texts: Mapping[str, EvaluationText] = {text.id: text for text in plan.texts}
        self.systems = tuple(system.id for system in plan.systems)
        self._cells: dict[tuple[str, str], tuple[CellValue, ...]] = {}
        self._by_system: dict[str, list[EvaluatedCell]] = {name: [] for name in self.systems}
        for cell in data.cells:
            if cell.key.text in self.texts and cell.key.system in self._by_system:
                self._by_system[cell.key.system].append(cell)

    @cached_property
    def figures(self) -> tuple[str, ...]:
        """That any sound has, in the order of FIGURES, then VERSA's by name."""
        found = {name for cell in self.data.cells for name in (cell.measures.values if cell.measures else ())}
        found |= {name for name in ("ttfp_ms", "rtf") if any(value_of(cell, name) is not None for cell in self.data.cells)}
        return (*(name for name in FIGURES if name in found), *sorted(name for name in found if name.startswith("versa.")))

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """Of texts that were said, in the plan's order."""
        spoken = {cell.key.text for cell in self.data.cells}
        return tuple(dict.fromkeys(text.language or "" for text in self.texts.values() if text.id in spoken))

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """Of texts that were said, those that have one."""
        spoken = {cell.key.text for cell in self.data.cells}
        return tuple(dict.fromkeys(text.kind for text in self.texts.values() if text.id in spoken and text.kind))

    @cached_property
    def character_languages(self) -> frozenset[str]:
        """Languages of whose texts characters are counted in place of words."""
        return frozenset(text.language or "" for text in self.texts.values() if counts_characters(text.text, text.language))

    def evaluated(self, system: str) -> Sequence[EvaluatedCell]:
        """Its sounds and refusals, in the plan's order."""
        return self._by_system[system]

    def seeds(self, system: str, figure: str) -> Iterator[tuple[EvaluatedCell, float]]:
        """Every sound of a system that has the figure, each with it."""
        for cell in self._by_system[system]:
            value = value_of(cell, figure)
            if value is not None:
                yield cell, value

    def cells(self, system: str, figure: str) -> tuple[CellValue, ...]:
        """One for each voice and text, of those that have the figure."""
        if (system, figure) not in self._cells:
            self._cells[system, figure] = tuple(self._averaged(system, figure))
        return self._cells[system, figure]

    def _averaged(self, system: str, figure: str) -> Iterator[CellValue]:
        is_ratio = figure_kind(figure).is_ratio
        seeds: dict[Place, list[tuple[float, float]]] = {}
        for cell, value in self.seeds(system, figure):
            n_words = (cell.measures.n_words if cell.measures else None) if figure == OF_WORDS else 1
            if n_words == 0:
                continue
            shown = math.log2(max(value, LEAST_RATIO)) if is_ratio else value
            seeds.setdefault((cell.key.voice, cell.key.text), []).append((shown, float(n_words or 0)))
        known = [weight for sounds in seeds.values() for _, weight in sounds if weight]
        usual = sum(known) / len(known) if known else 1.0  # of sounds of which nobody counted the words
        for (voice, text), sounds in seeds.items():
            weights = [weight or usual for _, weight in sounds]
            whole = sum(weights)
            value = sum(value * weight for (value, _), weight in zip(sounds, weights, strict=True)) / whole
            yield CellValue(voice, text, self.texts[text].language or "", value, whole / len(sounds))


def value_of(cell: EvaluatedCell, figure: str) -> float | None:
    """None where there is none, and where it is no number. Times are those of the saying where nobody measured them again."""
    value = cell.measures.values.get(figure) if cell.measures else None
    if value is None and cell.said.sound is not None:
        if figure == "ttfp_ms" and cell.said.ttfp_seconds is not None:
            value = 1000 * cell.said.ttfp_seconds
        elif figure == "rtf":
            value = cell.said.rtf
    return value if value is not None and math.isfinite(value) else None


def scores(cells: Sequence[CellValue]) -> list[float]:
    """Whose mean over each language is its pooled rate: of wrong words errors over words. Languages count by their texts, so that one which
    is counted in characters has no more weight than another."""
    usual = _usual_weights([(cell.language, cell.weight) for cell in cells])
    return [cell.value * cell.weight / usual[cell.language] for cell in cells]


def differences(cells: Sequence[CellValue], others: Sequence[CellValue]) -> list[CellValue]:
    """Of the places that both have: the first less the second, with weights that both have in common."""
    of_other = {(cell.voice, cell.text): cell for cell in others}
    both = [(cell, of_other[cell.voice, cell.text]) for cell in cells if (cell.voice, cell.text) in of_other]
    usual = _usual_weights([(one.language, (one.weight + other.weight) / 2) for one, other in both])
    return [
        CellValue(
            one.voice,
            one.text,
            one.language,
            (one.value * one.weight - other.value * other.weight) / usual[one.language],
            usual[one.language],
        )
        for one, other in both
    ]


def _usual_weights(weights: Sequence[tuple[str, float]]) -> dict[str, float]:
    """Mean by language."""
    sums: dict[str, tuple[float, int]] = {}
    for language, weight in weights:
        whole, n = sums.get(language, (0.0, 0))
        sums[language] = (whole + weight, n + 1)
    return {language: whole / n for language, (whole, n) in sums.items()}
