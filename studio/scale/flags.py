"""Flags for Ray, in the environment of the process that starts a private cluster. Names and meanings are of Ray 2.60.0."""

import random
import secrets
import socket
import sys
from collections.abc import Mapping
from pathlib import Path

__all__ = ["flags"]

ROOT = Path(__file__).parents[2]
REPLICA_PORTS, FIRST_PORT, LAST_PORT = 64, 20_000, 32_000  # below what Linux gives to outgoing connections, from 32,768 on
# How long a replica that is going stays reachable, so that balancers learn of it: Ray waits 30 s, for those of a cloud. A reload of HAProxy
# on the same machine takes 0.2 s; requests that come later are refused at once and go to another replica.
DEREGISTRATION_SECONDS = 1
# Ray gives a proxy 5 s to start, thrice, and then the cluster up; where all cores load engines it takes longer.
PROXY_START_SECONDS = 60
# After 30 s Ray suspects "a slow __init__", which is no more than an engine that loads; after ten minutes it may be right.
REPLICA_START_SECONDS = 600
# What Ray warns of and nobody who runs this can mend: of everything else it prints, each line is passed on.
QUIET = (
    # a private cluster has no other nodes, and is not to be reached from any
    r"HTTPOptions\.host='[^']*' won't accept connections from HAProxy on other nodes",
    # the network is this machine; a replica whose cores all speak answers a little later, and is asked again
    r"Failed to get queue length from Replica\(.*\) within",
)
STREAM_SECONDS = 1800  # of HAProxy's 120: after each change of replicas an old process serves what it has begun, and no longer than that


def flags(folder: Path, environment: Mapping[str, str], *, ha_proxy: bool) -> dict[str, str]:
    """Variables for a cluster that keeps to itself: its own files, free ports, a token that nobody else has, and nothing sent home.

    environment: what it will be added to; a value there for Ray's token or for how long replicas stay goes before ours.
    """
    first = _free_range(REPLICA_PORTS)
    said = {
        "PYTHONPATH": ":".join(filter(None, (str(ROOT), environment.get("PYTHONPATH")))),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # Ray listens on 127.0.0.1 alone then, as it does there; else on all addresses
        "RAY_worker_niceness": "0",  # 15 otherwise: a listener waits for whatever else runs here
        "RAY_LOG_TO_DRIVER": environment.get("RAY_LOG_TO_DRIVER", "0"),  # what replicas print, at the owner's standard error
        "RAY_DEDUP_LOGS_SKIP_REGEX": "|".join(QUIET),
        "RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S": str(PROXY_START_SECONDS),
        "RAY_SERVE_SLOW_STARTUP_WARNING_S": str(REPLICA_START_SECONDS),
        "RAY_SERVE_DIRECT_INGRESS_MIN_HTTP_PORT": str(first),
        "RAY_SERVE_DIRECT_INGRESS_MAX_HTTP_PORT": str(first + REPLICA_PORTS),
    }
    if "RAY_AUTH_MODE" not in environment:
        said |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    if "RAY_SERVE_DIRECT_INGRESS_MIN_DRAINING_PERIOD_S" not in environment:
        said["RAY_SERVE_DIRECT_INGRESS_MIN_DRAINING_PERIOD_S"] = str(DEREGISTRATION_SECONDS)
    return said | (_of_ha_proxy(folder / "h", environment) if ha_proxy else {"RAY_SERVE_ENABLE_HA_PROXY": "0"})


def _of_ha_proxy(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """HAProxy's files are below `folder`, and its ports besides that of the studio are free ones."""
    metrics, stats, fallback = _free_ports(3)
    return {
        "RAY_SERVE_ENABLE_HA_PROXY": "1",
        "RAY_SERVE_HAPROXY_CONFIG_FILE_LOC": str(folder / "haproxy.cfg"),
        "RAY_SERVE_HAPROXY_SOCKET_PATH": str(folder / "admin"),
        "RAY_SERVE_HAPROXY_SERVER_STATE_BASE": str(folder),
        "RAY_SERVE_HAPROXY_SERVER_STATE_FILE": str(folder / "state"),
        "RAY_SERVE_HAPROXY_METRICS_SOCKET_PATH": str(folder / "metrics"),
        "RAY_SERVE_HAPROXY_METRICS_PORT": str(metrics),
        "RAY_SERVE_HAPROXY_STATS_PORT": str(stats),
        "RAY_SERVE_FALLBACK_PROXY_HTTP_PORT": str(fallback),  # of Ray's own proxy, which HAProxy asks when no replica is there
        "RAY_SERVE_HAPROXY_BINARY_PATH": str(ROOT / "studio/scale/haproxy.sh"),
        "PATH": ":".join(filter(None, (str(Path(sys.executable).parent), environment.get("PATH")))),  # python3 is this one
        "RAY_SERVE_HAPROXY_HARD_STOP_AFTER_S": str(STREAM_SECONDS),
        "RAY_SERVE_HAPROXY_NBTHREAD": "2",
    }


def _free_ports(number: int) -> list[int]:
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    try:
        return [listener.getsockname()[1] for listener in listeners]
    finally:
        for listener in listeners:
            listener.close()


def _free_range(number: int) -> int:
    """First of so many ports in a row that nobody listens on: two clusters that shared one would reach each other's replicas."""
    for _ in range(100):
        first = random.SystemRandom().randrange(FIRST_PORT, LAST_PORT - number)
        if all(map(_is_free, range(first, first + number))):
            return first
    raise OSError(f"No {number} free ports in a row between {FIRST_PORT} and {LAST_PORT} on {sys.platform}.")


def _is_free(port: int) -> bool:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True
