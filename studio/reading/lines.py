"""Lines: a line end is a silence where a line stands for itself (an item, a verse, a turn), and a blank where prose was wrapped.

Prose was wrapped where no line could have held the next one's first word, or most lines go on in small letters. A hyphen at its line's
end joins ("conver-\\nsion", and "citi- zens" as PDFs give it). Of subtitles the words are said, and their numbers and times are left out.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from studio.reading.draft import HELD, Edit, Silence, in_order
from studio.reading.silences import ITEM, LINE, PARAGRAPH

__all__ = ["line_edits", "subtitle_edits"]

_TIME = r"\d{1,3}:\d{2}(?::\d{2})?[.,]\d{2,3}"
_CUE = re.compile(
    rf"(?:(?<=\n)|\A)(?:WEBVTT[^\n]*(?:\n[^\n]+)*\n|(?:\d{{1,6}}[ \t]*\n)?[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}[^\n]*(?:\n|\Z))"
)
_STAMPS = re.compile(r"(?:(?<=\n)|\A)(?:\[\d{1,3}:\d\d(?:[.:]\d{2,3})?\][ \t]*)+")  # of the lines of a song
_PARAGRAPH = re.compile(rf"(?:[^\n{HELD[1:-1]}]|\n(?![^\S\n]*\n))+")
_LINE_END = re.compile(r"(?<![^\S\n])[^\S\n]*\n\s*")
_BULLET = re.compile(r"(?:(?<=\n)|\A)[^\S\n]*(?:[•‣◦▪▫●○■□◆◇▶►➤➔➢→❖✓✔✗✘※・]|[–—·*-](?=[^\S\n]))[^\S\n]*", re.MULTILINE)
_NUMBERED = re.compile(
    r"\s*(?:[(\[]?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)\]]\s+\S|\d{1,3}[.)][^\W\d_]|[①-⑳]"
    r"|第[一二三四五六七八九十\d]+[条章节]\s*\S|[一二三四五六七八九十]+、\s*\S)"
)
_FIRST_NUMBER = re.compile(r"\s*[(\[]?[1aAiI][.)\]]|\s*[①一]")
_ADDRESS = re.compile(r"www\.|https?://|\S+@\S")
_MAYBE = re.compile(r"\.\.|- |__|    |\| | \||……|[¦│]")
_SPEAKER = re.compile(r"\s*[^\W\d_][\w .'’-]{0,29}[:：]\s+\S|\s*[-–—]\s*\S|\s*[「『]")
# What leads from one column of a line to the next: dots, lines to write on, bars, and wide gaps.
_LEADERS = re.compile(
    r"(?<!\s)\s*(?:(?:\.[^\S\n]?){4,}\s*|(?:…\s?){2,}\s*|_{3,}\s*)|(?<!\s)[^\S\n]+(?:\.{3}[^\S\n]+(?=[$€£¥]?\d)|[|¦│]\s+)|(?<! )[ ]{4,}"
)
_EDGE_BARS = re.compile(r"\A\s*[|¦│]\s+|(?<!\s)\s+[|¦│]\s*\Z")
_TABS = re.compile(r"[^\S\n]*\t[^\S\n]*")
_BROKEN_WORD = re.compile(r"(?<=[^\W\d_])(?:-|\u2010)[^\S\n]*\n[^\S\n]*(?=[^\W\d_])")
_TORN_WORD = re.compile(r"(?<=[a-z\u00df-\u017f]{2})-[ ](?=[a-z\u00df-\u017f]{2})")
# Behind a hyphen they say that another compound follows: "pre- and post-war", "Ein- und Ausfahrt".
_COUPLES = re.compile(
    r"(?:and|or|to|und|oder|bis|sowie|bzw|et|ou|y|o|u|e|ed|en|of|och|eller|og|i|lub|и|или|the|through|versus|vs)\b", re.IGNORECASE
)
_STOPS = frozenset('.!?…:;。！？：；।؟」』”"')
_MARKS = frozenset(".,;:!?…。，、；：！？")
LEAST_WRAP_WIDTH = 40  # columns; what is narrower is a list or verse, unless its lines go on in small letters
LEAST_PROSE_WIDTH = 60  # columns that no verse has
LEAST_VERSES = 4  # line ends before capitals, which prose hardly has in a row
MOST_SLACK = 2  # columns by which people wrap early
LEAST_SHARE = 0.8  # of line ends at which the next word did not fit
LEAST_COLUMN_WIDTH = 20  # columns of a newspaper's, or a PDF's, of which a third of the lines goes on in small letters
_WIDE = re.compile("[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]")
_WITHOUT_BLANKS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3000-\ua4cf\uf900-\ufaff\uff00-\uff60]")


class _Layout(NamedTuple):
    """Of a paragraph. is_list: a number at the beginning of a line numbers it. has_columns: tabs part what stands side by side."""

    is_wrapped: bool
    is_list: bool
    has_columns: bool


def subtitle_edits(text: str) -> Iterator[Edit]:
    """In order. They go before all that takes lines together."""
    pattern = _CUE if "-->" in text else _STAMPS
    for match in pattern.finditer(text):
        yield Edit(match.start(), match.end(), held=Silence(LINE), kind="markup")


def line_edits(text: str, *, before: str = "") -> list[Edit]:
    """In order. before: the line that the text goes on with, of a text that comes in pieces."""
    if "\n" not in text and not _BULLET.match(text) and not _MAYBE.search(text):
        return []
    edits: list[Edit] = []
    at = 0
    for match in _PARAGRAPH.finditer(text):
        start, end = match.span()
        if "\n" in text[at:start] and text[at:start].count("\n") > 1:
            edits += _blank(text, at, start)
        if text.find("\n", start, end) >= 0 or _BULLET.match(text[start : start + LEAST_COLUMN_WIDTH]) or _MAYBE.search(text, start, end):
            edits += _in_paragraph(text, start, end, before if start == 0 else "")
        at = end
    edits += _blank(text, at, len(text)) if text[at:].count("\n") > 1 else []
    return in_order(edits)


def _blank(text: str, start: int, end: int) -> Iterator[Edit]:
    """Empty lines."""
    for match in re.finditer(r"\s*\n\s*", text[start:end]):
        yield Edit(start + match.start(), start + match.end(), held=Silence(PARAGRAPH))


def _in_paragraph(text: str, start: int, end: int, before: str) -> Iterator[Edit]:
    bounds = _lines(text, start, end)
    lines = [text[first:last] for first, last, _ in bounds]
    lines[0] = before + lines[0]
    is_wrapped = _was_wrapped(lines)
    layout = _Layout(is_wrapped, not is_wrapped or _is_list(lines), sum("\t" in line.strip() for line in lines) > 1)
    for number, (first, last, following) in enumerate(bounds):
        yield from _in_line(text, first, last, starts_line=number > 0 or not before.strip(), has_columns=layout.has_columns)
        if following is None:
            continue
        if number + 1 == len(bounds) or not text[following : bounds[number + 1][1]].strip():
            yield Edit(last, following, " ")
            continue
        yield _line_end(text, (last, following), lines[number], lines[number + 1], layout)


def _lines(text: str, start: int, end: int) -> list[tuple[int, int, int | None]]:
    """(start, end, start of the next one or None) of each."""
    found, at = [], start
    for match in _LINE_END.finditer(text, start, end):
        found.append((at, match.start(), match.end()))
        at = match.end()
    return [*found, (at, end, None)]


def _in_line(text: str, start: int, end: int, *, starts_line: bool, has_columns: bool) -> Iterator[Edit]:
    if starts_line and (bullet := _BULLET.match(text[start:end])):
        yield Edit(start, start + bullet.end(), held=Silence(ITEM), kind="layout")
        start += bullet.end()
    leaders = (match for pattern in (_LEADERS, _TABS)[: 1 + has_columns] for match in pattern.finditer(text, start, end))
    for match in leaders:
        if text[start : match.start()].strip() and match.end() < end:
            said = " " if text[match.start() - 1] in _MARKS else ", "
            yield Edit(match.start(), match.end(), said, kind="layout" if match.group().strip() else None)
    for match in _EDGE_BARS.finditer(text[start:end]) if any(bar in text[start:end] for bar in "|¦│") else ():
        yield Edit(start + match.start(), start + match.end(), " ", kind="layout")
    for match in _TORN_WORD.finditer(text, start, end):
        if not _COUPLES.match(text, match.end()):
            yield Edit(match.start(), match.end(), kind="layout")


def _line_end(text: str, place: tuple[int, int], line: str, following: str, layout: _Layout) -> Edit:
    start, end = place
    if (layout.is_list and _NUMBERED.match(following)) or _BULLET.match(following):
        return Edit(start, end, held=Silence(ITEM))
    if _is_turn(following) and not layout.is_wrapped:
        return Edit(start, end, held=Silence(LINE))
    goes_on = following[:1].islower() and line[-1:] not in _STOPS and not _ADDRESS.match(following)
    if not layout.is_wrapped and not goes_on:
        return Edit(start, end, held=Silence(LINE))
    broken = _BROKEN_WORD.match(text, start - 1) if line[-1:] in "-\u2010" else None
    if broken and text[broken.end()].islower() and not _COUPLES.match(text, broken.end()):
        return Edit(start - 1, broken.end(), kind="layout")
    beside = line[-1:], following[:1]
    return Edit(start, end, "" if all(map(_WITHOUT_BLANKS.match, beside)) else " ")


def _is_list(lines: list[str]) -> bool:
    """Whether numbers at the beginning of lines that were wrapped number them: several do, or the first one is the first of all."""
    numbered = [line for line in lines if _NUMBERED.match(line)]
    return len(numbered) > 1 or any(map(_FIRST_NUMBER.match, numbered))


def _is_turn(line: str) -> bool:
    return _SPEAKER.match(line) is not None


def _was_wrapped(lines: list[str]) -> bool:
    """Whether these lines of one paragraph are one text that was cut to a width."""
    items = [number for number, line in enumerate(lines) if _BULLET.match(line)]
    if items and items[0] > 1:
        lines = lines[: items[0]]
    if len(lines) < 2:
        return False
    following = [line.strip() for line in lines[1:]]
    if sum(map(_is_turn, following)) > len(following) / 2:
        return False
    widths = [_width(line.strip()) for line in lines]
    width = max(widths)
    if width < LEAST_PROSE_WIDTH and _is_verse([line.rstrip() for line in lines[:-1]], following):
        return False
    cut = sum(own + _first_width(line) > width - MOST_SLACK for own, line in zip(widths[:-1], following, strict=True))
    if width >= LEAST_WRAP_WIDTH and cut >= LEAST_SHARE * len(following):
        return True
    n_small = sum(line[:1].islower() for line in following)
    is_column = width >= LEAST_COLUMN_WIDTH and cut >= LEAST_SHARE * len(following) and 3 * n_small >= len(following)
    return is_column or n_small > len(following) / 2


def _is_verse(before: list[str], following: list[str]) -> bool:
    """Whether each line begins with a capital, and there are many of them, or half of those before end with a mark."""
    if not all(line[:1].isupper() for line in following):
        return False
    return len(following) >= LEAST_VERSES or 2 * sum(line[-1:] in _STOPS or line[-1:] == "," for line in before) >= len(before)


def _first_width(line: str) -> int:
    """Columns that the line before would have needed for the next word."""
    first = line[:1]
    if first and _WITHOUT_BLANKS.match(first):
        return _width(first)
    return 1 + _width((line.split(None, 1) or [""])[0])


def _width(line: str) -> int:
    return len(line) + len(_WIDE.findall(line)) - sum(1 for c in line if unicodedata.combining(c))
