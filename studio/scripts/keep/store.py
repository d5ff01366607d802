"""ScriptStore: scripts, lines, takes and queue in the database, and the steps that can be undone."""

import json
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence

from studio.audio.kept_takes import KeptTakes
from studio.errors import (
    CoverUnknown,
    RevisionMoved,
    ScriptLimitReached,
    ScriptTakeDamaged,
    SpeakerUnknown,
)
from studio.scripts.keep import counts, speaker_rows, take_rows
from studio.scripts.keep.covers import Cover
from studio.scripts.keep.drafted_edits import DraftedEdits, cast_json, dictionary_json, insert_lines, new_line_id, written_json
from studio.scripts.keep.limits import ScriptUse, WorkspaceLimits
from studio.scripts.keep.order import GAP
from studio.scripts.keep.queue import QueuedLine
from studio.scripts.keep.rows import SCRIPTS, chapters_of, lines_of, read_line, read_script_row, script_of
from studio.scripts.keep.script_steps import ScriptSteps
from studio.scripts.keep.snapshot import Snapshot, line_order, write_speakers
from studio.scripts.keep.take_rows import Unused
from studio.scripts.keep.transactions import ScriptTransactions
from studio.scripts.script.edited import CastCount, Changes, Edited, ScriptCounts
from studio.scripts.script.edits import Edit
from studio.scripts.script.line import LineText, ScriptLine
from studio.scripts.script.script import Chapter, ReadScript, Script, ScriptHead
from studio.scripts.script.take import LineTake
from studio.storage.database import Database

__all__ = ["ScriptStore"]

ID_BYTES = 16  # 22 characters


