"""ReplicaWatch: counts the replicas of a deployment that speak. A thread of its own looks every second."""

import logging
import threading
import time

from ray import serve
from ray.serve.schema import DeploymentStatusOverview

from engines.contract.health import WELL, EngineHealth

__all__ = ["ReplicaWatch"]

LOOK_AGAIN_SECONDS = 1.0
RUNNING, GOING = "RUNNING", "STOPPING"  # states of a replica, as Serve names them
SCALING = ("UPSCALING", "DOWNSCALING")

log = logging.getLogger("studio")


class ReplicaWatch:
    """application, deployment: Serve's names. A look asks Serve's controller, so `health` itself waits for nothing."""

    def __init__(self, application: str, deployment: str):
        self._application, self._deployment = application, deployment
        self._health: EngineHealth = WELL
        self._down_since: float | None = None
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._look_on, name=f"watch-{deployment}", daemon=True)
        self._thread.start()

    @property
    def health(self) -> EngineHealth:
        """As it was a second ago."""
        return self._health

    @property
    def down_seconds(self) -> float:
        """For how long no replica has spoken; 0 where one does."""
        since = self._down_since
        return 0.0 if since is None else time.monotonic() - since

    def close(self) -> None:
        self._closing.set()
        self._thread.join()

    def _look_on(self) -> None:
        while not self._closing.wait(LOOK_AGAIN_SECONDS):
            try:
                health = self._looked()
            except Exception as error:  # whatever Ray raises of a controller that is gone or busy
                health = EngineHealth("degraded", f"Serve's controller does not answer: {type(error).__name__}.")
            if health.state != self._health.state:
                log.info("replicas of %s: %s %s", self._deployment, health.state, health.reason)
            self._health = health
            if health.state != "down":
                self._down_since = None
            elif self._down_since is None:
                self._down_since = time.monotonic()

    def _looked(self) -> EngineHealth:
        application = serve.status().applications.get(self._application)
        deployment = application and application.deployments.get(self._deployment)
        return health_of(deployment) if deployment else EngineHealth("down", "It is not deployed.")


def health_of(deployment: DeploymentStatusOverview) -> EngineHealth:
    """down: none of its replicas speaks. degraded: fewer than wanted do, and that is not because their number is being changed."""
    states = {str(getattr(state, "value", state)): number for state, number in deployment.replica_states.items()}
    running, wanted = states.get(RUNNING, 0), sum(number for state, number in states.items() if state != GOING)
    if not running:
        return EngineHealth("down", "None of its replicas is running.")
    if running < wanted and deployment.status.value not in SCALING:
        return EngineHealth("degraded", f"{running} of {wanted} replicas are running.")
    return WELL
