"""SpeakerRouter: chooses the replica of an engine for a request. Of Ray it uses `ray.serve.request_router`, its public surface, alone."""

from ray.serve.request_router import FIFOMixin, PendingRequest, RequestRouter, RunningReplica

from studio.running.rendezvous import SPILL_AT, cascaded, ranked

__all__ = ["SpeakerRouter"]


class SpeakerRouter(FIFOMixin, RequestRouter):
    """By the request's session_id: down its own order of the replicas to the first that has fewer than `spill_at` requests.

    That is whoever had it before, as long as that replica lives and is not busy. Where all are, it is who has fewest. Requests without one
    go wherever there is room. A replica that is full is passed over for the next of the same order.
    """

    def initialize_state(self, spill_at: int = SPILL_AT) -> None:
        self._spill_at = spill_at

    async def choose_replicas(
        self, candidate_replicas: list[RunningReplica], pending_request: PendingRequest | None = None
    ) -> list[list[RunningReplica]]:
        key = pending_request.metadata.session_id if pending_request else ""
        if not key or not candidate_replicas:
            return [candidate_replicas]
        order = ranked([replica.replica_id.unique_id for replica in candidate_replicas], key)
        depths = [self.replica_queue_len_cache.get(replica.replica_id) or 0 for replica in candidate_replicas]
        return [[candidate_replicas[place]] for place in cascaded(order, depths, self._spill_at)]
