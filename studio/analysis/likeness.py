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
        one, another = self.embedding(clip), self.embedding(other)
        return None if one is None or another is None else float(one @ another)

    def embedding(self, clip: Clip) -> np.ndarray | None:
        """(256,) float32 of unit length, of what is said in the clip; None where nothing is."""
        return self._encoder.embedding(clip)
