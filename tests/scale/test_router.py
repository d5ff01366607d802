"""Requests meet the state that was prepared for their voice, and none is lost, whatever dies.

`make test-scale ARGS="-k killed --rounds 50"` kills replicas in fifty rounds of 2,000.
"""

import json
import os
import signal
import time
from collections.abc import Callable

import pytest

from studio.scale.private_cluster import ServedApplication
from tests.scale.joined import joined_cluster

pytestmark = [pytest.mark.scale, pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(600)]

REQUESTS, REPLICAS = 2000, 3
ENDS = {"whole": REQUESTS - REQUESTS // 10, "hung up": REQUESTS // 10}  # with the samples of a speech that nothing disturbed
MOST_SECONDS = 240.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("router")


@pytest.fixture(scope="module")
def driver(folder):
    with joined_cluster(ServedApplication("tests.scale.router_app:driven", {"folder": str(folder), "replicas": str(REPLICAS)})):
        from ray import serve

        yield serve.get_deployment_handle("Driver", "studio")


def statuses() -> list[dict]:
    """Of replicas that answer; none while the router still asks one that is gone."""
    from ray.exceptions import RayError
    from ray.serve.exceptions import RayServeException

    from tests.scale.split_app import handle

    try:
        return handle().broadcast("status").results(timeout_s=MOST_SECONDS)
    except (RayError, RayServeException):
        return []


def eventually(holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + MOST_SECONDS
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def drive(driver, requests: int, seed: int) -> tuple[dict[str, int], float]:
    """How speeches ended, and the share of them that met prepared state, at the replicas that are left."""
    before = {status["process"]: status for status in statuses()}
    ends = json.loads(driver.drive.remote(requests, seed).result(timeout_s=MOST_SECONDS))
    hits, misses = (
        sum(status[figure] - before.get(status["process"], {figure: 0})[figure] for status in statuses()) for figure in ("hits", "misses")
    )
    return ends, hits / (hits + misses)


def test_nine_of_ten_requests_meet_prepared_state_and_none_of_2000_is_lost(driver):
    drive(driver, 500, seed=1)
    ends, hit_share = drive(driver, REQUESTS, seed=2)
    print(f"{100 * hit_share:.1f} % hits over {REPLICAS} replicas, {ends}")
    assert ends == ENDS
    assert hit_share >= 0.9


def test_no_request_of_2000_is_heard_otherwise_while_replicas_are_killed(driver, folder, number):
    eventually(lambda: len(statuses()) == REPLICAS)
    (folder / "spoken").unlink(missing_ok=True)
    answer = driver.drive.remote(REQUESTS, 3 + number)
    for share in (4, 2):
        eventually(lambda share=share: (folder / "spoken").exists() and (folder / "spoken").stat().st_size >= REQUESTS // share)
        eventually(lambda: any(status["streaming"] for status in statuses()))
        busiest = max(statuses(), key=lambda status: status["streaming"])
        os.kill(busiest["process"], signal.SIGKILL)
        print(f"killed while it spoke {busiest['streaming']}", end=", ")
    ends = json.loads(answer.result(timeout_s=MOST_SECONDS))
    print(ends)
    assert ends == ENDS
    eventually(lambda: len(statuses()) == REPLICAS)
    eventually(lambda: not sum(status["streaming"] for status in statuses()))  # whoever hung up is spoken to no more


def test_most_requests_meet_prepared_state_after_that(driver):
    _, hit_share = drive(driver, 1000, seed=4)
    print(f"{100 * hit_share:.1f} % hits afterwards")
