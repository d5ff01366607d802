"""The pool: fixed English sentences as the prior hears eSpeak say them, to which the frames of clips are matched."""

from dataclasses import dataclass

import numpy as np

from engines.errors import CheckpointInvalid
from engines.espeak.prior.prior import Prior
from engines.espeak.signal.alignment import low_cepstra
from engines.espeak.signal.spectrum import envelope_of

__all__ = ["EVERY_FRAMES", "HIDDEN_STEPS", "N_ORDERS", "Pool"]

EVERY_FRAMES = 2
HIDDEN_STEPS = 127  # of a hidden feature from 0 to 1, as the asset keeps it
N_ORDERS = 20  # cepstra that are compared at most


@dataclass(frozen=True, eq=False)
class Pool:
    """hidden: (N, U + 1) features of every second frame of the sentences; segment: (N,) which sentence."""

    hidden: np.ndarray
    segment: np.ndarray

    @classmethod
    def of(cls, prior: Prior) -> "Pool":
        """As the prior's asset has it, whatever eSpeak is installed here. Raises CheckpointInvalid where it has none."""
        if not prior.pool:
            raise CheckpointInvalid("The prior has no sentence pool.")
        hidden = prior.pool["hidden"].astype(np.float32) / HIDDEN_STEPS
        return cls(np.concatenate([hidden, np.ones((len(hidden), 1), np.float32)], 1), prior.pool["segment"].astype(np.int64))

    def cepstra(self, prior: Prior, head: np.ndarray, n_points: int) -> np.ndarray:
        """(N, 20) low cepstra of the pool as the head would speak it: hidden features to low cepstra in one affine map."""
        n_units = self.hidden.shape[1]
        units = prior.cepstra(np.concatenate([np.zeros((1, n_units)), np.eye(n_units)]).astype(np.float32), head)
        mapped = low_cepstra(envelope_of(units), n_points, N_ORDERS)
        return self.hidden @ (mapped[1:] - mapped[0]) + mapped[0]
