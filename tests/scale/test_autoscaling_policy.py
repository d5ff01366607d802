"""How many replicas: by requests, by who waits for a turn, and by how long listeners waited though the queue is short."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from studio.scale.autoscaling import EngineLoad, by_queue_and_ttfp, replicas_wanted
from studio.scale.served_figures import ServedFigures

EASY = EngineLoad(running=2, target=2, requests=1, requests_per_replica=8, waiting=0, ttfp_seconds=0.1, ttfp_goal_seconds=0.5)


@pytest.mark.parametrize(
    ("load", "wanted"),
    [
        (EASY, 1),
        (replace(EASY, requests=17), 3),
        (replace(EASY, ttfp_seconds=0.6), 3),  # one request under way, and it waited too long
        (replace(EASY, ttfp_seconds=0.6, target=3), 3),  # one is on its way: no second one before it is there
        (replace(EASY, ttfp_seconds=0.4), 2),  # well enough, not so well that one could go
        (replace(EASY, ttfp_seconds=0.6, ttfp_goal_seconds=0.0), 1),
        (replace(EASY, waiting=2), 3),
        (replace(EASY, waiting=1), 1),
        (replace(EASY, running=0, target=0, requests=0), 0),
    ],
)
def test_replicas_follow_requests_waiting_and_ttfp(load, wanted):
    assert replicas_wanted(load) == wanted


def context(**stated: dict) -> SimpleNamespace:
    return SimpleNamespace(
        current_num_replicas=1,
        target_num_replicas=1,
        total_num_requests=1.0,
        aggregated_metrics=stated,
        capacity_adjusted_min_replicas=1,
        capacity_adjusted_max_replicas=2,
        config=SimpleNamespace(get_target_ongoing_requests=lambda: 8.0),
    )


def test_the_policy_goes_by_what_the_slowest_replica_states_and_stays_within_bounds():
    goal = {"a": 0.5, "b": 0.5}
    assert by_queue_and_ttfp(context())[0] == 1
    assert by_queue_and_ttfp(context(ttfp_seconds={"a": 0.1, "b": 0.9}, ttfp_goal_seconds=goal))[0] == 2
    assert by_queue_and_ttfp(context(waiting={"a": 40.0, "b": 40.0}))[0] == 2


def test_what_listeners_waited_is_forgotten_after_half_a_minute():
    now = [0.0]
    figures = ServedFigures(lambda: now[0])
    assert figures.ttfp_seconds() == 0
    for seconds in [0.1] * 10 + [2.0] * 10:
        figures.heard(seconds)
    assert figures.ttfp_seconds() == 2.0
    now[0] = 31.0
    assert figures.ttfp_seconds() == 0
