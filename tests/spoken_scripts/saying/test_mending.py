"""Claims about words of a take that are made anew while all else of its sound stays."""

import threading
from dataclasses import replace

import numpy as np
import pytest

from engines.contract.editing import EditOperation
from engines.errors import EditInvalid, EditUnsupported, EngineError
from studio.errors import MendRefused, TakeUnknown
from studio.scripts.keep.queue import QueuedLine
from studio.scripts.script.cast import CastMember
from studio.scripts.script.mend import MendWish
from studio.scripts.script.take import MendedFrom
from tests.spoken_scripts.saying.said_scripts import made, put, said, say_all, sound_of, states, store_voice
from tests.stand_ins.fake_engine import EDITOR, FakeEngine

TEXT = "The old man walks along the river."


@pytest.fixture
def studio(open_studio):
    return open_studio(FakeEngine(EDITOR))


def mended(studio, script: str, line: str, text: str | None = None, **wish):
    studio.scripts.mend(script, line, MendWish(text, **wish))
    return next(one for one in said(studio, script) if one.id == line)


def test_other_words_are_said_and_all_other_samples_are_the_same(studio):
    script = made(studio, TEXT, "And home.")
    line = say_all(studio, script)[0]
    before, old = sound_of(studio, script, line), line.chosen_take
    line = mended(studio, script, line.id, "The young man walks along the river!", seed=7)
    new, after = line.chosen_take, sound_of(studio, script, line)
    assert line.written.text == "The young man walks along the river!" and states(studio, script) == ["said", "said"]
    assert (new.mended_from, new.engine, new.seed) == (MendedFrom(old.id, "editor"), "editor", 7)
    assert [word.written for word in new.words] == ["The", "young", "man", "walks", "along", "the", "river"]
    tail = len(before) - round(old.words[3].start_seconds * new.sample_rate)  # behind the word that is beside the change
    assert np.array_equal(before[-tail:], after[-tail:]) and not np.array_equal(before, after)
    assert old.id in {take.id for take in line.takes}


def test_a_mend_is_one_step_that_is_undone_with_its_take(studio):
    script = made(studio, TEXT)
    line = say_all(studio, script)[0]
    new = mended(studio, script, line.id, "The young man walks along the river.")
    undone = studio.scripts.undo(script)
    back = studio.scripts.line(script, line.id)
    assert undone.lines == (line.id,) and (back.written.text, back.chosen) == (TEXT, line.chosen) and states(studio, script) == ["said"]
    studio.scripts.redo(script)
    again = studio.scripts.line(script, line.id)
    assert (again.written.text, again.chosen) == (new.written.text, new.chosen)
    studio.scripts.choose(script, line.id, line.chosen)
    studio.scripts.delete_take(script, line.id, new.chosen)
    studio.scripts.undo(script)
    studio.scripts.redo(script)
    assert studio.scripts.line(script, line.id).chosen == line.chosen, "a take that is gone is not chosen again"


def test_a_line_that_was_written_anew_is_mended_to_what_is_written(studio):
    script = made(studio, TEXT)
    line = say_all(studio, script)[0]
    put(studio, script, 0, text="The old man walks along the lake.")
    assert states(studio, script) == ["stale"]
    line = mended(studio, script, line.id)
    assert states(studio, script) == ["said"] and line.chosen_take.text == "The old man walks along the lake."


def test_the_take_is_stale_still_where_more_than_the_words_is_another(studio):
    script = made(studio, TEXT)
    line = say_all(studio, script)[0]
    put(studio, script, 0, speed=1.5)
    mended(studio, script, line.id, "The young man walks along the river.")
    assert states(studio, script) == ["stale"]


def test_the_voice_is_the_stored_one_of_the_take_and_of_no_other(studio):
    store_voice(studio, "ann")
    store_voice(studio, "bea", 330.0)
    script = made(studio, "ANNA: " + TEXT, cast=[CastMember(voice="bea"), CastMember(name="ANNA", voice="ann")])
    line = say_all(studio, script)[0]
    asked, edit = [], type(studio).edit
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(type(studio), "edit", lambda self, request, *a, **k: (asked.append(request), edit(self, request, *a, **k))[1])
        mended(studio, script, line.id, "The young man walks along the river.")
        studio.scripts.choose(script, line.id, line.chosen)
        put(studio, script, 0, who="")
        line = mended(studio, script, line.id, "The small man walks along the river.")
    assert [request.speaker for request in asked] == ["ann", None]
    assert line.chosen_take.voice == "ann" and line.chosen_take.generation_id == line.takes[0].generation_id


def test_operations_change_how_words_are_said_and_which(studio):
    script = made(studio, TEXT)
    line = say_all(studio, script)[0]
    longer = mended(studio, script, line.id, operations=[EditOperation("pause", 11, 11, values={"level": 2})])
    assert longer.written.text == TEXT and longer.chosen_take.seconds > line.chosen_take.seconds + 0.3
    other = mended(studio, script, line.id, take=line.chosen, operations=[EditOperation("replace", 4, 7, "young")])
    assert other.written.text == "The young man walks along the river." and other.chosen_take.mended_from.take == line.chosen


