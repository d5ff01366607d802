"""Cast file: who in a script speaks with which voice, as YAML or JSON, for the command line and notebooks.

Names and voices, or names and what a member of a cast has (studio/scripts/script/cast.py); `narrator` says what nobody else does:

    narrator: bm_george
    ANNA: af_heart
    BEN: {voice: am_adam, speed: 0.9, gain_db: -2}

A list of members, as the API and the exported script have it, is taken too. Who is not named stays as they are.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from studio.errors import CastFileUnusable
from studio.scripts.script.cast import NARRATOR, CastMember
from studio.storage.plain_yaml import read_yaml

__all__ = ["cast_of", "cast_with", "read_cast"]

MOST_CAST_BYTES = 1 << 20
NARRATORS = ("narrator", "")


def read_cast(file: Path) -> tuple[dict[str, object], ...]:
    """The fields of each member, `name` included. Raises CastFileUnusable, OSError."""
    with file.open("rb") as opened:
        data = opened.read(MOST_CAST_BYTES + 1)
    if len(data) > MOST_CAST_BYTES:
        raise CastFileUnusable(f"{file.name} is larger than {MOST_CAST_BYTES >> 10} KiB")
    return cast_of(_parsed(data, file.name), file.name)


def cast_of(told: object, where: str) -> tuple[dict[str, object], ...]:
    """The same of what such a file says. where: in which it stands. Raises CastFileUnusable."""
    told = told["cast"] if isinstance(told, Mapping) and isinstance(told.get("cast"), list) else told
    if isinstance(told, Mapping):
        return tuple(_named(name, member, where) for name, member in told.items())
    if isinstance(told, list) and told and all(isinstance(one, Mapping) for one in told):
        return tuple(dict(one) for one in told)
    raise CastFileUnusable(f"{where} is no table of names and voices")


def cast_with(cast: Sequence[CastMember], changes: Iterable[Mapping[str, object]]) -> tuple[CastMember, ...]:
    """cast: of the script. A name is meant in any capitals. Raises CastFileUnusable for a name that the script does not have."""
    members = {member.name: member for member in cast}
    for fields in changes:
        name = _known(str(fields.get("name", NARRATOR)), members)
        kept = members[name].model_dump() if name in members else {}
        try:
            members[name] = CastMember.model_validate(kept | dict(fields) | {"name": name})
        except ValidationError as error:
            first = error.errors()[0]
            raise CastFileUnusable(f"{name or NARRATORS[0]}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    return tuple(members.values())


def _known(name: str, members: Mapping[str, CastMember]) -> str:
    if name in members:
        return name
    found = [known for known in members if known.casefold() == name.casefold()]
    if len(found) == 1:
        return found[0]
    if name.casefold() in NARRATORS:
        return NARRATOR
    raise CastFileUnusable(f"The script has nobody called {name!r}; it has {', '.join(filter(None, members)) or 'the narrator alone'}")


def _named(name: object, member: object, file: str) -> dict[str, object]:
    if not isinstance(name, str | None):
        raise CastFileUnusable(f"{file}: {name!r} is no name; put it into quotation marks")
    if isinstance(member, str):
        return {"name": name or NARRATOR, "voice": member}
    if isinstance(member, Mapping):
        return {**member, "name": name or NARRATOR}
    raise CastFileUnusable(f"{file}: {name} has no voice")


def _parsed(data: bytes, name: str) -> object:
    try:
        return read_yaml(data)
    except ValueError as error:
        raise CastFileUnusable(f"{name} {error}") from None
