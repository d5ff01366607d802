"""VoiceCache: the voices that a replica has ready. The least recently used goes first.

It holds names only: what counts is who is known where.
"""

from collections import OrderedDict

__all__ = ["VoiceCache"]


class VoiceCache:
    """Bounded by voices; 0 keeps none. hits, misses: of `use` since `forget_counts`."""

    def __init__(self, most_voices: int):
        self._most_voices = most_voices
        self._voices: OrderedDict[int, None] = OrderedDict()
        self.hits = self.misses = 0

    def use(self, voice: int) -> bool:
        """Whether it was there; it is from now on."""
        if voice in self._voices:
            self._voices.move_to_end(voice)
            self.hits += 1
            return True
        self.misses += 1
        self._voices[voice] = None
        if len(self._voices) > self._most_voices:
            self._voices.popitem(last=False)
        return False

    def knows(self, voice: int) -> bool:
        return voice in self._voices

    def __len__(self) -> int:
        return len(self._voices)

    def forget_counts(self) -> None:
        self.hits = self.misses = 0
