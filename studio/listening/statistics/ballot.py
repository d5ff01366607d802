"""Ballot: the votes of a test that count, with facts about their systems and listeners. The findings of each method are made of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from studio.crossed.together import Family
from studio.listening.plan.design import Role
from studio.listening.plan.plan import PAGES, REFERRED, Method
from studio.listening.screening.screening import role_of
from studio.listening.statistics.findings import PairFinding, SystemFinding
from studio.listening.vote.vote import Vote
from studio.words.line import Line

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Ballot", "Beforehand", "MethodFindings", "family_of"]


@dataclass(frozen=True)
class Beforehand:
    """What is chosen before anybody listens. seed: of the bootstrap of strengths. margin: below which a difference is called none, in
    points of the scale, or as a share of votes from one half. scales: how many points each has, in the plan's order; where it is not said,
    as many as votes tell."""

    seed: int = 0
    margin: float | None = None
    scales: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class MethodFindings:
    """What a method says of its votes; what all methods share is said in analysis.py."""

    systems: tuple[SystemFinding, ...]
    pairs: tuple[PairFinding, ...]
    verdict: tuple[Line, ...]
    notes: tuple[Line, ...] = ()
    components: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Ballot:
    """votes: of items, by listeners who count. labels, roles: of systems; who is in neither is called as the votes call it. margin: below
    which a difference is called none, in points, or as a share from one half. scale: what was asked, where the method does not say it.
    points: of ratings that are no 0 to 100."""

    method: Method
    votes: tuple[Vote, ...]
    labels: Mapping[str, str]
    roles: Mapping[str, Role]
    seed: int
    margin: float | None = None
    scale: str = ""
    points: int = 5

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """All that was voted on: in the order of the labels, then by name."""
        seen = {name for vote in self.votes for name in (vote.system, vote.other) if name}
        return (*(name for name in self.labels if name in seen), *sorted(seen - set(self.labels)))

    @cached_property
    def compared(self) -> tuple[str, ...]:
        """The systems themselves, without references and anchors."""
        return tuple(name for name in self.systems if self.role(name) == "system")

    @cached_property
    def listeners(self) -> tuple[str, ...]:
        """Who voted, by name."""
        return tuple(sorted({vote.listener for vote in self.votes}))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """What was voted on, by name."""
        return tuple(sorted({vote.text for vote in self.votes}))

    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Of all that was compared in pairs, in the order of the systems."""
        voted = {(vote.system, vote.other) for vote in self.votes}
        either = ((one, other) for one, other in combinations(self.systems, 2) if (one, other) in voted or (other, one) in voted)
        return tuple((one, other) if (one, other) in voted else (other, one) for one, other in either)

    def n_votes(self, pair: tuple[str, str]) -> int:
        """That compare the two, or that rate either."""
        counts = self._counts
        return counts[frozenset(pair)] + sum(counts[frozenset((system,))] for system in pair)

    @cached_property
    def _counts(self) -> Counter[frozenset[str]]:
        """Votes on two systems, or on one."""
        return Counter(frozenset(filter(None, (vote.system, vote.other))) for vote in self.votes)

    def turned(self) -> Ballot:
        """The same, each pair in the order of the systems; a score turns with it (of AB around one half, of CMOS around 0, of ABX not).
        What is compared with the reference stands before it already."""
        if self.method in REFERRED:
            return self
        order = {name: number for number, name in enumerate(self.systems)}
        votes = (vote if order[vote.system] < order[vote.other] else self._other_way(vote) for vote in self.votes)
        return replace(self, votes=tuple(votes))

    @property
    def rating_scale(self) -> int:
        """The most that a rating may be."""
        return 100 if self.method in PAGES else self.points

    @property
    def asked(self) -> str:
        """What a verdict's sentences are of."""
        return "scale" if self.scale else self.method

    def label(self, system: str) -> str:
        """As results call it."""
        return self.labels.get(system) or system

    def role(self, system: str) -> Role:
        """What it is in the test."""
        return role_of(system, self.roles)

    def finding(
        self,
        system: str,
        *,
        rank: int | None = None,
        strength: float | None = None,
        strength_low: float | None = None,
        strength_high: float | None = None,
    ) -> SystemFinding:
        """Of what was compared in pairs: with the number of its votes. The rest: what the method knows of it besides."""
        n = sum(system in (vote.system, vote.other) for vote in self.votes)
        found = SystemFinding(system, self.label(system), self.role(system), n, rank=rank)
        return replace(found, strength=strength, strength_low=strength_low, strength_high=strength_high)

    def rng(self) -> np.random.Generator:
        """A new one, the same for the same seed."""
        import numpy as np

        return np.random.default_rng(self.seed)

    def _other_way(self, vote: Vote) -> Vote:
        score = {"abx": vote.score, "ab": 1 - vote.score, "cmos": -vote.score}[self.method]
        return replace(vote, system=vote.other, other=vote.system, score=score, first=not vote.first)


def family_of(names: tuple[tuple[str, str], ...], systems: tuple[str, ...]) -> Family:
    """All pairs of the systems, or those that were compared."""
    whole = Family.of_all(len(systems))
    return whole if len(names) == whole.n_pairs else Family(len(names))
