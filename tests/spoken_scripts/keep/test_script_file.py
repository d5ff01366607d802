"""Claims about the script as a file: it comes in as it went out, with its takes or without, and what was changed by hand is told."""

import json

import numpy as np
import pytest

from studio.errors import ScriptFileUnusable
from studio.scripts.keep.script_file import from_plain, to_plain
from studio.scripts.script.edits import PutLine, SetDictionary, WrittenEntry
from studio.scripts.script.line import LineText, TimeSlot
from studio.scripts.script.take import MendedFrom, TakeEstimates
from studio.speech.timed_words import TimedWord
from tests.spoken_scripts.keep.made_scripts import add_take, read_of, sound_of
from tests.spoken_scripts.keep.test_covers import picture


@pytest.fixture
def play(scripts):
    script = scripts.create(read_of("# Eins", "ANNA: Größe “1”.", "Dann.", cover=picture("PNG"))).id
    ids = scripts.line_ids(script)
    slot = TimeSlot(start=1.5, end=2.25)
    scripts.edit(script, [PutLine(line=ids[2], written=LineText(text="Dann.", pause_seconds=0.0, is_silent=True, slot=slot, speed=1.1))])
    scripts.edit(script, [SetDictionary(entries=(WrittenEntry(written="GIF", said="jif", language="en"),))])
    about = {
        "words": (TimedWord(0, 0.01, "Größe", "Größe", 0, 5),),
        "estimates": TakeEstimates(word_errors=0),
        "peaks": (3,),
        "text": "Größe “1”.",
    }
    about |= {"mended_from": MendedFrom("t0", "fake")}
    add_take(scripts, script, ids[1], 1, **about)
    add_take(scripts, script, ids[1], 2, choose=False)
    return script


def told(scripts, script: str, **how) -> dict:
    """As the file has it."""
    return json.loads(json.dumps(to_plain(scripts.script(script), scripts.lines(script), scripts.cover(script), **how)))


def written(scripts, script: str) -> tuple[object, ...]:
    here = scripts.script(script)
    return here.head, here.cast, here.dictionary, tuple(line.written for line in scripts.lines(script)), scripts.cover(script)


def test_a_script_without_sounds_comes_in_as_it_went_out(scripts, play):
    plain = told(scripts, play)
    assert "takes" not in json.dumps(plain)
    again = scripts.create(from_plain(plain)).id
    assert written(scripts, again) == written(scripts, play) and scripts.counts(again).n_said == 0


@pytest.mark.parametrize("is_within", [True, False])
def test_takes_come_along_with_their_sounds_within_it_or_beside_it(scripts, play, is_within):
    flacs = {take.sha256: scripts._takes.read_flac(play, take.sha256) for line in scripts.lines(play) for take in line.takes}
    plain = told(scripts, play, sound_of=flacs.__getitem__) if is_within else told(scripts, play, has_takes=True)
    read = from_plain(plain) if is_within else from_plain(plain, flacs.__getitem__)
    again = scripts.create(read).id
    before, after = scripts.lines(play)[1], scripts.lines(again)[1]
    assert (after.takes, after.chosen) == (before.takes, "t1") and read.notes == ()
    assert np.array_equal(scripts._takes.read(again, after.takes[1].sha256)[0], sound_of(2))


def test_takes_without_their_sounds_are_left_out_and_told(scripts, play):
    read = from_plain(told(scripts, play, has_takes=True))
    assert read.takes == () and read.notes == (("note_takes_left_out", {"n": 2}),)


def changed(plain: dict, **changes) -> dict:
    return {**plain, **changes}


@pytest.mark.parametrize(
    "change",
    [
        lambda plain: [],
        lambda plain: {"lines": plain["lines"]},
        lambda plain: changed(plain, version="1"),
        lambda plain: changed(plain, version=2),
        lambda plain: changed(plain, lines=None),
        lambda plain: changed(plain, lines=[{"text": 5}]),
        lambda plain: changed(plain, lines=[{"text": "x", "unheard": "of"}]),
        lambda plain: changed(plain, cast=[{"name": "A"}, {"name": "A"}]),
        lambda plain: changed(plain, dictionary=[{"written": ""}]),
        lambda plain: changed(plain, cover={"media_type": "image/png", "data": "%"}),
        lambda plain: changed(plain, lines=[{"text": "x", "takes": [plain["lines"][1]["takes"][0]] * 2}]),
        lambda plain: changed(plain, sounds=dict.fromkeys(plain["sounds"], "%")),
    ],
)
def test_a_file_that_was_changed_is_told(scripts, play, change):
    plain = told(scripts, play, sound_of=lambda digest: scripts._takes.read_flac(play, digest))
    with pytest.raises(ScriptFileUnusable):
        from_plain(change(plain))


def test_a_sound_that_is_none_leaves_no_half_a_script(scripts, play, tmp_path):
    plain = told(scripts, play, has_takes=True)
    with pytest.raises(ScriptFileUnusable):
        scripts.create(from_plain(plain, lambda digest: b"no sound"))
    assert [script.id for script in scripts.scripts()] == [play]
    assert {path.name for path in (tmp_path / "scripts").iterdir() if path.is_dir()} == {play}
