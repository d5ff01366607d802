"""PromptSource: where a speaker prompt comes from. Decided once per request, so that audio, digest and owner cannot drift apart."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engines.clip import Clip, Transcript
from engines.contract import Engine
from engines.prompt import SpeakerPrompt, embedding_digest
from studio.prompt_key import Extractor, PromptKey
from studio.speakers.speaker import Generation, Speaker

__all__ = ["PromptSource", "from_clip", "from_embedding", "from_preset", "from_speaker"]

Learn = Callable[[Engine], SpeakerPrompt]


@dataclass(frozen=True, eq=False)
class PromptSource:
    """digest: of the clip, "embedding:..." or "preset:...". owner: None for inline audio and presets.

    open(): reads what must be read (not on the engine's thread) and returns what then runs on it.
    """

    digest: str
    open: Callable[[], Learn]
    transcript: Transcript | None = None
    owner: Generation | None = None
    speaker: str | None = None

    def key(self, extractor: Engine | Extractor) -> PromptKey:
        """Of what that engine learns from it."""
        return PromptKey.of(extractor, self.digest, self.transcript)


def from_clip(clip: Clip, transcript: Transcript | None) -> PromptSource:
    return PromptSource(clip.digest, lambda: lambda engine: engine.extract(clip, transcript), transcript)


def from_embedding(embedding: np.ndarray) -> PromptSource:
    """embedding: (D,) float32."""
    return PromptSource(embedding_digest(embedding), lambda: lambda engine: engine.embed(embedding))


def from_preset(name: str) -> PromptSource:
    return PromptSource(f"preset:{name}", lambda: lambda engine: engine.preset(name), speaker=name)


def from_speaker(speaker: Speaker, transcript: Transcript | None = None) -> PromptSource:
    """A stored speaker. transcript: other words than the stored ones, for this request."""
    if speaker.embedding is not None:
        embedding = speaker.embedding
        return PromptSource(
            embedding_digest(embedding), lambda: lambda engine: engine.embed(embedding), owner=speaker.generation, speaker=speaker.name
        )
    words = transcript or speaker.transcript

    def open_clip() -> Learn:
        clip = speaker.read_clip()
        return lambda engine: engine.extract(clip, words)

    return PromptSource(speaker.clip_digest, open_clip, words, speaker.generation, speaker.name)
