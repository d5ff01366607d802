"""Claims about voices of a script: another name is followed, a deleted one's takes stay or go as the person says, nothing else goes."""

import pytest

from studio.errors import SpeakerUnknown
from studio.scripts.script.edits import DeleteLines, SetCast
from tests.spoken_scripts.keep.made_scripts import CAST, add_take, read_of


@pytest.fixture
def play(scripts):
    """A line of Ann's in two recordings, one of Bob's; the last is deleted and can come back."""
    script = scripts.create(read_of("ANNA: one", "BOB: two", "ANNA: three")).id
    one, two, three = scripts.line_ids(script)
    add_take(scripts, script, one, 1, generation_id="ann-1")
    add_take(scripts, script, one, 2, generation_id="ann-2")
    add_take(scripts, script, two, 3, voice="Bob", generation_id="bob-1")
    add_take(scripts, script, three, 4, generation_id="ann-2")
    scripts.edit(script, [DeleteLines(lines=(three,))])
    return script, (one, two, three)


def takes(scripts, script: str) -> list[str]:
    return [take.id for line in scripts.lines(script) for take in line.takes]


def test_a_script_is_found_by_the_voices_of_its_cast_and_by_those_of_its_takes(scripts, play):
    script, _ = play
    scripts.edit(script, [SetCast(cast=CAST[:1])])
    assert [found.id for found in scripts.using(" ANN")] == [script] and scripts.using("Cy") == ()


def test_what_a_deleted_voice_said_stays_unless_the_person_says_that_it_goes(scripts, play):
    script, (one, _, three) = play
    assert [found.id for found in scripts.speaker_gone("Ann", delete_takes=False, generation_id="ann-2")] == [script]
    assert takes(scripts, script) == ["t1", "t2", "t3"]
    scripts._store._is_live = lambda generation_id: generation_id == "bob-1"
    scripts.speaker_gone("ann", delete_takes=True, generation_id="ann-2")
    assert takes(scripts, script) == ["t3"] and scripts.line(script, one).chosen == ""
    assert [member.voice for member in scripts.script(script).cast] == [None, "Ann", "Bob"]
    scripts.undo(script)
    assert takes(scripts, script) == ["t3"] and scripts.line_ids(script)[2] == three  # the line comes back, what was said does not
    assert len(list(scripts._takes.folder(script).glob("*.flac"))) == 1


def test_a_voice_of_the_same_name_that_is_there_keeps_what_it_said(scripts, play):
    script, _ = play
    scripts._store._is_live = lambda generation_id: generation_id != "ann-1"
    scripts.speaker_gone("Ann", delete_takes=True, generation_id="ann-1")
    assert takes(scripts, script) == ["t2", "t3"]


def test_what_is_said_when_its_voice_goes_is_kept_only_where_all_that_it_said_is(scripts, play):
    script, (one, two, _) = play
    scripts._store._is_live = lambda generation_id: False
    scripts.speaker_gone("Bob", delete_takes=False, generation_id="bob-1")
    add_take(scripts, script, two, 5, voice="Bob", generation_id="bob-1")
    scripts.speaker_gone("Ann", delete_takes=True, generation_id="ann-2")
    with pytest.raises(SpeakerUnknown):
        add_take(scripts, script, one, 6, generation_id="ann-2")
    assert takes(scripts, script) == ["t3", "t5"] and len(list(scripts._takes.folder(script).glob("*.flac"))) == 2
    scripts._store._is_live = lambda generation_id: True  # somebody brought the voice back
    add_take(scripts, script, one, 6, generation_id="ann-2")


def test_what_everybodys_voice_said_goes_from_visitors_scripts_too(open_scripts):
    owner, visitor = open_scripts(is_live=lambda generation_id: False), open_scripts("key:ann")
    script = visitor.create(read_of("one")).id
    [line] = visitor.line_ids(script)
    add_take(visitor, script, line, 1, generation_id="ann-1")
    owner.speaker_gone("Ann", delete_takes=True, generation_id="another")
    assert takes(visitor, script) == ["t1"]
    owner.speaker_gone("Ann", delete_takes=True, generation_id="ann-1")
    assert takes(visitor, script) == []


def test_another_name_is_followed_in_the_cast_in_what_undo_brings_back_and_in_what_is_found(scripts, play):
    script, (one, _, _) = play
    scripts.edit(script, [SetCast(cast=CAST[:1])])
    before = scripts.script(script)
    scripts.speaker_renamed("ann", "Zoe")
    assert scripts.script(script).revision == before.revision + 1  # or who edits the cast as they know it would put the old name back
    scripts.undo(script)
    assert [member.voice for member in scripts.script(script).cast] == [None, "Zoe", "Bob"]
    assert scripts.using("Ann") == () and scripts.using("Zoe")
    scripts._store._is_live = lambda generation_id: generation_id == "bob-1"
    scripts.speaker_gone("Zoe", delete_takes=True, generation_id="ann-2")
    assert takes(scripts, script) == ["t3"] and scripts.line(script, one).takes == ()


def test_deleting_a_script_leaves_nothing_of_it(scripts, tmp_path):
    script = scripts.create(read_of("Quintilian", title="Quintilian")).id
    add_take(scripts, script, scripts.line_ids(script)[0], 1)
    scripts.edit(script, [DeleteLines(lines=scripts.line_ids(script))])
    scripts.delete(script)
    with scripts._folder.database.reading() as rows:
        tables = [row[0] for row in rows.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
        assert len(tables) == 9 and not any(rows.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables)
    scripts._folder.close()
    left = [path for path in (tmp_path / "scripts").iterdir() if path.is_file()]
    assert (
        left
        and not any(b"Quintilian" in path.read_bytes() for path in left)
        and not any(path.is_dir() for path in (tmp_path / "scripts").iterdir())
    )
