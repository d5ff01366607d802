"""SpeechRequest and Speech: what is asked of the studio, and the sound that comes back."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from engines.clip import Clip, Transcript
from engines.contract import EngineInfo
from studio.running.stream import EngineStream
from studio.speech.kept_stream import KeptStream
from studio.timeline import Timeline

__all__ = ["Speech", "SpeechRequest"]


@dataclass(frozen=True, eq=False)
class SpeechRequest:
    """Say `text` in one voice.

    The voice is, in this order: `clip` (inline audio), `embedding` (inline, (D,) float32), `speaker` (a stored name or a preset of the
    engine), or the engine's default preset when all are None.
    engine: id, None for the default engine. transcript: the words of `clip`, or instead of the stored ones of `speaker`.
    options: of the engine's own schema, and `speed` for every engine (time_stretch.py).
    keep: whether the speech goes into the history (history.py).
    """

    text: str
    engine: str | None = None
    speaker: str | None = None
    clip: Clip | None = None
    transcript: Transcript | None = None
    embedding: np.ndarray | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    keep: bool = False


class Speech:
    """Chunks (T,) float32 in [-1, 1] at `sample_rate`, as the engine makes them. Must be closed, or iterated to its end.

    engine: what speaks. speaker: the name as stored, or None for inline audio. prompt_facts: what extraction found out about the clip.
    """

    def __init__(self, stream: EngineStream | KeptStream, engine: EngineInfo, speaker: str | None, prompt_facts: Mapping[str, object]):
        self._stream = stream
        self.engine = engine
        self.sample_rate = engine.sample_rate
        self.speaker = speaker
        self.prompt_facts = prompt_facts

    @property
    def timeline(self) -> Timeline:
        return self._stream.timeline

    def wait_first(self) -> None:
        """Block until the first chunk is ready, so that an early failure raises here and not in the middle of an answer."""
        self._stream.wait_first()

    def notify(self, callback: Callable[[], None]) -> None:
        """For async doors: call back from another thread whenever `poll` has something new, and once now."""
        self._stream.notify(callback)

    def poll(self) -> tuple[np.ndarray | None, bool]:
        """(chunk or None, whether it is over), without blocking. Raises what the engine raised."""
        return self._stream.poll()

    def __iter__(self) -> Iterator[np.ndarray]:
        return self._stream

    def read_all(self) -> np.ndarray:
        """The whole speech, (T,) float32."""
        try:
            return np.concatenate(list(self._stream))
        finally:
            self.close()

    def close(self) -> None:
        """Hang up: the engine stops within one chunk. Idempotent."""
        self._stream.close()

    def __enter__(self) -> "Speech":
        return self

    def __exit__(self, *exc_info) -> None:
        self.close()
