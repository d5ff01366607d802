"""CastMember: who in a script speaks with which voice, by which engine, and how."""

from collections.abc import Iterable, Mapping

from pydantic import BaseModel, ConfigDict, Field

from engines.contract.options import Value

__all__ = ["MOST_GAIN_DB", "NARRATOR", "CastMember", "cast_member"]

NARRATOR = ""  # says what nobody in the script does
MOST_GAIN_DB = 12.0


class CastMember(BaseModel):
    """A name of the script, and its voice. Another voice makes its lines stale, another gain does not."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(default=NARRATOR, max_length=64, description="As lines call it; empty: the narrator, who says what nobody else does.")
    voice: str | None = Field(default=None, description="A stored or built-in voice; the engine's default one where absent.")
    model: str | None = Field(default=None, description="The engine; the studio's default where absent.")
    language: str | None = Field(default=None, description="A code; that of the script where absent.")
    instructions: str | None = Field(default=None, description="How it is said, for engines that follow such.")
    speed: float = Field(default=1.0, ge=0.25, le=4.0)
    gain_db: float = Field(
        default=0.0, ge=-MOST_GAIN_DB, le=MOST_GAIN_DB, description="Louder or softer than the others; nothing is said again."
    )
    options: Mapping[str, Value] = Field(default_factory=dict, description="Of the engine, as extra_params of POST /v1/audio/speech.")


NOBODY = CastMember.model_validate({})  # whom a script has that casts no narrator


def cast_member(cast: Iterable[CastMember], who: str) -> CastMember:
    """Who says what that name says: the member of that name. Where the cast lacks it the narrator does, and where it has no narrator the
    engine's default voice."""
    members = {member.name: member for member in cast}
    return members.get(who) or members.get(NARRATOR) or NOBODY
