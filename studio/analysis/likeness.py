"""LikenessEstimator: estimates how much two recordings sound like one person, by the kit's speaker encoder. It is always there."""

import numpy as np

from engines.clips.clip import Clip

__all__ = ["LikenessEstimator"]


class LikenessEstimator:
    """Opened where it is first wanted, since it wants torch."""

    def __init__(self):
        from engines.kit.speaker.speaker_encoder import SpeakerEncoder

        self._encoder = SpeakerEncoder.shared()

    def likeness(self, clip: Clip, other: Clip) -> float | None:
        """Cosine of the two, 0 to 1; None where nothing is said in one of them."""
        both = [self.embedding(one) for one in (clip, other)]
        return None if any(one is None for one in both) else float(both[0] @ both[1])

    def embedding(self, clip: Clip) -> np.ndarray | None:
        """(256,) float32 of unit length, of what is said in the clip; None where nothing is."""
        return self._encoder.embedding(clip)
