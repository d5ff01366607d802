"""/v1/studio/pairs: two ways to say a text are heard without names; one vote counts, and is told, kept, undone and exported."""

import csv
import io
import json

import pytest

from studio.listening.pairs.open_pairs import ENOUGH_SECONDS, KEPT_SECONDS, MOST_OF_WORKSPACE
from studio.storage.trash import KEPT_SECONDS as UNDO_SECONDS
from tests.api.door import error_of

ALL = "/v1/studio/pairs"
SIDES = [{"voice": "alice"}, {"voice": "alice", "speed": 0.5, "seed": 7}]


class Clock:
    """Tells the time that it was set to; and draws what it is told."""

    now, drawn = 1000.0, 0

    def __call__(self) -> float:
        return self.now

    def draw(self, n: int) -> int:
        return self.drawn


@pytest.fixture
def clock(door) -> Clock:
    clock, pairs = Clock(), door.studio.pairs
    pairs._open._clock, pairs._open._draw = clock, clock.draw
    pairs._votes.clock = door.studio._parts.votes.clock = clock
    door.upload("alice")
    return clock


def asked(door, sides=SIDES, **more):
    return door.post(ALL, json={"input": "hello there"} | more | {"sides": sides})


def hear(door, clock, pair: dict) -> list[bytes]:
    sounds = [door.get(f"/{pair['sounds'][slot]}").content for slot in "ab"]
    clock.now += ENOUGH_SECONDS
    return sounds


def vote(door, pair: dict, choice: str = "a"):
    return door.post(f"{ALL}/{pair['id']}/vote", json={"choice": choice})


def take(door, **more) -> str:
    door.post("/v1/audio/speech", json={"input": "hello there", "voice": "alice"} | more, headers={"x-studio-keep": "1"})
    door.studio.history.settle()
    return door.studio.history.entries()[0].id


def test_nothing_tells_which_is_which_before_the_vote(door, clock):
    for drawn in (0, 1):
        clock.drawn = drawn
        answer = asked(door)
        pair = answer.json()
        first, second = hear(door, clock, pair)
        assert set(pair) == {"id", "sounds", "seconds"} and "speed" not in answer.text + str(answer.headers)
        assert first != second and len(first) == len(second) and first[:44] == second[:44], "of one length, behind one header"
        assert [pair["sounds"][slot].rsplit("/", 1)[1] for slot in "ab"] == ["a", "b"]
        told = vote(door, pair).json()
        assert [told["sides"][slot]["settings"] for slot in "ab"] == ([{}, {"speed": 0.5}] if drawn == 0 else [{"speed": 0.5}, {}])
        assert told["sides"]["a" if drawn else "b"]["seed"] == 7


def test_a_vote_counts_once_and_after_both_were_heard(door, clock):
    pair = asked(door).json()
    assert error_of(vote(door, pair))["reason_code"] == "pair_unheard"
    door.get(f"/{pair['sounds']['a']}")
    clock.now += ENOUGH_SECONDS
    assert error_of(vote(door, pair))["values"] == {"slot": "B"}
    door.get(f"/{pair['sounds']['b']}")
    assert vote(door, pair).status_code == 409, "heard for no time"
    clock.now += ENOUGH_SECONDS
    assert vote(door, pair, "both").status_code == 400 and vote(door, pair).status_code == 200
    assert error_of(vote(door, pair, "b"))["reason_code"] == "pair_voted"
    assert [one["choice"] for one in door.get(f"{ALL}/votes").json()["votes"]] == ["a"]


def test_votes_are_kept_exported_undone_and_deleted_without_text_or_voice(door, clock):
    pair = asked(door, [{"voice": "alice", "extra_params": {}}, SIDES[1]]).json()
    hear(door, clock, pair)
    found = vote(door, pair, "equal").json()
    assert (found["undo_seconds"], found["standings"]["n_votes"], found["standings"]["verdict"]) == (UNDO_SECONDS, 1, "too_few")
    (file,) = (door.studio.settings.speakers_dir / "votes").glob("*.votes")
    kept = file.read_text(encoding="utf-8")
    assert "alice" not in kept and "hello" not in kept
    (row,) = csv.DictReader(io.StringIO(door.get(f"{ALL}/votes?format=csv").text))
    assert (row["a_settings"], row["b_settings"], row["choice"]) == ("", "speed=0.5", "equal")
    assert door.get(f"{ALL}/standings").json() == found["standings"]
    assert door.delete(f"{ALL}/{pair['id']}/vote").json()["undone"] and door.get(f"{ALL}/standings").json()["verdict"] == "none"
    assert door.delete(f"{ALL}/{pair['id']}/vote").status_code == vote(door, pair).status_code == 404, "its names are known"
    for _ in range(2):
        pair = asked(door).json()
        hear(door, clock, pair)
        vote(door, pair)
    clock.now += UNDO_SECONDS + 1
    assert error_of(door.delete(f"{ALL}/{pair['id']}/vote"))["reason_code"] == "undo_too_late"
    assert door.delete(f"{ALL}/votes").json() == {"deleted": True, "n_votes": 2} and not door.get(f"{ALL}/votes").json()["votes"]
    assert json.loads(kept.splitlines()[1])[0]["a"] == {"engine": "fake", "preset": "", "settings": {}}


def test_two_takes_of_a_text_are_a_pair_and_others_are_none(door, clock):
    plain, slow, other = take(door), take(door, speed=0.5), take(door, input="another text")
    built_in = take(door, voice="tone")

    def of(*takes: str):
        return door.post(f"{ALL}/takes", json={"takes": takes})

    pair = of(plain, slow).json()
    hear(door, clock, pair)
    assert {len(side["settings"]) for side in vote(door, pair).json()["sides"].values()} == {0, 1}
    refused = {takes: error_of(of(*takes)) for takes in ((plain, plain), (plain, other), (plain, built_in))}
    assert [error["values"]["sentence"] for error in refused.values()] == ["pair_of_one_take", "pair_of_two_texts", "pair_of_two_voices"]
    assert error_of(of(plain, "gone"))["reason_code"] == "entry_unknown"


def test_takes_that_differ_in_their_seed_alone_say_nothing_of_systems(door, clock):
    pair = asked(door, [{"voice": "alice", "seed": 1}, {"voice": "alice", "seed": 2}]).json()
    hear(door, clock, pair)
    standings = vote(door, pair).json()["standings"]
    assert (standings["n_votes"], standings["n_within"], standings["systems"]) == (0, 1, [])


def test_nobody_hears_a_voice_that_was_deleted_and_pairs_are_bounded(door, clock):
    pairs = [asked(door).json() for _ in range(MOST_OF_WORKSPACE + 1)]
    assert door.get(f"/{pairs[0]['sounds']['a']}").status_code == 404 and door.get(f"/{pairs[1]['sounds']['a']}").status_code == 200
    clock.now += KEPT_SECONDS + 1
    assert door.get(f"/{pairs[1]['sounds']['a']}").status_code == 404
    pair = asked(door).json()
    door.delete("/v1/audio/voices/alice")
    assert door.get(f"/{pair['sounds']['a']}").status_code == vote(door, pair).status_code == 404


def test_what_is_silent_or_too_long_is_no_pair(door, clock, monkeypatch):
    monkeypatch.setattr("studio.listening.pairs.open_pairs.MOST_SECONDS", 0.01)
    assert error_of(asked(door))["values"]["sentence"] == "pair_too_long"
