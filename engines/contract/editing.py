"""RecordingEdit: what is to be changed of what somebody says in a recording. EditKind: a way in which an engine can do that, as data.

edited_words: what is said after it. Words and places are those of the recording's text; no engine's own signs are in them.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from engines.contract.options import Option, Value, resolve_options
from engines.errors import EditInvalid, EditUnsupported
from engines.text.characters import UNSPACED

__all__ = ["EditKind", "EditOperation", "EditSpan", "EditedWords", "RecordingEdit", "checked_edit", "edited_words"]

EditPlace = Literal["stretch", "point", "whole"]
MOST_OPERATIONS = 50


@dataclass(frozen=True)
class EditKind:
    """name: "replace". place: what it is done to: a stretch of the words, a point between them, or all. takes_text: it brings words of its
    own. changes_words: other words are said; otherwise the same ones are, in another way. options: of it, as data.
    """

    name: str
    place: EditPlace
    summary: str
    takes_text: bool = False
    changes_words: bool = False
    options: tuple[Option, ...] = ()


@dataclass(frozen=True)
class EditOperation:
    """words[start:end], in characters; start == end of a point, and 0 and the length of the words of all. text: that is said there instead.

    values: of the kind's options, by name.
    """

    kind: str
    start: int
    end: int
    text: str = ""
    values: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class RecordingEdit:
    """words: that are said in the recording. operations: by place, none over another."""

    words: str
    operations: tuple[EditOperation, ...]


@dataclass(frozen=True)
class EditSpan:
    """What words[start:end] became: other_words[other_start:other_end]."""

    start: int
    end: int
    other_start: int
    other_end: int


def checked_edit(title: str, kinds: Sequence[EditKind], words: str, operations: Sequence[EditOperation]) -> RecordingEdit:
    """The edit with its operations by place and their values complete. title: of the engine. kinds: that it knows.

    Raises EditUnsupported where it knows none, EditInvalid for what it cannot do or what contradicts itself, OptionInvalid.
    """
    if not kinds:
        raise EditUnsupported(engine=title)
    if not words.strip():
        raise EditInvalid(hint="Send them with the recording.", sentence="edit_words_missing")
    if not operations:
        raise EditInvalid(hint="Say what: replace a word, or insert a pause.", sentence="edit_empty")
    if len(operations) > MOST_OPERATIONS:
        raise EditInvalid(sentence="edit_too_many", n=len(operations), most=MOST_OPERATIONS)
    known = {kind.name: kind for kind in kinds}
    checked = sorted((_checked(one, known, words, title) for one in operations), key=lambda one: (one.start, one.end))
    stretches = [one for one in checked if known[one.kind].place != "whole"]
    for before, after in pairwise(stretches):
        if after.start < before.end or (after.start, after.end) == (before.start, before.end):
            raise EditInvalid(sentence="edit_overlap", words=words[after.start : max(after.end, before.end)])
    return RecordingEdit(words, tuple(checked))


def _checked(operation: EditOperation, known: Mapping[str, EditKind], words: str, title: str) -> EditOperation:
    kind = known.get(operation.kind)
    if kind is None:
        raise EditInvalid(sentence="edit_kind_unknown", kind=operation.kind, engine=title, kinds=tuple(known))
    start, end = (0, len(words)) if kind.place == "whole" else (operation.start, operation.end)
    is_within, n = 0 <= start <= end <= len(words), len(words)
    if kind.place == "point" and not (is_within and start == end):
        raise EditInvalid(sentence="edit_place_point", kind=kind.name, start=start, end=end, n=n)
    if kind.place == "stretch" and not (is_within and any(map(str.isalnum, words[start:end]))):
        raise EditInvalid(sentence="edit_place_stretch", kind=kind.name, start=start, end=end, n=n)
    if kind.takes_text and not any(map(str.isalnum, operation.text)):
        raise EditInvalid(sentence="edit_text_missing", kind=kind.name)
    values = resolve_options(kind.options, operation.values)
    return EditOperation(operation.kind, start, end, operation.text.strip() if kind.takes_text else "", values)


# --- what is said afterwards

JOINTS = "'’-"  # within a word, between its parts
SUFFIXES = re.compile(r"(?:s|t|re|ve|ll|d|m)\b", re.IGNORECASE)  # behind an apostrophe: it's, don't, we're
NO_BLANK_BEFORE = frozenset(",.;:!?，。？！；：")

Place = tuple[int, int]  # of a character: its part, and where in it; of a blank that is put before a part: -1


@dataclass(frozen=True)
class EditedWords:
    """spans: of each operation but those on all words, in order; what lies between two is said alike, though its blanks may be others."""

    text: str
    spans: tuple[EditSpan, ...]


def edited_words(change: RecordingEdit, kinds: Sequence[EditKind]) -> EditedWords:
    """The very words where no others are said. Else new ones have a blank between them and letters or digits beside them, and marks have
    none before them.

    kinds: of the engine. Rules are those by which dots.tts.edit learned (render_target_text of dots.tts 0.3.1), which knows ASCII and
    Chinese alone; here words of other scripts that write blanks ("добрый день") stand apart, too.
    """
    known, parts, places, at = {kind.name: kind for kind in kinds}, [""], [], 0
    operations = [one for one in change.operations if known[one.kind].place != "whole"]
    for one in operations:  # parts: what is said alike and what is new, in turn
        kind, said = known[one.kind], change.words[one.start : one.end]
        parts[-1] += change.words[at : one.start]
        if kind.changes_words:
            parts.append(one.text if kind.takes_text else "")
            places.append(((len(parts) - 1, 0), (len(parts) - 1, len(parts[-1]))))
            parts.append("")
        else:
            begin = (len(parts) - 1, len(parts[-1]))
            parts[-1] += said
            places.append((begin, (begin[0], len(parts[-1]))))
        at = one.end
    parts[-1] += change.words[at:]
    made = [(c, (0, index)) for index, c in enumerate(parts[0])] if len(parts) == 1 else _cleaned(_joined(parts))
    order = [place for _, place in made]
    found = ((bisect_left(order, first), bisect_left(order, last)) for first, last in places)
    spans = tuple(EditSpan(one.start, one.end, *ends) for one, ends in zip(operations, found, strict=True))
    return EditedWords("".join(c for c, _ in made), spans)


def _joined(parts: Sequence[str]) -> list[tuple[str, Place]]:
    """Characters of all parts, none of which keeps blanks around it, and those blanks that stand between them."""
    made, last = [], ""
    for index, part in enumerate(parts):
        stripped = part.strip()
        if not stripped:
            continue
        following = next((other.strip() for other in parts[index + 1 :] if other.strip()), "")
        is_joint = _is_joint(last, stripped, following)
        if last and not is_joint and _needs_blank(last, stripped):
            made.append((" ", (index, -1)))
        n_before = len(part) - len(part.lstrip())
        made += [(c, (index, n_before + at)) for at, c in enumerate(stripped)]
        last = last + stripped if is_joint else stripped
    return made


def _is_joint(last: str, part: str, following: str) -> bool:
    """Whether a part is a hyphen or an apostrophe that holds two others together."""
    if not last or not following or not _is_ascii(last[-1]):
        return False
    if part == "-":
        return _is_ascii(following[0])
    return part in JOINTS and (SUFFIXES.match(following) is not None or last[-1] in "sS")


def _needs_blank(last: str, part: str) -> bool:
    left, right = last[-1], part[0]
    if right in JOINTS and len(part) > 1:
        is_within = _is_ascii(left) and _is_ascii(part[1])
    elif left in JOINTS and len(last) > 1:
        is_within = _is_ascii(last[-2]) and _is_ascii(right) and (left == "-" or SUFFIXES.match(part) is not None)
    else:
        is_within = False
    are_words = (left + right).isalnum() and not UNSPACED.match(left) and not UNSPACED.match(right)
    return (_is_ascii(left) or _is_ascii(right) or are_words) and not is_within


def _cleaned(made: Sequence[tuple[str, Place]]) -> list[tuple[str, Place]]:
    """One blank for several, and none before a mark."""
    kept = []
    for c, place in made:
        if kept and kept[-1][0].isspace() and (c.isspace() or c in NO_BLANK_BEFORE):
            if c.isspace():
                continue
            kept.pop()
        kept.append((" " if c.isspace() else c, place))
    return kept


def _is_ascii(c: str) -> bool:
    """Whether it is an ASCII letter or digit."""
    return c.isascii() and c.isalnum()
