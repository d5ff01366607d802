"""Claims about takes: at most five of a line, sounds by content, gone when nobody has them, back when an undo brings their line."""

import os

import numpy as np
import pytest

from studio.audio.kept_takes import FRESH_SECONDS
from studio.errors import LineUnknown, ScriptSoundsFull, ScriptTakeDamaged, TakeUnknown
from studio.scripts.keep.limits import ScriptLimits, WorkspaceLimits
from studio.scripts.script.edits import DeleteLines, InsertLines, PutLine
from studio.scripts.script.line import MOST_TAKES, LineText
from studio.scripts.script.take import LineTake, TakeEstimates
from studio.speech.timed_words import TimedWord
from tests.spoken_scripts.keep.made_scripts import SAMPLE_RATE, add_take, kept_take, read_of, sound_of


@pytest.fixture
def play(scripts):
    script = scripts.create(read_of("one", "two", "three"))
    return script.id, scripts.line_ids(script.id)


def files(scripts, script: str) -> set[str]:
    return {path.name for path in scripts._takes.folder(script).glob("*.flac")}


def takes(scripts, script: str, line: str) -> list[str]:
    return [take.id for take in scripts.line(script, line).takes]


def test_a_take_is_kept_with_all_that_is_known_of_it_and_its_sound_to_the_sample(scripts, play):
    script, lines = play
    words = (TimedWord(0.0, 0.02, "$1", "one dollar", 0, 2),)
    about = {
        "words": words,
        "estimates": TakeEstimates(word_errors=0, n_words=1),
        "peaks": (1, 2),
        "seed": 7,
        "reason": {"key": "x", "values": {}},
    }
    line = add_take(scripts, script, lines[0], 1, **about)
    assert scripts.line(script, lines[0]) == line and line.chosen_take == line.takes[0]
    [take] = line.takes
    assert take.words == words and take.estimates.n_words == 1 and take.peaks == (1, 2)
    samples, rate = scripts._takes.read(script, take.sha256)
    assert rate == SAMPLE_RATE and np.array_equal(samples, sound_of(1))
    floats = scripts._takes.keep(script, sound_of(1).astype(np.float32) / 32768, SAMPLE_RATE)
    assert floats == (take.sha256, take.n_bytes)


def test_of_too_many_takes_the_oldest_goes_that_is_not_chosen_with_its_sound(scripts, play):
    script, lines = play
    for number in range(MOST_TAKES + 2):
        add_take(scripts, script, lines[0], number, choose=number == 1)
    assert takes(scripts, script, lines[0]) == ["t1", "t3", "t4", "t5", "t6"]
    assert scripts.line(script, lines[0]).chosen == "t1" and len(files(scripts, script)) == MOST_TAKES


def test_two_takes_with_one_sound_share_its_file_until_neither_is_there(scripts, play):
    script, lines = play
    add_take(scripts, script, lines[0], 1)
    add_take(scripts, script, lines[1], 1)
    assert len(files(scripts, script)) == 1
    scripts.delete_take(script, lines[0], "t1")
    assert len(files(scripts, script)) == 1 and scripts.line(script, lines[0]).chosen == ""
    scripts.delete_take(script, lines[1], "t1")
    assert not files(scripts, script)


def test_a_take_is_chosen_by_hand_or_none_is(scripts, play):
    script, lines = play
    add_take(scripts, script, lines[0], 1)
    add_take(scripts, script, lines[0], 2)
    assert scripts.choose(script, lines[0], "t1").chosen == "t1" and scripts.choose(script, lines[0], "").chosen_take is None
    for ask in (scripts.choose, scripts.delete_take):
        with pytest.raises(TakeUnknown):
            ask(script, lines[1], "t1")
    with pytest.raises(LineUnknown):
        scripts.choose(script, "nobody", "")


def test_lines_that_are_not_to_be_said_are_counted_apart_until_they_have_a_take(scripts, play):
    script, lines = play
    silent = LineText(text="[Wind.]", is_silent=True)
    scripts.edit(script, [InsertLines(lines=(silent, LineText(text=" \n\u3000")))])
    assert (scripts.counts(script).n_said, scripts.counts(script).n_silent) == (0, 2)
    add_take(scripts, script, lines[0], 1)
    add_take(scripts, script, scripts.line_ids(script)[0], 2)
    assert (scripts.counts(script).n_said, scripts.counts(script).n_silent) == (2, 1)


def test_deleted_lines_come_back_with_their_takes_also_those_that_came_meanwhile(open_scripts, play, scripts):
    script, lines = play
    add_take(scripts, script, lines[0], 1)
    scripts.edit(script, [DeleteLines(lines=(lines[0],))])
    with pytest.raises(LineUnknown):
        scripts.line(script, lines[0])
    assert len(files(scripts, script)) == 1 and scripts.counts(script).n_said == 0
    add_take(scripts, script, lines[0], 2)  # it was being said
    scripts._folder.close()
    again = open_scripts()
    again.undo(script)
    assert takes(again, script, lines[0]) == ["t1", "t2"] and again.line_ids(script) == lines


