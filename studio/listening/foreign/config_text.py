"""Config text: reads the YAML of webMUSHRA's configurations, also where YAML proper refuses what webMUSHRA's own reader takes.

Texts with a colon in them, on one line or several, stand there without quotation marks; points of a scale are parted by a semicolon.
"""

import json
import re

from studio.listening.report.plan_file import parsed
from studio.listening.report.unreadable import PlanFileUnreadable

__all__ = ["parsed_config"]

_PLAIN = re.compile(r"([ \t]*(?:- +)*)([\w ]+?)[ \t]*:[ \t]+(?![\"'|>\[{&*!])(\S.*)")
_POINT = re.compile(r"([ \t]*- +)value:[ \t]*([^;]*);[ \t]*label:[ \t]*(.*)")
_BEGINS = re.compile(r"[ \t]*(?:- |-$|[\w]+[ \t]*:(?:[ \t]|$))")


def parsed_config(text: str) -> dict[str, object]:
    """As `parsed`. Raises PlanFileUnreadable, which says what is wrong with the text as it is."""
    try:
        return parsed(text)
    except PlanFileUnreadable as error:
        mended = _mended(text)
        if mended == text:
            raise
        try:
            return parsed(mended)
        except PlanFileUnreadable:
            raise error from None


def _mended(text: str) -> str:
    """Every plain text that holds what YAML would read otherwise, in quotation marks and on one line."""
    lines, kept, at = text.splitlines(), [], 0
    while at < len(lines):
        line, begin = lines[at], at
        at += 1
        if point := _POINT.fullmatch(line):
            kept.append(f"{point[1]}{{value: {_quoted(point[2])}, label: {_quoted(point[3])}}}")
        elif plain := _PLAIN.fullmatch(line):
            width = len(plain[1])
            while at < len(lines) and _continues(lines[at], width):
                at += 1
            said = " ".join((plain[3], *(more.strip() for more in lines[begin + 1 : at]))).strip()
            is_other = ": " in said or said.endswith(":") or said[0] in "%@`"
            kept += [f"{plain[1]}{plain[2]}: {json.dumps(said, ensure_ascii=False)}"] if is_other else lines[begin:at]
        else:
            kept.append(line)
    return "\n".join(kept)


def _continues(line: str, width: int) -> bool:
    """Whether it goes on with the text before it."""
    return not line.strip() or (len(line) - len(line.lstrip()) > width and not _BEGINS.match(line))


def _quoted(said: str) -> str:
    return json.dumps(said.strip().strip('"'), ensure_ascii=False)
