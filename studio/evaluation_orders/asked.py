"""AskedEvaluation: what somebody wants evaluated, as the API takes it. The command and the notebook write the same."""

from collections.abc import Mapping
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from engines.contract.options import Value
from studio.evaluations.plan.plan import MOST_SEEDS, MOST_SYSTEMS, MOST_TEXTS, MOST_VOICES, Learn

__all__ = ["AskedEvaluation", "AskedSystem", "AskedTexts", "AskedVoice", "BuiltinTexts"]

MOST_LIST_CHARACTERS = 20_000_000  # of a list of texts as it stands in a file
MOST_CONFIGURATION_CHARACTERS = 20_000
MOST_LINE_CHARACTERS = 2_100  # a little more than a text may have, so that a long one is refused by its own sentence


class _AskedForm(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AskedSystem(_AskedForm):
    """An engine with its options; or sounds that are brought, by the label of the folder or ZIP that has them."""

    engine: str | None = Field(default=None, max_length=200, description="Its id, or another name that it has.")
    files: str | None = Field(default=None, max_length=120, description="In place of an engine: the label of sounds that are sent beside.")
    options: Mapping[str, Value] = Field(default_factory=dict, description="Of the engine, as extra_params of POST /v1/audio/speech.")
    speed: float = Field(default=1.0, ge=0.25, le=4.0)
    instructions: str | None = Field(default=None, max_length=2000)
    label: str = Field(default="", max_length=120, description="As reports call it; made of the rest where empty.")
    is_toy: bool = Field(default=False, description="Whether its weights are random: then it is shown and never compared.")

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.engine is None) == (self.files is None):
            raise ValueError("a system is an `engine` or `files`, one of them")
        return self


class AskedVoice(_AskedForm):
    """A stored or built-in voice by its name; or a recording that is sent beside, by its file's name."""

    name: str | None = Field(default=None, max_length=200)
    file: str | None = Field(default=None, max_length=255, description="The name of one of `clips`.")
    label: str = Field(default="", max_length=200)
    words: str | None = Field(default=None, max_length=5000, description="What is said in the recording.")
    language: str | None = Field(default=None, max_length=40, description="Of these words.")
    person: str = Field(default="", max_length=200, description="Who has the same one is no other person.")

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.name is None) == (self.file is None):
            raise ValueError("a voice has a `name` or a `file`, one of them")
        return self


class BuiltinTexts(_AskedForm):
    """Sentences that come with the studio: n of each language, all of them where absent."""

    languages: tuple[str, ...] = Field(min_length=1, max_length=40)
    n: int | None = Field(default=None, ge=1, le=MOST_TEXTS)


class AskedTexts(_AskedForm):
    """One of three: `builtin`; `lines`, a text each; `list`, what a file has: a text a line, CSV, TSV, JSON, or a list as seed-tts-eval's.

    language: of texts that do not say it; guessed where it is absent, too.
    """

    builtin: BuiltinTexts | None = None
    lines: tuple[str, ...] | None = Field(default=None, min_length=1, max_length=MOST_TEXTS)
    list: str | None = Field(default=None, min_length=1, max_length=MOST_LIST_CHARACTERS)
    filename: str = Field(default="", max_length=255, description="Of the list: its ending tells the form where the text leaves a doubt.")
    language: str | None = Field(default=None, max_length=40)

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if sum(given is not None for given in (self.builtin, self.lines, self.list)) != 1:
            raise ValueError("texts are `builtin`, `lines` or a `list`, one of them")
        return self


class AskedEvaluation(_AskedForm):
    """voices: names, or more about each. measures: families of figures; all that can be had where absent. seeds: of each text.

    learn: "best" lets engines refine what they learned of a voice before they speak. begin: whether it is said at once.
    """

    title: str = Field(default="", max_length=200)
    systems: tuple[AskedSystem, ...] = Field(min_length=1, max_length=MOST_SYSTEMS)
    voices: tuple[str | AskedVoice, ...] = Field(default=(), max_length=MOST_VOICES)
    texts: AskedTexts | None = Field(default=None, description="May be absent where sounds that are sent have a list of their own.")
    seeds: tuple[int, ...] = Field(default=(0,), min_length=1, max_length=MOST_SEEDS)
    learn: Learn = "best"
    measures: tuple[str, ...] | None = Field(default=None, max_length=20)
    versa: str | None = Field(
        default=None, max_length=MOST_CONFIGURATION_CHARACTERS, description="A configuration of VERSA's measures, as YAML."
    )
    begin: bool = True
