"""PromptSource: where a speaker prompt comes from. Decided once per request, so that audio, digest and owner cannot drift apart."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import Engine, EngineInfo
from engines.contract.prompt import SpeakerPrompt, embedding_digest
from studio.errors import WordsMissing
from studio.prompt_key import Extractor, PromptKey
from studio.speakers.speaker import Generation, Speaker
from studio.workspace import EVERYBODY

__all__ = ["PromptSource", "from_clip", "from_embedding", "from_preset", "from_speaker"]

Learn = Callable[[Engine], SpeakerPrompt]


@dataclass(frozen=True, eq=False)
class PromptSource:
    """digest: of the clip, "embedding:..." or "preset:...". owner: None for inline audio and presets. scope: as PromptKey has it.

    read_clip: of what is learned from a recording; lesson: of all else, it reads what must be read and gives what `open` does.
    transcript: the words that are asked for. owner_transcript: those that are stored with the owner.
    """

    digest: str
    lesson: Callable[[], Learn] | None = None
    read_clip: Callable[[], Clip] | None = None
    transcript: Transcript | None = None
    owner: Generation | None = None
    owner_transcript: Transcript | None = None
    speaker: str | None = None
    scope: str = EVERYBODY

    def open(self) -> Learn:
        """Reads what must be read (not on the engine's thread) and returns what then runs on it."""
        if self.read_clip is None:
            return self.lesson()
        clip, words = self.read_clip(), self.transcript
        return lambda engine: engine.extract(clip, words)

    def lacks_words(self, info: EngineInfo) -> bool:
        """Whether that engine needs the words of a recording and they are not known."""
        return self.read_clip is not None and self.transcript is None and info.transcript == "required"

    def check_words(self, info: EngineInfo) -> None:
        """Raises WordsMissing where it lacks words."""
        if self.lacks_words(info):
            raise WordsMissing(info.title, self.speaker or "")

    def key(self, extractor: Engine | Extractor) -> PromptKey:
        """Of what that engine learns from it."""
        return PromptKey.of(extractor, self.digest, self.transcript, self.scope)


def from_clip(clip: Clip, transcript: Transcript | None, scope: str) -> PromptSource:
    return PromptSource(clip.digest, read_clip=lambda: clip, transcript=transcript, scope=scope)


def from_embedding(embedding: np.ndarray, scope: str) -> PromptSource:
    """embedding: (D,) float32."""
    return PromptSource(embedding_digest(embedding), lambda: lambda engine: engine.embed(embedding), scope=scope)


def from_preset(name: str) -> PromptSource:
    return PromptSource(f"preset:{name}", lambda: lambda engine: engine.preset(name), speaker=name)


def from_speaker(speaker: Speaker, transcript: Transcript | None = None) -> PromptSource:
    """A stored speaker. transcript: other words than the stored ones, for this request."""
    owned = {"owner": speaker.generation, "speaker": speaker.name, "scope": speaker.workspace}
    if speaker.tensor is not None:
        return PromptSource(speaker.tensor.source_digest, speaker.tensor.lesson, **owned)
    words = transcript or speaker.transcript
    owned |= {"owner_transcript": speaker.transcript}
    return PromptSource(speaker.clip_digest, read_clip=speaker.read_clip, transcript=words, **owned)
