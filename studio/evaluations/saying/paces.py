"""Paces: how long saying, learning and measuring take here, by what they took before; so how long the rest will."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from engines.contract.contract import EngineInfo
from studio.evaluations.plan.cell import CellKey
from studio.evaluations.plan.plan import EvaluationPlan

__all__ = ["Paces", "Work", "work_of"]

# Of what nobody has timed here, in seconds: a character that an engine says which is quicker than speech on a CPU, and of any other;
# people say some 15 characters a second. A voice that an engine learns at once. A sound that all measures are taken of.
QUICK_CHARACTER_SECONDS, CHARACTER_SECONDS = 0.3 / 15, 1.5 / 15
VOICE_SECONDS = 3.0
MEASURE_SECONDS = 2.5
NEWEST = 0.1  # at least so much of a pace is the newest time


@dataclass(frozen=True)
class Work:
    """What is left of an evaluation. characters, voices: by engine; sounds: to be measured."""

    characters: Mapping[str, int]
    voices: Mapping[str, int]
    sounds: int


def work_of(plan: EvaluationPlan, unsaid: Iterable[CellKey], n_unmeasured: int = 0) -> Work:
    """unsaid: cells. n_unmeasured: sounds that are there and not measured."""
    lengths, engines = {text.id: len(text.text) for text in plan.texts}, {system.id: system.engine for system in plan.systems}
    has_clip = {voice.id: voice.clip is not None for voice in plan.voices}
    characters: Counter[str] = Counter()
    voices: set[tuple[str, str]] = set()
    n_cells = 0
    for key in unsaid:
        engine = engines[key.system]
        if engine is not None:
            n_cells += 1
            characters[engine] += lengths[key.text]
            if has_clip[key.voice]:
                voices.add((key.system, key.voice))
    return Work(characters, Counter(engines[system] or "" for system, _ in voices), n_cells + n_unmeasured)


class Paces:
    """known: of earlier runs, as `kept` gives them. measures: names of families that are taken, None for all. learn: of the plan."""

    def __init__(self, known: Mapping[str, float], plan: EvaluationPlan):
        self._known, self._n = dict(known), Counter[str]()
        self._measure = "measure " + ("all" if plan.measures is None else " ".join(sorted(plan.measures)))
        self._learn = plan.learn

    @property
    def kept(self) -> Mapping[str, float]:
        """To be kept for later runs."""
        return {what: self._known[what] for what in self._n}

    def said(self, engine: str, n_characters: int, seconds: float) -> None:
        self._took(f"say {engine}", seconds / max(1, n_characters))

    def learned(self, engine: str, seconds: float) -> None:
        self._took(f"learn {self._learn} {engine}", seconds)

    def measured(self, seconds: float) -> None:
        self._took(self._measure, seconds)

    def seconds(self, work: Work, info_of: Callable[[str], EngineInfo], learn_seconds: float) -> float:
        """Of all of it. learn_seconds: that may be spent on refining a voice."""
        total = work.sounds * self._known.get(self._measure, MEASURE_SECONDS)
        for engine, n_characters in work.characters.items():
            info = info_of(engine)
            usual = QUICK_CHARACTER_SECONDS if info.suits_cpu else CHARACTER_SECONDS
            total += n_characters * self._known.get(f"say {engine}", usual)
        for engine, n_voices in work.voices.items():
            usual = VOICE_SECONDS + (learn_seconds if self._learn == "best" and info_of(engine).refines else 0.0)
            total += n_voices * self._known.get(f"learn {self._learn} {engine}", usual)
        return total

    def knows(self, engine: str) -> bool:
        """Whether anybody has timed it here."""
        return f"say {engine}" in self._known

    def _took(self, what: str, seconds: float) -> None:
        """The mean of this run, and then of its latest times: what others do to the machine passes."""
        self._n[what] += 1
        newest = max(NEWEST, 1 / self._n[what])
        self._known[what] = seconds if newest == 1.0 else (1 - newest) * self._known[what] + newest * seconds