def test_what_cannot_be_mended_is_refused_before_anything_is_asked(studio, open_studio):
    script = made(studio, TEXT, "Never said.")
    first, second = say_all(studio, script, lines=None)[0], studio.scripts.lines(script)[1]
    pause, replaced = EditOperation("pause", 3, 3), EditOperation("replace", 0, 3, "A")

    def refusal(line=first, **wish) -> EngineError:
        with pytest.raises(EngineError) as refused:
            studio.scripts.mend(script, line.id, MendWish(**wish))
        assert not studio.scripts.line(script, line.id).failure and not studio.scripts._store.queued(script)
        return refused.value

    for sentence, wish in {
        "script_mend_alike": {"text": "The old man: walks along the river"},
        "script_mend_empty": {"text": "…"},
        "script_mend_all": {"text": "Nothing stays"},
        "script_mend_twice": {"text": "An old man walks along the river.", "operations": [replaced]},
        "edit_kind_unknown": {"operations": [replace(pause, kind="sing")]},
    }.items():
        error = refusal(**wish)
        assert isinstance(error, MendRefused | EditInvalid) and error.values["sentence"] == sentence
    assert isinstance(refusal(text="A", take="nobody"), TakeUnknown)
    studio.scripts.choose(script, second.id, "")
    assert isinstance(refusal(line=second, text="A"), TakeUnknown)
    old = replace(first.chosen_take, words=None, why_wordless="word_times_of_language")
    studio.scripts._store.put_take(script, first.id, old)
    assert refusal(text="The young man walks along the river.").values["sentence"] == "script_mend_wordless"
    plain = open_studio(FakeEngine(replace(EDITOR, edits=())), "plain")
    script = made(plain, TEXT)
    line = say_all(plain, script)[0]
    with pytest.raises(EditUnsupported):
        plain.scripts.mend(script, line.id, MendWish("A"))


def test_a_failure_is_the_lines_and_its_take_stays(open_studio):
    engine = FakeEngine(EDITOR)
    studio = open_studio(engine)
    script = made(studio, TEXT)
    line = say_all(studio, script)[0]
    engine._fail_at_chunk = 0
    failed = mended(studio, script, line.id, "The young man walks along the river.")
    assert failed.failure["reason_code"] == "engine_failed" and (failed.written.text, failed.chosen) == (TEXT, line.chosen)
    assert not studio.scripts._store.queued(script)


def test_a_mend_waits_on_disk_and_a_stop_takes_it_out(open_studio):
    is_there, goes_on = threading.Event(), threading.Event()
    engine = FakeEngine(EDITOR)
    studio = open_studio(engine)
    script = made(studio, TEXT)
    line = say_all(studio, script)[0]
    engine._before_chunk = lambda index: (is_there.set(), goes_on.wait(30))
    studio.scripts.mend(script, line.id, MendWish("The young man walks along the river.", seed=3))
    assert is_there.wait(30) and states(studio, script) == ["saying"]
    (row,) = studio.scripts._store.queued(script)
    assert (row.mend.take, row.mend.operations[0].text, row.seed) == (line.chosen, "young", 3)
    studio.scripts.stop(script)
    goes_on.set()
    stopped = said(studio, script)[0]
    assert (stopped.written.text, stopped.chosen, stopped.failure) == (TEXT, line.chosen, None)
    assert states(studio, script) == ["said"] and not studio.scripts._store.queued(script)


def test_what_is_written_meanwhile_stays(open_studio):
    engine = FakeEngine(EDITOR)
    studio = open_studio(engine)
    script = made(studio, TEXT)
    line = say_all(studio, script)[0]
    engine._before_chunk = lambda index: index or put(studio, script, 0, text="Somebody wrote this.")
    line = mended(studio, script, line.id, "The young man walks along the river.")
    assert (
        line.written.text == "Somebody wrote this."
        and line.chosen_take.text.startswith("The young")
        and states(studio, script) == ["stale"]
    )


def test_neither_the_take_that_was_mended_nor_the_new_one_makes_room(studio):
    script = made(studio, TEXT)
    line = say_all(studio, script, n_takes=5)[0]
    studio.scripts.choose(script, line.id, line.takes[2].id)
    oldest = line.takes[0].id
    line = mended(studio, script, line.id, "The young man walks along the river.", take=oldest)
    ids = [take.id for take in line.takes]
    assert len(ids) == 5 and ids[0] == oldest and ids[-1] == line.chosen and line.takes[-1].mended_from.take == oldest


def test_a_queue_without_mends_reads_as_before(studio):
    script = made(studio, TEXT)
    (line,) = studio.scripts.lines(script)
    studio.scripts._store.enqueue(script, [QueuedLine(line.id, seed=1)])
    assert studio.scripts._store.queued(script) == (QueuedLine(line.id, seed=1),)
