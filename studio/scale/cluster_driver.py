"""The process that drives a private cluster: it starts Ray, serves the app, and ends everything with itself.

Run by `private_cluster.py`. A line of JSON comes in per wish, and one goes out when it is done; when nothing more can come in, because who
wished is gone, the cluster ends.
"""

import importlib
import json
import logging
import os
import queue
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

from studio.scale.balancer import servers_up
from studio.scale.processes import end_processes

DRAINING_SECONDS = 12.0  # for speeches that go on when the cluster ends, and for what replicas have to write
OBJECT_STORE_BYTES = 128 * 1024 * 1024  # chunks of speech are smaller than what goes there
LOOK_AGAIN_SECONDS = 0.1
LOGICAL_CPUS = 64  # a book that Ray keeps: replicas share the cores that there are, as everything on this machine does


class Driver:
    """One cluster in one folder. Made and used by the main thread."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._names: set[str] = set()

    def start(self, host: str, port: int) -> str:
        """Ray and Serve without an application; where the cluster is, for whoever wants to join it."""
        import ray
        from ray import serve

        logging.getLogger("ray.serve").setLevel(logging.WARNING)  # as for its processes: that it runs, the owner says
        context = ray.init(
            num_cpus=LOGICAL_CPUS,
            include_dashboard=False,
            object_store_memory=OBJECT_STORE_BYTES,
            _temp_dir=str(self._folder / "r"),
            configure_logging=False,
        )
        serve.start(http_options={"host": host, "port": port}, logging_config={"log_level": "WARNING", "enable_access_log": False})
        return context.address_info["address"]

    def serve(self, applications: list[dict[str, object]]) -> None:
        """These, and none that was served before and is not among them. Returns when their replicas are ready."""
        from ray import serve

        for gone in self._names - {str(wanted["name"]) for wanted in applications}:
            serve.delete(gone)
        for wanted in applications:
            module, _, name = str(wanted["import_path"]).partition(":")
            application = getattr(importlib.import_module(module), name)(wanted["args"])
            serve.run(application, name=str(wanted["name"]), route_prefix=str(wanted["route_prefix"]))
        self._names = {str(wanted["name"]) for wanted in applications}
        self._wait_for_balancer()

    def _wait_for_balancer(self) -> None:
        """Until HAProxy asks every replica of the ingresses; Ray calls an application ready when it asks one."""
        from ray import serve

        sockets = list(self._folder.glob("h/*/admin"))
        while sockets and not _all_are_asked(serve.status(), servers_up(sockets[0])):
            time.sleep(LOOK_AGAIN_SECONDS)

    def end(self) -> None:
        """Replicas finish what they speak, for DRAINING_SECONDS at most; then nothing of the cluster is left."""
        over = threading.Thread(target=self._leave, daemon=True)
        over.start()
        over.join(DRAINING_SECONDS)
        self.sweep()

    def _leave(self) -> None:
        import ray
        from ray import serve

        if ray.is_initialized():
            with open(os.devnull, "w", encoding="utf-8") as nowhere:  # Ray says of every end that the controller's last task failed
                os.dup2(nowhere.fileno(), 1)
                os.dup2(nowhere.fileno(), 2)
            serve.shutdown()
            ray.shutdown()

    def sweep(self) -> None:
        """No process and no file of the cluster is left."""
        if sys.platform != "win32":
            end_processes(os.getsid(0), self._folder)
        shutil.rmtree(self._folder, ignore_errors=True)


def main() -> None:
    host, port, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    report = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever else is printed is no report
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    driver, wishes = Driver(folder), queue.SimpleQueue()
    threading.Thread(target=_listen, args=(driver, wishes), daemon=True).start()
    try:
        _answer(report, lambda: {"address": driver.start(host, port)})
        signal.signal(signal.SIGTERM, lambda *_: wishes.put(None))  # after Ray has set its own
        while (wish := wishes.get()) is not None:
            _answer(report, lambda applications=wish: driver.serve(applications))
    finally:
        driver.end()
    os._exit(0)  # not by Ray's farewell, which asks a cluster that is gone


def _all_are_asked(status, up: list[str]) -> bool:
    """Whether all running replicas of each deployment of which HAProxy knows one are in `up`, and none besides them."""
    for app, application in status.applications.items():
        for name, deployment in application.deployments.items():
            known = sum(server.startswith(f"SERVE_REPLICA_{app}-{name}-") for server in up)
            if known not in (0, deployment.replica_states.get("RUNNING", 0)):
                return False
    return True


def _listen(driver: Driver, wishes: queue.SimpleQueue) -> None:
    """Hand on what comes in. When nothing can come any more, the main thread has its time; whatever it waits for then is ended."""
    for line in sys.stdin:
        wishes.put(json.loads(line))
    wishes.put(None)
    time.sleep(DRAINING_SECONDS + 3)
    driver.sweep()
    os._exit(1)


def _answer(report, work) -> None:
    started = time.perf_counter()
    try:
        said = work() or {}
    except Exception as error:  # whatever Ray or a replica raises, who wished has to know
        said = {"failed": f"{type(error).__name__}: {error}"}
    report.write(json.dumps({**said, "seconds": round(time.perf_counter() - started, 3)}) + "\n")
    report.flush()


if __name__ == "__main__":
    main()
