"""PromptSource: where a speaker prompt comes from. Decided once per request, so that audio, digest and owner cannot drift apart."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from engines.clip import Clip, Transcript
from engines.contract import Engine, EngineInfo
from engines.prompt import SpeakerPrompt, embedding_digest
from studio.errors import WordsMissing
from studio.prompt_key import Extractor, PromptKey
from studio.speakers.speaker import Generation, Speaker
from studio.workspace import EVERYBODY

__all__ = ["PromptSource", "from_clip", "from_embedding", "from_preset", "from_speaker"]

Learn = Callable[[Engine], SpeakerPrompt]


@dataclass(frozen=True, eq=False)
class PromptSource:
    """digest: of the clip, "embedding:..." or "preset:...". owner: None for inline audio and presets. scope: as PromptKey has it.

    has_clip: whether it is learned from a recording.
    transcript: the words that are asked for. owner_transcript: those that are stored with the owner.

    open(): reads what must be read (not on the engine's thread) and returns what then runs on it.
    """

    digest: str
    open: Callable[[], Learn]
    transcript: Transcript | None = None
    owner: Generation | None = None
    owner_transcript: Transcript | None = None
    speaker: str | None = None
    scope: str = EVERYBODY
    has_clip: bool = False

    def check_words(self, info: EngineInfo) -> None:
        """Raises WordsMissing where that engine needs the words of a recording and they are not known."""
        if self.has_clip and self.transcript is None and info.transcript == "required":
            raise WordsMissing(info.title, self.speaker or "")

    def key(self, extractor: Engine | Extractor) -> PromptKey:
        """Of what that engine learns from it."""
        return PromptKey.of(extractor, self.digest, self.transcript, self.scope)


def from_clip(clip: Clip, transcript: Transcript | None, scope: str) -> PromptSource:
    return PromptSource(clip.digest, lambda: lambda engine: engine.extract(clip, transcript), transcript, scope=scope, has_clip=True)


def from_embedding(embedding: np.ndarray, scope: str) -> PromptSource:
    """embedding: (D,) float32."""
    return PromptSource(embedding_digest(embedding), lambda: lambda engine: engine.embed(embedding), scope=scope)


def from_preset(name: str) -> PromptSource:
    return PromptSource(f"preset:{name}", lambda: lambda engine: engine.preset(name), speaker=name)


def from_speaker(speaker: Speaker, transcript: Transcript | None = None) -> PromptSource:
    """A stored speaker. transcript: other words than the stored ones, for this request."""
    if speaker.embedding is not None:
        embedding = speaker.embedding
        source = from_embedding(embedding, speaker.workspace)
        return replace(source, owner=speaker.generation, speaker=speaker.name)
    words = transcript or speaker.transcript

    def open_clip() -> Learn:
        clip = speaker.read_clip()
        return lambda engine: engine.extract(clip, words)

    owned = {"owner": speaker.generation, "owner_transcript": speaker.transcript, "speaker": speaker.name, "scope": speaker.workspace}
    return PromptSource(speaker.clip_digest, open_clip, words, **owned, has_clip=True)
