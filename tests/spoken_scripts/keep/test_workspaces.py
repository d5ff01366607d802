"""Claims about whose a script is: nobody sees another's by list, error, count or figures; each has limits of their own."""

import pytest

from studio.errors import ScriptLimitReached, ScriptOwnerUnknown, ScriptTooLong, ScriptUnknown
from studio.scripts.keep.limits import ScriptLimits, ScriptUse, WorkspaceLimits, near_limits
from studio.scripts.script.edits import DeleteLines, InsertLines, PutLine
from studio.scripts.script.line import LineText
from studio.workspace import NOBODY
from tests.spoken_scripts.keep.made_scripts import add_take, read_of, texts_of

FEW = ScriptLimits(scripts=2, lines=3, characters=20)


def test_anothers_script_is_not_there(open_scripts):
    ann, bob = open_scripts("key:ann"), open_scripts("key:bob")
    script = ann.create(read_of("one")).id
    [line] = ann.line_ids(script)
    add_take(ann, script, line, 1)
    asks = (
        *(
            bob.script,
            bob.lines,
            bob.line_ids,
            bob.chapters,
            bob.undo,
            bob.redo,
            bob.copy,
            bob.delete,
            bob.cover,
            bob.counts,
            bob.cast_counts,
        ),
        *(lambda it: bob.edit(it, []), lambda it: bob.changes(it, 0), lambda it: bob.line(it, line), lambda it: bob.set_cover(it, None)),
        *(lambda it: bob.find_words(it, "one"), lambda it: bob.replace_words(it, "one", "two"), lambda it: bob.choose(it, line, "")),
        lambda it: bob.delete_take(it, line, "t1"),
    )
    told = set()
    for ask in asks:
        for which in (script, "nobody"):
            with pytest.raises(ScriptUnknown) as refusal:
                ask(which)
            told.add(str(refusal.value))
    assert len(told) == 1  # one that is somebody else's is told as one that is none
    assert bob.scripts() == () == bob.using("Ann") and bob.use() == ScriptUse(0, 0, 0, 0)
    bob.speaker_gone("Ann", delete_takes=True, generation_id="bob-1")
    bob.speaker_renamed("Ann", "Zoe")
    assert texts_of(ann, script) == ["one"] and ann.using("Ann") and ann.counts(script).n_said == 1


def test_where_nobody_says_whose_it_is_nothing_is_kept(open_scripts):
    with pytest.raises(ScriptOwnerUnknown):
        open_scripts(NOBODY).create(read_of("one"))


def test_the_limits_of_one_are_nobody_elses(open_scripts):
    limits = WorkspaceLimits(own=FEW, visitors=ScriptLimits(scripts=1, lines=3, characters=20))
    everybodys, ann, bob = (open_scripts(who, limits=limits) for who in ("", "key:ann", "key:bob"))
    ann.create(read_of("one"))
    with pytest.raises(ScriptLimitReached):
        ann.create(read_of("one"))
    bob.create(read_of("one"))
    everybodys.create(read_of("one"))
    script = everybodys.create(read_of("one")).id
    with pytest.raises(ScriptLimitReached):
        everybodys.copy(script)


def test_what_is_too_long_is_refused_before_and_after_and_a_shorter_one_never(open_scripts):
    scripts = open_scripts(limits=WorkspaceLimits(own=FEW))
    with pytest.raises(ScriptTooLong) as refusal:
        scripts.create(read_of("1", "2", "3", "4"))
    assert refusal.value.values["most"] == 3
    with pytest.raises(ScriptTooLong):
        scripts.create(read_of("x" * 21))
    script = scripts.create(read_of("x" * 20, "")).id
    one, two = scripts.line_ids(script)
    for edit in (PutLine(line=two, written=LineText(text="y")), InsertLines(lines=(LineText(text=""),) * 2)):
        with pytest.raises(ScriptTooLong):
            scripts.edit(script, [edit])
    assert texts_of(scripts, script) == ["x" * 20, ""] and scripts.script(script).can_undo == 0
    smaller = open_scripts(limits=WorkspaceLimits(own=ScriptLimits(lines=1, characters=5)))
    smaller.edit(script, [PutLine(line=one, written=LineText(text="x" * 19))])  # of a studio whose limits were others
    smaller.edit(script, [DeleteLines(lines=(two,))])


def test_who_comes_near_a_limit_is_told_which():
    limits = ScriptLimits(scripts=10, lines=100, characters=1000, n_bytes=1000)
    assert near_limits(ScriptUse(9, 90, 900, 900), limits) == ()
    assert near_limits(ScriptUse(10, 91, 901, 950), limits) == ("scripts", "lines", "characters", "bytes")


def test_what_is_too_old_goes_with_its_files(open_scripts, clock, tmp_path):
    scripts = open_scripts("key:ann")
    old = scripts.create(read_of("one")).id
    add_take(scripts, old, scripts.line_ids(old)[0], 1)
    clock.now += 10
    new = scripts.create(read_of("one")).id
    scripts._folder.forget_old(lambda workspace, at: workspace == "key:ann" and at < clock.now)
    assert [script.id for script in scripts.scripts()] == [new] and not (tmp_path / "scripts" / old).exists()
