"""ScriptLine: what one member of the cast says at a time, or the heading of a chapter. Its id stays when it is moved or edited."""

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from studio.errors import EditRefused
from studio.scripts.script.cast import NARRATOR
from studio.scripts.script.take import LineTake

__all__ = ["MOST_LINE_CHARACTERS", "MOST_TAKES", "LineState", "LineText", "ScriptLine", "TimeSlot"]

MOST_LINE_CHARACTERS = 5_000
MOST_TAKES = 5  # of a line
MOST_PAUSE_SECONDS = 60.0
MOST_SLOT_SECONDS = 24 * 3600.0

# new: never said. stale: said, and changed since. failed: the last time that it was to be said; the reason is the line's.
LineState = Literal["new", "waiting", "saying", "said", "stale", "failed"]


class TimeSlot(BaseModel):
    """When a line is heard in a video. Seconds from its beginning."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    start: float = Field(ge=0, le=MOST_SLOT_SECONDS)
    end: float = Field(ge=0, le=MOST_SLOT_SECONDS)


class LineText(BaseModel):
    """What is written of a line. A heading begins a chapter; a silent one is not said."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    who: str = Field(default=NARRATOR, max_length=64, description="A name of the cast; empty: the narrator.")
    text: str = Field(max_length=MOST_LINE_CHARACTERS)
    kind: Literal["line", "heading"] = "line"
    is_silent: bool = Field(
        default=False, description="Kept in the script and not said: a stage direction, a heading that only names its chapter."
    )
    pause_seconds: float | None = Field(default=None, ge=0, le=MOST_PAUSE_SECONDS, description="Silence behind it; as usual where absent.")
    slot: TimeSlot | None = Field(default=None, description="Where it came from subtitles.")
    instructions: str | None = Field(default=None, description="In place of those of its cast.")
    speed: float | None = Field(default=None, ge=0.25, le=4.0, description="In place of that of its cast.")

    @property
    def is_heard(self) -> bool:
        """Whether it is to be said: a line without a text is as silent as one that is marked so."""
        return not self.is_silent and bool(self.text.strip())

    def with_text(self, text: str) -> "LineText":
        """The same with another text. Raises EditRefused where that is too long for a line."""
        if len(text) > MOST_LINE_CHARACTERS:
            raise EditRefused(sentence="script_line_too_long", n=len(text), most=MOST_LINE_CHARACTERS)
        return self.model_copy(update={"text": text})


@dataclass(frozen=True)
class ScriptLine:
    """One line as it is kept. takes: oldest first, at most MOST_TAKES. chosen: the id of the take that is heard, "" for none.

    failure: of the last time that it was to be said, as errors are told ({reason_code, message, hint, values}); None where that went well.
    """

    id: str
    written: LineText
    takes: tuple[LineTake, ...] = ()
    chosen: str = ""
    failure: dict | None = None

    @property
    def chosen_take(self) -> LineTake | None:
        return next((take for take in self.takes if take.id == self.chosen), None)
