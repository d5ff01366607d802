"""Autoscaling: how many replicas an engine should have, by the number of waiting streams and their waiting time.

The controller of Serve imports it: no Ray, no engine here.

Serve asks every replica for `record_autoscaling_stats` five times per `look_back_period_s`, and hands the figures on every
`metrics_interval_s` (10 s unless told otherwise); what the policy gets is each replica's mean over the look-back period. The policy's
answer takes effect after `upscale_delay_s` or `downscale_delay_s`.
"""

import math
from dataclasses import dataclass
from typing import Protocol

__all__ = ["EngineLoad", "by_queue_and_ttfp", "replicas_wanted"]

EASY = 0.5  # of the goal: below it replicas may be given up, so that one does not come and go around the goal


class ScalingConfig(Protocol):
    """What is used of Ray's AutoscalingConfig."""

    def get_target_ongoing_requests(self) -> float: ...


class ScalingContext(Protocol):
    """What is used of Ray's AutoscalingContext. aggregated_metrics: name -> replica -> mean."""

    current_num_replicas: int
    target_num_replicas: int
    total_num_requests: float
    aggregated_metrics: dict[str, dict[object, float]] | None
    capacity_adjusted_min_replicas: int
    capacity_adjusted_max_replicas: int
    config: ScalingConfig


@dataclass(frozen=True)
class EngineLoad:
    """running, target: replicas that speak, and that there should be already. requests: under way and waiting, of all.
    requests_per_replica: that one is meant to serve at a time. waiting: streams without a first turn in the engines' own queues, of all.
    ttfp_seconds: what listeners waited lately at the slowest replica. ttfp_goal_seconds: what they may wait, 0 for no such goal."""

    running: int
    target: int
    requests: float
    requests_per_replica: float
    waiting: float
    ttfp_seconds: float
    ttfp_goal_seconds: float


def replicas_wanted(load: EngineLoad) -> int:
    """Enough for the requests; one more than there are while streams wait for a turn, or listeners longer than the goal, as soon as those
    that were asked for before have come; and none fewer until listeners wait less than half of it."""
    wanted = math.ceil(load.requests / load.requests_per_replica)
    have_come = load.running >= load.target
    lags = 0 < load.ttfp_goal_seconds < load.ttfp_seconds
    if (lags or load.waiting >= max(1, load.running)) and load.running:
        wanted = max(wanted, load.running + 1 if have_come else load.target)
    if load.ttfp_goal_seconds and load.ttfp_seconds > EASY * load.ttfp_goal_seconds:
        wanted = max(wanted, load.target)
    return wanted


def by_queue_and_ttfp(context: ScalingContext) -> tuple[int, dict[str, object]]:
    """Serve's policy (`autoscaling_config.policy.policy_function`): replicas, and what it went by, which Serve keeps as its state."""
    stated = context.aggregated_metrics or {}
    load = EngineLoad(
        running=context.current_num_replicas,
        target=context.target_num_replicas,
        requests=context.total_num_requests,
        requests_per_replica=context.config.get_target_ongoing_requests(),
        waiting=sum(stated.get("waiting", {}).values()),
        ttfp_seconds=max(stated.get("ttfp_seconds", {}).values(), default=0.0),
        ttfp_goal_seconds=max(stated.get("ttfp_goal_seconds", {}).values(), default=0.0),
    )
    wanted = max(context.capacity_adjusted_min_replicas, min(context.capacity_adjusted_max_replicas, replicas_wanted(load)))
    return wanted, {"waiting": load.waiting, "ttfp_seconds": load.ttfp_seconds}
