"""Claims about what a line asks for: who says it, and what makes its takes stale."""

from dataclasses import replace

import pytest

from studio.reading.lexicon.entry import LexiconEntry
from studio.scripts.saying.asked_line import Casting
from studio.scripts.script.cast import CastMember
from studio.scripts.script.edits import MoveLines, SetCast, SetDictionary, SetHead, WrittenEntry
from studio.scripts.script.line import LineText, TimeSlot
from studio.speakers.edit import SpeakerEdit
from tests.spoken_scripts.saying.said_scripts import made, put, say_all, states, store_voice
from tests.stand_ins.fake_engine import INFO, INSTRUCTIONS, FakeEngine

CAST = (CastMember(name="", voice="Nora"), CastMember(name="ANNA", voice="Anna", speed=1.1))
ABLE = replace(INFO, options=(*INFO.options, INSTRUCTIONS))


def cast(studio, script_id, **changes) -> None:
    studio.scripts.edit(script_id, [SetCast(cast=(CAST[0], CAST[1].model_copy(update=changes)))])


def head(studio, script_id, **changes) -> None:
    studio.scripts.edit(script_id, [SetHead(head=studio.scripts.script(script_id).head.model_copy(update=changes))])


def entry(written: str) -> SetDictionary:
    return SetDictionary(entries=(WrittenEntry(written=written, said="wyn"),))


# What is changed -> whether ANNA's take is stale from then on.
CHANGES = {
    "text": (lambda studio, script: put(studio, script, 0, text="Good morning, Nguyen."), True),
    "her voice": (lambda studio, script: cast(studio, script, voice="Nora"), True),
    "her speed": (lambda studio, script: cast(studio, script, speed=1.2), True),
    "her options": (lambda studio, script: cast(studio, script, options={"seed": 3}), True),
    "her instructions": (lambda studio, script: cast(studio, script, instructions="softly"), True),
    "her language": (lambda studio, script: cast(studio, script, language="de"), True),
    "her gain": (lambda studio, script: cast(studio, script, gain_db=6.0), False),
    "who says it": (lambda studio, script: put(studio, script, 0, who=""), True),
    "the line's speed": (lambda studio, script: put(studio, script, 0, speed=0.9), True),
    "the same speed, by the line": (lambda studio, script: put(studio, script, 0, speed=1.1), False),
    "the line's instructions": (lambda studio, script: put(studio, script, 0, instructions="softly"), True),
    "the pause behind it": (lambda studio, script: put(studio, script, 0, pause_seconds=3.0), False),
    "a slot": (lambda studio, script: put(studio, script, 0, slot=TimeSlot(start=1, end=3)), True),
    "its kind": (lambda studio, script: put(studio, script, 0, kind="heading"), False),
    "its place": (lambda studio, script: studio.scripts.edit(script, [MoveLines(lines=(studio.scripts.line_ids(script)[1],))]), False),
    "title": (lambda studio, script: head(studio, script, title="Another"), False),
    "language": (lambda studio, script: head(studio, script, language="de"), True),
    "a word of it in the dictionary": (lambda studio, script: studio.scripts.edit(script, [entry("Nguyen")]), True),
    "another word in the dictionary": (lambda studio, script: studio.scripts.edit(script, [entry("Siobhan")]), False),
    "a word of it in the workspace's": (lambda studio, script: studio.lexicon.put(LexiconEntry("Nguyen", "wyn")), True),
    "another word in the workspace's": (lambda studio, script: studio.lexicon.put(LexiconEntry("Siobhan", "shivawn")), False),
    "another recording of that name": (lambda studio, script: store_voice(studio, "Anna", 330.0), True),
    "another voice's recording": (lambda studio, script: store_voice(studio, "Nora", 330.0), False),
    "her voice is gone": (lambda studio, script: studio.forget("Anna"), True),
    "another name of her voice": (lambda studio, script: studio.library.edit("Anna", SpeakerEdit("Ann")), False),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_makes_a_take_stale(change, open_studio):
    studio = open_studio(FakeEngine(ABLE))
    store_voice(studio, "Anna"), store_voice(studio, "Nora", 250.0)
    script = made(studio, "ANNA: Good evening, Nguyen.", "Nobody answered.", cast=CAST)
    her = say_all(studio, script)[0]
    assert states(studio, script) == ["said", "said"] and studio.scripts.n_stale(script) == 0
    make, is_stale = CHANGES[change]
    make(studio, script)
    line = studio.scripts.line(script, her.id)
    assert studio.scripts.states(script, [line]) == ("stale" if is_stale else "said",)
    assert (her.chosen in studio.scripts.stale_takes(script, [line])) == is_stale
    assert studio.scripts.n_stale(script) == sum(state == "stale" for state in states(studio, script))


def test_a_name_that_the_cast_lacks_is_the_narrators_and_told(open_studio):
    studio = open_studio()
    store_voice(studio, "Nora"), store_voice(studio, "Anna", 300.0)
    script = made(studio, "BERT: Hello.", "ANNA: Hello.", cast=CAST)
    bert, anna = (line.takes[0] for line in say_all(studio, script))
    assert bert.voice == "Nora" and "BERT" in bert.warning
    assert anna.voice == "Anna" and not anna.warning


def test_the_scripts_dictionary_goes_before_the_workspaces(open_studio):
    engine = FakeEngine()
    studio = open_studio(engine)
    studio.lexicon.put(LexiconEntry("Nguyen", "no-win", language="en"))
    studio.lexicon.put(LexiconEntry("Leicester", "lester"))
    script = made(studio, "The Nguyen family lives in Leicester.", language="en")
    studio.scripts.edit(script, [entry("Nguyen")])
    say_all(studio, script)
    assert engine.texts == ["The wyn family lives in lester."]


def test_the_default_engine_of_a_line_does_not_depend_on_how_many_listen(open_studio, monkeypatch):
    studio = open_studio()
    monkeypatch.setattr(type(studio.default), "meant_by", lambda self, *args: args)
    script = studio.scripts.script(made(studio, "Hello.", cast=[CastMember(voice="tone")]))
    assert Casting(script, studio).asked(LineText(text="Hello.")).engine == ("Hello.", None, "tone")


def test_takes_of_a_script_whose_head_names_a_language_are_said_in_it(open_studio):
    engine = FakeEngine()
    studio = open_studio(engine)
    say_all(studio, made(studio, "Hallo.", "ANNA: Hello.", cast=[CastMember(name="ANNA", language="en")], language="de"))
    assert [options["language"] for options in engine.options] == ["de", "en"]
