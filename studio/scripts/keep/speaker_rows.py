"""Which scripts name a voice or were said with it, and what happens to them where it gets another name or goes."""

import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace

from studio.scripts.keep.rows import SCRIPTS, script_of
from studio.scripts.keep.snapshot import Snapshot, write_speakers
from studio.scripts.script.script import Script
from studio.speakers.speaker import speaker_key

__all__ = ["rename_speaker", "takes_by", "takes_of_generation", "using"]

# Of one workspace: scripts whose cast names a voice, or that have takes of a stored one.
USING = """workspace = ? AND id IN
(SELECT script FROM speakers WHERE key = ? UNION SELECT script FROM takes WHERE speaker = ?)"""


def using(rows: sqlite3.Connection, speaker: str, workspace: str) -> tuple[Script, ...]:
    """Of that workspace, the one that changed last first."""
    key = speaker_key(speaker)
    return tuple(map(script_of, rows.execute(f"{SCRIPTS} WHERE {USING} ORDER BY changed DESC, id", (workspace, key, key))))


def rename_speaker(rows: sqlite3.Connection, script_id: str, before: str, after: str) -> None:
    """In the cast, and in what undo and redo would put there."""
    row = rows.execute("SELECT members FROM scripts WHERE id = ?", (script_id,)).fetchone()
    members = _renamed(row["members"], before, after)
    rows.execute("UPDATE scripts SET members = ?, revision = revision + 1 WHERE id = ?", (members, script_id))
    write_speakers(rows, script_id, (member["voice"] for member in json.loads(members) if member.get("voice")))
    for step in rows.execute("SELECT number, snapshot FROM steps WHERE script = ? AND has_cast", (script_id,)).fetchall():
        snapshot = Snapshot.unpacked(step["snapshot"])
        told = replace(snapshot, members=_renamed(snapshot.members or "[]", before, after)).packed()
        rows.execute("UPDATE steps SET snapshot = ? WHERE script = ? AND number = ?", (told, script_id, step["number"]))
    told = "UPDATE takes SET speaker = ? WHERE script = ? AND speaker = ?"
    rows.execute(told, (speaker_key(after), script_id, speaker_key(before)))


def takes_of_generation(rows: sqlite3.Connection, generation_id: str) -> tuple[int, ...]:
    """Numbers of the takes of one recording, in scripts of all workspaces."""
    return tuple(row["number"] for row in rows.execute("SELECT number FROM takes WHERE generation = ?", (generation_id,)))


def takes_by(rows: sqlite3.Connection, speaker: str, workspace: str, is_live: Callable[[str], bool]) -> tuple[int, ...]:
    """Numbers of the takes of a voice in the scripts of a workspace whose recordings are no more: also of those that were replaced."""
    where = "speaker = ? AND script IN (SELECT id FROM scripts WHERE workspace = ?)"
    found = rows.execute(f"SELECT number, generation FROM takes WHERE {where}", (speaker_key(speaker), workspace)).fetchall()
    return tuple(row["number"] for row in found if not is_live(row["generation"]))


def _renamed(members: str, before: str, after: str) -> str:
    told = json.loads(members)
    key = speaker_key(before)
    renamed = [{**one, "voice": after} if one.get("voice") and speaker_key(one["voice"]) == key else one for one in told]
    return json.dumps(renamed, ensure_ascii=False)
