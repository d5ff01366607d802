"""ScriptSteps: what is done to a script as a step of undo, and done back."""

import sqlite3

from studio.errors import NothingToUndo, ScriptTooLong
from studio.scripts.keep import counts
from studio.scripts.keep.limits import WorkspaceLimits
from studio.scripts.keep.rows import read_script_row
from studio.scripts.keep.snapshot import Snapshot, put_snapshot, snapshot_now
from studio.scripts.keep.steps import add_step, exchange_step, trim_steps
from studio.scripts.keep.take_rows import Unused
from studio.scripts.keep.transactions import ScriptTransactions
from studio.scripts.script.edited import Edited

__all__ = ["ScriptSteps"]


class ScriptSteps:
    """Thread-safe."""

    def __init__(self, at: ScriptTransactions, limits: WorkspaceLimits):
        self._at, self._limits = at, limits

    def put(self, rows: sqlite3.Connection, row: sqlite3.Row, snapshot: Snapshot, unused: Unused) -> Edited:
        """Within a transaction: a new step; what changes nothing is none. row: of the script, as it was. Raises ScriptTooLong."""
        script_id, before = row["id"], snapshot_now(rows, row["id"], snapshot)
        if before == snapshot:
            return Edited(row["revision"])
        put_snapshot(rows, script_id, snapshot, self._at.touch(rows, script_id, is_whole=snapshot.is_whole))
        add_step(rows, script_id, row["n_done"], before)
        unused |= {(script_id, digest) for digest in trim_steps(rows, script_id, row["n_done"] + 1)}
        n_lines, n_characters = counts.recount(rows, script_id)
        if n_lines > row["n_lines"] or n_characters > row["n_characters"]:
            self.check_length(row["workspace"], n_lines, n_characters)
        return self._edited(rows, script_id, snapshot)

    def exchange(self, script_id: str, *, redo: bool) -> Edited:
        """Undo the last step, or redo the one behind it. Raises NothingToUndo."""
        with self._at.writing(script_id) as rows:
            n_done = read_script_row(rows, script_id)["n_done"]
            stamp = self._at.touch(rows, script_id)
            snapshot = exchange_step(rows, script_id, n_done + redo, stamp)
            if snapshot is None:
                raise NothingToUndo(redo=redo)
            if snapshot.is_whole:
                rows.execute("UPDATE scripts SET whole_stamp = stamp WHERE id = ?", (script_id,))
            rows.execute("UPDATE scripts SET n_done = ? WHERE id = ?", (n_done + (1 if redo else -1), script_id))
            counts.recount(rows, script_id)
            return self._edited(rows, script_id, snapshot)

    def check_length(self, workspace: str, n_lines: int, n_characters: int) -> None:
        """Raises ScriptTooLong."""
        limits = self._limits.of(workspace)
        if n_lines > limits.lines:
            raise ScriptTooLong("lines", n_lines, limits.lines)
        if n_characters > limits.characters:
            raise ScriptTooLong("characters", n_characters, limits.characters)

    def _edited(self, rows: sqlite3.Connection, script_id: str, snapshot: Snapshot) -> Edited:
        """After what was put."""
        rows.execute("UPDATE scripts SET revision = revision + 1 WHERE id = ?", (script_id,))
        revision = rows.execute("SELECT revision FROM scripts WHERE id = ?", (script_id,)).fetchone()["revision"]
        return Edited(revision, snapshot.lines, snapshot.is_whole)
