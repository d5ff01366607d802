"""text_pieces: cuts a text into pieces that are spoken in turn. A piece has as many sentences as the language model learned to say at once.

split_paragraph of cosyvoice/utils/frontend_utils.py @ ace7c47 goes on from 60 tokens (Chinese: characters) to 80, has a last piece of less
than 20 join the one before, and never cuts a sentence. Here no piece goes beyond 80 but to spare a short one, or to leave a sentence whole.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import pairwise
from math import ceil

from engines.cosyvoice3.text.marks import IDEOGRAPH, UNCUT
from engines.cosyvoice3.text.normalization import PARAGRAPH, normalized
from engines.errors import TextUnspeakable
from engines.text.text_splitter import split_text

__all__ = ["MOST_TOKENS", "SHORT_TOKENS", "text_pieces"]

MOST_TOKENS, SHORT_TOKENS = 80, 20  # token_max_n and merge_len upstream
LONGEST_TOKENS = MOST_TOKENS + SHORT_TOKENS
UNEVEN = 1.2  # times the length that parts of a sentence would have if it were cut anywhere: so that clauses fit, and no word is left over

_IDEOGRAPH = re.compile(IDEOGRAPH)

Span = tuple[int, int]


def text_pieces(text: str, count: Callable[[str], int], *, numbers_as_words: bool = False) -> Iterator[str]:
    """The pieces of a text, each in one line and as soon as nothing that follows can change it; nothing of it is lost but blanks.

    count: tokens of a text. One of at most LONGEST_TOKENS is whole sentences, or a part of one that is longer, cut at a clause or a word.
    No mark, tagged words, phonemes or Latin word is cut, even where a piece grows longer by that.
    Raises at once, before any piece is asked for: TextUnspeakable for a text without letter and digit, and what `normalized` does, and
    `count` does of a control token.
    """
    said = normalized(text, numbers_as_words=numbers_as_words)
    if not said:
        raise TextUnspeakable(sentence="text_without_letters" if text.strip() else "text_missing")
    if "<|" in said:
        count(said)
    return _Pieces(said, count).given_out()


class _Pieces:
    """Of a text in its normal form. Spans are of characters."""

    def __init__(self, text: str, count: Callable[[str], int]):
        self._text, self._count = text, count

    def given_out(self) -> Iterator[str]:
        """A complete piece is kept back while the one behind it may turn out to be short, and the last."""
        complete: Span | None = None
        growing: Span | None = None
        for span in self._sentences():
            if growing is not None and not self._takes(growing, span):
                if complete is not None:
                    yield self._line(complete)
                complete, growing = growing, None
            growing = (growing or span)[0], span[1]
            if complete is not None and self._length(growing) >= SHORT_TOKENS:
                yield self._line(complete)
                complete = None
        if complete is not None and growing is not None and self._length((complete[0], growing[1])) <= LONGEST_TOKENS:
            complete, growing = None, (complete[0], growing[1])
        for span in (complete, growing):
            if span is not None:
                yield self._line(span)

    def _takes(self, growing: Span, span: Span) -> bool:
        length = self._length((growing[0], span[1]))
        return length <= MOST_TOKENS or (length <= LONGEST_TOKENS and self._length(growing) < SHORT_TOKENS)

    def _sentences(self) -> Iterator[Span]:
        """One of more than LONGEST_TOKENS in parts of at most MOST_TOKENS, none of them short if that can be."""
        for span in self._cut((0, len(self._text)), None):
            yield from self._parts(span, LONGEST_TOKENS)

    def _parts(self, span: Span, most: int) -> Iterator[Span]:
        length = self._length(span)
        cut = [span]
        if length > most:
            even = length / ceil(length / MOST_TOKENS)
            cut = self._cut(span, ceil((span[1] - span[0]) * min(MOST_TOKENS, UNEVEN * even) / length))
        if len(cut) == 1:
            yield span
            return
        for part in cut:
            yield from self._parts(part, MOST_TOKENS)

    def _cut(self, span: Span, most_characters: int | None) -> list[Span]:
        """At sentences, or where that is too long at clauses or words, or characters; where a mark begins rather than inside of it."""
        text, at, edges = self._text[span[0] : span[1]], 0, [0]
        marks = [mark.span() for mark in UNCUT.finditer(text)]
        starts = [first for first, _ in marks]
        for unit in split_text(text, "sentence", most_characters=most_characters):
            at = text.index(unit, at) + len(unit)
            index = bisect_right(starts, at) - 1
            edge = starts[index] if index >= 0 and at < marks[index][1] else at
            if text[edges[-1] : edge].strip():
                edges.append(edge)
        edges[-1] = len(text)
        return [(span[0] + first, span[0] + last) for first, last in pairwise(edges)]

    def _length(self, span: Span) -> int:
        """In tokens; an ideograph counts as one at least, as upstream, though the tokenizer has tokens of several."""
        text = self._text[span[0] : span[1]]
        return max(self._count(text), len(_IDEOGRAPH.findall(text)))

    def _line(self, span: Span) -> str:
        """Without a blank between two paragraphs where both marks are as wide as ideographs."""
        first, *others = self._text[span[0] : span[1]].strip().split(PARAGRAPH)
        for paragraph in others:
            wide = [unicodedata.east_asian_width(character) in "WF" for character in (first[-1], paragraph[0])]
            first += paragraph if all(wide) else f" {paragraph}"
        return first
