"""Edits drawn by formula, in Latin letters and Chinese, with all that may stand beside a word. Both sides are asked what is said after."""

import random
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from engines.contract.editing import EditOperation

__all__ = ["N_DRAWN", "DrawnEdit", "drawn_edits"]

N_DRAWN = 600
PIECES = (
    "the", "cat", "it", "don", "s", "t", "ll", "well", "Jess", "re", "A", "12", "你", "好", "世界", " ", " ", " ", "  ", "\n",
    "'", "’", "-", ",", ".", "!", "?", "，", "。", "！", "：", '"', "(", ")", ";", ":", "…", "“", "”", "&", "<",
)  # fmt: skip
TAGS = {
    "replace": '<sub targ="{new}">{old}</sub>',
    "remove": "<del>{old}</del>",
    "insert": "<ins>{new}</ins>",
    "emotion": '<emo desc="calm">{old}</emo>',
    "pause": '<pause act="ins" level="1"/>',
}
VALUES = {"emotion": {"description": "calm"}, "pause": {"level": 1}}


@dataclass(frozen=True)
class DrawnEdit:
    """instruction: the same in the makers' tags."""

    words: str
    operations: tuple[EditOperation, ...]
    instruction: str


def drawn_edits() -> Iterator[DrawnEdit]:
    """N_DRAWN of them."""
    draw, n = random.Random(60), 0
    while n < N_DRAWN:
        words = _text(draw, 12)
        operations = tuple(_operations(draw, words))
        if operations and words.strip():
            n += 1
            yield DrawnEdit(words, operations, _instruction(words, operations))


def _text(draw: random.Random, most: int) -> str:
    return "".join(draw.choice(PIECES) for _ in range(draw.randint(1, most)))


def _operations(draw: random.Random, words: str) -> Iterator[EditOperation]:
    """In order, no two at one place; stretches with a word in them, points between words."""
    places = sorted(draw.sample(range(len(words) + 1), min(len(words) + 1, draw.randint(1, 6))))
    while places:
        start, kind = places.pop(0), draw.choice(tuple(TAGS))
        new = _text(draw, 3).strip()
        if kind in ("replace", "insert") and not any(map(str.isalnum, new)):
            continue
        if kind in ("insert", "pause"):
            if kind == "pause" or not _is_within_word(words, start):
                yield EditOperation(kind, start, start, new if kind == "insert" else "", VALUES.get(kind, {}))
        elif places and any(map(str.isalnum, words[start : places[0]])):
            yield EditOperation(kind, start, places.pop(0), new if kind == "replace" else "", VALUES.get(kind, {}))


def _is_within_word(words: str, at: int) -> bool:
    """Where the makers would hold that a blank was left out."""
    beside = words[max(0, at - 1) : at + 1]
    return len(beside) == 2 and not any(c.isspace() or unicodedata.category(c)[0] == "P" or "一" <= c <= "鿿" for c in beside)


def _instruction(words: str, operations: tuple[EditOperation, ...]) -> str:
    parts, at = [], 0
    for one in operations:
        parts += [escape(words[at : one.start]), TAGS[one.kind].format(new=escape(one.text), old=escape(words[one.start : one.end]))]
        at = one.end
    return "".join([*parts, escape(words[at:])])
