"""Telling: what is said to people of a text that was read: the marks that are left out, in one line each."""

import re
from collections import Counter
from collections.abc import Sequence

from studio.reading.parts import NOT_TOLD, Kind, LeftOut

__all__ = ["left_out_words", "shown_kinds", "shown_mark", "shown_marks"]

_OF_LINK = re.compile(r"\A\]\((.*)\)\Z", re.DOTALL)  # its address alone says what was left out
MOST_SHOWN_MARKS, MOST_SHOWN_CHARACTERS = 12, 60


def left_out_words(left_out: Sequence[str]) -> str:
    """The sentence about it, for people; "" where nothing was left out."""
    if not left_out:
        return ""
    return f"Left out, not said: {', '.join(shown_marks(left_out))}."


def shown_marks(left_out: Sequence[str]) -> list[str]:
    """The different marks, for people: in one line each, with their number where it is not one ("[laugh] ×2"); the first few of many, and
    the number of the others ("+3").
    """
    counts = Counter(map(shown_mark, left_out))
    shown = [f"{mark} ×{count}" if count > 1 else mark for mark, count in counts.items()]
    more = len(shown) - MOST_SHOWN_MARKS
    return [*shown[:MOST_SHOWN_MARKS], f"+{more}"] if more > 0 else shown


def shown_kinds(left_out: Sequence[LeftOut]) -> dict[Kind, list[str]]:
    """What people are told is left out, by its kind: the marks of `told_marks`, as `shown_marks` gives them."""
    marks: dict[Kind, list[str]] = {}
    for one in left_out:
        if one.kind not in NOT_TOLD:
            marks.setdefault(one.kind, []).append(one.mark)
    return {kind: shown_marks(of_kind) for kind, of_kind in marks.items()}


def shown_mark(mark: str) -> str:
    """In one line, and not a long one."""
    mark = _OF_LINK.sub(r"\1", mark)
    line = " ".join("".join(c if c.isprintable() or c == "\u200d" else " " for c in mark).split())
    return line if len(line) <= MOST_SHOWN_CHARACTERS else f"{line[: MOST_SHOWN_CHARACTERS - 1]}…"
