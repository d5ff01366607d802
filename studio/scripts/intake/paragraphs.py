"""Blocks of a plain text, and which of their line ends are only where somebody wrapped it.

A line was wrapped where the next one's first word had no room in it, or the text goes on in a small letter, as in studio/reading/lines.py,
which looks at one paragraph; here all of a file tells how wide it was wrapped. Verse keeps its line ends.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

__all__ = ["TextBlock", "TextLayout", "blocks_of", "joined_lines", "layout_of"]

_WIDE = re.compile("[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]")
_WITHOUT_BLANKS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uf900-\ufaff\uff00-\uff60]")
_SENTENCE_END = re.compile(r"[.!?:…。！？：][\"'”’»」』)\]_*]*\Z")
_HYPHEN = re.compile(r"[^\W\d_](?:-|\u2010)\Z")
_FIRST_WORD = re.compile(r"\S+")
_WORDS = re.compile(r"[^\W_]+(?:[-\u2010][^\W_]+)*")
_LEAST_WIDTH, _LEAST_PROSE_WIDTH, _MOST_WIDTH = 35, 60, 130  # columns: below it nobody wraps, verse ends, lines are paragraphs
_SLACK = 4  # columns by which people wrap early
_LEAST_SHARE = 0.75  # of line ends with no room for what follows
_FULL_SHARE = 0.95  # of the lines are not wider than the file was wrapped at
_MOST_LOOKED_AT = 20_000  # lines, for the width
_MOST_HYPHENS = 0.04  # of line ends: more, and the file was hyphenated
_INDENT = 2
_MOST_ENDED = 0.8  # of wrapped lines that end a sentence by chance; where more do, they are paragraphs alike in length
_LEAST_ENDED, _LEAST_MARKED = 0.6, 0.3  # of lines that end a sentence: paragraphs; of lines that end with any mark: verse


@dataclass(frozen=True)
class TextBlock:
    """Lines without a blank one between them, with their indents. n_blank: blank lines before it."""

    lines: tuple[str, ...]
    n_blank: int = 1

    @cached_property
    def one_line(self) -> str:
        return " ".join(" ".join(self.lines).split())


@dataclass(frozen=True)
class TextLayout:
    """Of a whole file. width: columns it was wrapped at, 0 where it was not. has_blank_lines: between its paragraphs."""

    width: int
    has_blank_lines: bool
    is_indented: bool
    is_hyphenated: bool
    words: frozenset[str]


def blocks_of(text: str) -> tuple[TextBlock, ...]:
    """Each a paragraph, a heading, a stanza. Of a text with a paragraph in each line every line is one."""
    raw = tuple(_raw_blocks(text))
    layout = _layout(text, raw)
    return tuple(part for block in raw for part in _parted(block, layout))


def layout_of(text: str) -> TextLayout:
    """How a text was wrapped."""
    return _layout(text, tuple(_raw_blocks(text)))


def _raw_blocks(text: str) -> Iterator[TextBlock]:
    lines: list[str] = []
    n_blank, is_first = 0, True
    for line in text.replace("\u00ad", "").split("\n"):
        if line and not line.isspace():
            lines.append(line.rstrip().expandtabs(4))
            continue
        if lines:
            yield TextBlock(tuple(lines), 1 if is_first else n_blank)
            lines, n_blank, is_first = [], 0, False
        n_blank += 1
    if lines:
        yield TextBlock(tuple(lines), 1 if is_first else n_blank)


def _layout(text: str, blocks: Sequence[TextBlock]) -> TextLayout:
    pairs = [pair for block in blocks for pair in pairwise(block.lines)][:_MOST_LOOKED_AT]
    if not pairs:
        return TextLayout(0, len(blocks) > 1, False, False, frozenset())
    widths = sorted(_width(line) for line, _ in pairs)
    width = widths[min(len(widths) - 1, int(_FULL_SHARE * len(widths)))]
    is_wrapped = _LEAST_WIDTH <= width <= _MOST_WIDTH and _is_wrapped(pairs, width)
    n_hyphens = sum(1 for line, _ in pairs if _HYPHEN.search(line))
    is_hyphenated = n_hyphens > _MOST_HYPHENS * len(pairs)
    n_indented = sum(1 for line, following in pairs if _indent(following) >= _indent(line) + _INDENT)
    words = frozenset(map(str.casefold, _WORDS.findall(text))) if n_hyphens else frozenset()
    return TextLayout(
        width if is_wrapped else 0,
        len(blocks) > max(3, len(pairs) // 40),
        is_wrapped and n_indented > 2 * len(blocks),
        is_hyphenated,
        words,
    )


def _is_wrapped(pairs: Sequence[tuple[str, str]], width: int) -> bool:
    """Whether lines end where there was no room for more, or go on in small letters."""
    n_small = sum(1 for _, following in pairs if following.lstrip()[:1].islower())
    if n_small >= len(pairs) / 2:
        return True
    if sum(1 for line, _ in pairs if _SENTENCE_END.search(line)) >= _MOST_ENDED * len(pairs):
        return False
    n_full = sum(1 for line, following in pairs if _is_full(line, following, width))
    return width >= _LEAST_PROSE_WIDTH and n_full >= _LEAST_SHARE * len(pairs)


def _is_full(line: str, following: str, width: int) -> bool:
    word = _FIRST_WORD.search(following)
    room = min(_width(word[0]), 2) if word and _WITHOUT_BLANKS.match(word[0]) else 1 + len(word[0]) if word else 0
    return _width(line) + room > width - _SLACK


def _parted(block: TextBlock, layout: TextLayout) -> Iterator[TextBlock]:
    """A block as paragraphs: of one whose lines are paragraphs, each of them."""
    lines = block.lines
    if layout.width and layout.is_indented:
        starts = [0, *(at for at in range(1, len(lines)) if _indent(lines[at]) >= _indent(lines[at - 1]) + _INDENT), len(lines)]
    elif not layout.width and len(lines) > 1 and _are_paragraphs(lines, layout):
        starts = list(range(len(lines) + 1))
    else:
        starts = [0, len(lines)]
    for first, last in pairwise(starts):
        yield TextBlock(tuple(joined_lines(lines[first:last], layout).split("\n")), 0 if first else block.n_blank)


def _are_paragraphs(lines: Sequence[str], layout: TextLayout) -> bool:
    """Of a file that is not wrapped: whether each line stands for itself, and is no verse of a stanza."""
    width = max(map(_width, lines))
    if _is_wrapped(list(pairwise(lines)), width):
        return False
    n_ended = sum(1 for line in lines if _SENTENCE_END.search(line))
    if n_ended >= _LEAST_ENDED * len(lines) or width > _MOST_WIDTH:
        return True
    n_marked = sum(1 for line in lines if not line[-1].isalnum())  # a list of words has no marks
    return not layout.has_blank_lines and not (width < _LEAST_PROSE_WIDTH + 10 and n_marked >= _LEAST_MARKED * len(lines))


def joined_lines(lines: Sequence[str], layout: TextLayout) -> str:
    """A paragraph in one line, with a newline where a line ends by itself."""
    if len(lines) == 1:
        return lines[0].strip()
    own = max(map(_width, lines))
    pairs = list(pairwise(lines))
    is_prose = _is_wrapped(pairs, max(own, layout.width if layout.width - own < 15 else 0))
    joined = [lines[0].strip()]
    for line, following in pairs:
        goes_on = is_prose or (layout.width and own >= _LEAST_PROSE_WIDTH and _is_full(line, following, layout.width))
        written = following.strip()
        if not goes_on:
            joined.append("\n")
        elif _parts_a_word(line, written, layout):
            joined[-1] = joined[-1][:-1]
        elif not _joins_itself(line, written):
            joined.append(" ")
        joined.append(written)
    return "".join(joined)


def _parts_a_word(line: str, following: str, layout: TextLayout) -> bool:
    """Whether the hyphen at the line's end is there for the line alone: "conver-" "sion", and not "well-" "known"."""
    if not following[:1].islower() or not _HYPHEN.search(line):
        return False
    head, tail = _WORDS.findall(line.rstrip("-\u2010"))[-1:], _WORDS.match(following)
    if not head or tail is None:
        return False
    first, last = head[0].casefold(), tail[0].casefold()
    return f"{first}-{last}" not in layout.words and (layout.is_hyphenated or first + last in layout.words)


def _joins_itself(line: str, following: str) -> bool:
    """Whether no blank stands between two lines that are one."""
    return line[-1] in "—-\u2010" or bool(_WITHOUT_BLANKS.match(following) and _WITHOUT_BLANKS.match(line[-1]))


def _width(line: str) -> int:
    return len(line) if line.isascii() else len(line) + len(_WIDE.findall(line))


def _indent(line: str) -> int:
    """Columns; a blank of ideographs counts as two."""
    blanks = line[: len(line) - len(line.lstrip())]
    return _width(blanks)