def test_what_only_a_step_could_bring_back_goes_with_it(scripts, play, monkeypatch):
    monkeypatch.setattr("studio.scripts.keep.steps.MOST_STEPS", 2)
    script, lines = play
    add_take(scripts, script, lines[0], 1)
    scripts.edit(script, [DeleteLines(lines=(lines[0],))])
    scripts.edit(script, [PutLine(line=lines[1], written=LineText(text="a"))])
    assert len(files(scripts, script)) == 1
    scripts.edit(script, [PutLine(line=lines[1], written=LineText(text="b"))])
    assert not files(scripts, script)
    with pytest.raises(LineUnknown):
        add_take(scripts, script, lines[0], 2)
    assert not files(scripts, script)


def test_a_line_that_was_put_in_and_undone_goes_when_it_can_be_redone_no_more(scripts, play):
    script, lines = play
    [new] = scripts.edit(script, [InsertLines(after=lines[2], lines=(LineText(text="four"),))]).lines
    add_take(scripts, script, new, 1)
    scripts.undo(script)
    scripts.redo(script)
    assert takes(scripts, script, new) == ["t1"]
    scripts.undo(script)
    scripts.edit(script, [PutLine(line=lines[0], written=LineText(text="x"))])
    assert not files(scripts, script)


def test_sounds_are_bounded_and_what_only_an_undo_would_bring_back_makes_room_first(open_scripts):
    n_bytes = None
    probe = open_scripts()
    first = probe.create(read_of("one"))
    n_bytes = kept_take(probe._takes, first.id, 1).n_bytes
    probe.delete(first.id)
    limits = WorkspaceLimits(own=ScriptLimits(n_bytes=2 * n_bytes + n_bytes // 2))
    scripts = open_scripts(limits=limits)
    script = scripts.create(read_of("one", "two", "three")).id
    one, two, three = scripts.line_ids(script)
    add_take(scripts, script, one, 1)
    add_take(scripts, script, two, 2)
    with pytest.raises(ScriptSoundsFull) as refusal:
        add_take(scripts, script, three, 3)
    assert refusal.value.values["most_bytes"] == limits.own.n_bytes and len(files(scripts, script)) == 2
    with pytest.raises(ScriptSoundsFull):
        scripts.copy(script)
    assert len(scripts.scripts()) == 1
    scripts.edit(script, [DeleteLines(lines=(one,))])
    scripts.edit(script, [PutLine(line=two, written=LineText(text="x"))])
    add_take(scripts, script, three, 3)
    assert scripts.script(script).can_undo == 1 and len(files(scripts, script)) == 2  # the text can be undone, the deletion no more
    scripts.undo(script)
    assert [line.written.text for line in scripts.lines(script)] == ["two", "three"]


def test_a_sound_that_is_gone_or_another_is_told(scripts, play):
    script, lines = play
    [take] = add_take(scripts, script, lines[0], 1).takes
    path = scripts._takes.path(script, take.sha256)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ScriptTakeDamaged):
        scripts._takes.read(script, take.sha256)
    path.unlink()
    with pytest.raises(ScriptTakeDamaged):
        scripts._takes.read(script, take.sha256)
    with pytest.raises(ScriptTakeDamaged):
        scripts._store.add_take(script, lines[1], LineTake("t9", "k", take.sha256, 1.0, 1, 1, 0.0, "fake"), choose=True)


def test_facts_that_are_found_later_are_written_to_a_take(scripts, play):
    script, lines = play
    [take] = add_take(scripts, script, lines[0], 1).takes
    heard = TakeEstimates(word_errors=1, n_words=2)
    scripts._store.put_take(script, lines[0], LineTake(**{**vars(take), "estimates": heard}))
    assert scripts.line(script, lines[0]).takes[0].estimates == heard and len(files(scripts, script)) == 1


def test_a_copy_has_lines_takes_and_cover_and_lives_on_without_the_first(scripts, play):
    script, lines = play
    add_take(scripts, script, lines[0], 1)
    scripts.edit(script, [DeleteLines(lines=(lines[2],))])
    copy = scripts.copy(script)
    assert copy.head.title == "A play (2)" and scripts.copy(script).head.title == "A play (3)"
    scripts.delete(script)
    assert [line.written.text for line in scripts.lines(copy.id)] == ["one", "two"] and copy.can_undo == 0
    take = scripts.line(copy.id, lines[0]).chosen_take
    assert np.array_equal(scripts._takes.read(copy.id, take.sha256)[0], sound_of(1))
    assert not scripts._takes.folder(script).exists()


def test_what_a_killed_process_left_of_sounds_is_swept_when_nobody_can_be_writing_it(open_scripts):
    scripts = open_scripts()
    script = scripts.create(read_of("one")).id
    [line] = scripts.line_ids(script)
    add_take(scripts, script, line, 1)
    left = scripts._takes.path(script, kept_take(scripts._takes, script, 2).sha256)  # killed before it was told
    again = open_scripts()
    add_take(again, script, line, 3)
    assert len(files(scripts, script)) == 3
    os.utime(left, (then := left.stat().st_mtime - FRESH_SECONDS - 60, then))
    add_take(open_scripts(), script, line, 4)
    assert len(files(scripts, script)) == 3 and takes(scripts, script, line) == ["t1", "t3", "t4"]
