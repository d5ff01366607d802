"""Agreement: how well a listener's scores go with those of all others over the same sounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.listening.screening.assessor import Fault
from studio.listening.vote.vote import Vote

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Agreement", "agreements"]

METHODS = ("mos", "smos", "mushra", "mushra-like", "cmos")  # of preferences another taste is no fault
LEAST_LISTENERS, LEAST_STIMULI, LEAST_OTHERS = 5, 8, 3  # below, a correlation says nothing
SURELY = 2.4  # standard deviations below the panel, or below 0: one good listener in a hundred is as far off by chance
MAD_TO_DEVIATION = 1.4826  # of a normal distribution


@dataclass(frozen=True)
class Agreement:
    """r: the correlation, over n sounds. reason: why that leaves somebody out, or None."""

    r: float
    n: int
    reason: Fault | None = None


def agreements(votes: Sequence[Vote], least: float) -> dict[str, Agreement]:
    """By listener. Those do not count whose agreement is below `least`, and surely below what half of the panel has.

    Agreement is Pearson's correlation with the mean of the others, over the sounds that a listener and LEAST_OTHERS others rated: near 0 of
    who answers by chance, below 0 of who takes the scale for its reverse. The second condition, by Fisher's z and the spread of the panel,
    keeps a panel whole that has nothing to agree on: systems that sound alike, or tastes that differ. Found twice: what the others say is
    taken the second time without who fell the first.
    """
    import numpy as np

    listeners, scores = _scores([vote for vote in votes if vote.kind == "item" and vote.method in METHODS])
    if len(listeners) < LEAST_LISTENERS:
        return {}
    trusted = np.ones(len(listeners), bool)
    found: dict[int, Fault] = {}
    agreed: list[tuple[float, int]] = []
    for _ in range(2):
        agreed = [_agreement(scores, row, trusted) for row in range(len(listeners))]
        known = np.array([_z(r) for row, (r, n) in enumerate(agreed) if n and trusted[row]])
        if len(known) < LEAST_LISTENERS:
            break
        usual = float(np.median(known))
        spread = MAD_TO_DEVIATION * float(np.median(np.abs(known - usual)))
        found = {
            row: Fault("agreement", {"r": round(r, 2), "usual": round(math.tanh(usual), 2), "n": n, "least": least})
            for row, (r, n) in enumerate(agreed)
            if n and r < least and _is_surely_below(_z(r), usual, spread, 1 / math.sqrt(n - 3))
        }
        trusted = np.array([row not in found for row in range(len(listeners))])
    return {listeners[row]: Agreement(round(r, 3), n, found.get(row)) for row, (r, n) in enumerate(agreed) if n}


def _is_surely_below(z: float, usual: float, spread: float, error: float) -> bool:
    """Below the panel; or below 0, where the panel is above it, which is no matter of taste."""
    return z < usual - SURELY * max(spread, error) or (z < -SURELY * error and usual > error)


def _z(r: float) -> float:
    """Fisher's, bounded."""
    return math.atanh(max(min(r, 0.999), -0.999))


def _scores(votes: Sequence[Vote]) -> tuple[tuple[str, ...], np.ndarray]:
    """(L, S): the mean of a listener's scores of a stimulus, NaN without one. A comparison is one of each direction, so that its sign
    counts, too."""
    import numpy as np

    rows = {name: row for row, name in enumerate(sorted({vote.listener for vote in votes}))}
    places: dict[tuple[str, str, str], int] = {}
    told = [
        (rows[vote.listener], places.setdefault(key, len(places)), score)
        for vote in votes
        for key, score in (
            [((vote.text, vote.system, vote.other), vote.score)]
            if not vote.other
            else [((vote.text, vote.system, vote.other), vote.score), ((vote.text, vote.other, vote.system), -vote.score)]
        )
    ]
    total, count = np.zeros((len(rows), len(places))), np.zeros((len(rows), len(places)))
    for row, place, score in told:
        total[row, place] += score
        count[row, place] += 1
    with np.errstate(invalid="ignore"):
        return tuple(rows), total / count


def _agreement(scores: np.ndarray, row: int, trusted: np.ndarray) -> tuple[float, int]:
    """(correlation, over how many stimuli); 0 of them where there are too few, or where nothing varies among the others."""
    import numpy as np

    others = trusted.copy()
    others[row] = False
    n_others = (~np.isnan(scores[others])).sum(axis=0)
    shared = ~np.isnan(scores[row]) & (n_others >= LEAST_OTHERS)
    n = int(shared.sum())
    if n < LEAST_STIMULI:
        return 0.0, 0
    own, mean = scores[row, shared], np.nanmean(scores[others][:, shared], axis=0)
    if mean.std() < 1e-9:
        return 0.0, 0
    return (float(np.corrcoef(own, mean)[0, 1]) if own.std() > 1e-9 else 0.0), n
