"""split_text, TextSplitter: cut a text at its sentences or clauses, into units that are spoken one at a time. Nothing but whitespace is
ever lost.

In doubt a text is not cut: people hear a pause in the wrong place, but not a missing one. Nobody has to name the language: an abbreviation
of one listed language counts in all.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

__all__ = ["ZERO_WIDTH_SPACE", "Granularity", "TextSplitter", "is_inside_character", "settled_ends", "split_text"]

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
_NOT_SPACE = re.compile(r"\S")
_LONGEST_ABBREVIATION = 8
_LAST_WORD = re.compile(r"[^\W\d_]+\Z")
_ABBREVIATIONS = {  # a capital may follow; those in capitals are no abbreviations in small letters
    "en": "mr mrs ms mx messrs dr prof sr jr st mt ft vs etc eg ie cf al inc ltd co corp dept gen col sgt capt lt rev hon approx",
    "de": "hr fr bzw usw evtl ggf ca inkl exkl zzgl vgl sog geb hrsg dipl ing mio mrd",
    "es": "sra srta dra ud uds EE",
    "fr": "mme mmes mlle mgr MM",
}
_ALL_ABBREVIATIONS = frozenset(" ".join(_ABBREVIATIONS.values()).split())
_BEFORE_NUMBERS = frozenset(  # they abbreviate where a number follows: "No. 5", "Sept. 3"
    """no nos nr vol fig ch chap cap sec p pp pág núm art abs abb tab kap tel ed bd est
    jan feb mar apr jun jul aug sep sept oct okt nov dec dez""".split()  # noqa: SIM905 a list is longer
)
# Small numbers with a full stop count in German ("am 3. Mai"): behind these words, or before a month. "I am 3." is English.
_SMALL_NUMBER = re.compile(r"(?<![\w.,:/-])\d{1,2}\Z")
_ORDINAL = re.compile(r"\b(?:(?<!\bI )am|der|die|das|dem|den|des|im|ins|vom|zum|zur|beim|jede[mnrs]?)\s{1,3}\d{1,2}\Z", re.IGNORECASE)
_LONGEST_ORDINAL = 16
_LETTERS = re.compile(r"[^\W\d_]+")
_LETTER = re.compile(r"[^\W\d_]")
_MONTHS = frozenset("Januar Jänner Februar März April Mai Juni Juli August September Oktober November Dezember".split())  # noqa: SIM905
_INSIDE_WORD = re.compile(r"(?:\w|[^\W_]['’])\Z")  # "4K.", "it's."
ZERO_WIDTH_SPACE, _ZERO_WIDTH_JOINER = "\u200b", "\u200d"
_VIRAMA = 9  # canonical combining class of the sign that joins two consonants of Indic scripts


def split_text(text: str, granularity: Granularity, *, most_characters: int | None = None) -> tuple[str, ...]:
    """The text in units, without the whitespace around them; () where it is blank.

    granularity: "none" keeps the text whole, "sentence" cuts after sentences and at blank lines, "clause" after commas as well.
    most_characters: a longer unit is cut after its last sentence, clause or word that fits, else between two characters as readers see
    them; only a single one that is longer than this is cut inside. Units without letter or digit go with their neighbor.
    Takes time in proportion to the text, whatever it holds.
    """
    return _split(text, granularity, most_characters, _NOTHING)


def settled_ends(text: str, granularity: Granularity, *, is_over: bool = False) -> list[int]:
    """Where units end that no further text can change. is_over: nothing more seems to come."""
    marks = tuple(mark for mark in _marks(text, _NOTHING) if mark.is_settled or is_over)
    return [end for _, end in _spans(text, _wanted(marks, granularity))]


class TextSplitter:
    """split_text for a text that comes in pieces: a unit is given out as soon as nothing that follows can change it.

    Only a rest without letter or digit is dropped at the end, since the unit it would go with has been given out.
    """

    def __init__(self, granularity: Granularity, *, most_characters: int | None = None):
        self._granularity: Granularity = granularity
        self._most_characters = most_characters
        self._begin()

    @property
    def waiting_characters(self) -> int:
        """Of the text that is not given out yet."""
        return len(self._text)

    def feed(self, text: str) -> tuple[str, ...]:
        """The units that this piece completes."""
        self._text += text
        if self._granularity == "none":
            return ()
        marks = tuple(mark for mark in _marks(self._text, self._before) if mark.is_settled)
        spans = list(_spans(self._text, _wanted(marks, self._granularity)))
        units = _units(self._text, spans, marks, self._most_characters)
        if spans:
            end = spans[-1][1]
            self._before = self._before.then(
                self._text, end, max((mark.end for mark in marks if mark.is_sentence and mark.end <= end), default=0)
            )
            self._text, self._is_first = self._text[end:], False
        return units

    def flush(self) -> tuple[str, ...]:
        """What is left, at the end of the text; the next piece begins another."""
        rest, before, is_first = self._text, self._before, self._is_first
        self._begin()
        if not is_first and _WORD.search(rest) is None:
            return ()
        return _split(rest, self._granularity, self._most_characters, before)

    def _begin(self) -> None:
        self._text, self._before, self._is_first = "", _NOTHING, True


@dataclass(frozen=True)
class _Before:
    """What matters of the text before a piece. n_quotes: straight ones; an odd number means that one is open.

    opening: the first letter of the sentence that the piece goes on with, "" where it begins one.
    """

    n_quotes: int = 0
    opening: str = ""

    def then(self, text: str, end: int, sentence_start: int) -> "_Before":
        """Before what follows text[:end]. sentence_start: where the last sentence that ends there or before it ended, 0 for none."""
        opening = (self.opening if sentence_start == 0 else "") or _first_letter(text, sentence_start, end)
        return _Before(self.n_quotes + text.count('"', 0, end), opening)


_NOTHING = _Before()


def _split(text: str, granularity: Granularity, most_characters: int | None, before: _Before) -> tuple[str, ...]:
    if most_characters is not None and most_characters < 1:
        raise ValueError(f"most_characters is {most_characters}; a unit has at least one")
    marks = tuple(_marks(text, before))
    spans = list(_spans(text, _wanted(marks, granularity)))
    rest = spans[-1][1] if spans else 0
    if _WORD.search(text, rest) or (not spans and text.strip()):
        spans.append((rest, len(text)))
    elif spans:
        spans[-1] = (spans[-1][0], len(text))
    return _units(text, spans, marks, most_characters)


@dataclass(frozen=True)
class _Mark:
    """end: the position after a mark with its closing quotes and brackets. is_settled: more text would not change it."""

    end: int
    is_sentence: bool
    is_settled: bool


def _marks(text: str, before: _Before) -> Iterator[_Mark]:
    """All of the text, in order."""
    n_quotes, opening = before.n_quotes, before.opening
    counted = sentence_start = 0
    for match in _MARK.finditer(text):
        run, at, end = match.group(), match.start(), match.end()
        if run[0] in "\n\u2029":
            if run.count("\n") > 1 or "\u2029" in run:  # a blank line; a single line end may stand in the middle of a sentence
                sentence_start, opening = end, ""
                yield _Mark(end, is_sentence=True, is_settled=True)
            continue
        spaced, is_wide = end == len(text) or text[end].isspace(), not _WIDE_SET.isdisjoint(run)
        if not spaced and not is_wide:
            continue
        if not spaced:
            last = max(i for i, c in enumerate(run) if c in _WIDE_SET)
            n_quotes, counted = n_quotes + text.count('"', counted, at + last), at + last
            end = at + last + 1 + _n_closing(run[last + 1 :], n_quotes % 2 == 1)
        if is_wide and len(run) == 1 and _between_digits(text, at):
            continue
        is_sentence = _ends_sentence(run)
        opening = opening or _first_letter(text, sentence_start, at)
        goes_on, is_certain = _goes_on(text, at, run, writes_small=opening.islower()) if is_sentence else (False, True)
        if is_sentence and not goes_on:
            sentence_start, opening = end, ""
        if not goes_on:
            yield _Mark(end, is_sentence, is_settled=is_certain and match.end() < len(text))


def _wanted(marks: tuple[_Mark, ...], granularity: Granularity) -> Iterator[int]:
    return (mark.end for mark in marks if granularity == "clause" or (granularity == "sentence" and mark.is_sentence))


def _spans(text: str, ends: Iterable[int]) -> Iterator[tuple[int, int]]:
    """(start, end) of the units up to the last of `ends`; what has no word, or is the number of a list, goes with what follows."""
    start = searched = 0
    for end in ends:
        if _WORD.search(text, searched, end) is None:
            searched = end
            continue
        if end - start <= _LONGEST_ABBREVIATION and end < len(text) and _LIST_NUMBER.fullmatch(text[start:end].lstrip()):
            continue
        yield start, end
        start = searched = end


def _units(text: str, spans: Iterable[tuple[int, int]], marks: tuple[_Mark, ...], most_characters: int | None) -> tuple[str, ...]:
    if most_characters is None:
        return tuple(text[start:end].strip() for start, end in spans)
    ends = _Ends(tuple(mark.end for mark in marks if mark.is_sentence), tuple(mark.end for mark in marks))
    return tuple(piece.strip() for start, end in spans for piece in _pieces(text, start, end, ends, most_characters))


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


def _first_letter(text: str, start: int, end: int) -> str:
    """Of text[start:end], "" where it has none."""
    letter = _LETTER.search(text, start, end)
    return letter.group() if letter else ""


def _goes_on(text: str, at: int, run: str, *, writes_small: bool) -> tuple[bool, bool]:
    """(whether the sentence goes on behind these stops, as far as can be told, whether no further text can change that).

    writes_small: the sentence began with a small letter, so that another one behind its stop may well begin the next.
    """
    stops, end = run.rstrip(_QUOTES + _CLOSING), at + len(run)
    is_quoted = len(stops) < len(run) and _WIDE_SET.isdisjoint(run)
    if stops[0] not in ".…" and not is_quoted:  # "! then" may well begin anew; '!" she said' does not
        return False, True
    if stops == "." and _abbreviates(text, at):
        return True, True
    following = _NOT_SPACE.search(text, end)
    if following is None:
        return False, False
    if following.group().islower():
        return not writes_small or is_quoted, True
    return _leads_to(text, at, following.start()) if stops == "." else (False, True)


def _abbreviates(text: str, at: int) -> bool:
    """Whether the full stop at `at` belongs to its word whatever follows: a title, an initial, "z. B.", "am 3."."""
    word = _word_before(text, at)
    if len(word) == 1:
        return (word.isupper() or word.islower()) and not _INSIDE_WORD.search(text[max(0, at - 3) : at - 1])
    if not word:
        return _ORDINAL.search(text[max(0, at - _LONGEST_ORDINAL) : at]) is not None
    return word in _ALL_ABBREVIATIONS or word.lower() in _ALL_ABBREVIATIONS


def _leads_to(text: str, at: int, start: int) -> tuple[bool, bool]:
    """As _goes_on, where the word that begins at `start` decides: "No. 5", "3. Mai"."""
    if text[start].isdigit():
        return _word_before(text, at).lower() in _BEFORE_NUMBERS, True
    word = _LETTERS.match(text, start)
    if word is None or _SMALL_NUMBER.search(text[max(0, at - _LONGEST_ORDINAL) : at]) is None:
        return False, True
    return word.group() in _MONTHS, word.end() < len(text)


def _word_before(text: str, at: int) -> str:
    word = _LAST_WORD.search(text[max(0, at - _LONGEST_ABBREVIATION) : at])
    return word.group() if word else ""


def _between_digits(text: str, at: int) -> bool:
    return at > 0 and text[at - 1].isdigit() and text[at + 1 : at + 2].isdigit()


# --- units that are too long


@dataclass(frozen=True)
class _Ends:
    """Positions after which something ends, ascending. all: sentences and clauses."""

    sentences: tuple[int, ...]
    all: tuple[int, ...]


def _pieces(text: str, start: int, end: int, ends: _Ends, most_characters: int) -> Iterator[str]:
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
        if text[at].isspace() or text[at - 1] == ZERO_WIDTH_SPACE:
            return at
    return next((at for at in range(limit, start, -1) if not is_inside_character(text, at)), limit)


def is_inside_character(text: str, at: int) -> bool:
    """Whether a reader sees one character across this position inside of the text: accents, joined emoji, flags, conjuncts, halves of a
    pair.
    """
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
