"""Which symbols say which word: a text and what was read of it, laid beside each other."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate

from engines.kit.phonemes.ipa import PHONES_BEGIN, PHONES_END
from engines.kokoro.symbols import symbols_of

__all__ = ["SymbolWord", "said_words"]

# A word between blanks, and a character of Chinese or Japanese, which have none.
_WORD = re.compile(
    rf"{PHONES_BEGIN}[^{PHONES_END}]*{PHONES_END}\S*|[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|[^\s\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
)
_NEAR_LETTERS = 2
_STRESSES = ("ˈ", "ˌ")


@dataclass(frozen=True)
class SymbolWord:
    """piece[start:end] is said by symbols[first:last]."""

    start: int
    end: int
    first: int
    last: int


def said_words(piece: str, symbols: str, language: str) -> list[SymbolWord]:
    """In order, words that have a sound; symbols: what was read of the piece as a whole. Some milliseconds.

    Each word is read alone, and what is alike is laid upon the whole: said together some sound otherwise ("a", "of the").
    """
    words = [(match.start(), match.end()) for match in _WORD.finditer(piece)]
    alone = [_sounds(symbols_of(piece[start:end], language).symbols) for start, end in words]
    sounds = [at for at, symbol in enumerate(symbols) if _is_sound(symbol)]
    if not sounds:
        return []
    begins = {number for number, at in enumerate(sounds) if not number or " " in symbols[sounds[number - 1] : at]}
    places = _BesideText("".join(alone), "".join(symbols[at] for at in sounds), begins)
    spoken = [number for number, said in enumerate(alone) if said]
    ahead = accumulate((len(alone[number]) for number in spoken), initial=0)
    firsts = [places.of(at) for at, _ in zip(ahead, spoken, strict=False)]
    stressed = [at - 1 if symbols[at - 1 : at] in _STRESSES else at for at in sounds]
    return list(_joined([words[number] for number in spoken], firsts, stressed, sounds))


def _joined(words: list[tuple[int, int]], firsts: list[int], begins: list[int], sounds: list[int]) -> Iterator[SymbolWord]:
    """Those that begin with the same sound are one. firsts: sounds by number. begins, sounds: of each sound where it stands, with and
    without its stress."""
    number = 0
    while number < len(words):
        behind = number + 1
        while behind < len(words) and firsts[behind] <= firsts[number]:
            behind += 1
        until = firsts[behind] if behind < len(words) else len(sounds)
        if until > firsts[number]:
            yield SymbolWord(words[number][0], words[behind - 1][1], begins[firsts[number]], sounds[until - 1] + 1)
        number = behind


class _BesideText:
    """Where in a text each letter of another is, by what both have in common. begins: letters of the other with which words begin."""

    def __init__(self, text: str, other: str, begins: set[int]):
        blocks = SequenceMatcher(None, text, other, autojunk=False).get_matching_blocks()
        self._blocks = [(0, 0, 0), *((block.a, block.b, block.size) for block in blocks)]
        self._n_other, self._begins = len(other), begins

    def of(self, at: int) -> int:
        """Beside a letter that both have it is certain; else a word begins near there, if one does."""
        number = bisect_right(self._blocks, (at, 1 << 30, 0)) - 1
        start, there, size = self._blocks[number]
        if at <= start + size or number + 1 == len(self._blocks):
            return min(there + at - start, self._n_other - 1)
        next_start, next_there, _ = self._blocks[number + 1]
        between, gap, other_gap = at - start - size, next_start - start - size, next_there - there - size
        about = min(there + size + round(other_gap * between / max(1, gap)), self._n_other - 1)
        if gap == other_gap:  # a sound for a sound
            return about
        near = (about + off for distance in range(_NEAR_LETTERS + 1) for off in (-distance, distance))
        return next((one for one in near if one in self._begins), about)


def _sounds(symbols: str) -> str:
    return "".join(filter(_is_sound, symbols))


def _is_sound(symbol: str) -> bool:
    """Whether it is part of a word: a sound, or a mark on one."""
    return (symbol.isalpha() or symbol in "↓→↗↘\u0303") and symbol not in _STRESSES
