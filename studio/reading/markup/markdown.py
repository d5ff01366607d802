"""Markdown: headings, items, rows and rules are silences, and what only marks (**, #, a link's address, a fence of code) is left out.

CommonMark with tables and strikethrough, as markdown-it reads it, but for four rules that would take words from a text that is none: lines
that are indented are no code, HTML is read before (marks.py), a year at the beginning of a line and a number alone number no item, and
2*3*4 is a product.
The library tells the lines of a block and not the places within them, so each piece of text is looked for behind the one before it.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile

from markdown_it import MarkdownIt
from markdown_it.token import Token

from studio.reading.draft import Edit, Silence
from studio.reading.parts import Kind
from studio.reading.silences import HEADING, ITEM, LINE, PARAGRAPH, RULE

__all__ = ["markdown_edits"]

_MAYBE = re.compile(r"[\n*_`#>~|\[\]\\]|^\s*(?:(?:[-+]|\d{1,9}[.)])\s|-{3,}\s*\Z)")
_PRODUCT = re.compile(r"(?<=[\w)])(?<!\*)\*(?!\*)(?=[\w(])")  # a star between two words of which one is a number
_NO_ITEM = re.compile(r"^([^\S\n]*(?:\d{3,9}(?=[.)]\s)|\d{1,9}(?=[.)][^\S\n]*$)))[.)]", re.MULTILINE)  # a year, or a number alone
_NUMBER = re.compile(r"\d{1,9}[.)][^\S\n]+\Z")
_TASK = re.compile(r"\[[ xX]\][^\S\n]+")
_TASK_DONE = re.compile(r"[-+*>\s\d.)]*\[[xX]\]")
_LOOSE = re.compile(
    r"(?<![\w=])==(?=[^\W_])|(?<=[^\W_])==(?![\w=])|\*{2,}|(?<![\d\s)])\*|\*(?![\d\s(])|`+|~~+|_{3,}"
)  # marks that close nothing, and lines to write on
_LINE = re.compile(r"[^\s\U000f0000-\U000ffffd](?:[^\n\U000f0000-\U000ffffd]*[^\s\U000f0000-\U000ffffd])?")
_EMPTY_LINE = re.compile(r"\n[^\S\n]*\n")
_BEHIND_LINK = re.compile(r"\]\((?:[^()\n]|\([^()\n]*\))*\)|\]\[[^\]\n]*\]|\]|>")


@dataclass
class _TextBlock:
    """A run of text that stands by itself. kept: (start, end) of what is said of it. silence: seconds between it and what is before it."""

    kept: list[tuple[int, int]]
    breaks: list[int]  # where a line is to end
    silence: float
    is_cell: bool = False  # that follows another in its row


def markdown_edits(text: str, *, starts_line: bool = True) -> list[Edit]:
    """In order. starts_line: False for a piece that goes on within a line."""
    if not _MAYBE.search(text):
        return []
    ahead = 0 if starts_line else 1
    source = "a" * ahead + _masked(text)  # a letter, so that the rest of a line begins no block
    places = _Places(source)
    edits: list[Edit] = []
    at = ahead
    tokens = _parser().parse(source, {})
    codes = [places.lines(token.map) for token in tokens if token.type == "fence" and token.map]
    is_first = True
    for block in _blocks(tokens, places):
        if not any(start < end for start, end in block.kept):
            continue
        start = max(ahead, block.kept[0][0])
        edits += _between(source, at, start, block, codes, is_first=is_first)
        at, is_first = start, False
        for first, end in block.kept:
            begin = max(first, ahead)
            edits += _dropped(source, at, begin, codes) if at < begin else ()
            edits += (Edit(*match.span(), kind="layout") for match in _LOOSE.finditer(source, begin, end))
            at = end
        edits += [Edit(place, place, held=Silence(LINE)) for place in block.breaks]
    edits += _dropped(source, at, len(source), codes)
    if silence := _last_silence(tokens):
        edits.append(Edit(len(source), len(source), held=Silence(silence)))
    return _shifted(edits, ahead)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    return parser.disable(["code", "html_block", "html_inline", "entity", "text_join"])


def _masked(text: str) -> str:
    """The text, of the same length, with other characters for marks that are none."""
    text = _NO_ITEM.sub(lambda match: f"{match[1]}\u2024", text)
    return _PRODUCT.sub(lambda match: "\u2217" if _is_product(match) else "*", text)


def _is_product(match: re.Match) -> bool:
    before, after = match.string[match.start() - 1], match.string[match.end()]
    if before.isdigit() or after.isdigit() or ")" in before or "(" in after:
        return True
    at, end = match.span()  # a*b
    return not (match.string[at - 2 : at - 1].isalnum() or match.string[end + 1 : end + 2].isalnum())


class _Places:
    """Where lines of a text, and pieces of them, stand in it."""

    def __init__(self, source: str):
        self.source = source
        self._starts = [0, *(match.end() for match in re.finditer("\n", source)), len(source) + 1]

    def lines(self, numbers: Sequence[int]) -> tuple[int, int]:
        """(start, end) of lines first to last - 1."""
        return self._starts[numbers[0]], min(self._starts[min(numbers[1], len(self._starts) - 1)], len(self.source))

    def found(self, piece: str, at: int, end: int) -> tuple[int, int] | None:
        start = self.source.find(piece, at, end)
        return None if start < 0 else (start, start + len(piece))


def _blocks(tokens: Sequence[Token], places: _Places) -> Iterator[_TextBlock]:
    silence, rows, row_at, last_line, before = 0.0, 0, 0, -1, ""
    for token in tokens:
        silence, before = max(silence, _silence_of(token, before)), token.type
        if token.type == "tr_open":
            rows = 0
        if token.type != "inline" or token.map is None:
            continue
        start, end = places.lines(token.map)
        is_cell = bool(rows) and token.map[0] == last_line
        block = _block(token, places, max(start, row_at if is_cell else start), end)
        block.silence, block.is_cell = silence, is_cell
        row_at = block.kept[-1][1] if block.kept else row_at
        rows, last_line, silence = rows + 1, token.map[0], 0.0
        yield block


def _silence_of(token: Token, before: str = "") -> float:
    """before: the kind of the token before it."""
    kind = token.type
    if kind in ("heading_open", "heading_close"):
        return HEADING
    if kind == "hr":
        return RULE
    if kind in ("list_item_open", "list_item_close", "tr_open", "tr_close"):
        return ITEM
    return PARAGRAPH if (kind == "paragraph_open" and before != "list_item_open") or kind in ("fence", "table_open") else 0.0


def _last_silence(tokens: Sequence[Token]) -> float:
    """Behind the last words, of headings, rules and code: more may follow."""
    behind = takewhile(lambda token: token.type != "inline", reversed(tokens))
    return max((_silence_of(token) for token in behind if token.type in ("heading_close", "hr", "fence")), default=0.0)


def _block(token: Token, places: _Places, at: int, end: int) -> _TextBlock:
    """Of an inline token, which stands between `at` and `end`."""
    kept: list[tuple[int, int]] = []
    breaks: list[int] = []
    is_first = True
    for child in _leaves(token.children or []):
        if child.type in ("softbreak", "hardbreak"):
            place = places.source.find("\n", at, end)
            if place >= 0:
                breaks += [place] if child.type == "hardbreak" else []
                kept += [] if child.type == "hardbreak" else [(place, place + 1)]
                at = place + 1
            continue
        if child.type == "link_close" and child.markup != "autolink":
            match = _BEHIND_LINK.match(places.source, at)
            at = match.end() if match else at
            continue
        piece = child.markup if child.type == "text_special" else child.content
        place = places.found(piece, at, end) if piece else None
        if place is None:
            continue
        at = place[1]
        if child.type == "text_special":
            kept.append((place[1] - len(child.content), place[1]))
        else:
            task = _TASK.match(piece) if is_first else None
            kept.append((place[0] + (task.end() if task else 0), place[1]))
        is_first = False
    return _TextBlock(kept, breaks, 0.0)


def _leaves(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        if token.type == "image":
            yield from _leaves(token.children or [])
            yield Token("link_close", "", -1)
        elif token.content or token.type in ("softbreak", "hardbreak", "link_close"):
            yield token


def _between(source: str, at: int, start: int, block: _TextBlock, codes: list, *, is_first: bool) -> Iterator[Edit]:
    """What parts a block from the one before it. The number of an item stays with the item."""
    number = _NUMBER.search(source, at, start)
    if number and not block.is_cell:
        start = number.start()
    dropped = list(_dropped(source, at, start, codes))
    if block.is_cell:
        yield Edit(at, start, " " if source[at - 1 : at] in ".,;:!?" else ", ", kind="layout")
        return
    yield from dropped
    place = dropped[-1].end if dropped else at
    if not is_first or dropped:
        silence = max(block.silence or LINE, PARAGRAPH if _EMPTY_LINE.search(source, at, start) else 0.0)
        yield Edit(place, max(place, start), held=Silence(silence))


def _dropped(source: str, start: int, end: int, codes: list[tuple[int, int]]) -> Iterator[Edit]:
    """What is not said between two runs of text: each block of code, and of all else each line, but for silences that are there already."""
    for number in range(bisect_left(codes, (start,)), bisect_left(codes, (end,))):
        first, last = codes[number]
        yield from _dropped_lines(source, start, first)
        yield Edit(first, first + len(source[first:last].rstrip()), kind="code")
        start = last
    yield from _dropped_lines(source, start, end)


def _dropped_lines(source: str, start: int, end: int) -> Iterator[Edit]:
    for match in _LINE.finditer(source, start, end) if start < end else ():
        yield Edit(*match.span(), kind=_kind(match.group()))


def _kind(mark: str) -> Kind:
    if not any(map(str.isalnum, mark)):
        return "layout"
    return "markup" if _TASK_DONE.fullmatch(mark) else "address"


def _shifted(edits: list[Edit], ahead: int) -> list[Edit]:
    made: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        start, end = edit.start - ahead, edit.end - ahead
        if made and start < made[-1].end:
            if edit.held is None:
                continue
            start = made[-1].end
            end = max(start, end)
        made.append(edit if start == edit.start else edit._replace(start=start, end=end))
    return made
