"""Requests meet the state that was prepared for their voice, and none is lost, whatever dies."""

import json
import os
import signal
import time

import pytest

from studio.scale.private_cluster import ServedApplication
from tests.scale.joined import joined_cluster

pytestmark = [pytest.mark.scale, pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(280)]

REQUESTS, REPLICAS = 2000, 3
MOST_SECONDS = 120.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("router")


@pytest.fixture(scope="module")
def driver(folder):
    with joined_cluster(ServedApplication("tests.scale.router_app:driven", {"folder": str(folder), "replicas": str(REPLICAS)})):
        from ray import serve

        yield serve.get_deployment_handle("Driver", "studio")


def statuses() -> list[dict]:
    from tests.scale.split_app import handle

    return handle().broadcast("status").results(timeout_s=MOST_SECONDS)


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
    assert ends == {"whole": REQUESTS}
    assert hit_share >= 0.9


def test_no_request_of_2000_is_lost_while_a_replica_is_killed(driver, folder):
    (folder / "spoken").unlink(missing_ok=True)
    answer = driver.drive.remote(REQUESTS, 3)
    deadline = time.monotonic() + MOST_SECONDS
    while not (folder / "spoken").exists() or (folder / "spoken").stat().st_size < REQUESTS // 4:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(statuses()[0]["process"], signal.SIGKILL)
    ends = json.loads(answer.result(timeout_s=MOST_SECONDS))
    print(f"with a replica killed in the middle: {ends}")
    assert ends == {"whole": REQUESTS}
    _, hit_share = drive(driver, 1000, seed=4)
    print(f"{100 * hit_share:.1f} % hits afterwards")
