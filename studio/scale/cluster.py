"""`python app.py cluster`: runs whole studios as one on this machine, until somebody interrupts it."""

import argparse
import sys
import threading
import time
from importlib.util import find_spec

from studio.settings import Settings

__all__ = ["add_cluster_command", "run_cluster"]

DEFAULT_REPLICAS = 2
NOT_HERE = "A cluster knows its processes by /proc, which only Linux has. Run it there: on Windows in WSL, elsewhere in a container."
LOOK_SECONDS = 0.5


def add_cluster_command(commands: argparse._SubParsersAction) -> None:
    """`cluster`, with its own arguments and those that the studio takes."""
    cluster = commands.add_parser("cluster", help="serve several studios as one, by Ray Serve on this machine")
    cluster.add_argument("--replicas", type=_replicas, default=DEFAULT_REPLICAS, help=f"how many; {DEFAULT_REPLICAS} when left out")
    cluster.add_argument(
        "--no-ha-proxy", action="store_true", help="use Ray's own proxy, which knows no routing keys and takes twice as long"
    )
    cluster.add_argument(
        "--split", metavar="ENGINES", help="ids between commas: so many replicas of each of these engines, and one studio in front of them"
    )
    # what the studio itself takes may stand behind the command too
    cluster.add_argument("--headless", action="store_true", default=argparse.SUPPRESS, help="serve the API alone")
    cluster.add_argument("--host", default=argparse.SUPPRESS, help="address to listen on; 127.0.0.1")
    cluster.add_argument("--port", type=int, default=argparse.SUPPRESS, help="port to listen on, 0 for any free one; 7860")
    cluster.set_defaults(run=run_cluster)


def run_cluster(options: argparse.Namespace, settings: Settings) -> int:
    """Says one line when ready: seconds, URL, replicas and engine. Ends when it is interrupted, with all that it started."""
    if sys.platform != "linux":
        print(NOT_HERE, file=sys.stderr)  # noqa: T201
        return 2
    if not find_spec("ray"):
        print("A cluster needs Ray, which is not installed. Run: make cluster", file=sys.stderr)  # noqa: T201
        return 2
    from studio.scale.private_cluster import ClusterFailed, ServedApplication, private_cluster

    host = options.host or "127.0.0.1"
    args = {"replicas": str(options.replicas), "headless": "1" if options.headless else "", "host": host}
    wanted = ServedApplication("studio.scale.app:whole", args)
    if options.split:
        wanted = ServedApplication("studio.scale.app:split", args | {"engines": options.split, "headless": str(bool(options.headless))})
    started = time.perf_counter()
    try:
        with private_cluster(
            [wanted],
            host=host,
            port=7860 if options.port is None else options.port,
            ha_proxy=not options.no_ha_proxy,
            environment={"RAY_LOG_TO_DRIVER": "1"},
        ) as cluster:
            seconds = time.perf_counter() - started
            print(f"ready in {seconds:.1f} s  {cluster.url}  {options.replicas} replicas  {settings.default_engine}", flush=True)  # noqa: T201
            while cluster.driver.poll() is None:
                threading.Event().wait(LOOK_SECONDS)
        print("The cluster's process ended by itself.", file=sys.stderr)  # noqa: T201
    except ClusterFailed as error:
        print(f"The cluster did not start. {error}", file=sys.stderr)  # noqa: T201
    except KeyboardInterrupt:  # the end that it waits for
        return 0
    return 2


def _replicas(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 64:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of replicas; there may be 1 to 64")
    return int(text)
