"""A private Ray cluster on this machine, in a process of its own. When its owner ends, in any way, nothing of it stays.

Nothing here imports Ray: the process that it starts does. Never `ray stop`, which ends everybody's clusters on a machine.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from studio.scale.flags import flags
from studio.scale.processes import end_processes, processes_of
from studio.server import listen
from studio.settings import current_environment

__all__ = ["ClusterFailed", "PrivateCluster", "ServedApplication", "private_cluster"]

MOST_FOLDER_CHARACTERS = 26  # HAProxy's socket lies 72 characters deeper, and a socket's path has 107 of which HAProxy takes 10
ENDING_SECONDS = 20.0  # what the driver gives itself, and a little more


class ClusterFailed(RuntimeError):
    """The cluster did not start, or an application of it did not; the message is what Ray or a replica said."""


@dataclass(frozen=True)
class ServedApplication:
    """import_path: "module:function", which takes `args` and gives a Serve application. route_prefix: the path below which it is served."""

    import_path: str
    args: Mapping[str, str] = field(default_factory=dict)
    name: str = "studio"
    route_prefix: str = "/"


class PrivateCluster:
    """A running cluster.

    url: of what is served, without a trailing slash. address: of the cluster, for `ray.init(address=...)` with `environment` set before.
    seconds: how long it took until all was ready.
    """

    def __init__(self, driver: subprocess.Popen, folder: Path, url: str, environment: Mapping[str, str]):
        self.driver, self.folder, self.url, self.environment = driver, folder, url, environment
        assert driver.stdin is not None and driver.stdout is not None  # started with pipes
        self._asking, self._telling = driver.stdin, driver.stdout
        self.address, self.seconds = "", 0.0

    def serve(self, applications: Sequence[ServedApplication]) -> float:
        """Serve these and no others; returns the seconds it took until their replicas were ready. Raises ClusterFailed."""
        self._asking.write(json.dumps([asdict(wanted) for wanted in applications]) + "\n")
        self._asking.flush()
        return float(self._reported()["seconds"])

    def processes(self) -> list[int]:
        """Ids of all its processes but the driver's, which is `driver.pid`."""
        return [process for process in processes_of(self.driver.pid, self.folder) if process != self.driver.pid]

    def begin(self, applications: Sequence[ServedApplication]) -> None:
        self.address = str(self._reported()["address"])
        self.serve(applications)

    def end(self) -> None:
        """Replicas finish what they speak, for 12 s at most; then no process and no file of the cluster is left."""
        try:
            self._asking.close()
            self.driver.wait(ENDING_SECONDS)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            pass
        finally:
            self.driver.kill()
            self.driver.wait()
            self._telling.close()
            end_processes(self.driver.pid, self.folder)
            shutil.rmtree(self.folder, ignore_errors=True)

    def _reported(self) -> dict[str, Any]:
        line = self._telling.readline()
        said = json.loads(line) if line else {"failed": "The cluster's process ended."}
        if "failed" in said:
            raise ClusterFailed(said["failed"])
        return said


@contextmanager
def private_cluster(
    applications: Sequence[ServedApplication],
    *,
    host: str = "127.0.0.1",
    port: int,
    folder: Path | None = None,
    ha_proxy: bool = True,
    environment: Mapping[str, str] | None = None,
) -> Iterator[PrivateCluster]:
    """Start a cluster that serves these applications on host and port, and end it at the end.

    port: 0 for any free one. folder: for everything that Ray and HAProxy write, of at most 26 characters; a fresh one when None. It is
    removed in the end. environment: besides the process's own, for replicas too. Raises ClusterFailed, and OSError when the port is taken.
    """
    started = time.perf_counter()
    with listen(host, port) as listener:
        port = listener.getsockname()[1]
    folder = Path(tempfile.mkdtemp(prefix="studio-")) if folder is None else folder
    if len(str(folder)) > MOST_FOLDER_CHARACTERS:
        shutil.rmtree(folder, ignore_errors=True)
        raise ClusterFailed(
            f"The cluster's folder {folder} has over {MOST_FOLDER_CHARACTERS} characters. Set TMPDIR to a shorter one, such as /tmp."
        )
    surroundings = {**current_environment(), **(environment or {})}
    surroundings |= flags(folder, surroundings, ha_proxy=ha_proxy)
    # its own session: a terminal's Ctrl-C is for us, and all its processes are known by it
    driver = subprocess.Popen(
        [sys.executable, "-m", "studio.scale.cluster_driver", host, str(port), str(folder)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", env=surroundings,
        start_new_session=True, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host
    cluster = PrivateCluster(driver, folder, f"http://{shown}:{port}", surroundings)
    try:
        cluster.begin(applications)
        cluster.seconds = time.perf_counter() - started
        yield cluster
    finally:
        cluster.end()
