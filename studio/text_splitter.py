"""split_text: a text in units to be spoken one at a time, at its sentences or clauses. Nothing but whitespace is ever lost.

Where in doubt a text is not cut: a pause in the wrong place is heard, a missing one is not.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

__all__ = ["Granularity", "split_text"]

Granularity = Literal["none", "sentence", "clause"]

# Marks that end something only where whitespace or the end follows, and marks that do so by themselves.
_STOPS, _COMMAS = ".!?", ",;"
_WIDE_STOPS = (
    "。！？．｡…"  # Chinese, Japanese
    "।॥؟۔"  # Devanagari, Arabic, Urdu
    "๚๛"  # Thai: end of a section, end of a text
    "។៕။።፧፨"  # Khmer, Burmese, Ethiopic
)
_WIDE_COMMAS = "，；、､،؛၊፣፤፥"
_CLOSING = "”’»›)]}）］｝】〕〉》」』"
_QUOTES = "\"'“‘«"  # close where whitespace follows; without it they may as well open what comes next
_WIDE_SET = frozenset(_WIDE_STOPS + _WIDE_COMMAS)
_RUN_END = f"[{re.escape(_STOPS + _WIDE_STOPS + _COMMAS + _WIDE_COMMAS + _CLOSING + _QUOTES)}]*"
_MARK = re.compile(rf"[{re.escape(_STOPS + _WIDE_STOPS + _COMMAS + _WIDE_COMMAS)}]{_RUN_END}|[\n\u2029]\s*")
_WORD = re.compile(r"[^\W_]")
_LIST_NUMBER = re.compile(r"[(\[]?(?:\d{1,3}|[A-Za-z])[.)]+\s*")
_LONGEST_ABBREVIATION = 8
_LAST_WORD = re.compile(r"[^\W\d_]+\Z")
_ABBREVIATIONS = frozenset(
    "mr mrs ms mx dr prof sr jr st mt vs etc inc ltd co corp gen col sgt capt lt rev hon dept est approx al".split()  # noqa: SIM905
)
_BEFORE_NUMBERS = frozenset(("no", "nos", "nr", "fig", "vol", "ch", "sec", "p", "pp"))
_ZERO_WIDTH_SPACE, _ZERO_WIDTH_JOINER = "\u200b", "\u200d"
_VIRAMA = 9  # canonical combining class of the sign that joins two consonants of Indic scripts


def split_text(text: str, granularity: Granularity, *, most_characters: int | None = None) -> tuple[str, ...]:
    """The text in units, without the whitespace around them; () where it is blank.

    granularity: "none" keeps the text whole, "sentence" cuts after sentences and at blank lines, "clause" after commas as well.
    most_characters: a longer unit is cut after its last sentence, clause or word that fits, else between two characters as readers see
    them; only a single one that is longer than this is cut inside. Units without letter or digit go with their neighbour.
    Takes time in proportion to the text, whatever it holds.
    """
    if most_characters is not None and most_characters < 1:
        raise ValueError(f"most_characters is {most_characters}; a unit has at least one")
    ends = _Ends.of(text)
    wanted = {"none": (), "sentence": ends.sentences, "clause": ends.all}[granularity]
    units = []
    for start, end in _units(text, wanted):
        units += [text[start:end]] if most_characters is None else _cut(text, start, end, ends, most_characters)
    return tuple(unit.strip() for unit in units)


@dataclass(frozen=True)
class _Ends:
    """Positions after which something ends, ascending. all: sentences and clauses."""

    sentences: tuple[int, ...]
    all: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> "_Ends":
        found = list(_marks(text))
        return cls(tuple(end for end, is_sentence in found if is_sentence), tuple(end for end, _ in found))


def _marks(text: str) -> Iterator[tuple[int, bool]]:
    """(position after the mark with its closing quotes and brackets, whether a sentence ends there), in order."""
    n_quotes, counted = 0, 0  # straight quotes since the start: an odd number means that one is open
    for match in _MARK.finditer(text):
        run, start, end = match.group(), match.start(), match.end()
        if run[0] in "\n\u2029":
            if run.count("\n") > 1 or "\u2029" in run:  # a blank line; a single line end may stand in the middle of a sentence
                yield end, True
            continue
        spaced = end == len(text) or text[end].isspace()
        if _WIDE_SET.isdisjoint(run):
            if spaced and not _guarded(text, start, run):
                yield end, _ends_sentence(run)
            continue
        if not spaced:
            last = max(i for i, c in enumerate(run) if c in _WIDE_SET)
            n_quotes, counted = n_quotes + text.count('"', counted, start + last), start + last
            end = start + last + 1 + _n_closing(run[last + 1 :], n_quotes % 2 == 1)
        if not (len(run) == 1 and _between_digits(text, start)):
            yield end, _ends_sentence(run)


def _ends_sentence(run: str) -> bool:
    """Whether the last mark of a run is a stop: not in `Inc.,` and `"Stop!", she said`."""
    return run.rstrip(_QUOTES + _CLOSING)[-1] in _STOPS + _WIDE_STOPS


def _n_closing(run: str, quote_is_open: bool) -> int:
    """How many characters of a run of quotes and brackets, with text right behind it, belong to what is before it."""
    for n, c in enumerate(run):
        if c == '"' and quote_is_open:
            quote_is_open = False
        elif c not in _CLOSING:
            return n
    return len(run)


def _guarded(text: str, at: int, run: str) -> bool:
    """Whether the full stop at `at` only abbreviates: a title, an initial, "No. 5"."""
    if run.rstrip(_QUOTES + _CLOSING) != ".":
        return False
    word = _LAST_WORD.search(text[max(0, at - _LONGEST_ABBREVIATION) : at])
    if word is None:
        return False
    word, before = word.group(), text[at - len(word.group()) - 1 : at - len(word.group())]
    if len(word) == 1:
        return word.isupper() or before == "."
    following = text[at + len(run) : at + len(run) + 2].strip()
    return word.lower() in _ABBREVIATIONS or (word.lower() in _BEFORE_NUMBERS and following[:1].isdigit())


def _between_digits(text: str, at: int) -> bool:
    return at > 0 and text[at - 1].isdigit() and text[at + 1 : at + 2].isdigit()


def _units(text: str, ends: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """(start, end) of the units between `ends`; what has no word, or is the number of a list, goes with what follows, or at last before."""
    unit = None
    start, searched = 0, 0
    for end in (*ends, len(text)):
        if end <= start or _WORD.search(text, searched, end) is None:
            searched = end
            continue
        if end < len(text) and end - start <= _LONGEST_ABBREVIATION and _LIST_NUMBER.fullmatch(text[start:end].lstrip()):
            continue
        if unit is not None:
            yield unit
        unit = (start, end)
        start = searched = end
    if unit is not None:
        yield unit[0], len(text)
    elif text.strip():
        yield 0, len(text)


# --- units that are too long


def _cut(text: str, start: int, end: int, ends: _Ends, most_characters: int) -> Iterator[str]:
    """text[start:end] in pieces of at most so many characters."""
    while start < end:
        if text[start].isspace():
            start += 1
            continue
        cut = end if end - start <= most_characters else _place(text, start, start + most_characters, ends)
        yield text[start:cut]
        start = cut


def _place(text: str, start: int, limit: int, ends: _Ends) -> int:
    """Where to cut, in (start, limit]."""
    for candidates in (ends.sentences, ends.all):
        index = bisect_right(candidates, limit) - 1
        if index >= 0 and candidates[index] > start:
            return candidates[index]
    for at in range(limit, start, -1):
        if text[at].isspace() or text[at - 1] == _ZERO_WIDTH_SPACE:
            return at
    return next((at for at in range(limit, start, -1) if not _joined(text, at)), limit)


def _joined(text: str, at: int) -> bool:
    """Whether a reader sees one character across this position: accents, joined emoji, flags, conjuncts, halves of a pair."""
    before, after = text[at - 1], text[at]
    if unicodedata.category(after)[0] == "M" or after == _ZERO_WIDTH_JOINER or "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    if before == _ZERO_WIDTH_JOINER or unicodedata.combining(before) == _VIRAMA:
        return True
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return True
    return _is_flag_letter(before) and _is_flag_letter(after) and _n_flag_letters(text, at) % 2 == 1


def _n_flag_letters(text: str, at: int) -> int:
    """Of the run that ends before this position; two of them are one flag. A run beyond any text's counts as whole flags."""
    return next((n for n in range(min(at, 64)) if not _is_flag_letter(text[at - 1 - n])), min(at, 64))


def _is_flag_letter(c: str) -> bool:
    return "\U0001f1e6" <= c <= "\U0001f1ff"
