"""Standing: how a voice's prompts stand over all engines; and, where none of them can speak with it, why, in the same words everywhere."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from studio.prompts.status import PromptState, PromptStatus
from studio.service import Studio
from studio.speakers.speaker import Speaker
from studio.ui.engines.lacking import way_out
from studio.ui.gradio.words import problem_words, words

__all__ = ["EngineStanding", "Obstacle", "obstacle_of", "reason_of", "standings"]

# Of a prompt that there will not be as things are; what an engine said when it heard the clip counts most.
HINDERED: tuple[PromptState, ...] = ("failed", "unsupported", "unavailable")


@dataclass(frozen=True)
class EngineStanding:
    """One engine's. reason: what is wrong and what mends it, "" where nothing is."""

    title: str
    status: PromptStatus
    reason: str


@dataclass(frozen=True)
class Obstacle:
    """Why no engine can speak with a voice. parameter: what of the voice would mend it (clip, transcript), "" where nothing of it would."""

    title: str
    reason: str
    parameter: str

    @property
    def words(self) -> str:
        return words("engines.obstacle", engine=self.title, reason=self.reason)


def standings(studio: Studio, speakers: Iterable[Speaker]) -> Iterator[tuple[Speaker, list[EngineStanding]]]:
    """Of each speaker, in the engines' order."""
    speakers, engines = tuple(speakers), {status.info.id: status for status in studio.engines()}
    ways = {name: way_out(studio, status) for name, status in engines.items()}
    for speaker, statuses in zip(speakers, studio.matrix.statuses(speakers), strict=True):
        yield speaker, [EngineStanding(engines[one.engine].info.title, one, reason_of(one, ways[one.engine])) for one in statuses]


def obstacle_of(engines: Iterable[EngineStanding]) -> Obstacle | None:
    """None where an engine can speak with the voice, or may."""
    engines = list(engines)
    if not engines or any(engine.status.state not in HINDERED for engine in engines):
        return None
    first = min(engines, key=lambda engine: HINDERED.index(engine.status.state))
    return Obstacle(first.title, first.reason, first.status.parameter)


def reason_of(status: PromptStatus, way: str) -> str:
    """What is wrong and what mends it, "" where nothing is. way: what a person can do about an engine that cannot be opened."""
    fact, hint = problem_words(status.code, status.values, (status.fact, status.hint))
    return f"{fact} {way if status.state == 'unavailable' else hint}".strip()
