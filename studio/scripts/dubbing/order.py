"""DubOrder: how the speech of a script comes into a video."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["DubOrder", "KeptSound"]

KeptSound = Literal["drop", "track", "under", "duck"]


class DubOrder(BaseModel):
    """The picture is copied as it is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    original: KeptSound = Field(
        default="track",
        description="The video's own sound is dropped; a second track, which players offer; mixed under the speech; or turned "
        "down only while somebody speaks.",
    )
    original_db: float = Field(default=-18.0, ge=-60, le=0, description="How far it is turned down, where it is mixed.")
    loudness: Literal["none", "-16", "-19"] = Field(default="none", description="Of the speech, LUFS; none: as the takes are.")
    subtitles: bool = Field(default=False, description="A text track of the lines as they are said.")
    names: bool = Field(default=False, description="The text track says who speaks.")
    stale: Literal["refuse", "include"] = Field(default="refuse", description="Lines that changed since they were said.")
    missing: Literal["refuse", "skip"] = Field(default="refuse", description="Lines that were never said.")
