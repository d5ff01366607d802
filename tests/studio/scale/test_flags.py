"""Flags of a private cluster: what Ray may print of which nobody can mend anything, and how long it waits for a busy machine."""

import re
from pathlib import Path

import pytest

from studio.scale.flags import flags

QUIET = (
    "WARNING controller 9 -- HTTPOptions.host='127.0.0.1' won't accept connections from HAProxy on other nodes; cross-node routing",
    "WARNING studio_Ingress xk -- Failed to get queue length from Replica(id='u4', deployment='espeak', app='studio') within 0.1s. If this",
)
SAID = (
    "WARNING controller 9 -- Actor for Replica(id='9k', deployment='Studio', app='studio') crashed, marking it unhealthy immediately.",
    "ERROR controller 9 -- The deployments ['Studio'] are UNHEALTHY.",
    "Failed to fetch queue length for Replica(id='9k', deployment='Studio', app='studio'): 'The actor died'",
    "WARNING controller 9 -- Proxy actor reported not ready on node 93d6",
    "A worker died or was killed while executing a task by an unexpected system error.",
)


@pytest.fixture
def said(tmp_path) -> dict[str, str]:
    return flags(Path(tmp_path), {}, ha_proxy=True)


def test_what_nobody_can_mend_is_not_printed_and_all_else_is(said):
    quiet = re.compile(said["RAY_DEDUP_LOGS_SKIP_REGEX"])
    assert all(quiet.search(line) for line in QUIET)
    assert not any(quiet.search(line) for line in SAID)


def test_a_proxy_may_take_longer_to_start_than_ray_allows_it(said):
    assert float(said["RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S"]) > 5
    assert int(said["RAY_SERVE_SLOW_STARTUP_WARNING_S"]) > 30
