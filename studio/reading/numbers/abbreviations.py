"""Abbreviations as words: titles in front of names ("M. le maire" too), and what people shorten everywhere."""

import re
from collections.abc import Iterator
from functools import lru_cache

from studio.reading.numbers.grammar import Grammar
from studio.reading.numbers.kinds import any_of
from studio.reading.traced_text import Replacement

__all__ = ["abbreviation_replacements"]

_NAME = r"(?=[ \u00a0](?:[A-ZÀ-ÖØ-Þ][\w’'-]|[dD][’'][A-ZÀ-Þ]|l[ae] |l[’']))"
_ENDS = re.compile(r"[\"»”’)]?\s*(?:$|\n)|[\"»”’)]?\s+[A-ZÀ-ÖØ-Þ¿¡«]")
_FIRST_NAME = re.compile(r"[^\s.!?:;(«\"]\s+[A-ZÀ-Þ][^\W\d_]{2,}[ \u00a0]$")
_CONTEXT = 48  # letters


def abbreviation_replacements(text: str, grammar: Grammar) -> Iterator[Replacement]:
    """In order, not overlapping."""
    words = grammar.words
    if not (words.titles or words.shortened):
        return
    for match in _pattern(tuple(words.titles), tuple(words.shortened)).finditer(text):
        written, start, end = match[0], match.start(), match.end()
        if match["title"]:
            is_initial = len(written) == 2 and _FIRST_NAME.search(text[max(0, start - _CONTEXT) : start])
            if not is_initial:
                yield Replacement(start, end, words.titles[written])
            continue
        said = words.shortened[written]
        yield Replacement(start, end, said if _ENDS.match(text, end) else said.removesuffix("."))


@lru_cache(32)
def _pattern(titles: tuple[str, ...], shortened: tuple[str, ...]) -> re.Pattern[str]:
    title, short = (any_of(written) or "(?!)" for written in (titles, shortened))
    return re.compile(rf"(?<![\w.@/-])(?:(?P<title>{title}){_NAME}|(?P<short>{short})(?!\w))")
