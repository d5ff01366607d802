"""Claims about the queue: on disk, in turn, and a line whose take is kept is not said twice."""

import pytest

from studio.errors import LineUnknown
from studio.scripts.keep.queue import QueuedLine
from studio.scripts.script.edits import DeleteLines
from tests.spoken_scripts.keep.made_scripts import kept_take, read_of


@pytest.fixture
def play(scripts):
    script = scripts.create(read_of("one", "two", "three"))
    return script.id, scripts.line_ids(script.id)


def queue(scripts, script: str) -> list[str]:
    return [line.line_id for line in scripts._store.queued(script)]


def test_lines_wait_in_turn_over_a_restart_and_who_comes_first_is_said_first(open_scripts, scripts, play):
    script, (one, two, three) = play
    asked = QueuedLine(three, n_takes=2, best=True, seed=5, force=True, choose=False)
    scripts._store.enqueue(script, [asked, QueuedLine(one)])
    scripts._store.enqueue(script, [QueuedLine(one, n_takes=3), QueuedLine(two)])
    assert queue(scripts, script) == [three, one, two]
    scripts._store.enqueue(script, [QueuedLine(two), QueuedLine(one)], first=True)
    scripts._folder.close()
    store = open_scripts()._store
    assert [line.line_id for line in store.queued(script)] == [two, one, three] and store.queued(script)[2] == asked
    assert [waiting.id for waiting in store.scripts_with_queue()] == [script]
    store.clear_queue(script)
    assert store.queued(script) == () == store.scripts_with_queue()


def test_a_take_that_is_kept_takes_one_off_what_its_line_waits_for(scripts, play):
    script, (one, two, _) = play
    store = scripts._store
    store.enqueue(script, [QueuedLine(one, n_takes=2), QueuedLine(two, best=True)])
    seen = scripts.script(script).token
    store.add_take(script, one, kept_take(scripts._takes, script, 1), choose=True, dequeue=True)
    assert store.queued(script)[0] == QueuedLine(one, n_takes=1)
    store.add_take(script, one, kept_take(scripts._takes, script, 2), choose=False)
    store.add_take(script, one, kept_take(scripts._takes, script, 3), choose=True, dequeue=True)
    store.add_take(script, two, kept_take(scripts._takes, script, 4), choose=True, dequeue=True)
    assert store.queued(script) == (QueuedLine(two, n_takes=0, best=True),)  # the ears are to choose
    store.dequeue(script, two)
    assert store.queued(script) == () and set(scripts.changes(script, seen).lines) == {one, two}


def test_a_line_that_fails_waits_no_more_and_tells_why_until_it_is_said(scripts, play):
    script, (one, two, _) = play
    scripts._store.enqueue(script, [QueuedLine(one), QueuedLine(two)])
    failure = {"reason_code": "engine_failed", "message": "No.", "hint": "", "values": {}}
    scripts._store.fail(script, one, failure)
    assert scripts.line(script, one).failure == failure and queue(scripts, script) == [two]
    assert scripts.counts(script).n_failed == 1
    scripts._store.add_take(script, one, kept_take(scripts._takes, script, 1), choose=True)
    assert scripts.line(script, one).failure is None
    assert (scripts.counts(script).n_failed, scripts.counts(script).n_said) == (0, 1)


def test_a_deleted_line_is_not_said_and_waits_again_when_it_is_back(scripts, play):
    script, (one, two, _) = play
    scripts._store.enqueue(script, [QueuedLine(one), QueuedLine(two)])
    scripts.edit(script, [DeleteLines(lines=(one,))])
    assert queue(scripts, script) == [two]
    scripts.undo(script)
    assert queue(scripts, script) == [one, two]
    with pytest.raises(LineUnknown):
        scripts._store.enqueue(script, [QueuedLine("nobody")])


def test_one_script_is_said_by_one_at_a_time(open_scripts, scripts, play):
    script, _ = play
    other = open_scripts()
    with scripts._takes.saying(script) as is_ours, other._takes.saying(script) as is_theirs:
        assert (is_ours, is_theirs) == (True, False)
    with other._takes.saying(script) as is_theirs:
        assert is_theirs
