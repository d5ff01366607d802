"""Plan: the request for a listening test. The page, the API and files (YAML or JSON) all use this form."""

import re
from collections.abc import Collection
from itertools import count
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from studio.listening.plan.panel import RECRUITING, Completion, Questionnaire
from studio.listening.plan.screening import Screening

__all__ = [
    "ANCHORS", "METHODS", "MOST_MARGIN", "P835_SCALES", "PAGES", "PAIRED", "REFERRED", "SINGLE", "Anchor", "Method", "OpenReference",
    "Plan", "Scale", "System", "free_name",
]  # fmt: skip

Method = Literal["abx", "ab", "cmos", "mos", "smos", "mushra", "mushra-like", "dcr", "ccr", "p835", "bs1116"]
METHODS: tuple[Method, ...] = get_args(Method)
PAIRED: tuple[Method, ...] = ("abx", "ab", "cmos")  # of two systems at a time; more than two of them make every pair
REFERRED: tuple[Method, ...] = ("ccr", "bs1116")  # of a system and the reference, without saying which is which
SINGLE: tuple[Method, ...] = ("mos", "smos", "dcr", "p835")  # one sound at a time is rated, in a few points
PAGES: tuple[Method, ...] = ("mushra", "mushra-like")  # all sounds of a text at once
P835_SCALES = ("signal", "background", "overall")  # of ITU-T P.835, in its order; of 5 points each
# 3.5 and 7 kHz low-passes of the reference (ITU-R BS.1534-3, 5.1); another speaker's clone; the embedded engine; the recording itself.
Anchor = Literal["lowpass-3.5", "lowpass-7", "other-voice", "embedded", "recording"]
ANCHORS: tuple[Anchor, ...] = get_args(Anchor)
# What systems may differ by at most, in points of a method's scale; of ABX and AB in votes away from one half.
MOST_MARGIN: dict[Method, float] = {
    "abx": 0.5, "ab": 0.5, "cmos": 3, "ccr": 3, "mos": 4, "smos": 4, "dcr": 4, "p835": 4, "bs1116": 4, "mushra": 100, "mushra-like": 100,
}  # fmt: skip
MOST_SIGNALS = 12  # on one page, hidden reference and anchors included (BS.1534-3, 5.3)
MOST_TEXTS, MOST_LISTENERS, MOST_REPEATS = 100, 1000, 64
MOST_TEXT_CHARACTERS, MOST_NAME_CHARACTERS = 1000, 120
MOST_SCALES, MOST_POINTS = 8, 11
MOST_QUESTIONS = 1000  # to one listener: hours; each is dealt at once, and kept with its sounds' names, when somebody begins
LUFS = -23.0  # of every sound (EBU R 128)


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, serialize_by_alias=True)


class System(_Strict):
    """One of what is compared. id: within the plan; nobody who listens sees it. label: what results call it; made of the rest where empty.

    source: `speech` is spoken here: speaker, engine, options and seed as a request says them (studio/speech/body.py); `files` are uploaded,
    one for each text. cold: the speaker is learned anew for each sound. again: by text, how often it was said again with another seed.
    """

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")
    label: str = Field(default="", max_length=120)
    source: Literal["speech", "files"] = "speech"
    speaker: str | None = Field(default=None, validation_alias="voice", serialization_alias="voice")
    engine: str | None = None
    seed: int | None = None
    options: dict[str, Any] = Field(default_factory=dict, description="Options of the engine by name.")
    cold: bool = False
    again: dict[str, int] = Field(default_factory=dict, description="By text: how often it was said again, each time with another seed.")


class OpenReference(_Strict):
    """What is heard as the original. `recording`: the clip that the voice was made from (another text); `files`: uploaded, one for each
    text; `system`: what that system says."""

    source: Literal["recording", "files", "system"]
    system: str | None = None
    speaker: str | None = Field(
        default=None,
        validation_alias="voice",
        serialization_alias="voice",
        description="Whose recording; the first system's voice where absent.",
    )


