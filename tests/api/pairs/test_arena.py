"""The open arena: votes of all visitors lie together, each voter's are theirs, and nobody hears the same two twice with a text."""

import csv
import io
from dataclasses import replace

import pytest

from engines.errors import EngineUnavailable
from studio.listening.pairs import open_pairs
from studio.listening.pairs.arena import MOST_A_DAY
from studio.listening.pairs.pair_votes import PairVote
from studio.listening.pairs.standings import LEAST_VOTERS
from tests.api.door import Door, error_of
from tests.stand_ins.fake_engine import INFO, FakeEngine

ALL = "/v1/studio/pairs"
ENGINES = [replace(INFO, id=name, title=name.title()) for name in ("one", "two", "three")]


class Voter:
    """A browser of its own."""

    def __init__(self, door: Door, name: str):
        self.door, self.headers = door, {"x-studio-voter": name} if name else {}

    def ask(self, method: str, path: str, **content):
        return self.door.request(method, f"{ALL}{path}", headers=self.headers, **content)

    def next(self, text: str = "hello there"):
        return self.ask("POST", "/next", json={"input": text})

    def hear(self, pair: dict) -> None:
        assert [self.ask("GET", f"/{pair['id']}/{slot}").status_code for slot in "ab"] == [200, 200]

    def vote(self, pair: dict, choice: str = "a") -> dict:
        self.hear(pair)
        answer = self.ask("POST", f"/{pair['id']}/vote", json={"choice": choice})
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture
def arena(open_door, monkeypatch) -> Door:
    monkeypatch.setattr(open_pairs, "ENOUGH_SECONDS", 0.0)
    return open_door(*map(FakeEngine, ENGINES), arena="open")


@pytest.mark.slow
def test_voters_are_pooled_and_told_apart_and_each_takes_back_and_deletes_their_own(arena):
    ana, ben = Voter(arena, "ana's browser"), Voter(arena, "ben's browser")
    pair = ana.next().json()
    assert ben.ask("GET", f"/{pair['id']}/a").status_code == 404, "it waits for Ana"
    standings = ana.vote(pair)["standings"]
    assert (standings["n_voters"], standings["n_votes"], standings["systems"][0]["low"]) == (1, 1, None)
    standings = ben.vote(ben.next().json())["standings"]
    assert (standings["n_voters"], standings["n_votes"], standings["verdict"]) == (2, 2, "too_few")
    assert standings["first_at"] <= standings["last_at"]
    assert ben.ask("DELETE", f"/{pair['id']}/vote").status_code == 404, "it is not Ben's"
    rows = list(csv.DictReader(io.StringIO(ben.ask("GET", "/votes?format=csv").text)))
    assert len({row["voter"] for row in rows}) == 2 and "ana" not in str(rows)
    assert all(set(vote) == {"id", "at", "a", "b", "choice", "voter"} for vote in ana.ask("GET", "/votes").json()["votes"])
    (file,) = (arena.studio.settings.speakers_dir / "votes").glob("*.votes")
    assert "hello" not in file.read_text(encoding="utf-8") and "browser" not in file.read_text(encoding="utf-8")
    assert ana.ask("DELETE", "/votes").json()["n_votes"] == 1
    assert [vote["voter"] for vote in ben.ask("GET", "/votes").json()["votes"]] == [rows[1]["voter"]]


@pytest.mark.slow
def test_what_is_least_known_is_asked_next_and_no_voter_hears_the_same_two_say_a_text_twice(arena):
    ana, ben = Voter(arena, "ana"), Voter(arena, "ben")
    heard = set()
    for _ in range(3):
        sides = ana.vote(ana.next().json())["sides"]
        heard.add(frozenset(side["engine"] for side in sides.values()))
    assert len(heard) == 3
    assert error_of(ana.next())["values"]["sentence"] == "pair_none_left" and ana.next("another text").status_code == 200
    sides = [{"model": "one"}, {"model": "two"}]
    again = {"input": "hello there", "sides": sides}
    assert error_of(ana.ask("POST", "", json=again))["values"]["sentence"] == "pair_heard_before"
    assert ben.ask("POST", "", json=again).status_code == 200
    first, second = (ben.next().json() for _ in range(2))
    engines = {side["engine"] for side in ben.vote(first)["sides"].values()}
    assert len(engines) == 2
    ben.hear(second)
    both = {frozenset(side.system.engine for side in arena.studio.pairs.of_browser("ben")._pair(second["id"]).sides.values())}
    if both == {frozenset(engines)}:
        assert ben.ask("POST", f"/{second['id']}/vote", json={"choice": "a"}).status_code == 409, "made before the first had its vote"


@pytest.mark.slow
def test_an_engine_that_cannot_be_opened_is_passed_over(arena):
    def opening(name: str) -> None:
        if name == "two":
            raise EngineUnavailable("It is not here.", "Get it.")

    arena.before_opening = opening
    heard = [Voter(arena, str(n)).next() for n in range(6)]
    assert [answer.status_code for answer in heard] == [200] * 6


@pytest.mark.slow
def test_votes_from_before_are_one_voter_s_and_many_of_one_do_not_decide(arena):
    pairs = arena.studio.pairs
    voter = Voter(arena, "ana")
    sides = voter.vote(voter.next().json(), "a")["sides"]
    (vote,) = pairs.votes()
    many = [PairVote(f"v{n}", vote.at + 1, vote.a, vote.b, "a") for n in range(500)]
    pairs._votes._file.change(lambda votes: (*votes, *many))
    standings = voter.ask("GET", "/standings").json()
    assert (standings["n_voters"], standings["n_uncounted"], standings["verdict"]) == (2, 500 - MOST_A_DAY, "too_few")
    assert standings["n_votes"] == MOST_A_DAY + 1 and standings["systems"][0]["system"]["engine"] == sides["a"]["engine"]
    for n in range(LEAST_VOTERS):
        others = [PairVote(f"{n} {m}", vote.at + m, vote.a, vote.b, "a", f"voter {n}") for m in range(20)]
        pairs._votes._file.change(lambda votes, others=others: (*votes, *others))
    assert voter.ask("GET", "/standings").json()["verdict"] == "first"


def test_an_own_studio_keeps_votes_as_before(open_door, monkeypatch):
    monkeypatch.setattr(open_pairs, "ENOUGH_SECONDS", 0.0)
    door = open_door(*map(FakeEngine, ENGINES))
    ana, ben = Voter(door, "ana"), Voter(door, "ben")
    pair = ana.next().json()
    ben.vote(pair)
    (vote,) = ana.ask("GET", "/votes").json()["votes"]
    assert set(vote) == {"id", "at", "a", "b", "choice"} and ana.ask("GET", "/standings").json()["n_voters"] is None
