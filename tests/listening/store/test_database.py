"""Claims about the one file: durable, shared, and left alone where it is not ours."""

import sqlite3
import threading

import pytest

from studio.errors import DiskFull, DiskReadOnly, TestsNewer, TestsUnreadable, TestUnknown
from studio.listening.keep.database import VERSION, listening_database
from studio.listening.keep.older_file import bring_up
from tests.listening.store.made_tests import PLAN, answer_of, finish, heard, opened


def mode(listening) -> str:
    with listening._database.reading() as rows:
        return rows.execute("PRAGMA journal_mode").fetchone()[0]


def test_a_real_disk_has_a_log_and_a_mounted_bucket_a_journal_and_each_goes_on_with_the_others_file(open_listening, tmp_path):
    on_disk = open_listening()
    test = opened(on_disk)
    assert mode(on_disk) == "wal" and (tmp_path / "listening/tests.sqlite-wal").exists()
    on_disk._folder.close()
    mounted = open_listening(has_shared_memory=False)
    finish(mounted, test.id, mounted.begin(test.id))
    assert mode(mounted) == "delete" and not list((tmp_path / "listening").glob("*-*m"))
    mounted._folder.close()
    again = open_listening()
    assert again.test(test.id).n_done == 1 and mode(again) == "wal"


@pytest.mark.parametrize("has_shared_memory", [True, False])
def test_an_answer_is_synced_before_it_is_acknowledged(open_listening, has_shared_memory):
    """SQLite syncs at each commit under synchronous = FULL; what was fetched may go with the power, where a log keeps the file whole."""
    listening = open_listening(has_shared_memory=has_shared_memory)
    test = opened(listening)
    session = listening.begin(test.id)
    said: list[str] = []
    listening._database._connection.set_trace_callback(said.append)
    heard(listening, test.id, session.trials[0])
    assert ("PRAGMA synchronous = NORMAL" in said) is has_shared_memory
    said.clear()
    listening.answer(test.id, session.token, answer_of(session.trials[0]))
    told = [line.split("(")[0].strip() for line in said]
    assert told[-1] == "COMMIT" and "INSERT OR REPLACE INTO answers VALUES" in told
    synchronous = [line for line in told if line.startswith("PRAGMA synchronous")]
    assert synchronous[-1] == "PRAGMA synchronous = FULL"


def test_a_file_of_the_first_version_gets_what_it_lacks_and_its_listeners_go_on(open_listening, tmp_path):
    listening = open_listening()
    test = opened(listening)
    session = listening.begin(test.id)
    listening._folder.close()
    with sqlite3.connect(tmp_path / "listening/tests.sqlite") as rows:
        rows.execute("ALTER TABLE sessions DROP COLUMN browser")
        rows.execute("ALTER TABLE sounds DROP COLUMN fetched")
        rows.execute("PRAGMA user_version = 1")
    rows.close()
    again = open_listening()
    assert finish(again, test.id, session) == 2
    assert {vote.early_seconds for vote in again.votes(again.close_test(test.id).id)} == {3.2, 6.4}


