"""RecordingEdit: what is to be changed of what somebody says in a recording. EditKind: a way in which an engine can do that, as data.

edited_words: what is said after it. Words and places are those of the recording's text; no engine's own signs are in them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from engines.contract.options import Option, Value, resolve_options
from engines.errors import EditInvalid, EditUnsupported

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
        raise EditUnsupported(f"{title} does not change recordings.", "Choose an engine that does.", engine=title)
    if not words.strip():
        raise EditInvalid("The words of the recording are not known.", "Send them with the recording.", sentence="edit_words_missing")
    if not operations:
        raise EditInvalid("Nothing is to be changed.", "Say what: replace a word, or insert a pause.", sentence="edit_empty")
    if len(operations) > MOST_OPERATIONS:
        fact, n = f"There are {len(operations)} changes; the limit is {MOST_OPERATIONS}.", len(operations)
        raise EditInvalid(fact, "Make them in several turns.", sentence="edit_too_many", n=n, most=MOST_OPERATIONS)
    known = {kind.name: kind for kind in kinds}
    checked = sorted((_checked(one, known, words, title) for one in operations), key=lambda one: (one.start, one.end))
    stretches = [one for one in checked if known[one.kind].place != "whole"]
    for before, after in pairwise(stretches):
        if after.start < before.end or (after.start, after.end) == (before.start, before.end):
            raise EditInvalid(
                f"Two changes lie over one another: {words[after.start : before.end]!r}.",
                "Leave one of them out, or make them one after the other.",
                sentence="edit_overlap",
                words=words[after.start : max(after.end, before.end)],
            )
    return RecordingEdit(words, tuple(checked))


def _checked(operation: EditOperation, known: Mapping[str, EditKind], words: str, title: str) -> EditOperation:
    kind = known.get(operation.kind)
    if kind is None:
        names = ", ".join(known)
        fact = f"{title} knows no change {operation.kind!r}."
        raise EditInvalid(fact, f"It knows: {names}.", sentence="edit_kind_unknown", kind=operation.kind, engine=title, kinds=tuple(known))
    start, end = (0, len(words)) if kind.place == "whole" else (operation.start, operation.end)
    is_within, n = 0 <= start <= end <= len(words), len(words)
    if kind.place == "point" and not (is_within and start == end):
        fact = f"{kind.name} wants a place between words; characters {start} to {end} of {n} are none."
        raise EditInvalid(fact, "Choose another place.", sentence="edit_place_point", kind=kind.name, start=start, end=end, n=n)
    if kind.place == "stretch" and not (is_within and any(map(str.isalnum, words[start:end]))):
        fact = f"{kind.name} wants a stretch with a word in it; characters {start} to {end} of {n} are none."
        raise EditInvalid(fact, "Select at least one word.", sentence="edit_place_stretch", kind=kind.name, start=start, end=end, n=n)
    if kind.takes_text and not any(map(str.isalnum, operation.text)):
        fact = f"{kind.name} wants the words that are to be said."
        raise EditInvalid(fact, "Type them.", sentence="edit_text_missing", kind=kind.name)
    values = resolve_options(kind.options, operation.values)
    return EditOperation(operation.kind, start, end, operation.text.strip() if kind.takes_text else "", values)


# --- what is said afterwards


@dataclass(frozen=True)
class EditedWords:
    """spans: of each operation but those on all words, in order; what lies between two is said alike, and so are its blanks and marks."""

    text: str
    spans: tuple[EditSpan, ...]


def edited_words(change: RecordingEdit, kinds: Sequence[EditKind]) -> EditedWords:
    """Words that stand beside others keep one blank between them. kinds: of the engine."""
    known = {kind.name: kind for kind in kinds}
    text, spans, at = "", [], 0
    for one in change.operations:
        kind = known[one.kind]
        if kind.place == "whole":
            continue
        text = _joined(text, change.words[at : one.start])
        said = one.text if kind.takes_text else "" if kind.changes_words else change.words[one.start : one.end]
        text = _joined(text, said)
        spans.append(EditSpan(one.start, one.end, len(text) - len(said), len(text)))
        at = one.end
    return EditedWords(_joined(text, change.words[at:]), tuple(spans))


def _joined(before: str, after: str) -> str:
    if before[-1:].isspace() and after[:1].isspace():
        return before + after.lstrip()
    needs_blank = before[-1:].isalnum() and after[:1].isalnum() and (before[-1:].isascii() or after[:1].isascii())
    return f"{before} {after}" if needs_blank else before + after
