"""FleetPlan: the number of replicas, the routing of speeches to them, and admission. Also the measured overhead of each route."""

from dataclasses import dataclass
from typing import Literal

from studio.measure.fleet.routing import Routing
from studio.running.rendezvous import SPILL_AT

__all__ = ["Admission", "FleetPlan", "Shape"]

Shape = Literal["split", "whole"]
# "sustainable" and "all" are STUDIO_ADMIT; "slots" begins whoever finds a free row of the step, as most servers do, and as Erlang counts.
Admission = Literal["sustainable", "all", "slots"]
# First byte over the direct one, by HAProxy: 1.08 to 1.14 for whole studios, 1.9 by an ingress and a handle; 2 ms are the server's own.
OWN_SECONDS, DIRECT_SECONDS = 0.0020, 0.0089
OVER_DIRECT: dict[str, float] = {"whole": 1.11, "split": 1.9}
CONNECTIONS = 512  # of one ingress, as STUDIO_MAX_CONNECTIONS


@dataclass(frozen=True)
class FleetPlan:
    """Of one engine. shape: "split" is ingresses in front of replicas that hold the engine alone, "whole" a studio in each replica.

    prompt_cache_voices: that an ingress (of a whole studio: each replica) keeps prompts of, as SPEAKER_CACHE_MAX_ENTRIES.
    prepared_voices: that a replica's device keeps; None for as many as the engine keeps by default.
    spill_at: requests of a replica from which on its voices go to their next one.
    most_waiting, most_wait_seconds: STUDIO_MAX_WAITING, STUDIO_MAX_WAIT_SECONDS.
    """

    n_replicas: int
    routing: Routing = "affinity"
    shape: Shape = "split"
    admission: Admission = "sustainable"
    prompt_cache_voices: int = 1024
    prepared_voices: int | None = None
    spill_at: int = SPILL_AT
    most_waiting: int = 64
    most_wait_seconds: float = 30.0

    @property
    def way_seconds(self) -> float:
        """That a first packet takes to a listener beside the engine's work. The ratio was measured on a studio that answers in 8.9 ms; what
        it adds does not grow with the engine."""
        return OWN_SECONDS + (OVER_DIRECT[self.shape] - 1.0) * DIRECT_SECONDS

    def n_ingresses(self, n_listeners: int) -> int:
        return self.n_replicas if self.shape == "whole" else -(-n_listeners // CONNECTIONS)