def test_two_processes_have_one_file_and_no_answer_of_either_is_lost(open_listening):
    """Two connections; each thread with one of its own."""
    one, other = open_listening(), open_listening()
    test = opened(one)
    begun: list[str] = []

    def listen(listening) -> None:
        for _ in range(3):
            session = listening.begin(test.id)
            begun.append(session.listener)
            finish(listening, test.id, session)

    threads = [threading.Thread(target=listen, args=(each,)) for each in (one, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(begun) == [f"L0{n}" for n in range(1, 7)]
    assert one.test(test.id).n_done == other.test(test.id).n_done == 6
    assert len(other.votes(one.close_test(test.id).id)) == 12


def spoilt(path, how: str) -> bytes:
    """The file of a studio that had a test, spoilt; its bytes then."""
    if how == "no database":
        path.write_bytes(b"This is no database, whatever it is called." * 50)
    elif how == "cut off":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    elif how == "a page of noise":
        whole = bytearray(path.read_bytes())
        whole[4096 * 3 : 4096 * 5] = b"\xa5" * 8192
        path.write_bytes(whole)
    else:
        path.unlink()
        with sqlite3.connect(path) as rows:
            rows.execute("CREATE TABLE recipes (cake TEXT)")
        rows.close()
    return path.read_bytes()


@pytest.mark.parametrize("how", ["no database", "cut off", "a page of noise", "of another program"])
def test_a_file_that_cannot_be_trusted_is_told_and_left_as_it_is(open_listening, tmp_path, how):
    first = open_listening()
    test = opened(first)
    first._folder.close()
    path = tmp_path / "listening/tests.sqlite"
    before = spoilt(path, how)
    listening = open_listening()
    for ask in (listening.tests, lambda: listening.create(PLAN), lambda: listening.begin(test.id)):
        with pytest.raises(TestsUnreadable):
            ask()
    listening.speaker_renamed("Ann", "Zoe")  # which nobody is kept from
    assert path.read_bytes() == before


def test_a_file_of_a_later_version_is_told_and_left_as_it_is(open_listening, tmp_path):
    first = open_listening()
    first.create(PLAN)
    with first._database.writing() as rows:
        rows.execute(f"PRAGMA user_version = {VERSION + 1}")
    first._folder.close()
    path = tmp_path / "listening/tests.sqlite"
    before = path.read_bytes()
    with pytest.raises(TestsNewer):
        open_listening().create(PLAN)
    assert path.read_bytes() == before


def test_an_empty_file_is_what_a_crash_leaves_before_the_first_table(open_listening, tmp_path):
    (tmp_path / "listening").mkdir()
    (tmp_path / "listening/tests.sqlite").touch()
    listening = open_listening()
    assert listening.tests() == ()
    made = listening.create(PLAN)
    assert listening.tests() == (made,)


def test_a_full_disk_is_told_as_one_and_what_was_there_stays(listening):
    test = listening.create(PLAN)
    with listening._database.reading() as rows:
        pages = rows.execute("PRAGMA page_count").fetchone()[0]
        rows.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(DiskFull):
        listening.create(PLAN.model_copy(update={"texts": ("x" * 1000,) * 20}))
    assert listening.tests() == (test,)


def test_a_file_that_may_not_be_written_is_told_as_one(listening):
    listening.create(PLAN)
    with listening._database.reading() as rows:
        rows.execute("PRAGMA query_only = 1")
    with pytest.raises(DiskReadOnly):
        listening.create(PLAN)


def test_a_transaction_that_fails_leaves_nothing_and_the_next_goes_on(tmp_path):
    database = listening_database(tmp_path / "a.sqlite")
    with pytest.raises(ZeroDivisionError), database.writing() as rows:
        rows.execute("INSERT INTO tests (id, workspace, created, secret, plan) VALUES ('a', '', 0, x'', '{}')")
        raise ZeroDivisionError
    with database.reading() as rows:
        assert rows.execute("SELECT count(*) FROM tests").fetchone()[0] == 0
    database.close()


@pytest.mark.parametrize("has_shared_memory", [True, False])
def test_the_version_moves_by_what_this_and_another_process_write_and_by_nothing_else(open_listening, has_shared_memory):
    one = open_listening(has_shared_memory=has_shared_memory)
    assert one.version() == "" and not one._database.exists
    other = open_listening(has_shared_memory=has_shared_memory)
    test = opened(one)
    seen = one.version()
    assert other.tests() and one.tests() and one.version() == seen
    for writer in (one, other):
        writer.begin(test.id)
        assert one.version() != seen
        seen = one.version()
    one.delete(test.id)
    assert one.version() != seen


def as_version_1(path, folder) -> dict[str, str]:
    """A file of today as the first version had it: one secret for owners and listeners. The links by names of tests."""
    with sqlite3.connect(path, isolation_level=None) as rows:
        was = dict(rows.execute("SELECT json_extract(plan, '$.name'), link FROM tests").fetchall())
        rows.execute("PRAGMA foreign_keys = OFF")
        for test_id, link in rows.execute("SELECT id, link FROM tests").fetchall():
            for table in ("speakers", "sessions", "sounds", "counted", "log"):
                rows.execute(f"UPDATE {table} SET test = ? WHERE test = ?", (link, test_id))
            rows.execute("UPDATE tests SET id = link WHERE id = ?", (test_id,))
            (folder / test_id).rename(folder / link)
        rows.execute("DROP INDEX tests_by_link")
        rows.execute("ALTER TABLE tests DROP COLUMN link")
        rows.execute("PRAGMA user_version = 1")
    rows.close()
    return was


def test_a_link_of_before_opens_what_listeners_do_and_nothing_else_and_all_that_there_was_is_there(open_listening, tmp_path):
    first = open_listening()
    test = opened(first)
    session = first.begin(test.id)
    finish(first, test.id, session)
    waiting = first.begin(test.id)
    first._folder.close()
    folder = tmp_path / "listening"
    old = as_version_1(folder / "tests.sqlite", folder)[PLAN.name]
    listening = open_listening()
    [now] = listening.tests()
    assert now.link == old != now.id and len(now.id) == 22 and listening.behind(old) == now.id
    for ask in (listening.test, listening.log, listening.unblind, listening.delete, listening.votes, listening.folder):
        with pytest.raises(TestUnknown):
            ask(old)
    assert finish(listening, now.id, listening.session(now.id, waiting.token)) == 2
    assert (now.n_begun, now.n_done, now.items, now.frozen_hash) == (2, 1, test.items, test.frozen_hash)
    assert [entry.event for entry in listening.log(now.id)] == ["created", "frozen", "opened"]
    assert len(listening.votes(listening.close_test(now.id).id)) == 4
    listening._folder.close()
    [again] = open_listening().tests()
    assert again.id == now.id


def test_a_change_of_form_that_a_crash_broke_off_is_done_over(open_listening, tmp_path, monkeypatch):
    first = open_listening()
    opened(first)
    first._folder.close()
    folder = tmp_path / "listening"
    as_version_1(folder / "tests.sqlite", folder)

    def break_off(*_) -> str:
        raise OSError

    with monkeypatch.context() as patched:
        patched.setattr("studio.listening.keep.database.bring_up", lambda *about: (bring_up(*about), break_off()))
        with pytest.raises(OSError):
            open_listening().tests()
    listening = open_listening()
    [test] = listening.tests()
    listening.close_test(test.id)
    assert listening.votes(test.id) == () and len(list(listening.folder(test.id).glob("*.wav"))) == 4
