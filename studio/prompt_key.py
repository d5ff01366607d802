"""PromptKey: what makes two prompts the same. It never holds a name, since a name can change hands: no voice may answer for another."""

import hashlib
import json
from dataclasses import dataclass, field, fields
from functools import cached_property

from engines.clips.clip import Transcript
from engines.contract.contract import Engine, EngineInfo

__all__ = ["Extractor", "PromptKey"]


@dataclass(frozen=True)
class Extractor:
    """What of an opened engine decides about its prompts. Outlives the engine, so that its prompts can be told apart while it is closed."""

    info: EngineInfo
    weights_fingerprint: str
    numeric_mode: str

    @classmethod
    def of(cls, engine: Engine) -> "Extractor":
        return cls(engine.info, engine.weights_fingerprint, engine.numeric_mode)


@dataclass(frozen=True)
class PromptKey:
    """engine, its extraction code and weights, its precision, the source's digest, and the words where they shape the tensors.

    scope: the workspace that it is learned for, "" for everybody's. Two of them that have the same recording learn it twice, so that
    neither can tell by the time it takes that the other has it; on disk, prompts lie beside their speakers, and scope says nothing.
    """

    engine: str
    extractor_revision: str
    weights_fingerprint: str
    numeric_mode: str
    source_digest: str
    transcript_digest: str = ""
    scope: str = field(default="", repr=False)

    @classmethod
    def of(cls, engine: Engine | Extractor, source_digest: str, transcript: Transcript | None, scope: str = "") -> "PromptKey":
        """The key of what `engine` learns from a clip with this digest. A transcript counts only where it shapes the tensors."""
        words = transcript.digest if transcript is not None and engine.info.transcript_shapes_prompt else ""
        weights = engine.weights_fingerprint
        return cls(engine.info.id, engine.info.extractor_revision, weights, engine.numeric_mode, source_digest, words, scope)

    def suits(self, transcript: Transcript | None) -> bool:
        """Whether no other words than these have shaped the prompt, so that it may stand beside a speaker who has them."""
        return not self.transcript_digest or self.is_of(transcript)

    def is_of(self, transcript: Transcript | None) -> bool:
        """Whether these words have shaped the prompt, or none where these are none."""
        return self.transcript_digest == (transcript.digest if transcript is not None else "")

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all fields but scope in hexadecimal, fit for a file name."""
        stated = [getattr(self, name) for name in _STATED]
        return hashlib.sha256(json.dumps(stated).encode()).hexdigest()


_STATED = tuple(field.name for field in fields(PromptKey) if field.name != "scope")
