"""HeardCodes: keeps the frames of a stream that people heard. It stands beside the guard that may end the stream."""

import numpy as np

from engines.contract.speech_end import SpeechEnd
from engines.kit.decode.runaway import RunawayGuard

__all__ = ["HeardCodes"]


class HeardCodes:
    """Of one stream. guard: whose word ends it; None: nobody's."""

    def __init__(self, guard: RunawayGuard | None):
        self._guard = guard
        self._frames: list[np.ndarray] = []

    @property
    def codes(self) -> np.ndarray | None:
        """(F, Q) ints, of all frames that were heard; None where there was none."""
        return np.concatenate(self._frames) if self._frames else None

    def heed(self, samples: np.ndarray, codes: np.ndarray | None) -> tuple[np.ndarray, SpeechEnd | None]:
        """See RunawayGuard.heed."""
        if codes is not None:
            self._frames.append(codes)
        return (samples, None) if self._guard is None else self._guard.heed(samples, codes)
