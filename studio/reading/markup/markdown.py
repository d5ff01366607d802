"""Markdown: headings, items, rows and rules are silences, and what only marks (**, #, a link's address, a fence of code) is left out.

CommonMark with tables and strikethrough, as markdown-it reads it, but for four rules that would take words from a text that is none: lines
that are indented are no code, HTML is read before (marks.py), a year at the beginning of a line numbers no item, and 2*3*4 is a product.
The library tells the lines of a block and not the places within them, so each piece of text is looked for behind the one before it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from studio.reading.draft import Edit, Silence
from studio.reading.parts import Kind
from studio.reading.silences import HEADING, ITEM, LINE, PARAGRAPH, RULE

__all__ = ["markdown_edits"]

_MAYBE = re.compile(r"[\n*_`#>~|\[\]\\]|^\s*(?:[-+]|\d{1,9}[.)])\s")
_PRODUCT = re.compile(r"(?<=[\w)])(?<!\*)\*(?!\*)(?=[\w(])")  # a star between two words of which one is a number
_YEAR = re.compile(r"^([^\S\n]*\d{3,9})[.)](?=\s)", re.MULTILINE)
_NUMBER = re.compile(r"\d{1,9}[.)][^\S\n]+\Z")
_TASK = re.compile(r"\[[ xX]\][^\S\n]+")
_TASK_DONE = re.compile(r"[-+*>\s\d.)]*\[[xX]\]")
_LOOSE = re.compile(r"\*{2,}|(?<![\d\s)])\*|\*(?![\d\s(])|`+|~~+|_{3,}")  # marks that close nothing, and lines to write on
_NOT_BLANK = re.compile(r"\S(?:.*\S)?", re.DOTALL)
_LINE_BREAK = re.compile(r"(?:[^\S\n]{2,}|\\)\n")
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
    for block in _blocks(tokens, places):
        if not any(start < end for start, end in block.kept):
            continue
        start = max(ahead, block.kept[0][0])
        edits += _between(source, at, start, block, codes, is_first=at == ahead and not edits)
        at = start
        for begin, end in block.kept:
            edits += _dropped(source, at, max(begin, ahead), codes)
            edits += _loose(source, max(begin, ahead), end)
            at = end
        edits += [Edit(place, place, held=Silence(LINE)) for place in block.breaks]
    edits += _dropped(source, at, len(source), codes)
    return _shifted(edits, ahead)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    return parser.disable(["code", "html_block", "html_inline", "entity", "text_join"])


def _masked(text: str) -> str:
    """The text, of the same length, with other characters for marks that are none."""
    text = _YEAR.sub(lambda match: f"{match[1]}\u2024", text)
    return _PRODUCT.sub(lambda match: "\u2217" if _is_product(match) else "*", text)


def _is_product(match: re.Match) -> bool:
    before, after = match.string[match.start() - 1], match.string[match.end()]
    return before.isdigit() or after.isdigit() or ")" in before or "(" in after


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
    silence, rows, row_at, last_line = 0.0, 0, 0, -1
    for token in tokens:
        silence = max(silence, _silence_of(token))
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


def _silence_of(token: Token) -> float:
    kind = token.type
    if kind in ("heading_open", "heading_close"):
        return HEADING
    if kind == "hr":
        return RULE
    if kind in ("list_item_open", "list_item_close", "tr_open", "tr_close"):
        return ITEM
    return PARAGRAPH if (kind == "paragraph_open" and not token.hidden) or kind in ("fence", "table_open", "bullet_list_close") else 0.0


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
        yield Edit(place, max(place, start), held=Silence(block.silence or LINE))


def _dropped(source: str, start: int, end: int, codes: list[tuple[int, int]]) -> Iterator[Edit]:
    """What is not said between two runs of text, but for white space and silences that are there already."""
    match = _NOT_BLANK.search(source, start, end) if start < end else None
    if match is None:
        return
    for run in re.finditer(r"[^\U000f0000-\U000ffffd]+", match.group()):
        inner = _NOT_BLANK.search(run.group())
        if inner is None:
            continue
        first, last = match.start() + run.start() + inner.start(), match.start() + run.start() + inner.end()
        yield Edit(first, last, kind=_kind(source, first, last, codes))


def _kind(source: str, start: int, end: int, codes: list[tuple[int, int]]) -> Kind:
    if any(first < end and start < last for first, last in codes):
        return "code"
    mark = source[start:end]
    if not any(map(str.isalnum, mark)):
        return "layout"
    return "markup" if _TASK_DONE.fullmatch(mark) else "address"


def _loose(source: str, start: int, end: int) -> Iterator[Edit]:
    for match in _LOOSE.finditer(source, start, end):
        yield Edit(match.start(), match.end(), kind="layout")


def _shifted(edits: list[Edit], ahead: int) -> list[Edit]:
    made: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        start, end = edit.start - ahead, edit.end - ahead
        if made and start < made[-1].end:
            if edit.held is None:
                continue
            start = min(made[-1].end, end)
            end = max(start, end)
        made.append(edit._replace(start=start, end=end))
    return made
