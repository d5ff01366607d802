"""What a listener's page sends: that somebody begins, and what they answered. Only its form is looked at here."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from studio.listening.plan.design import Answer

__all__ = ["MOST_COMMENT_CHARACTERS", "Given", "ListenerBeginning"]

MOST_COMMENT_CHARACTERS = 1000
MOST_SLOTS = 13  # twelve and the open reference (studio/listening/plan/plan.py)
MOST_SECONDS = 7 * 24 * 3600.0  # that one question may be looked at, a pause included
MOST_PLAYS = 10_000

Label = Annotated[str, Field(pattern=r"^(?:[ABXR]|[1-9]|1[0-2])$")]
Seconds = Annotated[float, Field(ge=0, le=MOST_SECONDS, allow_inf_nan=False)]


class _Sent(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ListenerBeginning(_Sent):
    """consent: said by whoever listens, and nothing begins without it. check: of the headphones.

    experimenter: it is who made the test, so that their votes stand apart.
    """

    consent: Literal[True]
    device: Literal["", "headphones", "earphones", "loudspeakers"] = ""
    place: Literal["", "quiet", "some noise", "noisy"] = ""
    check: Literal["", "passed", "failed", "left out"] = ""
    experimenter: bool = False

    @property
    def device_words(self) -> str:
        """As results say it, such as "headphones, quiet, headphone check passed"."""
        return ", ".join(filter(None, (self.device, self.place, self.check and f"headphone check {self.check}")))


class Given(_Sent):
    """An answer, as Answer has it. Whether it fits its trial, and was heard, is for whoever keeps it to say."""

    trial: int = Field(ge=0, le=100_000)
    value: int | Label | Literal["none"] | dict[Label, Annotated[float, Field(ge=0, le=100)]]
    plays: dict[Label, Annotated[int, Field(ge=0, le=MOST_PLAYS)]] = Field(default_factory=dict, max_length=MOST_SLOTS)
    heard_seconds: dict[Label, Seconds] = Field(default_factory=dict, max_length=MOST_SLOTS)
    seconds: Seconds = 0.0
    comment: str = Field("", max_length=MOST_COMMENT_CHARACTERS)

    def answer(self) -> Answer:
        """The same, for studio/listening."""
        return Answer(**self.model_dump())
