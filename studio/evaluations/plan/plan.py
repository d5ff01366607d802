"""EvaluationPlan: the request for an evaluation: which systems say which texts in which voices, how often, and what is measured."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from engines.contract.options import Value
from studio.evaluations.plan.cell import CellKey

__all__ = [
    "MOST_CELLS",
    "MOST_SEEDS",
    "MOST_SYSTEMS",
    "MOST_TEXTS",
    "MOST_TEXT_CHARACTERS",
    "MOST_VOICES",
    "EvaluationPlan",
    "EvaluationSystem",
    "EvaluationText",
    "EvaluationVoice",
    "Learn",
]

MOST_SYSTEMS, MOST_VOICES, MOST_TEXTS, MOST_SEEDS = 16, 5000, 5000, 20
MOST_CELLS = 100_000
MOST_TEXT_CHARACTERS = 2000

Id = Field(pattern=r"^[A-Za-z0-9_.-]{1,64}$")
Learn = Literal["now", "best"]


class EvaluationSystem(BaseModel):
    """What is compared: an engine with its options, or sounds that somebody brought."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Id
    label: str = Field(max_length=120, description="As reports call it.")
    engine: str | None = Field(default=None, description="Its id; None for sounds that were brought.")
    options: Mapping[str, Value] = Field(default_factory=dict, description="Of the engine, as extra_params of POST /v1/audio/speech.")
    speed: float = Field(default=1.0, ge=0.25, le=4.0)
    instructions: str | None = Field(default=None, max_length=2000)
    is_toy: bool = Field(default=False, description="Whether its weights are random: what it says is marked so wherever it is shown.")


class EvaluationVoice(BaseModel):
    """Who is heard. A person has a recording; a built-in voice has none, and no likeness is measured of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Id
    label: str = Field(max_length=200)
    name: str | None = Field(default=None, description="A stored or built-in voice; None where `clip` is all there is.")
    clip: str | None = Field(
        default=None, description="Digest of the recording that is kept with the evaluation; None for built-in voices."
    )
    words: str | None = Field(default=None, description="What is said in the recording, where it is known.")
    language: str | None = Field(default=None, description="Of these words.")
    are_heard: bool = Field(default=False, description="Whether a recognizer wrote these words, and no person has read them through.")
    person: str = Field(default="", description="Who has the same one is no other person; empty: nobody else is.")


class EvaluationText(BaseModel):
    """What is said. voice: the id of the one voice that says it, where a list pairs them; None for every voice."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Id
    text: str = Field(min_length=1, max_length=MOST_TEXT_CHARACTERS)
    language: str | None = Field(default=None, description="A code; guessed where it is None.")
    voice: str | None = None
    reference: str | None = Field(default=None, description="Digest of a recording of the person who says this text, where there is one.")
    kind: str = Field(default="", max_length=40, description="What it tests, such as numbers or names.")


class EvaluationPlan(BaseModel):
    """A complete one: it can be run again, and what it holds is what was run. seeds: of each text, for engines that draw.

    measures: names of families (studio/evaluations/plan/figures.py FAMILIES), None for all that can be had. learn: "best" lets engines
    that refine what they learned of a voice do so before they speak, as they do in the studio beside speech; "now" takes the first.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str = Field(default="", max_length=200)
    systems: tuple[EvaluationSystem, ...] = Field(min_length=1, max_length=MOST_SYSTEMS)
    voices: tuple[EvaluationVoice, ...] = Field(min_length=1, max_length=MOST_VOICES)
    texts: tuple[EvaluationText, ...] = Field(min_length=1, max_length=MOST_TEXTS)
    seeds: tuple[int, ...] = Field(default=(0,), min_length=1, max_length=MOST_SEEDS)
    measures: tuple[str, ...] | None = None
    learn: Learn = "best"
    versa: str | None = Field(default=None, description="A configuration of VERSA's measures, as YAML; only where VERSA is installed.")

    def cells(self) -> Iterator[CellKey]:
        """System by system, voice by voice: the order in which they are said."""
        for system, (voice, texts) in product(self.systems, self._texts_by_voice().items()):
            for text, seed in product(texts, self.seeds):
                yield CellKey(system.id, voice, text, seed)

    def n_cells(self) -> int:
        """How many sounds there will be, of engines that can say everything."""
        everywhere = sum(text.voice is None for text in self.texts)
        return len(self.systems) * len(self.seeds) * (everywhere * len(self.voices) + len(self.texts) - everywhere)

    def _texts_by_voice(self) -> dict[str, list[str]]:
        """Ids, in the plan's order. A list of thousands of pairs is no table of millions."""
        everywhere = [(place, text.id) for place, text in enumerate(self.texts) if text.voice is None]
        own: dict[str, list[tuple[int, str]]] = {voice.id: [] for voice in self.voices}
        for place, text in enumerate(self.texts):
            own.get(text.voice or "", []).append((place, text.id))
        return {voice: [text for _, text in sorted(everywhere + texts)] for voice, texts in own.items()}
