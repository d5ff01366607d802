"""What replicas record reaches the policy: an engine whose listeners wait too long gets another replica though nobody queues."""

import time

import pytest

from studio.scale.private_cluster import ServedApplication
from tests.scale.joined import joined_cluster

pytestmark = [pytest.mark.scale, pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(240)]

MOST_SECONDS = 60.0


def test_a_ttfp_above_its_goal_gets_another_replica_and_one_below_it_does_not(tmp_path):
    with joined_cluster(ServedApplication("tests.scale.scaling_app:scaled", {"folder": str(tmp_path)})):
        from ray import serve

        driver, started = serve.get_deployment_handle("Driver", "studio"), time.monotonic()
        while (running := _running())["strict"] < 2:
            assert time.monotonic() < started + MOST_SECONDS, running
            driver.drive.remote().result(timeout_s=MOST_SECONDS)
        print(f"a second replica spoke {time.monotonic() - started:.1f} s after the first listener")
        for _ in range(10):  # as much again, for the other
            driver.drive.remote().result(timeout_s=MOST_SECONDS)
        assert _running() == {"strict": 2, "lax": 1}


def _running() -> dict[str, int]:
    from ray import serve

    deployments = serve.status().applications["studio"].deployments
    return {name: deployments[name].replica_states.get("RUNNING", 0) for name in ("strict", "lax")}
