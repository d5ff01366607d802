"""A private cluster that this process has joined, so that a test can ask replicas what it cannot see from outside.

To be imported before Ray is, which reads its token, and that it is to be reached at 127.0.0.1, when it is imported.
"""

import os
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from studio.scale.private_cluster import PrivateCluster, ServedApplication, private_cluster

__all__ = ["ingress_urls", "joined_cluster"]

TOKEN = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": os.environ.get("RAY_AUTH_TOKEN") or secrets.token_hex(32)}
os.environ.update(TOKEN | {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"})


@contextmanager
def joined_cluster(application: ServedApplication, *, ha_proxy: bool = False) -> Iterator[PrivateCluster]:
    import ray
    from ray.serve.context import _set_global_client

    with private_cluster([application], port=0, ha_proxy=ha_proxy, environment={"OMP_NUM_THREADS": "1"}) as cluster:
        try:
            ray.init(address=cluster.address, namespace="serve", log_to_driver=False, configure_logging=False)
            yield cluster
        finally:
            ray.shutdown()
            _set_global_client(None)  # or the next cluster that this process joins would be asked by the controller of this one


def ingress_urls(cluster: PrivateCluster) -> list[str]:
    """Of each ingress replica, past the balancer."""
    first, last = (int(cluster.environment[f"RAY_SERVE_DIRECT_INGRESS_{end}_HTTP_PORT"]) for end in ("MIN", "MAX"))
    return [f"http://127.0.0.1:{port}" for port in range(first, last) if _listens(port)]


def _listens(port: int) -> bool:
    with socket.socket() as client:
        client.settimeout(1)
        return client.connect_ex(("127.0.0.1", port)) == 0
