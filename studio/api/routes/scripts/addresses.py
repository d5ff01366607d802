"""Addresses of scripts, their lines and takes; and what several of their routes document."""

from fastapi import Path as PathParameter

from studio.api.door.documentation import Responses

__all__ = [
    "ALL",
    "AS_MANY_AS_MAY_BE",
    "KEPT_APART",
    "KEPT_BY_NOBODY",
    "LINE",
    "MOVED_ON",
    "ONE",
    "TAKE",
    "LineId",
    "ScriptId",
    "TakeId",
    "attachment",
]

ALL = "/v1/studio/scripts"
ONE = ALL + "/{script}"
LINE = ONE + "/lines/{line}"
TAKE = LINE + "/takes/{take}"

KEPT_APART: Responses = {403: {"description": "Visitors are kept apart, and nobody said whose the script would be."}}
AS_MANY_AS_MAY_BE: Responses = {
    409: {"description": "There are as many scripts, lines, characters or bytes as may be: `reason_code` says which."}
}
MOVED_ON: Responses = {
    409: {
        "description": "The script has moved on since `revision`, would have more lines or characters than it may have, or is being said."
    }
}
KEPT_BY_NOBODY = {"Cache-Control": "no-store"}

ScriptId = PathParameter(max_length=64, description="As the list has it.")
LineId = PathParameter(max_length=64, description="As the lines have it; it stays when a line is moved or edited.")
TakeId = PathParameter(max_length=64, description="As its line has it.")


def attachment(filename: str) -> dict[str, str]:
    """Headers of a file that is saved under that name, which may have any letters (RFC 6266, RFC 5987)."""
    from urllib.parse import quote

    plain = "".join(letter if letter.isascii() and letter.isprintable() and letter not in '"\\' else "_" for letter in filename)
    return {"Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(filename, safe='')}"}
