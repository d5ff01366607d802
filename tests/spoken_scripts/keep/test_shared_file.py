"""Claims about the one file: two processes lose nothing of each other's, and what is not ours is told and left as it is."""

import sqlite3
import threading
from contextlib import closing

import pytest

from engines.contract.editing import EditOperation
from studio.errors import DiskFull, RevisionMoved, ScriptsNewer, ScriptsUnreadable
from studio.scripts.keep.queue import QueuedLine
from studio.scripts.keep.tables import VERSION
from studio.scripts.script.edits import InsertLines, PutLine
from studio.scripts.script.line import LineText
from studio.scripts.script.mend import LineMend
from tests.spoken_scripts.keep.made_scripts import add_take, read_of, texts_of


def test_two_processes_edit_one_script_and_no_edit_of_either_is_lost(open_scripts):
    """Two connections; each thread with one of its own. An edit that was refused is sent again, as its error says."""
    one, other = open_scripts(), open_scripts()
    script = one.create(read_of("0")).id
    [line] = one.line_ids(script)
    refused = []

    def write(scripts, who: str) -> None:
        for n in range(6):
            edit = InsertLines(after=line, lines=(LineText(text=f"{who}{n}"),))
            while True:
                try:
                    scripts.edit(script, [edit], scripts.script(script).revision)
                    break
                except RevisionMoved as error:
                    refused.append(error)
            add_take(scripts, script, line, n if who == "a" else 10 + n, choose=False)

    threads = [threading.Thread(target=write, args=pair) for pair in ((one, "a"), (other, "b"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(texts_of(one, script)) == sorted(["0", *(f"{who}{n}" for who in "ab" for n in range(6))])
    assert one.script(script) == other.script(script) and one.script(script).can_undo == 12
    for _ in range(6):
        one.undo(script)
        other.undo(script)
    assert texts_of(one, script) == ["0"]
    assert len(one.line(script, line).takes) == 5 == len(list(one._takes.folder(script).glob("*.flac")))


def test_a_file_that_cannot_be_trusted_is_told_and_left_as_it_is(open_scripts, tmp_path):
    path = tmp_path / "scripts/scripts.sqlite"
    scripts = open_scripts()
    script = scripts.create(read_of("one")).id
    scripts._folder.close()
    whole = path.read_bytes()
    for spoilt in (b"This is no database." * 50, whole[: len(whole) // 2]):
        path.write_bytes(spoilt)
        again = open_scripts()
        for ask, *about in ((again.scripts,), (again.create, read_of("one")), (again.lines, script)):
            with pytest.raises(ScriptsUnreadable):
                ask(*about)
        again.speaker_renamed("Ann", "Zoe")  # which nobody is kept from
        assert again.speaker_gone("Ann", delete_takes=False, generation_id="g1") == ()
        with pytest.raises(ScriptsUnreadable):  # what somebody wants deleted is not said to be
            again.speaker_gone("Ann", delete_takes=True, generation_id="g1")
        assert path.read_bytes() == spoilt


def test_a_file_from_before_words_were_mended_is_brought_up_with_what_waits_in_it(open_scripts, tmp_path):
    first = open_scripts()
    script = first.create(read_of("one")).id
    [line] = first.line_ids(script)
    first._store.enqueue(script, [QueuedLine(line)])
    first._folder.close()
    with closing(sqlite3.connect(tmp_path / "scripts/scripts.sqlite", isolation_level=None)) as rows:
        rows.execute("ALTER TABLE queue DROP COLUMN mend")
        rows.execute("PRAGMA user_version = 1")
    second = open_scripts()
    assert second._store.queued(script) == (QueuedLine(line),)
    mend = LineMend("t1", "one", "two", "one", "fake", (EditOperation("replace", 0, 3, "two"),))
    second._store.enqueue(script, [QueuedLine(line, mend=mend)])
    assert second._store.queued(script) == (QueuedLine(line, mend=mend),)


def test_a_file_of_a_later_version_is_told_and_left_as_it_is(open_scripts, tmp_path):
    first = open_scripts()
    first.create(read_of("one"))
    first._folder.close()
    path = tmp_path / "scripts/scripts.sqlite"
    with sqlite3.connect(path) as rows:
        rows.execute(f"PRAGMA user_version = {VERSION + 1}")
    rows.close()
    before = path.read_bytes()
    with pytest.raises(ScriptsNewer):
        open_scripts().create(read_of("one"))
    assert path.read_bytes() == before


def test_a_full_disk_is_told_as_one_and_what_was_there_stays(scripts):
    script = scripts.create(read_of("one")).id
    [line] = scripts.line_ids(script)
    with scripts._folder.database.reading() as rows:
        pages = rows.execute("PRAGMA page_count").fetchone()[0]
        rows.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(DiskFull):
        scripts.edit(
            script, [PutLine(line=line, written=LineText(text="x" * 5_000)), InsertLines(lines=(LineText(text="y" * 5_000),) * 40)]
        )
    assert texts_of(scripts, script) == ["one"] and scripts.script(script).revision == 1
