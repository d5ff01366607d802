"""Sound: the samples of an utterance at the rate that the client asked for, within full scale, awaited."""

import numpy as np

from studio.api.intake import Utterance
from studio.api.listening import Listener
from studio.audio.limiter import soft_limited
from studio.audio.resampling import Resampler

__all__ = ["Sound"]


class Sound:
    """One reader per utterance. Arrays are never empty, so that no packet is."""

    def __init__(self, utterance: Utterance):
        speech = utterance.speech
        self.sample_rate = utterance.order.sample_rate or speech.sample_rate
        self.n_samples = 0
        self._level = utterance.level
        self._listener = Listener(speech)
        self._resampler = Resampler(speech.sample_rate, self.sample_rate)
        self._over = False

    @property
    def seconds(self) -> float:
        """Of audio handed out so far."""
        return self.n_samples / self.sample_rate

    async def next(self) -> np.ndarray | None:
        """The next samples (T,) float32 in [-1, 1], T > 0, or None at the end. Raises what the engine raised; NoAudio."""
        while not self._over:
            chunk = await self._listener.chunk()
            self._over = chunk is None
            samples = self._resampler.finish() if chunk is None else self._resampler.push(chunk)
            if len(samples):
                samples = soft_limited(samples)
                self.n_samples += len(samples)
                self._level.add(samples)
                return samples
        return None
