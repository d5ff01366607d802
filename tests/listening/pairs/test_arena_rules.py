"""The arena's rules: what counts of one voter, as how much, which systems votes link, and which pair is next."""

import numpy as np
import pytest

from studio.listening.pairs.arena import DAY_SECONDS, MOST_A_DAY, counted_votes, groups_of, least_known, most_weight
from studio.listening.pairs.heard_system import HeardSystem
from studio.listening.pairs.pair_votes import PairVote
from studio.listening.pairs.standings import arena_standings, workspace_standings
from studio.measure.arena import Arena, coverage

A, B, C, D = (HeardSystem(name) for name in "abcd")


def votes(*rows: tuple[str, HeardSystem, HeardSystem, str], n: int = 1, day: int = 0) -> list[PairVote]:
    return [
        PairVote(f"{voter}{day}{a}{b}{choice}{m}", day * DAY_SECONDS + m, a, b, choice, voter)
        for voter, a, b, choice in rows
        for m in range(n)
    ]


def test_the_first_votes_of_a_day_count():
    of_days = votes(("x", A, B, "a"), n=50) + votes(("x", A, B, "a"), n=5, day=1) + votes(("y", A, B, "b"), n=5)
    counted = counted_votes(of_days[::-1])
    assert len(counted) == MOST_A_DAY + 5 + 5
    assert max(vote.at for vote in counted if vote.at < DAY_SECONDS) == MOST_A_DAY - 1


def test_nobody_weighs_more_than_a_tenth_or_twice_an_average_voter():
    for counts in ([500] + [5] * 30, [500] + [5] * 4, [500, 400, 1, 1, 1], [7] * 40, [3], [500, 1], list(range(1, 41))):
        most = most_weight(counts)
        weights = np.minimum(counts, most)
        assert weights.max() <= max(0.1, 2 / len(counts)) * weights.sum() + 1e-9
        larger = np.minimum(counts, most * 1.01)
        assert most >= max(counts) or larger.max() > max(0.1, 2 / len(counts)) * larger.sum(), "it is the largest"


def test_a_voter_of_many_votes_does_not_decide():
    others = [row for n in range(10) for row in votes((f"v{n}", A, B, "b"), n=4) + votes((f"v{n}", A, B, "a"), n=1)]
    one = [row for day in range(20) for row in votes(("many", A, B, "a"), n=MOST_A_DAY, day=day)]
    assert workspace_standings(others + one).systems[0].system == A
    found = arena_standings(others + one)
    assert found.systems[0].system == B and found.n_voters == 11


@pytest.mark.slow
def test_groups_that_no_vote_links_are_told_and_nobody_is_ahead_across_them():
    rows = [row for n in range(12) for row in votes((f"v{n}", A, B, "a"), (f"v{n}", C, D, "a"), n=8)]
    found = arena_standings(rows)
    assert found.verdict == "unlinked" and [one.group for one in found.systems] == [0, 0, 1, 1]
    assert [one.rank for one in found.systems] == [1, 2, 1, 2]
    linked = arena_standings(rows + votes(("v1", A, C, "a")))
    assert linked.verdict == "too_few" and {one.group for one in linked.systems} == {0}
    assert groups_of([A, B, C], ()) == {A: 0, B: 1, C: 2}


def test_the_pair_with_the_fewest_votes_is_next_and_of_several_one_that_links():
    first = lambda n: 0  # noqa: E731
    assert least_known([A, B, C], votes(("x", A, B, "a"), ("x", A, C, "a"), n=2), (), first) == {B, C}
    assert least_known([A, B, C, D], votes(("x", A, B, "a"), ("x", B, C, "a")), (), first) in ({A, D}, {C, D})
    assert least_known([A, B], votes(("x", A, B, "a"), n=9), (), first) == {A, B}
    assert least_known([A, B], (), {frozenset((A, B))}, first) is None
    assert {least_known([A, B, C], (), (), lambda n, i=i: i) for i in range(3)} == {frozenset(two) for two in ((A, B), (A, C), (B, C))}


@pytest.mark.slow
def test_ranges_by_whole_voters_hold_the_truth_where_those_of_single_votes_do_not():
    """Two standard deviations of 16 arenas of five systems are some 6 %; `python -m studio.measure.arena` simulates a thousand."""
    found = coverage(Arena(), n=16, seed=1, n_resamples=150)
    assert found.by_voters == pytest.approx(0.95, abs=0.06) and found.by_votes < 0.8
