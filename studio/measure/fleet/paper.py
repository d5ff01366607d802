"""Closed formulas for the hit rate of a cache and the length of a queue. They stand beside the simulation."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from studio.measure.fleet.demand import Habits
from studio.measure.fleet.engine_costs import EngineCosts
from studio.measure.fleet.fleet_plan import FleetPlan
from studio.running.scheduler import UTILIZATION

__all__ = ["PaperFleet", "erlang_c", "least_replicas", "lru_hit_rate", "mean_wait", "on_paper", "wait_beyond"]


def lru_hit_rate(popularity: np.ndarray, most_voices: float) -> float:
    """Of a cache that keeps the last so many distinct voices, each asked for independently. popularity: (V,) shares, of sum 1.

    Che's approximation (Che, Tung and Wang 2002): a voice is there if it was asked for within T requests, the same T for all, which the
    cache's size gives: the sum over voices of 1 - exp(-p T) is the number that it keeps.
    """
    if most_voices >= len(popularity):
        return 1.0
    if most_voices <= 0:
        return 0.0
    low, high = 0.0, 1.0
    while _kept(popularity, high) < most_voices:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _kept(popularity, middle) < most_voices else (low, middle)
    return float(np.sum(popularity * -np.expm1(-popularity * high)))


def _kept(popularity: np.ndarray, requests: float) -> float:
    return float(np.sum(-np.expm1(-popularity * requests)))


def erlang_c(servers: int, load: float) -> float:
    """The share of who comes that has to wait for one of so many servers. load: erlangs, arrivals a second times seconds of service."""
    if load >= servers:
        return 1.0
    blocked = 1.0
    for n in range(1, servers + 1):
        blocked = load * blocked / (n + load * blocked)
    return blocked / (1.0 - load / servers * (1.0 - blocked))


def mean_wait(servers: int, per_second: float, service_seconds: float, variation: float = 1.0) -> float:
    """Seconds in line: Erlang's for exponential service, by Allen and Cunneen's factor for others. variation: squared, of the service."""
    load = per_second * service_seconds
    if load >= servers:
        return math.inf
    return erlang_c(servers, load) * service_seconds / (servers - load) * (1.0 + variation) / 2


def wait_beyond(servers: int, per_second: float, service_seconds: float, percent: float, variation: float = 1.0) -> float:
    """Seconds in line that all but 100 - percent hundredths stay below: the wait of who has to wait falls off exponentially."""
    load = per_second * service_seconds
    if load >= servers:
        return math.inf
    beyond = (100 - percent) / 100
    waits = erlang_c(servers, load)
    if waits <= beyond:
        return 0.0
    return math.log(waits / beyond) * service_seconds / (servers - load) * (1.0 + variation) / 2


@dataclass(frozen=True)
class PaperFleet:
    """What formulas say of a fleet. ttfp_seconds: percent -> (of one pool of all replicas, of a line at each): two choices lie between."""

    prepared_hit_rate: float
    prompt_hit_rate: float
    utilization: float
    extractions_per_second: float
    ttfp_seconds: dict[float, tuple[float, float]]


def on_paper(costs: EngineCosts, plan: FleetPlan, habits: Habits, percents: Sequence[float] = (50.0, 95.0, 99.0)) -> PaperFleet:
    """The fleet as M/G/k: a replica serves so many streams at once as its step has rows, each at the pace of a full step.

    With affinity each replica sees only its share of the voices, so that together they keep as many as one cache of all their room;
    without, each sees them all. Nothing here knows of spill, of voices so much asked for that one replica cannot bear them, or of who
    must be fed before others begin.
    """
    known, keeps = habits.popularity(), costs.prepared_voices if plan.prepared_voices is None else plan.prepared_voices
    by_voice = plan.routing != "two choices"
    hit = lru_hit_rate(known, keeps * (plan.n_replicas if by_voice else 1)) if costs.prepare_seconds else 1.0
    hit *= 1.0 - habits.new_share
    prompt = lru_hit_rate(known, plan.prompt_cache_voices * (plan.n_replicas if plan.shape == "whole" and by_voice else 1))
    alone = (1.0 - hit) * costs.prepare_seconds + habits.new_share * costs.extract_seconds
    alone += max(0.0, costs.first_audio_seconds - costs.step(1))
    spoken = max(0.0, habits.speech_seconds - costs.chunk_seconds) * costs.rate(costs.width) * costs.width
    service = alone * costs.width + costs.step(costs.width) + spoken
    utilization = habits.per_second * service / (plan.n_replicas * costs.width)
    spread = math.expm1(habits.spread**2) if habits.lengths == "lognormal" else float(habits.lengths == "exponential")
    fixed = plan.way_seconds + costs.first_audio_seconds + (1.0 - hit) * costs.prepare_seconds
    return PaperFleet(
        prepared_hit_rate=hit,
        prompt_hit_rate=prompt,
        utilization=utilization,
        extractions_per_second=habits.per_second * habits.new_share,
        ttfp_seconds={percent: _waits(costs, plan, habits, (service, spread, percent, fixed)) for percent in percents},
    )


def _waits(costs: EngineCosts, plan: FleetPlan, habits: Habits, rest: tuple[float, float, float, float]) -> tuple[float, float]:
    service, spread, percent, fixed = rest
    pooled = wait_beyond(costs.width * plan.n_replicas, habits.per_second, service, percent, spread)
    apart = wait_beyond(costs.width, habits.per_second / plan.n_replicas, service, percent, spread)
    return fixed + pooled, fixed + apart


def least_replicas(costs: EngineCosts, plan: FleetPlan, habits: Habits, busy: float = UTILIZATION) -> int:
    """Below which the engines' time does not suffice, of which listeners may take so much; UTILIZATION is promised to those of one engine.

    plan: its number does not count. The more replicas, the more voices they keep: the least number that suffices for itself.
    """
    n = 1
    for _ in range(20):
        needed = max(1, math.ceil(on_paper(costs, replace(plan, n_replicas=n), habits, ()).utilization * n / busy))
        if needed <= n:
            break
        n = needed
    return n
