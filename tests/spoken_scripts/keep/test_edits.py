"""Claims about edits: what they do, what they refuse, and that nothing is lost where somebody else was faster."""

import pytest

from studio.errors import EditRefused, LexiconEntryInvalid, LineUnknown, NothingToUndo, RevisionMoved, ScriptUnknown
from studio.scripts.keep.steps import MOST_STEPS
from studio.scripts.script.cast import CastMember
from studio.scripts.script.edits import (
    DeleteLines,
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
from studio.scripts.script.script import ScriptHead
from tests.spoken_scripts.keep.made_scripts import add_take, read_of, state_of, texts_of


@pytest.fixture
def play(scripts):
    """Of five lines: one, two, three, four, five; and the ids of these."""
    script = scripts.create(read_of("one", "two", "three", "four", "five"))
    return script.id, scripts.line_ids(script.id)


def test_a_script_is_what_was_read_in_and_has_its_chapters(scripts):
    script = scripts.create(read_of("Before.", "# First", "ANNA: Hello.", "Then.", "# Second", title="A play"))
    assert (script.n_lines, script.n_characters, script.revision, script.can_undo) == (5, 29, 1, 0)
    assert texts_of(scripts, script.id) == ["Before.", "First", "Hello.", "Then.", "Second"]
    told = [(chapter.title, chapter.first, chapter.n_lines) for chapter in scripts.chapters(script.id)]
    assert told == [("", 0, 1), ("First", 1, 3), ("Second", 4, 1)]
    assert [chapter.line_id for chapter in scripts.chapters(script.id)] == [scripts.line_ids(script.id)[n] for n in (0, 1, 4)]
    assert scripts.chapters(scripts.create(read_of()).id) == ()
    counted = {count.name: (count.n_lines, count.n_characters) for count in scripts.cast_counts(script.id)}
    assert counted == {"": (4, 23), "ANNA": (1, 6)}


def test_lines_come_by_the_page_full_with_their_takes(scripts, play):
    script, lines = play
    add_take(scripts, script, lines[2], 1)
    page = scripts.lines(script, 2, 2)
    assert [line.id for line in page] == [lines[2], lines[3]]
    assert page[0].chosen_take == page[0].takes[0] and page[0].chosen == "t1" and page[1].takes == ()
    assert scripts.lines(script, 5, 2) == ()


def test_each_edit_does_what_it_says(scripts, play):
    script, (one, two, three, four, five) = play
    scripts.edit(script, [MoveLines(lines=(four, one), after=two)])
    assert texts_of(scripts, script) == ["two", "four", "one", "three", "five"]
    scripts.edit(script, [MoveLines(lines=(five,))])
    assert texts_of(scripts, script) == ["five", "two", "four", "one", "three"]
    told = scripts.edit(script, [InsertLines(after=five, lines=(LineText(text="a"), LineText(text="b"))), DeleteLines(lines=(two, three))])
    assert texts_of(scripts, script) == ["five", "a", "b", "four", "one"] and told.is_reordered
    assert set(told.lines) == set(scripts.line_ids(script)[1:3])
    told = scripts.edit(script, [PutLine(line=one, written=LineText(text="uno", who="ANNA"))])
    assert (told.lines, told.is_reordered) == ((one,), False) and scripts.line(script, one).written.who == "ANNA"
    scripts.edit(
        script, [SetHead(head=ScriptHead(title="B", language="fr")), SetDictionary(entries=(WrittenEntry(written="GIF", said="jif"),))]
    )
    now = scripts.script(script)
    assert (now.head.title, now.head.language, now.dictionary[0].said) == ("B", "fr", "jif")
    scripts.edit(script, [SetCast(cast=(CastMember(name="ANNA", voice="Zoe"),))])
    assert [member.voice for member in scripts.script(script).cast] == ["Zoe"]
    assert scripts.script(script).revision == 7


def test_a_name_is_changed_in_cast_and_lines_and_two_become_one(scripts):
    script = scripts.create(read_of("ANNA: Hello.", "BOB: Oh.", "ANNE: Yes.", "Then.")).id
    scripts.edit(script, [RenameMember(name="ANNA", to="Anna")])
    assert [member.name for member in scripts.script(script).cast] == ["", "Anna", "BOB"]
    scripts.edit(script, [RenameMember(name="ANNE", to="Anna"), RenameMember(name="BOB", to="Anna")])
    assert [line.written.who for line in scripts.lines(script)] == ["Anna", "Anna", "Anna", ""]
    assert [(member.name, member.voice) for member in scripts.script(script).cast] == [("", None), ("Anna", "Ann")]
    scripts.undo(script)
    scripts.undo(script)
    assert [line.written.who for line in scripts.lines(script)] == ["ANNA", "BOB", "ANNE", ""]
    with pytest.raises(EditRefused):
        scripts.edit(script, [RenameMember(name="NOBODY", to="Anna")])


def test_many_edits_of_one_call_are_one_step_and_see_each_other(scripts, play):
    script, (one, two, three, four, five) = play
    before = state_of(scripts, script)
    scripts.edit(
        script,
        [
            DeleteLines(lines=(one,)),
            *(PutLine(line=line, written=LineText(text="anew")) for line in (two, three)),
            MoveLines(lines=(two,), after=three),
            InsertLines(after=two, lines=(LineText(text="last"),)),
            DeleteLines(lines=(four, five)),
        ],
    )
    assert texts_of(scripts, script) == ["anew", "anew", "last"] and scripts.script(script).can_undo == 1
    scripts.undo(script)
    assert state_of(scripts, script) == before


@pytest.mark.parametrize(
    ("edits", "refusal"),
    [
        (lambda ids: [PutLine(line="nobody", written=LineText(text="x"))], LineUnknown),
        (lambda ids: [DeleteLines(lines=(ids[0],)), PutLine(line=ids[0], written=LineText(text="x"))], LineUnknown),
        (lambda ids: [DeleteLines(lines=(ids[0], "nobody"))], LineUnknown),
        (lambda ids: [InsertLines(after="nobody", lines=(LineText(text="x"),))], LineUnknown),
        (lambda ids: [MoveLines(lines=(ids[0],), after=ids[0])], EditRefused),
        (lambda ids: [MoveLines(lines=(ids[0], ids[0]))], EditRefused),
        (lambda ids: [SetCast(cast=(CastMember(name="A"), CastMember(name="A")))], EditRefused),
        (lambda ids: [SetDictionary(entries=(WrittenEntry(written="GIF"),))], LexiconEntryInvalid),
    ],
)
def test_an_edit_that_cannot_be_leaves_all_as_it_was(scripts, play, edits, refusal):
    script, lines = play
    before = state_of(scripts, script), scripts.script(script)
    with pytest.raises(refusal):
        scripts.edit(script, [PutLine(line=lines[1], written=LineText(text="changed")), *edits(lines)])
    assert (state_of(scripts, script), scripts.script(script)) == before


def test_what_changes_nothing_is_no_step(scripts, play):
    script, lines = play
    scripts.edit(script, [PutLine(line=lines[0], written=LineText(text="one")), MoveLines(lines=(lines[1],), after=lines[0])])
    assert (scripts.script(script).revision, scripts.script(script).can_undo) == (1, 0)


def test_an_edit_of_an_earlier_revision_is_refused_and_tells_the_one_that_is(scripts, play):
    script, lines = play
    first = scripts.edit(script, [PutLine(line=lines[0], written=LineText(text="by Ann"))], revision=1)
    late = [PutLine(line=lines[0], written=LineText(text="by Bob"))]
    with pytest.raises(RevisionMoved) as refusal:
        scripts.edit(script, late, revision=1)
    assert refusal.value.revision == first.revision == 2 and "again" in refusal.value.hint
    assert texts_of(scripts, script)[0] == "by Ann"
    scripts.edit(script, late, revision=refusal.value.revision)
    scripts.undo(script)
    assert texts_of(scripts, script)[0] == "by Ann"


def test_who_asks_what_has_changed_learns_it_and_nothing_else(scripts, play):
    script, lines = play
    seen = scripts.script(script).token
    assert scripts.changes(script, seen) == (scripts.changes(script, seen)) and not scripts.changes(script, seen).lines
    scripts.edit(script, [PutLine(line=lines[3], written=LineText(text="x"))])
    add_take(scripts, script, lines[1], 1)
    told = scripts.changes(script, seen)
    assert set(told.lines) == {lines[1], lines[3]} and (told.is_reordered, told.revision) == (False, 2)
    assert scripts.changes(script, told.token).lines == () and told.token == scripts.script(script).token
    scripts.edit(script, [MoveLines(lines=(lines[0],), after=lines[4])])
    assert scripts.changes(script, told.token).is_reordered
    told = scripts.changes(script, told.token)
    scripts.edit(script, [SetCast(cast=())])
    assert scripts.changes(script, told.token).is_reordered  # any line may be stale now


def test_as_many_steps_as_are_kept_survive_a_restart_and_no_more(open_scripts, monkeypatch):
    assert MOST_STEPS == 200
    monkeypatch.setattr("studio.scripts.keep.steps.MOST_STEPS", most := 5)
    scripts = open_scripts()
    script = scripts.create(read_of("0")).id
    [line] = scripts.line_ids(script)
    for n in range(1, most + 3):
        scripts.edit(script, [PutLine(line=line, written=LineText(text=str(n)))])
    scripts._folder.close()
    again = open_scripts()
    assert again.script(script).can_undo == most
    for _ in range(most):
        again.undo(script)
    assert texts_of(again, script) == ["2"] and again.script(script).can_redo == most
    with pytest.raises(NothingToUndo):
        again.undo(script)
    for _ in range(most):
        again.redo(script)
    assert texts_of(again, script) == [str(most + 2)]
    with pytest.raises(NothingToUndo):
        again.redo(script)


@pytest.mark.parametrize("bound", ["MOST_STEP_BYTES", "MOST_HELD_CHARACTERS"])
def test_steps_that_hold_too_much_are_given_up_but_never_the_last(scripts, play, monkeypatch, bound):
    script, lines = play
    for line in lines[:3]:
        scripts.edit(script, [DeleteLines(lines=(line,))])
    monkeypatch.setattr(f"studio.scripts.keep.steps.{bound}", 0)
    scripts.edit(script, [DeleteLines(lines=(lines[3],))])
    assert scripts.script(script).can_undo == 1
    scripts.undo(script)
    assert texts_of(scripts, script) == ["four", "five"]


def test_what_is_written_after_an_undo_ends_what_could_be_redone(scripts, play):
    script, lines = play
    scripts.edit(script, [PutLine(line=lines[0], written=LineText(text="a"))])
    scripts.undo(script)
    scripts.edit(script, [PutLine(line=lines[0], written=LineText(text="b"))])
    assert (scripts.script(script).can_undo, scripts.script(script).can_redo) == (1, 0)


def test_a_script_that_is_none_is_told_by_every_verb(scripts):
    """Before there is a file, and after."""
    for _ in range(2):
        for ask in (
            scripts.script,
            scripts.lines,
            scripts.line_ids,
            scripts.chapters,
            scripts.undo,
            scripts.copy,
            scripts.delete,
            scripts.cover,
        ):
            with pytest.raises(ScriptUnknown):
                ask("nobody")
        scripts.create(read_of("one"))
