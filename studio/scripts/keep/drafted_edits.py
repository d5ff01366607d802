"""DraftedEdits: edits, one after the other, on a copy of what a script has; what comes of them is a Snapshot."""

import json
import secrets
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from functools import cached_property

from studio.errors import EditRefused, LineUnknown
from studio.reading.lexicon.entry import LexiconEntry
from studio.reading.lexicon.lexicon import Lexicon
from studio.scripts.keep.snapshot import Snapshot, line_order, text_columns
from studio.scripts.script.cast import CastMember
from studio.scripts.script.edits import (
    DeleteLines,
    Edit,
    InsertLines,
    MoveLines,
    PutLine,
    RenameMember,
    SetCast,
    SetDictionary,
    SetHead,
    WrittenEntry,
)
from studio.scripts.script.line import LineText

__all__ = ["DraftedEdits", "cast_json", "dictionary_json", "insert_lines", "new_line_id", "written_json"]

ID_BYTES = 8  # 16 characters


class DraftedEdits:
    """Within one transaction. Every edit raises LineUnknown, EditRefused, and what checking an entry of a dictionary does."""

    def __init__(self, rows: sqlite3.Connection, script_id: str):
        self._rows, self._script_id = rows, script_id
        self._texts: dict[str, LineText] = {}  # of lines that are written anew, or new
        self._new: list[str] = []
        self._moved: dict[str, None] = {}  # lines whose place is another; a set that keeps its order
        self._head: dict[str, str] = {}

    def apply(self, edits: Iterable[Edit]) -> Snapshot:
        """What is to be; lines that are new have rows by then, without a place."""
        for edit in edits:
            self._apply(edit)
        insert_lines(self._rows, self._script_id, [(line, self._texts[line]) for line in self._new])
        known = {line: written_json(text) for line, text in self._texts.items() if line not in self._new}
        head = Snapshot(head=self._head.get("head"), members=self._head.get("members"), dictionary=self._head.get("dictionary"))
        if not self._moved:
            return replace(head, texts=known)
        behind = [(line, before) for before, line in zip([None, *self._order], self._order, strict=False) if line in self._moved]
        gone = set(self._moved) - {line for line, _ in behind}
        return replace(head, texts=known, behind=tuple(behind), gone=tuple(sorted(gone)))

    # --- private

    @cached_property
    def _order(self) -> list[str]:
        return list(line_order(self._rows, self._script_id))

    def _apply(self, edit: Edit) -> None:
        match edit:
            case PutLine():
                self._text(edit.line)
                self._texts[edit.line] = edit.written
            case InsertLines():
                lines = [new_line_id() for _ in edit.lines]
                self._texts.update(zip(lines, edit.lines, strict=True))
                self._new += lines
                self._put_behind(lines, edit.after)
            case DeleteLines():
                self._take_out(edit.lines)
            case MoveLines():
                if edit.after in edit.lines:
                    raise EditRefused(sentence="script_line_behind_itself")
                self._take_out(edit.lines)
                self._put_behind(edit.lines, edit.after)
            case SetHead():
                self._head["head"] = edit.head.model_dump_json(exclude_defaults=True)
            case SetCast():
                self._head["members"] = cast_json(edit.cast)
            case RenameMember():
                self._rename(edit.name, edit.to)
            case SetDictionary():
                self._head["dictionary"] = dictionary_json(checked_entries(edit.entries))

    def _text(self, line: str) -> LineText:
        """As it is by now. Raises LineUnknown."""
        if "_order" in self.__dict__ and line in self._moved and line not in self._order:
            raise LineUnknown
        if line not in self._texts:
            found = self._rows.execute(
                "SELECT written FROM lines WHERE script = ? AND id = ? AND place IS NOT NULL", (self._script_id, line)
            ).fetchone()
            if found is None:
                raise LineUnknown
            return LineText.model_validate_json(found["written"])
        return self._texts[line]

    def _take_out(self, lines: Sequence[str]) -> None:
        leaving = frozenset(lines)
        if len(leaving) < len(lines):
            raise EditRefused(sentence="script_line_twice")
        if not leaving <= frozenset(self._order):
            raise LineUnknown
        self._order[:] = [line for line in self._order if line not in leaving]
        self._moved.update(dict.fromkeys(lines))

    def _put_behind(self, lines: Sequence[str], after: str | None) -> None:
        try:
            at = 0 if after is None else self._order.index(after) + 1
        except ValueError:
            raise LineUnknown from None
        self._order[at:at] = lines
        self._moved.update(dict.fromkeys(lines))

    def _rename(self, name: str, to: str) -> None:
        told = (
            self._head.get("members")
            or self._rows.execute("SELECT members FROM scripts WHERE id = ?", (self._script_id,)).fetchone()["members"]
        )
        cast = tuple(CastMember(**member) for member in json.loads(told))
        lines = list(self._lines_of(name))
        names = {member.name for member in cast}
        if not lines and name not in names:
            raise EditRefused(sentence="script_cast_unknown", name=name)
        for line in lines:
            self._texts[line] = self._text(line).model_copy(update={"who": to})
        if to in names:
            cast = tuple(member for member in cast if member.name != name or name == to)
        cast = tuple(member.model_copy(update={"name": to}) if member.name == name else member for member in cast)
        self._head["members"] = cast_json(cast)

    def _lines_of(self, name: str) -> Iterable[str]:
        found = self._rows.execute("SELECT id FROM lines WHERE script = ? AND place IS NOT NULL AND who = ?", (self._script_id, name))
        here = frozenset(self._order)
        yield from (row["id"] for row in found if row["id"] not in self._texts and row["id"] in here)
        yield from [line for line, text in self._texts.items() if text.who == name and line in here]


def checked_entries(entries: Iterable[WrittenEntry]) -> tuple[LexiconEntry, ...]:
    """Raises LexiconEntryInvalid, LexiconFull."""
    return Lexicon(LexiconEntry(**entry.model_dump()).checked() for entry in entries).entries


def cast_json(cast: Sequence[CastMember]) -> str:
    """Raises EditRefused where two have one name."""
    names: set[str] = set()
    for member in cast:
        if member.name in names:
            raise EditRefused(sentence="script_cast_twice", name=member.name)
        names.add(member.name)
    return json.dumps([member.model_dump(mode="json", exclude_defaults=True) for member in cast], ensure_ascii=False)


def dictionary_json(entries: Iterable[LexiconEntry]) -> str:
    """As the table has them. entries: checked."""
    return json.dumps([asdict(entry) for entry in entries], ensure_ascii=False)


def written_json(written: LineText) -> str:
    """As the table has it: without what has its default."""
    return written.model_dump_json(exclude_defaults=True)


def new_line_id() -> str:
    """Another one for each line of a script."""
    return secrets.token_hex(ID_BYTES)


def insert_lines(rows: sqlite3.Connection, script_id: str, lines: Iterable[tuple[str, LineText]]) -> None:
    """Rows without a place, which a snapshot gives them."""
    values = [(script_id, line, *text_columns(written_json(text))) for line, text in lines]
    rows.executemany("INSERT INTO lines (script, id, written, who, n_characters, is_heading) VALUES (?, ?, ?, ?, ?, ?)", values)
