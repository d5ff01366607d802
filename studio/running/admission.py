"""Admission: decides whether an engine can feed one more stream. The streams that it feeds already must not run dry."""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["StreamDemand", "can_feed"]


@dataclass(frozen=True)
class StreamDemand:
    """A stream that is heard. ahead: until it must be fed on. left: of audio, to be made. Both in seconds."""

    ahead: float
    left: float


def can_feed(fed: Sequence[StreamDemand], newcomer: StreamDemand, *, rate: float, utilization: float) -> bool:
    """Whether there is time for every stream, each always served before those that run dry later.

    newcomer: ahead is the time that its opening takes, during which nobody else is served. rate: engine seconds per second of audio.
    utilization: the share of the engine's time that may be counted on.

    It is the test of processor demand for earliest deadline first (Baruah, Rosier and Howell 1990): at no time t may what has to be made
    by then take longer than t. A stream has to be made from `ahead` on, at the pace at which it is heard, until nothing is left. What is
    due grows in straight lines, so it is enough to look where the first stream must be fed on and where a stream ends: O(n log n).
    """
    if not fed:
        return True
    opening, first_due = newcomer.ahead, min(stream.ahead for stream in fed)
    if first_due < opening:
        return False
    changes = sorted(change for stream in (*fed, newcomer) for change in ((stream.ahead, rate), (stream.ahead + stream.left, -rate)))
    due, slope, at = opening, 0.0, 0.0
    for time, change in changes:
        due += slope * (time - at)
        if change < 0 and due > opening + utilization * (time - opening):
            return False
        slope, at = slope + change, time
    return True
