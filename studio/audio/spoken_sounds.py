"""SpokenSounds: speech that programs requested and will fetch by a link, until they have fetched it. In memory, within bounds."""

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from engines.errors import CallerMistake
from studio.audio.formats import MEDIA_TYPES
from studio.errors import StudioError

__all__ = ["KEPT_SECONDS", "SoundGone", "SpokenSound", "SpokenSounds"]

KEPT_SECONDS = 600.0
MOST_BYTES = 64 << 20  # 20 minutes of 24 kHz as WAV, all visitors together


class SoundGone(StudioError, CallerMistake):
    """It was dropped: too long ago, or by others that came later."""

    code = "sound_gone"


@dataclass(frozen=True)
class SpokenSound:
    """A file of sound."""

    data: bytes
    media_type: str = MEDIA_TYPES["wav"]


class SpokenSounds:
    """Thread-safe. Whoever knows the id of a sound may hear it: 128 random bits. clock: seconds that only rise."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._lock = threading.Lock()
        self._sounds: OrderedDict[str, tuple[float, SpokenSound]] = OrderedDict()

    def keep(self, sound: SpokenSound) -> str:
        """The id under which `get` finds it."""
        sound_id = secrets.token_hex(16)
        with self._lock:
            self._sounds[sound_id] = (self._clock(), sound)
            self._tidy()
        return sound_id

    def get(self, sound_id: str) -> SpokenSound:
        """Raises SoundGone."""
        with self._lock:
            self._tidy()
            if sound_id not in self._sounds:
                raise SoundGone(seconds=KEPT_SECONDS)
            return self._sounds[sound_id][1]

    def _tidy(self) -> None:
        n_bytes = sum(len(sound.data) for _, sound in self._sounds.values())
        while self._sounds:
            kept_at, sound = next(iter(self._sounds.values()))
            if self._clock() - kept_at <= KEPT_SECONDS and (n_bytes <= MOST_BYTES or len(self._sounds) == 1):
                return
            self._sounds.popitem(last=False)
            n_bytes -= len(sound.data)
