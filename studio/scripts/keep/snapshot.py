"""Snapshot: a part of a script at one moment. A step is kept as one: to undo it, what it says is exchanged with what is there.

Where a line stands is told by the line before it, so that places may be dealt anew meanwhile.
"""

import json
import sqlite3
import zlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field

from studio.scripts.keep.order import places_of, rearranged
from studio.scripts.script.line import LineText
from studio.speakers.speaker import speaker_key

__all__ = ["Snapshot", "line_order", "put_snapshot", "snapshot_now", "text_columns", "write_speakers"]

HEAD = ("head", "members", "dictionary")  # columns of scripts


@dataclass(frozen=True)
class Snapshot:
    """texts: line -> what is written of it, as JSON. behind: lines in their order with the line before each, None for the first.
    gone: lines that are not there. chosen: line -> the id of the take that is heard, "" for none; of lines whose words were mended alone.
    The rest: JSON of what it is called; None where it is no part of this."""

    texts: dict[str, str] = field(default_factory=dict)
    behind: tuple[tuple[str, str | None], ...] = ()
    gone: tuple[str, ...] = ()
    head: str | None = None
    members: str | None = None
    dictionary: str | None = None
    chosen: dict[str, str] = field(default_factory=dict)

    @property
    def moved(self) -> frozenset[str]:
        """Lines whose place it tells."""
        return frozenset((*(line for line, _ in self.behind), *self.gone))

    @property
    def is_whole(self) -> bool:
        """Whether it tells of more than single lines."""
        return bool(self.behind or self.gone) or any(getattr(self, name) is not None for name in HEAD)

    @property
    def lines(self) -> tuple[str, ...]:
        """Those that are there."""
        return tuple(
            dict.fromkeys((*(line for line in (*self.texts, *self.chosen) if line not in self.gone), *(line for line, _ in self.behind)))
        )

    def packed(self) -> bytes:
        return zlib.compress(json.dumps(asdict(self), ensure_ascii=False).encode("utf-8", "surrogatepass"), level=1)

    @classmethod
    def unpacked(cls, data: bytes) -> "Snapshot":
        told = json.loads(zlib.decompress(data).decode("utf-8", "surrogatepass"))
        behind = tuple((line, before) for line, before in told.pop("behind"))
        return cls(**{**told, "behind": behind, "gone": tuple(told["gone"])})


def line_order(rows: sqlite3.Connection, script_id: str) -> dict[str, int]:
    """Line -> place, in order."""
    found = rows.execute("SELECT id, place FROM lines WHERE script = ? AND place IS NOT NULL ORDER BY place", (script_id,))
    return {row["id"]: row["place"] for row in found}


def snapshot_now(rows: sqlite3.Connection, script_id: str, like: Snapshot) -> Snapshot:
    """What is there of all that `like` tells of."""
    texts = {}
    for line in like.texts:
        texts[line] = rows.execute("SELECT written FROM lines WHERE script = ? AND id = ?", (script_id, line)).fetchone()["written"]
    moved, behind = like.moved, []
    if moved:
        order = list(line_order(rows, script_id))
        behind = [(line, before) for before, line in zip([None, *order], order, strict=False) if line in moved]
    here = {line for line, _ in behind}
    row = rows.execute("SELECT head, members, dictionary FROM scripts WHERE id = ?", (script_id,)).fetchone()
    head = {name: row[name] for name in HEAD if getattr(like, name) is not None}
    chosen = {}
    for line in like.chosen:
        chosen[line] = rows.execute("SELECT chosen FROM lines WHERE script = ? AND id = ?", (script_id, line)).fetchone()["chosen"]
    return Snapshot(texts, tuple(behind), tuple(sorted(moved - here)), **head, chosen=chosen)


def put_snapshot(rows: sqlite3.Connection, script_id: str, snapshot: Snapshot, stamp: int) -> None:
    """Make it so. stamp: what the lines that are changed are told by."""
    values = [(*text_columns(text), stamp, script_id, line) for line, text in snapshot.texts.items()]
    rows.executemany(
        "UPDATE lines SET written = ?, who = ?, n_characters = ?, is_heading = ?, stamp = ? WHERE script = ? AND id = ?", values
    )
    rows.executemany(  # a take that is gone meanwhile is not chosen by it
        """UPDATE lines SET chosen = ?, stamp = ? WHERE script = ? AND id = ?
        AND (? = '' OR EXISTS (SELECT 1 FROM takes WHERE takes.script = lines.script AND takes.line = lines.id AND takes.id = ?))""",
        [(take, stamp, script_id, line, take, take) for line, take in snapshot.chosen.items()],
    )
    if moved := snapshot.moved:
        known = line_order(rows, script_id)
        places = places_of(rearranged(known, moved, snapshot.behind), known, moved)
        told = [(places.get(line), script_id, line) for line in {*moved, *places}]
        rows.executemany("UPDATE lines SET place = ? WHERE script = ? AND id = ?", told)
        rows.executemany("UPDATE lines SET stamp = ? WHERE script = ? AND id = ?", [(stamp, script_id, line) for line in moved])
    for name in HEAD:
        if (told := getattr(snapshot, name)) is not None:
            rows.execute(f"UPDATE scripts SET {name} = ? WHERE id = ?", (told, script_id))
    if snapshot.members is not None:
        write_speakers(rows, script_id, (member["voice"] for member in json.loads(snapshot.members) if member.get("voice")))


def write_speakers(rows: sqlite3.Connection, script_id: str, voices: Iterable[str]) -> None:
    """Which voices a script's cast names."""
    rows.execute("DELETE FROM speakers WHERE script = ?", (script_id,))
    rows.executemany("INSERT INTO speakers VALUES (?, ?)", {(script_id, speaker_key(voice)) for voice in voices})


def text_columns(written: str) -> tuple[str, str, int, bool]:
    """(written, who, n_characters, is_heading) of a line, as the table has them. written: JSON."""
    line = LineText.model_validate_json(written)
    return written, line.who, len(line.text), line.kind == "heading"
