"""What a plan says of its panel: which parameters of a recruiting service are kept, what listeners are asked beside the sounds, how many
are enough, and what they take back to whoever sent them."""

import re
from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

__all__ = ["RECRUITING", "Completion", "Ending", "FormQuestion", "Questionnaire"]

PROLIFIC = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
MTURK = ("workerId", "assignmentId", "hitId", "turkSubmitTo")
RECRUITING = (*PROLIFIC, *MTURK)  # kept whenever a link has them
MOST_QUESTIONS, MOST_CHOICES = 20, 40  # of one part of a questionnaire; of one question
_FIELD = re.compile(r"\{([^{}]*)\}")


class _PanelPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Ending(_PanelPart):
    """What somebody takes along. code: to be entered at the service. redirect: an https address to go back to; in its query {code}, and
    {NAME} of a parameter that is kept, stand for what they are."""

    code: str = Field(default="", max_length=60, pattern=r"^[!-~]*$")
    redirect: str = Field(default="", max_length=500)

    @field_validator("redirect")
    @classmethod
    def _https(cls, redirect: str) -> str:
        if not redirect:
            return redirect
        place, _, query = redirect.partition("?")
        parts = urlsplit(place)
        if parts.scheme != "https" or not parts.hostname or "@" in parts.netloc or re.search(r"[\s{}\\<>\"']", place):
            raise ValueError("a redirect is an https address, with fields in braces after its question mark alone")
        if re.search(r"[{}]|\s", _FIELD.sub("", query)):
            raise ValueError("braces in a redirect stand around a name, as in ?cc={code}")
        return redirect

    @property
    def fields(self) -> tuple[str, ...]:
        """Names in braces."""
        return tuple(_FIELD.findall(self.redirect))

    def filled(self, values: dict[str, str]) -> str:
        """The redirect, with values that are quoted for an address already; "" for none."""
        return _FIELD.sub(lambda field: values.get(field[1], ""), self.redirect)


class Completion(Ending):
    """Of who came to the end. own_code: the studio makes a code for each listener, in place of `code`.

    screened_out: of who is not asked, by what they said of themselves. full: of who comes when the quota is full.
    """

    own_code: bool = False
    screened_out: Ending = Ending()
    full: Ending = Ending()

    @model_validator(mode="after")
    def _one_code(self) -> Self:
        if self.own_code and self.code:
            raise ValueError("a completion has one code for all, or own codes, not both")
        return self


class FormQuestion(_PanelPart):
    """A question beside the sounds. choices: of `choice` (one of them) and `several`. least, most: of `number`. screens_out: choices with
    which somebody is not asked further."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")
    text: str = Field(min_length=1, max_length=300)
    kind: Literal["choice", "several", "number", "text"] = "choice"
    choices: tuple[str, ...] = ()
    required: bool = False
    least: float | None = Field(default=None, allow_inf_nan=False)
    most: float | None = Field(default=None, allow_inf_nan=False)
    screens_out: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _check_choices(self) -> Self:
        is_choice = self.kind in ("choice", "several")
        if is_choice and not 2 <= len(set(self.choices)) == len(self.choices) <= MOST_CHOICES:
            raise ValueError(f"{self.id!r} wants 2 to {MOST_CHOICES} choices, each another")
        if not is_choice and (self.choices or self.screens_out):
            raise ValueError(f"{self.id!r} is a {self.kind}, which has no choices")
        if any(not 1 <= len(choice) <= 120 for choice in self.choices):
            raise ValueError(f"a choice of {self.id!r} has no characters, or more than 120")
        if set(self.screens_out) - set(self.choices):
            raise ValueError(f"{self.id!r} screens out a choice that it does not have")
        return self


class Questionnaire(_PanelPart):
    """Asked before the first sound and after the last."""

    before: tuple[FormQuestion, ...] = Field(default=(), max_length=MOST_QUESTIONS)
    after: tuple[FormQuestion, ...] = Field(default=(), max_length=MOST_QUESTIONS)

    @model_validator(mode="after")
    def _check_ids(self) -> Self:
        ids = [question.id for question in (*self.before, *self.after)]
        if len(set(ids)) < len(ids):
            raise ValueError("two questions of the questionnaire have the same id")
        if any(question.screens_out for question in self.after):
            raise ValueError("a question after the sounds screens nobody out")
        return self