class Scale(_Strict):
    """Something that is asked about a sound. id: within the plan; votes are called by it. labels: the words of its points, the least first;
    where `points` says that there are more, those of both ends."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_-]{0,31}$")
    question: str = Field(min_length=1, max_length=300)
    labels: tuple[Annotated[str, Field(min_length=1, max_length=80)], ...] = Field(min_length=2, max_length=MOST_POINTS)
    points: int | None = Field(default=None, ge=2, le=MOST_POINTS, description="As many as there are labels where absent.")

    @property
    def n_points(self) -> int:
        return self.points or len(self.labels)

    @model_validator(mode="after")
    def _check_labels(self) -> Self:
        if len(self.labels) not in (2, self.n_points):
            raise ValueError(f"{len(self.labels)} labels for {self.n_points} points; it needs one for each, or 2 for the ends")
        return self


class Plan(_Strict):
    """A test. Counts: `listeners` are expected, `repeats` is how often each listener is asked about each text (and pair), `gold` items are
    obviously bad, `traps` say which answer to give; both are asked beside the rest."""

    name: str = Field(min_length=1, max_length=MOST_NAME_CHARACTERS)
    method: Method
    systems: tuple[System, ...] = ()
    texts: tuple[str, ...] = ()
    language: str | None = None
    reference: OpenReference | None = None
    anchors: tuple[Anchor, ...] = ()
    other_speaker: str | None = Field(
        default=None,
        validation_alias="other_voice",
        serialization_alias="other_voice",
        description="Who speaks the similarity anchor `other-voice`.",
    )
    listeners: int = Field(default=10, ge=1, le=MOST_LISTENERS)
    repeats: int = Field(default=1, ge=1, le=MOST_REPEATS)
    questions_per_listener: int | None = Field(
        default=None,
        ge=1,
        le=MOST_QUESTIONS,
        description="How many of all questions each listener is asked, gold and traps left out; all of them where absent.",
    )
    scales: tuple[Scale, ...] = Field(
        default=(),
        max_length=MOST_SCALES,
        description="MOS, SMOS, DCR: what is asked about each sound in place of the method's own question.",
    )
    scales_drawn: bool = Field(default=False, description="Whether each listener has them in an order of chance.")
    show_text: bool = Field(default=False, description="Whether listeners see the text of what they hear.")
    no_preference: bool = Field(default=False, description="AB: whether `no difference` may be answered.")
    match_loudness: bool = True
    lufs: float = Field(default=LUFS, ge=-40, le=-16)
    equalise_bandwidth: bool = False
    trim_silence: bool = True
    headphones: bool = True
    comments: bool = False
    training: bool = True
    gold: int = Field(default=0, ge=0, le=10)
    traps: int = Field(default=0, ge=0, le=10)
    margin: float | None = Field(
        default=None,
        gt=0,
        description="Systems are called equal where their difference is certainly below it: in points of the scale; of ABX and AB in votes "
        "away from one half, such as 0.1. They are never called equal where it is absent.",
    )
    consent: str = Field(default="", max_length=4000, description="What a listener agrees to; the studio's own words where empty.")
    recruiting: tuple[Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,39}$")], ...] = Field(
        default=(),
        max_length=12,
        description="Further parameters of the link that are kept; of several the first says who somebody is.",
    )
    completion: Completion = Completion()
    quota: int | None = Field(default=None, ge=1, le=MOST_LISTENERS, description="Finished listeners who are enough.")
    questionnaire: Questionnaire = Questionnaire()
    seed: int = Field(default=0, ge=0, le=2**31 - 1, description="Of all orders.")
    screening: Screening | None = Field(default=None, description="By which rules listeners count; the usual ones where absent.")

    @field_validator("texts")
    @classmethod
    def _readable(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        texts = tuple(filter(None, (" ".join(text.split()) for text in texts)))
        if len(texts) > MOST_TEXTS:
            raise ValueError(f"there are {len(texts)} texts; a test may have {MOST_TEXTS}")
        if long := next((text for text in texts if len(text) > MOST_TEXT_CHARACTERS), None):
            raise ValueError(f"a text has {len(long)} characters; it may have {MOST_TEXT_CHARACTERS}")
        return texts

    @model_validator(mode="after")
    def _check_scales(self) -> Self:
        if self.scales and self.method not in ("mos", "smos", "dcr"):
            raise ValueError(f"scales of one's own are for mos, smos and dcr, not for {self.method}")
        if len({scale.id for scale in self.scales}) < len(self.scales):
            raise ValueError("two scales have the same id")
        return self

    @property
    def scale_points(self) -> dict[str, int]:
        """How many points each scale has, where several things, or something of one's own, are asked about a sound; else empty."""
        return dict.fromkeys(P835_SCALES, 5) if self.method == "p835" else {scale.id: scale.n_points for scale in self.scales}

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        names = [system.id for system in self.systems]
        if len(set(names)) < len(names):
            raise ValueError("two systems have the same id")
        named = self.reference.system if self.reference else None
        if named is not None and named not in names:
            raise ValueError(f"the reference is the system {named!r}, which is not among the systems")
        return self

    @model_validator(mode="after")
    def _check_redirects(self) -> Self:
        known = {"code", *RECRUITING, *self.recruiting}
        for ending in (self.completion, self.completion.screened_out, self.completion.full):
            if unknown := sorted(set(ending.fields) - known):
                raise ValueError(f"a redirect has the field {unknown[0]!r}; it may have {', '.join(sorted(known))}")
        return self

    @model_validator(mode="after")
    def _check_margin(self) -> Self:
        most = min((scale.n_points - 1 for scale in self.scales), default=MOST_MARGIN[self.method])
        if self.margin is not None and not self.margin < most:
            raise ValueError(f"margin is {self.margin:g}; of {self.method} it must be below {most:g}")
        return self

    def system(self, name: str) -> System:
        """Raises KeyError."""
        return {system.id: system for system in self.systems}[name]


def free_name(name: str, taken: Collection[str]) -> str:
    """The same name with the next number behind it that nobody has: "Fast or slow 2"."""
    bare = re.sub(r"\s+\d{1,4}$", "", name)
    names = (f"{bare[: MOST_NAME_CHARACTERS - 6]} {n}" for n in count(2))
    return next(one for one in names if one not in taken)
