"""sentence_marks: the places of a text where a sentence or a clause ends.

In doubt a text is not cut: people hear a pause in the wrong place, but not a missing one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from engines.text.behind_marks import (
    CLOSING,
    FIRST_GOING_ON,
    FIRST_OWN,
    FIRST_PICTURE,
    MOST_BEFORE_WORD,
    OWN,
    PUNCTUATION,
    SPACED_QUOTE,
    begins_with_picture,
    goes_on_at_mark,
    goes_on_behind_quote,
    opening_of,
    stands_in_ideographs,
)
from engines.text.full_stops import Verdict, belongs_to_word, is_plain_word

__all__ = ["WORD", "Before", "SentenceMark", "sentence_marks"]

# Marks that end something only where whitespace or the end follows, and marks that do so by themselves.
_STOPS, _COMMAS = ".!?\u037e", ",;"
_WIDE_STOPS = (
    "。！？．｡…"  # Chinese, Japanese
    "।॥؟۔"  # Devanagari, Arabic, Urdu
    "๚๛"  # Thai: end of a section, end of a text
    "។៕။።፧፨"  # Khmer, Burmese, Ethiopic
    "։᱾᱿꯫᠃༎"  # Armenian, Santali, Meetei, Mongolian, Tibetan
)
_WIDE_COMMAS = "，；、､،؛၊፣፤፥"
_QUOTES = "\"'“‘«"  # close where whitespace follows; without it they may as well open what comes next
_WIDE_SET = frozenset(_WIDE_STOPS + _WIDE_COMMAS)
_PLAIN_STOPS = frozenset(".!?")
_END_SET = frozenset(_STOPS + _WIDE_STOPS)
_BEHIND_STOPS = _QUOTES + CLOSING + " \t\u00a0\u202f"
_RUN_END = f"[{re.escape(_STOPS + _WIDE_STOPS + _COMMAS + _WIDE_COMMAS + CLOSING + _QUOTES)}]*"
# Some scripts end a sentence with what is no mark of one elsewhere: Greek asks with a semicolon; Armenian has a colon, and Ethiopic two of
# its word spaces, where people have no other key. The blank of Thai is none: it stands within sentences as well.
_GREEK, _ARMENIAN = re.compile("[\u0370-\u03ff\u1f00-\u1fff]"), re.compile("[\u0561-\u0587]")
_ODD_STOPS = ";:፡"
# One class comes first, which `re` finds three times as fast as a choice of patterns.
_REST = rf"(?:(?<=[\n\u2029])\s*|(?<=[:፡])፡?|{_RUN_END})"
_SENTENCES = re.compile(rf"[{re.escape(_STOPS + _WIDE_STOPS + _ODD_STOPS)}\n\u2029]{_REST}")
_CLAUSES = re.compile(rf"[{re.escape(_STOPS + _WIDE_STOPS + _ODD_STOPS + _COMMAS + _WIDE_COMMAS)}\n\u2029]{_REST}")
WORD = re.compile(r"[^\W_]")
_NOT_SPACE = re.compile(r"\S")
# The number of an item stands at the start of a line or of a sentence, and never ends one.
_LABEL = r"[(\[]?(\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivx]{1,5}|[IVX]{1,5})"
_BULLET = r"(?:[-*+–—•⁃◦‣▪>][ \t]*)?[\"“„«]?"
_ITEM_NUMBER = re.compile(rf"(?:^|[\n\u2029])\s*{_BULLET}{_LABEL}\Z")
_LINE_NUMBER = re.compile(rf"[\n\u2029]\s*{_BULLET}{_LABEL}\Z")
_LABEL_AHEAD = re.compile(rf"\s*{_BULLET}{_LABEL}(\.\)|[.)\]])[ \t]+(?=\S)")
_BULLET_AHEAD = re.compile(r"[•⁃◦‣▪●○■][ \t]*\S")
_NUMBER_INSIDE = re.compile(r"(?<=\s)(?:[2-9]|[1-9]\d)\Z")
_LONGEST_ITEM = 24
_NUMERALS = frozenset("ivxIVX")
_LABEL_ENDS = _NUMERALS | set("0123456789")

_LONGEST_TITLE = 40
_OPENING = "“„‘«‹「『（([{《【"  # a closing quote of German among them
_ADDRESS = frozenset("./@\\")
_NAME_WITH_MARK = re.compile(r"\b(?:Yahoo|Jeopardy|Joomla|Wham|Kahoot|Yum|Panic|Democracy Now|Moulin Rouge|Mamma Mia)\Z")
_LONGEST_NAME = 20


@dataclass(frozen=True, slots=True)
class Before:
    """What matters of the text before a piece. n_quotes: straight ones; an odd number means that one is open.

    opening: the first word or number of the sentence that the piece goes on with, with a picture before it; "" where it begins one.
    item: the number of the last item of a list, "" for none.
    """

    n_quotes: int = 0
    opening: str = ""
    item: str = ""

    def then(self, text: str, end: int, sentence_start: int, item: str) -> "Before":
        """Before what follows text[:end]. sentence_start: where the last sentence ended that did, 0 for none. item: of the last mark."""
        opening = (self.opening if sentence_start == 0 else "") or opening_of(text, sentence_start, end)
        return Before(self.n_quotes + text.count('"', 0, end), opening, item)


class SentenceMark(NamedTuple):
    """end: the position after a mark with its closing quotes and brackets. is_settled: more text would not change it.

    item: as in Before, for what follows it. is_likely: of a mark with nothing behind it that is not settled: it is an end as
    far as can be told.
    """

    end: int
    is_sentence: bool
    is_settled: bool
    item: str
    is_likely: bool = False


def sentence_marks(text: str, before: Before, *, with_clauses: bool) -> Iterator[SentenceMark]:
    """All of the text, in order; those of clauses only where they are wanted."""
    return _Scan(text, before).marks(_CLAUSES if with_clauses else _SENTENCES)


class _StopRun(NamedTuple):
    """Marks that stand together. stops: without the quotes and brackets behind them. following: of what is no blank; len(text) for none."""

    at: int
    end: int
    stops: str
    is_quoted: bool
    is_wide: bool
    following: int


class _Scan:
    """Goes through a text once."""

    def __init__(self, text: str, before: Before):
        self._text = text
        self._n_quotes, self._counted = before.n_quotes, 0
        self._start, self._opening = 0, before.opening
        self._item, self._is_item_read = before.item, bool(before.opening)
        self._goes_on_at_start = bool(before.opening)
        self._last_end = self._at = self._looked = 0  # the end of a mark, the run that is looked at, where no word is before

    def marks(self, pattern: re.Pattern[str]) -> Iterator[SentenceMark]:
        text, n = self._text, len(self._text)
        for match in pattern.finditer(text):
            at, end = match.span()
            first = text[at]
            if first == "," and end - at == 1:  # most marks
                mark = self._mark(end, is_sentence=False) if end == n or text[end].isspace() else None
            elif first in "\n\u2029":
                mark = self._line_end(at, end)
            elif first in ":፡":
                mark = self._script_end(at, end)
            else:
                mark = self._run_end(at, end)
            if mark is None:
                continue
            self._last_end = mark.end
            if mark.is_sentence:
                self._start, self._opening, self._is_item_read = mark.end, "", False
            yield mark

    def _mark(self, end: int, *, is_sentence: bool) -> SentenceMark:
        """One that is settled where anything follows."""
        return SentenceMark(end, is_sentence, end < len(self._text), self._read_item())

    def _script_end(self, at: int, end: int) -> SentenceMark | None:
        """Of a colon, and of a word space of Ethiopic."""
        is_end = end - at > 1
        if self._text[at] == ":":
            is_end = at > 0 and _ARMENIAN.match(self._text[at - 1]) and (end == len(self._text) or self._text[end].isspace())
        return self._mark(end, is_sentence=True) if is_end else None

    def _read_item(self) -> str:
        """The number of the item that the scan is in, or that was the last."""
        if not self._is_item_read:
            found = _LABEL_AHEAD.match(self._text, self._start)
            self._item, self._is_item_read = found[1] if found else self._item, True
        return self._item

    def _line_end(self, at: int, end: int) -> SentenceMark | None:
        """Of a blank line, or before an item of a list; any other single line end may stand in the middle of a sentence."""
        lines, ahead = self._text[at:end], _LABEL_AHEAD.match(self._text, end)
        is_end = _has_blank_line(lines) or _BULLET_AHEAD.match(self._text, end)
        if is_end or (ahead and _follows(ahead[1], ahead[2], self._read_item())):
            return SentenceMark(end, True, True, self._read_item())
        return None

    def _run_end(self, at: int, end: int) -> SentenceMark | None:
        """Of a run of marks, None where it ends nothing."""
        text, n, read = self._text, len(self._text), end
        run, self._at = text[at:end], at
        is_plain = run in _PLAIN_STOPS  # most are
        is_wide, is_spaced = not is_plain and not _WIDE_SET.isdisjoint(run), end == n or text[end].isspace()
        stops, following = run if is_plain else run.rstrip(_BEHIND_STOPS), _next(text, end)
        if (
            following < n
            and stops[-1] in _END_SET
            and ((c := text[following]) in FIRST_OWN or c > FIRST_PICTURE)
            and (own := self._own_end(end, c))
        ):
            if text[own : own + 1] in PUNCTUATION:
                return None
            end, is_spaced, following = own, True, _next(text, own)
        if not is_spaced:
            is_wide = is_wide or stands_in_ideographs(text, at, end)
            if not is_wide:
                return None
            end = following = self._wide_end(at, run)
        is_quoted = len(stops) < len(run) or (end > read and text[end - 1] in _BEHIND_STOPS)
        if is_wide and len(run) == 1 and (_between_digits(text, at) or self._is_in_title(at)):
            return None
        may_have_own = following == n or (text[following] in ":;=" and following + 4 >= n)  # that is still to come
        if not is_plain and not self._is_stop(at, stops, is_open_ended=not is_spaced and not is_quoted):
            is_settled = max(read, end) < n and not (may_have_own and stops[-1] in _END_SET)
            return SentenceMark(end, False, is_settled, self._read_item())
        found = _StopRun(at, end, stops, is_quoted, is_wide, following)
        goes_on, is_certain = self._goes_on(found)
        if goes_on:
            return None
        is_settled = is_certain and max(read, end) < n and not may_have_own
        is_settled = is_settled or (following == n and _has_blank_line(text[end:]))
        return SentenceMark(end, True, is_settled, self._read_item(), not is_settled and self._is_likely(found))

    def _wide_end(self, at: int, run: str) -> int:
        """Of a run that ends by itself, with text right behind it."""
        last = at + max(i for i, c in enumerate(run) if c in _WIDE_SET or c in _PLAIN_STOPS)
        return last + 1 + _n_closing(run[last - at + 1 :], self._quote_is_open(last))

    def _quote_is_open(self, at: int) -> bool:
        """Whether a straight quote is that has not been closed before `at`, which is never smaller than it was."""
        self._n_quotes, self._counted = self._n_quotes + self._text.count('"', self._counted, at), at
        return self._n_quotes % 2 == 1

    def _own_end(self, end: int, c: str) -> int:
        """Where the picture or the spaced quote ends that goes with a mark and begins with this character; 0 for none."""
        if c in '»"':
            found = SPACED_QUOTE.match(self._text, end)
            found = found if c == "»" or (found and self._quote_is_open(end)) else None
        else:
            found = OWN.match(self._text, end)
            found = None if found and begins_with_picture(self._read_opening()) else found  # else pictures number the sentences
        return found.end() if found else 0

    def _is_in_title(self, at: int) -> bool:
        """Whether a stop stands in the name of a Chinese book, 《摔跤吧！爸爸》."""
        since = max(self._last_end, at - _LONGEST_TITLE)
        return self._text.rfind("《", since, at) > self._text.rfind("》", since, at)

    def _is_stop(self, at: int, stops: str, *, is_open_ended: bool) -> bool:
        """Whether a sentence may end with them: not in `Inc.,` and `"Stop!", she said`, nor at "嗯……我想", with text right behind it."""
        if stops == ";":
            return at > 0 and _GREEK.match(self._text[at - 1]) is not None  # the question mark of Greek
        return stops[-1] in _END_SET and not (is_open_ended and not stops.strip("…"))

    # --- whether a sentence goes on

    def _goes_on(self, run: _StopRun) -> Verdict:
        text, at = self._text, run.following
        if run.stops == ".":
            if text[run.at - 1 : run.at] in _LABEL_ENDS and self._is_item_number(run.at):
                return True, True
            if (verdict := belongs_to_word(text, run.at, at, self._read_opening)) is not None:
                return verdict
        if at == len(text):
            return False, False
        if run.is_quoted and (verdict := goes_on_behind_quote(text, at, is_wide=run.is_wide)) is not None:
            return verdict
        if text[at] in FIRST_GOING_ON and text.find("\n", run.end, at) < 0:
            return goes_on_at_mark(text, at, run.stops)
        return text[at].islower() and self._goes_on_small(run), True

    def _goes_on_small(self, run: _StopRun) -> bool:
        """Behind stops and before a small letter. Where a sentence began with one, another may well begin the next."""
        if run.is_quoted:
            return not run.is_wide
        if run.stops[0] in ".…" or run.stops[-1] in ".…":
            return not self._read_opening().islower()
        return run.stops == "!" and _NAME_WITH_MARK.search(self._text, max(0, run.at - _LONGEST_NAME), run.at) is not None

    def _read_opening(self) -> str:
        """As in Before, of the sentence that the scan is in."""
        if not self._opening:
            self._opening = opening_of(self._text, max(self._start, self._looked - MOST_BEFORE_WORD), self._at)
            self._looked = self._at
        return self._opening

    def _is_item_number(self, at: int) -> bool:
        """Whether what stands before `at` numbers an item: it begins a line or a sentence, or comes next in "1. One 2. Two"."""
        since = max(self._start, at - _LONGEST_ITEM)
        begins = since == self._start and not (since == 0 and self._goes_on_at_start)
        if (_ITEM_NUMBER if begins else _LINE_NUMBER).search(self._text[since:at]) is not None:
            return True
        number = _NUMBER_INSIDE.search(self._text, since, at)
        if number is None or not _follows(number[0], ".", self._read_item()):
            return False
        self._item = number[0]
        return True

    def _is_likely(self, run: _StopRun) -> bool:
        """Whether a sentence is over where nothing follows its stops but white space, or not even that.

        It is not where "No. 5", "3. Mai", 3.14, www.example.com, a closing quote, or "「はい。」と言った" may come of it.
        """
        text = self._text
        if run.following < len(text):
            return False
        if run.stops == "." and not is_plain_word(text, run.at, needs_word=run.end == len(text)):
            return False
        if run.end < len(text):
            return True
        if run.is_quoted:
            return not run.is_wide
        token = text[max(text.rfind(" ", 0, run.at), text.rfind("\n", 0, run.at)) + 1 : run.at]
        said = text[self._start : run.at]
        n_open = sum(said.count(c) for c in _OPENING) - sum(said.count(c) for c in CLOSING)
        return n_open <= 0 and not self._quote_is_open(len(text)) and _ADDRESS.isdisjoint(token)


def _next(text: str, at: int) -> int:
    """Where the first character from `at` on stands that is no blank."""
    if at + 1 < len(text) and text[at] == " " and not text[at + 1].isspace():  # mostly
        return at + 1
    found = _NOT_SPACE.search(text, at)
    return found.start() if found else len(text)


def _has_blank_line(blanks: str) -> bool:
    return blanks.count("\n") > 1 or "\u2029" in blanks


def _between_digits(text: str, at: int) -> bool:
    return at > 0 and text[at - 1].isdigit() and text[at + 1 : at + 2].isdigit()


def _n_closing(run: str, quote_is_open: bool) -> int:
    """How many characters of a run of quotes and brackets, with text right behind it, belong to what is before it."""
    for n, c in enumerate(run):
        if c == '"' and quote_is_open:
            quote_is_open = False
        elif c not in CLOSING:
            return n
    return len(run)


def _follows(label: str, closing: str, item: str) -> bool:
    """Whether an item with this number begins a list, or comes behind another. "A." alone may be an initial."""
    head, _, last = label.rpartition(".")
    if last.isdigit():
        before, _, number = item.rpartition(".")
        return last in ("0", "1") or (head == before and number.isdigit() and int(last) == int(number) + 1)
    if closing != "." and last in ("a", "A", "i", "I"):
        return True
    if len(label) == len(item) == 1 and ord(label) == ord(item) + 1:
        return True
    return len(label) > 1 and bool(item) and _NUMERALS.issuperset(item)
