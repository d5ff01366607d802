"""settled_end: how much of a text that comes in pieces can be read, since nothing that follows can change it.

That is up to the end of a sentence, or to an empty line or the next item, and never within a mark that is open: a tag, brackets, emphasis,
a link, a heading, a table, a fence of code, reasoning.
"""

import re
from collections.abc import Callable, Iterator

from engines.text.text_splitter import Granularity, settled_ends
from studio.reading.markup.marks import ATTRIBUTE, FRONT_MATTER, MOST_MARK_CHARACTERS, NAME, REASONING_BEGINS
from studio.reading.markup.pictures import PICTURE_BEGUN

__all__ = ["MOST_CLOSING", "closing_mark", "settled_end"]

MOST_CLOSING = 40  # characters of what closing_mark looks for
_PART_OF_ATTRIBUTE = r"""\s+(?:[\w:.-]+\s*(?:=\s*(?:"[^"<]*"?|'[^'<]*'?|[“”][^“”<]*[“”]?|[^\s"'“”<>=]*)?)?)?"""
# A mark whose end has not come yet.
_BEGUN = re.compile(
    rf"<(?:/?(?:{NAME}(?:{ATTRIBUTE})*(?:{_PART_OF_ATTRIBUTE})?\s*/?)?|\|[^<>|\s]{{0,40}}\|?|#[\s\d.]*#?"
    r"|!(?:-(?:-.*)?|\[[A-Z]*\[?|[A-Z][^<>]*)?|\?[^<>]*)\Z"
    r"|\[[^\[\]<>\n]{0,60}\]?\Z"
    r"|\]\([^()\s]*(?:\s[^()\n]*)?\Z"
    r"|&[#\w]{0,8}\Z"
    rf"|{PICTURE_BEGUN}",
    re.DOTALL,
)
_AHEAD = "[ \\t>\u200b-\u200f\u2060\ufeff]*"  # of what a line begins with
_FENCE = re.compile(rf"^{_AHEAD}(?P<fence>```+|~~~+)(?P<behind>[^\n]*)", re.MULTILINE)
_ELEMENT = re.compile(r"<(?P<name>sub|say-as|phoneme|script|style|head|pre|svg|math|template|details)\b[^<>]*(?<!/)>", re.IGNORECASE)
_WHOLE = re.compile(  # what is never cut, once it has come
    r"<[^<>]{0,500}>|!?\[[^\[\]\n]{0,500}\](?:\([^()\n]{0,500}\))?"
    rf"|^{_AHEAD}#{{1,6}}[ \t][^\n]*|(?:^{_AHEAD}\|[^\n]*(?:\n|\Z))+|(?:\.[^\S\n]?){{4,}}\S?",
    re.MULTILINE,
)
_PAIRED = re.compile(r"\$\$|\*\*|__|~~|(?<![\w*])\*(?=[^\s*])|(?<=[^\s*])\*(?![\w*])|(?<![\w_])_(?=[^\s_])|(?<=[^\s_])_(?![\w_])|`+")
_MATTER_BEGUN, _MOST_MATTER = re.compile(r"---[^\S\n]*\n(?:[\w-]+(?::[ \t\n]|:?\Z)|\Z)"), 4000  # characters
_NEXT_BLOCK = re.compile(r"\n(?=[ \t]*\n)|\n(?=[ \t>]*(?:(?:[-*+•]|\d{1,3}[.)]|#{1,6})[ \t]+\S|```|~~~|\|))")
_ITEM_NUMBER = re.compile(r"(?:\A|[\n>\]*_#\u200b-\u200f\u2060\ufeff\u2190-\u2bff\ufe0f\U0001f000-\U0001faff-])[ \t]*\d{1,3}[.)][*_]*\s*\Z")
_MOST_NUMBER = 16  # characters, with what stands around it

Span = tuple[int, int]  # from a mark's first character to behind its last; to behind the text where it is open


def settled_end(text: str, granularity: Granularity, *, starts_line: bool, is_over: bool = False) -> int:
    """Up to where a text can be read; 0 where all of it waits.

    starts_line: the text begins a line. is_over: nothing more seems to come.
    """
    ends = [_before_lines(text, end) for end in settled_ends(text, granularity, is_over=is_over)]
    ends = [end for end in ends if not _ITEM_NUMBER.search(text[max(0, end - _MOST_NUMBER) : end])]
    ends += [_before_lines(text, match.end()) for match in _NEXT_BLOCK.finditer(text) if not _is_in_table(match)]
    least = len(text) - len(text.lstrip())
    ends = [end for end in ends if end > least]
    if not ends:
        return 0
    spans = list(_spans(text, starts_line=starts_line))
    return max((end for end in ends if not any(first < end < last for first, last in spans)), default=0)


