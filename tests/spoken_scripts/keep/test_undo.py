"""Claims about undo, over drawn edits: an undo of all gives the first script back, a redo of all the last, takes included."""

from contextlib import suppress

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio.errors import EditRefused, LineUnknown
from studio.scripts.script.cast import CastMember
from studio.scripts.script.edits import DeleteLines, InsertLines, MoveLines, PutLine, RenameMember, SetCast, SetHead
from studio.scripts.script.line import LineText
from studio.scripts.script.script import ScriptHead
from studio.scripts.scripts import Scripts
from studio.scripts.scripts_folder import ScriptsFolder
from tests.spoken_scripts.keep.made_scripts import Maker, add_take, read_of, state_of

NUMBER = st.integers(0, 30)  # of a line, where there are so many; else counted on from the first
NUMBERS = st.lists(NUMBER, min_size=1, max_size=4)
NAMES = st.sampled_from(["", "ANNA", "BOB", "CY"])
CALLS = st.lists(
    st.lists(
        st.one_of(
            st.tuples(st.just("put"), NUMBER, NAMES, st.text("ab ", max_size=6)),
            st.tuples(st.just("insert"), st.none() | NUMBER, st.integers(1, 3)),
            st.tuples(st.just("delete"), NUMBERS),
            st.tuples(st.just("move"), NUMBERS, st.none() | NUMBER),
            st.tuples(st.just("head"), st.text("xy", max_size=3)),
            st.tuples(st.just("cast"), st.sets(NAMES)),
            st.tuples(st.just("rename"), NAMES, NAMES),
        ),
        min_size=1,
        max_size=4,
    ),
    min_size=1,
    max_size=8,
)


def edit_of(drawn: tuple, ids: tuple[str, ...]):
    def line(number: int | None) -> str | None:
        return None if number is None or not ids else ids[number % len(ids)]

    def lines(numbers: list[int]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(filter(None, map(line, numbers)))) or ("nobody",)

    made = {
        "put": lambda number, who, text: PutLine(line=line(number) or "nobody", written=LineText(text=text, who=who)),
        "insert": lambda after, n: InsertLines(after=line(after), lines=tuple(LineText(text=f"new {k}") for k in range(n))),
        "delete": lambda numbers: DeleteLines(lines=lines(numbers)),
        "move": lambda numbers, after: MoveLines(lines=lines(numbers), after=line(after)),
        "head": lambda title: SetHead(head=ScriptHead(title=title)),
        "cast": lambda names: SetCast(cast=tuple(CastMember(name=name, voice=f"voice of {name}") for name in sorted(names))),
        "rename": lambda name, to: RenameMember(name=name, to=to),
    }
    return made[drawn[0]](*drawn[1:])


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(calls=CALLS, is_narrow=st.booleans())
def test_an_undo_of_all_gives_the_first_back_and_a_redo_of_all_the_last(tmp_path_factory, monkeypatch, calls, is_narrow):
    """is_narrow: with so little between two places that they are dealt anew all the time."""
    monkeypatch.setattr("studio.scripts.keep.order.GAP", 2 if is_narrow else 1 << 20)
    folder = ScriptsFolder(tmp_path_factory.mktemp("scripts"))
    scripts = Scripts(folder, Maker())
    script = scripts.create(read_of("one", "ANNA: two", "# three", "BOB: four", "five")).id
    add_take(scripts, script, scripts.line_ids(script)[1], 1)
    states = [state_of(scripts, script)]
    for call in calls:
        ids = scripts.line_ids(script)
        edits = [edit_of(drawn, ids) for drawn in call]
        before = scripts.script(script).revision
        with suppress(EditRefused, LineUnknown):
            scripts.edit(script, edits)
        if scripts.script(script).revision > before:
            states.append(state_of(scripts, script))
        else:
            assert state_of(scripts, script) == states[-1]
    assert scripts.script(script).can_undo == len(states) - 1
    for state in reversed(states[:-1]):
        scripts.undo(script)
        assert state_of(scripts, script) == state
    for state in states[1:]:
        scripts.redo(script)
        assert state_of(scripts, script) == state
    folder.close()
