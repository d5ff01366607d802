"""ClipsAtHand: the clips of speakers that were just enrolled. Who learns them next need not read them back from disk."""

import threading
import weakref
from dataclasses import replace

from engines.clips.clip import Clip
from studio.speakers.speaker import Speaker

__all__ = ["ClipsAtHand"]

MOST_LENT_BYTES = 128 << 20  # of samples, all together: 45 clips of 30 s at 24 kHz. More wait on disk, whatever is uploaded at once


class ClipsAtHand:
    """Thread-safe. Keeps no clip alive: one counts for as long as a speaker that it was lent to is in use."""

    def __init__(self, most_bytes: int = MOST_LENT_BYTES):
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._lent: weakref.WeakSet[Clip] = weakref.WeakSet()

    def lend(self, speaker: Speaker, clip: Clip | None) -> Speaker:
        """The speaker with `read_clip` giving the very clip it was enrolled with; the speaker as it is where there is none, or no room."""
        if clip is None:
            return speaker
        with self._lock:
            n_bytes = sum(lent.samples.nbytes for lent in self._lent if lent is not clip)
            if n_bytes + clip.samples.nbytes > self._most_bytes:
                return speaker
            self._lent.add(clip)
        return replace(speaker, read_clip=lambda: clip)