def closing_mark(text: str) -> re.Pattern | None:
    """What ends the reasoning, or the block of code, that a text ends in; None where it ends in neither. Until then nothing is settled."""
    for match in REASONING_BEGINS.finditer(text):
        closing = _reasoning_end(match)
        if not closing.search(text, match.end()):
            return closing
    fences = list(_fences(text))
    if not fences or fences[-1][1] <= len(text):
        return None
    fence = _FENCE.match(text, fences[-1][0])
    return re.compile(rf"^{_AHEAD}{fence['fence']}", re.MULTILINE) if fence else None


def _is_in_table(match: re.Match) -> bool:
    """Whether the lines before and behind a line end may be rows of one."""
    text, at = match.string, match.end()
    behind = text[at : at + _MOST_NUMBER].lstrip(" \t>")
    return behind.startswith("|") and "|" in text[text.rfind("\n", 0, match.start()) + 1 : match.start()]


def _before_lines(text: str, end: int) -> int:
    """An end without the line ends in front of it, which part what is read from what follows."""
    least = len(text[:end].rstrip())
    return least if "\n" in text[least:end] else end


def _spans(text: str, *, starts_line: bool) -> Iterator[Span]:
    """Of the marks within which nothing is cut."""
    behind = len(text) + 1
    begun = _BEGUN.search(text, max(0, len(text) - MOST_MARK_CHARACTERS))
    if begun:
        yield begun.start(), behind
    if starts_line and _MATTER_BEGUN.match(text):
        matter = FRONT_MATTER.match(text)
        yield 0, matter.end() if matter else min(behind, _MOST_MATTER)
    for match in _WHOLE.finditer(text):
        is_closed = match.group()[0] in "<!["
        if is_closed or match.group()[0] == "." or match.start() > 0 or starts_line:
            yield match.start(), behind if not is_closed and match.end() == len(text) else match.end()
    yield from _closed(text, REASONING_BEGINS, _reasoning_end)
    yield from _closed(text, _ELEMENT, _element_end)
    yield from _fences(text)
    yield from _pairs(text)


def _closed(text: str, begins: re.Pattern, end_of: Callable[[re.Match], re.Pattern]) -> Iterator[Span]:
    for match in begins.finditer(text):
        closing = end_of(match).search(text, match.end())
        yield match.start(), closing.end() if closing else len(text) + 1


def _element_end(begin: re.Match) -> re.Pattern:
    return re.compile(rf"</{re.escape(begin['name'])}\s*>", re.IGNORECASE)


def _reasoning_end(begin: re.Match) -> re.Pattern:
    if begin["thought"]:
        return re.compile(rf"</{begin['thought']}\s*>")
    return re.compile({"[": r"\[/THINK\]", "◁": "◁/think▷"}.get(begin.group()[0], r"<\|end\|>|<\|channel\|>"))


def _fences(text: str) -> Iterator[Span]:
    opened: re.Match | None = None
    for match in _FENCE.finditer(text):
        if opened is None:
            opened = match
        elif match["fence"][0] == opened["fence"][0] and len(match["fence"]) >= len(opened["fence"]) and not match["behind"].strip():
            yield opened.start(), match.end()
            opened = None
    if opened is not None:
        yield opened.start(), len(text) + 1


def _pairs(text: str) -> Iterator[Span]:
    """Emphasis and code within a paragraph; what is open for long was never meant to close."""
    start = 0
    for end in (*(match.start() for match in re.finditer(r"\n[ \t]*\n", text)), len(text)):
        opened: dict[str, int] = {}
        for match in _PAIRED.finditer(text, start, end):
            mark, first = match.group(), opened.pop(match.group(), None)
            if first is None:
                opened[mark] = match.start()
            else:
                yield first, match.end()
        if end == len(text):
            yield from ((first, len(text) + 1) for first in opened.values() if len(text) - first < MOST_MARK_CHARACTERS)
        start = end
