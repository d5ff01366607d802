"""OneTake: one whole speech, though what speaks it may die in the middle. Then it is spoken again elsewhere, and goes on where it was."""

from collections.abc import Callable, Generator
from hashlib import blake2b

import numpy as np

from engines.contract.contract import YIELD_POINT, HeardOut
from engines.contract.speech_end import SpeechEnd
from engines.errors import EngineError

__all__ = ["OneTake", "SpeakerLost", "TakeDiffers"]

Take = Generator[np.ndarray, None, SpeechEnd]


class SpeakerLost(Exception):
    """Whatever spoke is gone, before the end of the speech. Another may speak instead."""


class TakeDiffers(Exception):
    """What was handed on before does not come again."""


class OneTake:
    """All that a listener is handed is the last take, whole and bit for bit: of the takes before it came nothing else.

    So a listener of a deterministic engine notices no more than a pause. Another engine's take differs, and so does one of other weights
    or other numbers; a digest tells. n_samples: handed on so far. Nothing of the sound itself is kept.
    """

    def __init__(self):
        self.n_samples = 0
        self._digest = blake2b()

    def spoken(self, take: Callable[[], Take], most_takes: int) -> Take:
        """The speech, of one take or of several. YIELD_POINT stands for what comes again.

        take: speaks from the beginning; where it raises SpeakerLost it is asked again. Raises SpeakerLost where most_takes were lost,
        TakeDiffers, and what a take raises beyond what was handed on.
        """
        for takes_left in reversed(range(most_takes)):
            try:
                return (yield from self._rest_of(take()))
            except SpeakerLost:
                if not takes_left:
                    raise
        raise AssertionError

    def _rest_of(self, chunks: Take) -> Take:
        """What a take has beyond what was handed on."""
        again, heard = _Repetition(self.n_samples, self._digest.digest()), HeardOut(chunks)
        try:
            for chunk in heard:
                new = again.passed(chunk)
                self._digest.update(new.data)
                self.n_samples += len(new)
                yield new if len(new) else YIELD_POINT
        except EngineError as error:
            if again.n_missing:  # it could be spoken before
                raise TakeDiffers(f"It is refused: {error}") from error
            raise
        finally:
            chunks.close()
        if again.n_missing:
            raise TakeDiffers(f"It ends {again.n_missing} samples before what was handed on.")
        return heard.end


class _Repetition:
    """The beginning of a take, which was handed on before: n_missing samples of it are still to come, and `digest` is theirs."""

    def __init__(self, n_samples: int, digest: bytes):
        self.n_missing = n_samples
        self._wanted, self._digest = digest, blake2b()

    def passed(self, chunk: np.ndarray) -> np.ndarray:
        """What of a chunk lies beyond it. Raises TakeDiffers."""
        known, new = chunk[: self.n_missing], chunk[self.n_missing :]
        if len(known):
            self._digest.update(known.data)
            self.n_missing -= len(known)
            if not self.n_missing and self._digest.digest() != self._wanted:
                raise TakeDiffers("What it begins with is other than what was handed on.")
        return new
