"""Sizing: finds the fewest replicas that keep the first packet within a goal. It simulates fleets of several sizes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from studio.measure.fleet.demand import Habits
from studio.measure.fleet.engine_costs import EngineCosts
from studio.measure.fleet.fleet_plan import FleetPlan
from studio.measure.fleet.fleet_run import FleetOutcome, simulate
from studio.measure.fleet.paper import least_replicas, on_paper

__all__ = ["Goal", "SizedFleet", "least_on_paper", "size_fleet"]

MOST_REFUSED = MOST_STUTTERED = 0.001
GROWTH, MOST_GROWTHS = 1.25, 5  # of the number of replicas, from where engines' time suffices; then no number will do
MOST_ON_PAPER = 100  # times as many as engines' time wants
CLOSE_ENOUGH = 0.02  # of the number found


@dataclass(frozen=True)
class Goal:
    """ttfp_seconds: that so many percent of the speeches' first packets stay below; and hardly anybody is refused or hears a gap."""

    ttfp_seconds: float = 0.3
    percent: float = 95.0

    def is_met(self, outcome: FleetOutcome) -> bool:
        met = outcome.ttfp(self.percent) <= self.ttfp_seconds
        return met and outcome.refused_share <= MOST_REFUSED and outcome.stuttered_share <= MOST_STUTTERED


@dataclass(frozen=True)
class SizedFleet:
    """The least fleet that was found, and what it does."""

    plan: FleetPlan
    outcome: FleetOutcome


def size_fleet(costs: EngineCosts, plan: FleetPlan, habits: Habits, goal: Goal, *, n_speeches: int, seed: int = 0) -> SizedFleet | None:
    """The fewest replicas that meet the goal, within CLOSE_ENOUGH; None where more of them do not help.

    plan: its number of replicas does not count. Every size meets the same demand. Never fewer than engines' time suffices for: a run of
    minutes would not show that such a fleet falls behind, since whoever comes is begun before those are fed who have enough ahead.
    """

    def tried(n: int) -> SizedFleet | None:
        sized = replace(plan, n_replicas=n)
        outcome = simulate(costs, sized, habits, n_speeches=n_speeches, seed=seed)
        return SizedFleet(sized, outcome) if goal.is_met(outcome) else None

    if not costs.feeds_one:
        return None
    least = least_replicas(costs, plan, habits)
    too_few, found = least - 1, None
    for n in _sizes(least):
        found = tried(n)
        if found:
            break
        too_few = n
    while found and found.plan.n_replicas - too_few > max(1, int(CLOSE_ENOUGH * found.plan.n_replicas)):
        middle = (found.plan.n_replicas + too_few) // 2
        better = tried(middle)
        too_few, found = (too_few, better) if better else (middle, found)
    return found


def least_on_paper(costs: EngineCosts, plan: FleetPlan, habits: Habits, goal: Goal) -> tuple[int, int] | None:
    """The same by formulas: (all replicas one pool, each with a line of its own); None where no number will do."""
    pooled, apart = (_least(costs, plan, habits, goal, place) for place in (0, 1))
    return None if pooled is None or apart is None else (pooled, apart)


def _least(costs: EngineCosts, plan: FleetPlan, habits: Habits, goal: Goal, place: int) -> int | None:
    def meets(n: int) -> bool:
        paper = on_paper(costs, replace(plan, n_replicas=n), habits, (goal.percent,))
        return paper.ttfp_seconds[goal.percent][place] <= goal.ttfp_seconds

    least = least_replicas(costs, plan, habits)
    low, high = least - 1, least
    while not meets(high):
        low, high = high, high * 2
        if high > MOST_ON_PAPER * least:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if meets(middle) else (middle, high)
    return high


def _sizes(least: int) -> Iterator[int]:
    n = float(least)
    for _ in range(MOST_GROWTHS):
        yield int(n)
        n = max(n + 1, n * GROWTH)
