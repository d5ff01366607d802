"""Stage directions within what somebody says: how it is said becomes an instruction, what happens meanwhile a silent line.

Brackets that stand in a sentence are part of it: "I told him (twice) to go." What an engine may obey, "[laugh]", stays for the reading
(studio/reading/markup/stage_directions.py).
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from studio.reading.markup.stage_directions import is_stage_direction

__all__ = ["SpeechPart", "is_direction", "speech_parts"]

_BRACKETED = re.compile(r"\[_?[^\[\]]{1,600}_?\]|[(（][^()（）]{1,400}[)）]|【[^【】]{1,200}】")
_WHOLE = re.compile(r"[(（\[【][^()（）\[\]【】]{1,2000}[)）\]】][.]?|(?P<mark>[_*])(?!\s)[^_*]{1,2000}(?P=mark)|\[_[^\[\]]{1,2000}[\]_]+")
_MOST_INSTRUCTION_CHARACTERS = 80
_ENDS = frozenset('.!?…—–-:;,。！？”’"」』')
_BARE = "[]()（）【】_* "


class SpeechPart(NamedTuple):
    """is_silent: a direction, as it was written. instructions: how the text is said."""

    text: str
    is_silent: bool = False
    instructions: str | None = None


def is_direction(text: str) -> bool:
    """Whether a paragraph is one as a whole: it stands in brackets or in italics."""
    return _WHOLE.fullmatch(text.strip()) is not None and any(map(str.isalpha, text))


def speech_parts(text: str, instructions: str | None = None) -> Iterator[SpeechPart]:
    """instructions: of the name that stands before it."""
    text = text.strip()
    if is_direction(text):
        yield SpeechPart(text, is_silent=True)
        return
    at = 0
    for found in _BRACKETED.finditer(text):
        before, behind = text[at : found.start()].strip(), text[found.end() :].strip()
        if not _stands_alone(found[0], text[: found.start()].rstrip(), behind):
            continue
        if (
            not before
            and any(map(str.isalnum, _BRACKETED.sub("", behind)))
            and instructions is None
            and len(found[0]) <= _MOST_INSTRUCTION_CHARACTERS
        ):
            instructions = found[0].strip(_BARE).rstrip(".")
            at = found.end()
            continue
        if any(map(str.isalnum, before)):
            yield SpeechPart(before, instructions=instructions)
            instructions = None
        yield SpeechPart(found[0], is_silent=True)
        at = found.end()
    if rest := text[at:].strip():
        yield SpeechPart(rest, instructions=instructions)


def _stands_alone(written: str, before: str, behind: str) -> bool:
    inner = written.strip(_BARE)
    if not any(map(str.isalpha, inner)):
        return False
    if written[0] == "[" and is_stage_direction(inner, before[-1:]):
        return False
    if before and before[-1] not in _ENDS:
        return written[0] == "[" and not behind
    return not behind or not behind[0].islower()
