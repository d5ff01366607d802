"""Telling: what is said to people of a text that was read: the marks that are left out, in one line each."""

import re
from collections.abc import Sequence

__all__ = ["left_out_words", "shown_marks"]

_OF_LINK = re.compile(r"\A\]\((.*)\)\Z", re.DOTALL)  # its address alone says what was left out
MOST_SHOWN_MARKS, MOST_SHOWN_CHARACTERS = 12, 60


def left_out_words(left_out: Sequence[str], title: str) -> str:
    """The sentence about it, for people; "" where nothing was left out. title: of the engine."""
    if not left_out:
        return ""
    return f"Left out, since {title} does not understand it: {', '.join(shown_marks(left_out))}."


def shown_marks(left_out: Sequence[str]) -> list[str]:
    """The different marks, for people: in one line each, with their number where it is not one, the first few of many."""
    counts: dict[str, int] = {}
    for mark in (_OF_LINK.sub(r"\1", mark) for mark in left_out):
        line = " ".join("".join(c if c.isprintable() or c == "\u200d" else " " for c in mark).split())
        line = line if len(line) <= MOST_SHOWN_CHARACTERS else f"{line[: MOST_SHOWN_CHARACTERS - 1]}…"
        counts[line] = counts.get(line, 0) + 1
    shown = [f"{mark} ({count} times)" if count > 1 else mark for mark, count in counts.items()]
    more = len(shown) - MOST_SHOWN_MARKS
    return [*shown[:MOST_SHOWN_MARKS], f"{more} others"] if more > 0 else shown
