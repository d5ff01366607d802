"""Prepared states: made once, bounded by bytes, gone when forgotten."""

from dataclasses import dataclass

from engines.kit.decode.prepared_states import PreparedStates


@dataclass(frozen=True)
class State:
    name: str
    bytes: int = 10


def keep(states: PreparedStates, digest: str, part: str = "reference", size: int = 10) -> tuple[State, bool]:
    """The state, and whether it had to be made."""
    made = []
    state = states.get(digest, part, lambda: made.append(1) or State(f"{digest}/{part}", size))
    return state, bool(made)


def test_a_state_is_made_once():
    states = PreparedStates(100)
    first, made = keep(states, "a")
    assert made
    assert keep(states, "a") == (first, False)
    assert keep(states, "a", "prefix")[1]
    assert states.bytes == 20


def test_the_least_recently_used_go_when_bytes_run_out():
    states = PreparedStates(30)
    for digest in "abc":
        keep(states, digest)
    keep(states, "a")
    keep(states, "d")
    assert [keep(states, digest)[1] for digest in "acd"] == [False, False, False]
    assert keep(states, "b")[1]
    assert states.bytes <= 30


def test_a_state_larger_than_all_room_is_handed_out_and_not_kept():
    states = PreparedStates(30)
    keep(states, "a")
    assert keep(states, "large", size=31)[0].name == "large/reference"
    assert states.bytes == 10
    assert not keep(states, "a")[1]


def test_forgetting_a_prompt_drops_all_its_states_and_no_other():
    states = PreparedStates(100)
    keep(states, "a")
    keep(states, "a", "prefix")
    keep(states, "b")
    states.forget("a")
    states.forget("never heard of")
    assert (len(states), states.bytes) == (1, 10)
    assert not keep(states, "b")[1]
    assert keep(states, "a")[1]


def test_clearing_drops_everything():
    states = PreparedStates(100)
    keep(states, "a")
    states.clear()
    assert (len(states), states.bytes) == (0, 0)
