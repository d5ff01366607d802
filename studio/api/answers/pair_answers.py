"""Answers about blind pairs: the forms of the JSON. What is in a slot is in none of them before the vote."""

import csv
import io
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from studio.listening.pairs.arena import MOST_A_DAY
from studio.listening.pairs.heard_system import HeardSystem
from studio.listening.pairs.open_pairs import SLOTS, BlindPair
from studio.listening.pairs.pair_votes import PairVote
from studio.listening.pairs.standings import Standings
from studio.reading.formula_guard import guard_formula
from studio.service import Studio
from studio.storage.trash import KEPT_SECONDS

__all__ = [
    "PairAnswer",
    "StandingsAnswer",
    "SystemAnswer",
    "TakesBody",
    "VoteAnswer",
    "VoteBody",
    "VotesOnPairsAnswer",
    "votes_csv",
]

OF_WHAT_IS_THERE: JsonDict = {"examples": []}  # a body that names takes or answers about a pair cannot be sent to a new studio as it is
COLUMNS = ("id", "at", "a_engine", "a_preset", "a_settings", "b_engine", "b_preset", "b_settings", "choice", "voter")


class TakesBody(BaseModel):
    """Two takes of the history that say the same text."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=OF_WHAT_IS_THERE)
    takes: list[str] = Field(min_length=2, max_length=2, description="Ids, in whichever order.")


class VoteBody(BaseModel):
    """Which of the two is better."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=OF_WHAT_IS_THERE)
    choice: Literal["a", "b", "equal"]


class PairAnswer(BaseModel):
    """Two sounds without names. sounds: their addresses by slot, relative to the studio's. seconds: of either."""

    id: str
    sounds: dict[str, str]
    seconds: float

    @classmethod
    def of(cls, pair: BlindPair) -> "PairAnswer":
        """Chance decided which is in which slot."""
        return cls(id=pair.id, sounds={slot: f"v1/studio/pairs/{pair.id}/{slot}" for slot in SLOTS}, seconds=round(pair.seconds, 3))


class SystemAnswer(BaseModel):
    """An engine and what of its settings differs from its own. preset: its own speaker, "" of a stored voice. settings: of a text
    that somebody wrote, only that there is one. seed: of what was heard in a pair."""

    engine: str
    title: str
    preset: str
    settings: dict[str, bool | int | float | str]
    seed: int | None = None

    @classmethod
    def of(cls, system: HeardSystem, studio: Studio, seed: int | None = None) -> "SystemAnswer":
        """title: as the engine is called here; its id where it is on offer no more."""
        titles = {status.info.id: status.info.title for status in studio.engines()}
        title = titles.get(system.engine, system.engine)
        return cls(engine=system.engine, title=title, preset=system.preset, settings=dict(system.settings), seed=seed)


class RankedSystemAnswer(BaseModel):
    """wins: of its n_votes; a tie is half of one. points: as Elo's, their mean 0. low, high: the 95 % range, null while too few voters tell
    it. rank: those whom nothing is clearly ahead of have 1. group: between systems of different groups votes tell nothing."""

    system: SystemAnswer
    n_votes: int
    wins: float
    points: float
    low: float | None
    high: float | None
    rank: int
    group: int


class StandingsAnswer(BaseModel):
    """Best first. n_votes: that compared two systems; n_within: that chose between two takes of one. verdict: `none`, `unlinked` (votes do
    not lead from each to each other), `too_few` (chance could decide who is first), `first`. n_left_out: systems beyond the list. first_at,
    last_at: of the votes, seconds since 1970. n_voters: of an open arena, else null; n_uncounted: votes beyond most_a_day of one voter."""

    systems: list[RankedSystemAnswer]
    n_votes: int
    n_within: int
    verdict: Literal["none", "unlinked", "too_few", "first"]
    n_left_out: int
    n_voters: int | None
    n_uncounted: int
    most_a_day: int = MOST_A_DAY
    first_at: float | None
    last_at: float | None

    @classmethod
    def of(cls, found: Standings, studio: Studio) -> "StandingsAnswer":
        """Figures rounded to what they are worth."""
        systems = [
            RankedSystemAnswer(
                system=SystemAnswer.of(one.system, studio),
                n_votes=one.n_votes,
                wins=one.wins,
                rank=one.rank,
                group=one.group,
                points=round(one.points, 1),
                low=None if one.low is None else round(one.low, 1),
                high=None if one.high is None else round(one.high, 1),
            )
            for one in found.systems
        ]
        counts = ("n_votes", "n_within", "verdict", "n_left_out", "n_voters", "n_uncounted", "first_at", "last_at")
        return cls(systems=systems, **{name: getattr(found, name) for name in counts})


class VoteAnswer(BaseModel):
    """What was in either slot, and what all votes come to. undo_seconds: for so long it can be taken back."""

    id: str
    choice: str
    sides: dict[str, SystemAnswer]
    standings: StandingsAnswer
    undo_seconds: float = KEPT_SECONDS

    @classmethod
    def of(cls, pair: BlindPair, choice: str, studio: Studio, standings: Standings) -> "VoteAnswer":
        """pair: that has its vote."""
        sides = {slot: SystemAnswer.of(pair.sides[slot].system, studio, pair.sides[slot].seed) for slot in SLOTS}
        return cls(id=pair.id, choice=choice, sides=sides, standings=StandingsAnswer.of(standings, studio))


class VotesOnPairsAnswer(BaseModel):
    """All votes, oldest first: what was heard in either slot, and which was chosen; in an open arena with a digest for the voter."""

    votes: list[dict[str, object]]


def votes_csv(votes: tuple[PairVote, ...]) -> str:
    """One row a vote. Settings are `name=value`, parted by "; "."""
    file = io.StringIO()
    rows = csv.writer(file)
    rows.writerow(COLUMNS)
    for vote in votes:
        sides = [(side.engine, side.preset, "; ".join(f"{name}={value}" for name, value in side.settings)) for side in (vote.a, vote.b)]
        rows.writerow([vote.id, vote.at, *map(guard_formula, (*sides[0], *sides[1])), vote.choice, vote.voter])
    return file.getvalue()