class ScriptStore:
    """Thread-safe. workspace: whose a script must be; None for anybody's. clock: seconds since 1970.

    takes: where the sounds lie, of which those go that no take has any more. is_live(generation id): whether that recording is there still.
    Raises what the database does, and ScriptUnknown, LineUnknown, TakeUnknown for what is not there.
    """

    def __init__(
        self,
        database: Database,
        takes: KeptTakes,
        limits: WorkspaceLimits = WorkspaceLimits(),
        clock: Callable[[], float] = time.time,
        *,
        is_live: Callable[[str], bool] = lambda generation_id: True,
    ):
        self._at = ScriptTransactions(database, takes, clock)
        self._steps = ScriptSteps(self._at, limits)
        self._database, self._takes, self._limits = database, takes, limits
        self._is_live = is_live
        self._silenced: set[str] = set()  # generations whose takes somebody wanted gone: one that is said just then is not kept

    # --- reading

    def scripts(self, workspace: str) -> tuple[Script, ...]:
        """Of that workspace, the one that changed last first."""
        if not self._database.exists:
            return ()
        with self._database.reading() as rows:
            return tuple(map(script_of, rows.execute(f"{SCRIPTS} WHERE workspace = ? ORDER BY changed DESC, id", (workspace,))))

    def script(self, script_id: str, workspace: str | None = None) -> Script:
        with self._at.reading(script_id, workspace) as rows:
            return script_of(read_script_row(rows, script_id))

    def lines(self, script_id: str, first: int = 0, count: int | None = None) -> tuple[ScriptLine, ...]:
        """In order, with their takes. count: at most so many from index `first` on; None for all."""
        with self._at.reading(script_id) as rows:
            return lines_of(rows, script_id, first, count)

    def texts(self, script_id: str) -> tuple[ScriptLine, ...]:
        """All lines in order, without their takes."""
        with self._at.reading(script_id) as rows:
            return lines_of(rows, script_id, has_takes=False)

    def line(self, script_id: str, line_id: str) -> ScriptLine:
        with self._at.reading(script_id) as rows:
            return read_line(rows, script_id, line_id)

    def line_ids(self, script_id: str) -> tuple[str, ...]:
        """In order."""
        with self._at.reading(script_id) as rows:
            return tuple(line_order(rows, script_id))

    def chapters(self, script_id: str) -> tuple[Chapter, ...]:
        with self._at.reading(script_id) as rows:
            return chapters_of(rows, script_id)

    def changes(self, script_id: str, since: int) -> Changes:
        """since: the token of a Script or of Changes; 0 for all."""
        with self._at.reading(script_id) as rows:
            return counts.changes(rows, script_id, since)

    def counts(self, script_id: str) -> ScriptCounts:
        with self._at.reading(script_id) as rows:
            return counts.script_counts(rows, script_id)

    def cast_counts(self, script_id: str) -> tuple[CastCount, ...]:
        """Of each name that lines have, whoever has most first."""
        with self._at.reading(script_id) as rows:
            return counts.cast_counts(rows, script_id)

    def use(self, workspace: str) -> ScriptUse:
        """How much a workspace has."""
        if not self._database.exists:
            return ScriptUse(0, 0, 0, 0)
        with self._database.reading() as rows:
            return counts.workspace_use(rows, workspace)

    def cover(self, script_id: str) -> Cover:
        """Raises CoverUnknown."""
        with self._at.reading(script_id) as rows:
            row = rows.execute("SELECT media_type, image FROM covers WHERE script = ?", (script_id,)).fetchone()
        if row is None:
            raise CoverUnknown
        return Cover(row["media_type"], row["image"])

    # --- scripts

    def create(self, read: ReadScript, workspace: str) -> Script:
        """Without the takes that came along. Raises ScriptLimitReached, ScriptTooLong, EditRefused."""
        self._steps.check_length(workspace, len(read.lines), sum(len(line.text) for line in read.lines))
        with self._database.writing() as rows:
            script_id = self._insert(rows, workspace, read.head, cast_json(read.cast), dictionary_json(read.dictionary))
            write_speakers(rows, script_id, (member.voice for member in read.cast if member.voice))
            lines = [(new_line_id(), written) for written in read.lines]
            insert_lines(rows, script_id, lines)
            places = [(n * GAP, script_id, line) for n, (line, _) in enumerate(lines)]
            rows.executemany("UPDATE lines SET place = ? WHERE script = ? AND id = ?", places)
            counts.recount(rows, script_id)
            return script_of(read_script_row(rows, script_id))

    def copy(self, script_id: str, workspace: str, head: ScriptHead) -> Script:
        """A new script with lines, takes and cover of one. Raises ScriptLimitReached, ScriptSoundsFull."""
        unused: Unused = set()
        with self._at.writing_takes(script_id, unused) as rows:
            row = read_script_row(rows, script_id)
            new = self._insert(rows, workspace, head, row["members"], row["dictionary"])
            digests = counts.copy_rows(rows, script_id, new)
            self._make_room(rows, workspace, 0, unused)
            try:
                self._takes.copy(script_id, new, digests)
            except BaseException:
                self._takes.remove_all(new)
                raise
            return script_of(read_script_row(rows, new))

    def set_cover(self, script_id: str, cover: Cover | None) -> None:
        with self._at.writing(script_id) as rows:
            rows.execute("DELETE FROM covers WHERE script = ?", (script_id,))
            if cover is not None:
                rows.execute("INSERT INTO covers VALUES (?, ?, ?)", (script_id, cover.media_type, cover.image))
            self._at.touch(rows, script_id, is_whole=True)

    def delete(self, script_id: str) -> None:
        """With everything that belongs to it but its files, of which is noted that they go: until `left`."""
        with self._database.writing() as rows:
            rows.execute("DELETE FROM scripts WHERE id = ?", (script_id,))
            rows.execute("INSERT OR IGNORE INTO leaving VALUES (?)", (script_id,))

    def leaving(self) -> tuple[str, ...]:
        """Ids of deleted scripts whose files may be there still."""
        if not self._database.exists:
            return ()
        with self._database.reading() as rows:
            return tuple(row["script"] for row in rows.execute("SELECT script FROM leaving"))

    def left(self, script_id: str) -> None:
        with self._database.writing() as rows:
            rows.execute("DELETE FROM leaving WHERE script = ?", (script_id,))

    def old(self, is_old: Callable[[str, float], bool]) -> tuple[str, ...]:
        """Ids of the scripts of which is_old(workspace, created) says so."""
        if not self._database.exists:
            return ()
        with self._database.reading() as rows:
            found = rows.execute("SELECT id, workspace, created FROM scripts").fetchall()
        return tuple(row["id"] for row in found if is_old(row["workspace"], row["created"]))

    # --- edits

    def edit(self, script_id: str, edits: Iterable[Edit], revision: int | None = None) -> Edited:
        """All of them, in their order, or none; together they are one step. What changes nothing is no step.

        revision: that the script must have. Raises RevisionMoved, EditRefused, ScriptTooLong, LexiconEntryInvalid, LexiconFull.
        """
        unused: Unused = set()
        with self._at.writing_takes(script_id, unused) as rows:
            row = read_script_row(rows, script_id)
            if revision is not None and revision != row["revision"]:
                raise RevisionMoved(row["revision"])
            snapshot = DraftedEdits(rows, script_id).apply(edits)
            return self._steps.put(rows, row, snapshot, unused)

    def undo(self, script_id: str) -> Edited:
        """Raises NothingToUndo."""
        return self._steps.exchange(script_id, redo=False)

    def redo(self, script_id: str) -> Edited:
        """Raises NothingToUndo."""
        return self._steps.exchange(script_id, redo=True)

    # --- takes

    def add_take(self, script_id: str, line_id: str, take: LineTake, *, choose: bool, dequeue: bool = False) -> ScriptLine:
        """A take whose sound is kept. choose: it is the one that is heard from now on. dequeue: one of those that the line
        waits for; with the last it waits no more, unless the ears are to choose.

        Of more than MOST_TAKES the oldest that is not chosen goes. Also of a deleted line, as long as it can come back.
        Raises ScriptSoundsFull; ScriptTakeDamaged where the sound is gone; SpeakerUnknown where all that its recording said was deleted
        meanwhile. Its file goes then.
        """
        self._check_live(script_id, take)
        self.add_takes(script_id, [(line_id, take, choose)], dequeue=dequeue)
        with self._at.reading(script_id) as rows:
            return read_line(rows, script_id, line_id, is_deleted=True)

    def add_mended(self, script_id: str, line_id: str, take: LineTake, written: LineText | None) -> Edited:
        """A take of which words were mended is heard from now on, and the line waits no more; with what is written of it (None: as it is)
        that is one step. Raises what add_take does, ScriptTooLong, and LineUnknown of a line that was deleted meanwhile.
        """
        self._check_live(script_id, take)
        unused: Unused = {(script_id, take.sha256)}
        with self._at.writing_takes(script_id, unused) as rows:
            row = read_script_row(rows, script_id)
            read_line(rows, script_id, line_id)
            self._insert_takes(rows, row, [(line_id, take, False)], unused)
            take_rows.take_one_off(rows, script_id, line_id)
            texts = {} if written is None else {line_id: written_json(written)}
            return self._steps.put(rows, row, Snapshot(texts, chosen={line_id: take.id}), unused)

    def add_takes(self, script_id: str, takes: Sequence[tuple[str, LineTake, bool]], *, dequeue: bool = False) -> None:
        """All or none: (line, take, whether it is chosen). See add_take."""
        unused: Unused = {(script_id, take.sha256) for _, take, _ in takes}
        with self._at.writing_takes(script_id, unused) as rows:
            self._insert_takes(rows, read_script_row(rows, script_id), takes, unused)
            for line_id, _, _ in takes if dequeue else ():
                take_rows.take_one_off(rows, script_id, line_id)
            self._at.touch(rows, script_id, [line_id for line_id, _, _ in takes])

    def put_take(self, script_id: str, line_id: str, take: LineTake) -> None:
        """Other facts of a take: estimates, the reason why it was chosen, words that were found later."""
        unused: Unused = set()
        with self._at.writing_takes(script_id, unused) as rows:
            unused |= take_rows.rewrite_take(rows, script_id, line_id, take)
            self._at.touch(rows, script_id, [line_id])

    def choose(self, script_id: str, line_id: str, take_id: str) -> ScriptLine:
        """take_id: "" for none."""
        with self._at.writing(script_id) as rows:
            read_line(rows, script_id, line_id)
            take_rows.choose_take(rows, script_id, line_id, take_id)
            self._at.touch(rows, script_id, [line_id])
            return read_line(rows, script_id, line_id)

    def delete_take(self, script_id: str, line_id: str, take_id: str) -> ScriptLine:
        """For good. Where it was the chosen one, none is."""
        unused: Unused = set()
        with self._at.writing_takes(script_id, unused) as rows:
            read_line(rows, script_id, line_id)
            unused |= take_rows.drop_take(rows, script_id, line_id, take_id)
            self._at.touch(rows, script_id, [line_id])
            return read_line(rows, script_id, line_id)

    def fail(self, script_id: str, line_id: str, failure: dict | None) -> None:
        """Why a line was not said the last time; None where that is over. It waits no more. Nothing happens where the line is gone."""
        with self._at.writing(script_id) as rows:
            told = None if failure is None else json.dumps(failure, ensure_ascii=False)
            rows.execute("UPDATE lines SET failure = ? WHERE script = ? AND id = ?", (told, script_id, line_id))
            rows.execute("DELETE FROM queue WHERE script = ? AND line = ?", (script_id, line_id))
            self._at.touch(rows, script_id, [line_id])

    # --- the queue

    def enqueue(self, script_id: str, lines: Sequence[QueuedLine], *, first: bool = False) -> None:
        """Behind those that wait, or before them. Who waits already is said as is asked now, and keeps its turn unless it comes first."""
        with self._at.writing(script_id) as rows:
            take_rows.put_in_queue(rows, script_id, lines, first=first)
            self._at.touch(rows, script_id, [line.line_id for line in lines])

    def queued(self, script_id: str) -> tuple[QueuedLine, ...]:
        """In turn."""
        with self._at.reading(script_id) as rows:
            return take_rows.queue_of(rows, script_id)

    def dequeue(self, script_id: str, line_id: str) -> None:
        """Nothing happens where it does not wait."""
        with self._at.writing(script_id) as rows:
            rows.execute("DELETE FROM queue WHERE script = ? AND line = ?", (script_id, line_id))
            self._at.touch(rows, script_id, [line_id])

    def clear_queue(self, script_id: str) -> None:
        with self._at.writing(script_id) as rows:
            waiting = [line.line_id for line in take_rows.queue_of(rows, script_id)]
            rows.execute("DELETE FROM queue WHERE script = ?", (script_id,))
            self._at.touch(rows, script_id, waiting)

    def scripts_with_queue(self) -> tuple[Script, ...]:
        """Of all workspaces: those in which lines wait."""
        if not self._database.exists:
            return ()
        with self._database.reading() as rows:
            return tuple(map(script_of, rows.execute(f"{SCRIPTS} WHERE id IN (SELECT script FROM queue) ORDER BY changed")))

    # --- speakers that go or get another name

    def using(self, speaker: str, workspace: str) -> tuple[Script, ...]:
        """Scripts of that workspace whose cast names the speaker, or that have takes of it; the one that changed last first."""
        if not self._database.exists:
            return ()
        with self._database.reading() as rows:
            return speaker_rows.using(rows, speaker, workspace)

    def rename_speaker(self, before: str, after: str, workspace: str) -> None:
        """Casts of that workspace say the new name, which is no step: an undo brings back no name that is nobody's."""
        for script in self.using(before, workspace):
            with self._at.writing(script.id) as rows:
                speaker_rows.rename_speaker(rows, script.id, before, after)
                self._at.touch(rows, script.id, is_whole=True)

    def forget_takes_of(self, generation_id: str) -> None:
        """Those that were said in that recording, in scripts of all workspaces; for good, undo included."""
        self._silenced.add(generation_id)
        self._forget(lambda rows: speaker_rows.takes_of_generation(rows, generation_id))

    def forget_takes_by(self, speaker: str, workspace: str) -> None:
        """Those of that name in that workspace whose recordings are no more, also of those that were replaced."""
        self._forget(lambda rows: speaker_rows.takes_by(rows, speaker, workspace, self._is_live))

    # --- private

    def _check_live(self, script_id: str, take: LineTake) -> None:
        if take.generation_id in self._silenced and not self._is_live(take.generation_id):
            self._at.clear({(script_id, take.sha256)})
            raise SpeakerUnknown(take.voice)

    def _insert_takes(
        self, rows: sqlite3.Connection, row: sqlite3.Row, takes: Sequence[tuple[str, LineTake, bool]], unused: Unused
    ) -> None:
        script_id = row["id"]
        self._at.sweep(rows, script_id)
        if not all(self._takes.has(script_id, take.sha256) for _, take, _ in takes):
            raise ScriptTakeDamaged
        self._make_room(rows, row["workspace"], sum(take.n_bytes for _, take, _ in takes), unused)
        for line_id, take, choose in takes:
            unused |= take_rows.insert_take(rows, script_id, line_id, take, choose=choose)

    def _insert(self, rows: sqlite3.Connection, workspace: str, head: ScriptHead, members: str, dictionary: str) -> str:
        """A script without lines; its id. Raises ScriptLimitReached."""
        most = self._limits.of(workspace).scripts
        if rows.execute("SELECT count(*) FROM scripts WHERE workspace = ?", (workspace,)).fetchone()[0] >= most:
            raise ScriptLimitReached(most)
        while (script_id := secrets.token_urlsafe(ID_BYTES)).startswith("-"):  # which a command line takes for an option
            pass
        now = self._at.clock()
        columns = "id, workspace, created, changed, head, members, dictionary"
        values = (script_id, workspace, now, now, head.model_dump_json(exclude_defaults=True), members, dictionary)
        rows.execute(f"INSERT INTO scripts ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", values)
        return script_id

    def _make_room(self, rows: sqlite3.Connection, workspace: str, n_bytes: int, unused: Unused) -> None:
        unused |= take_rows.make_room(rows, workspace, n_bytes, self._limits.of(workspace).n_bytes)

    def _forget(self, found: Callable[[sqlite3.Connection], Sequence[int]]) -> None:
        if not self._database.exists:
            return
        unused: Unused = set()
        try:
            with self._database.writing() as rows:
                unused |= take_rows.forget_takes(rows, found(rows), lambda script_id: self._at.touch(rows, script_id))
        finally:
            self._at.clear(unused)
