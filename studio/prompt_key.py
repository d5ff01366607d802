"""PromptKey: what makes two prompts the same. Never a name, so that a name can change hands without one voice answering for another."""

import hashlib
import json
from dataclasses import astuple, dataclass
from functools import cached_property

from engines.clip import Transcript
from engines.contract import Engine, EngineInfo

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
    """engine, its extraction code and weights, its precision, the source's digest, and the words where they shape the tensors."""

    engine: str
    extractor_revision: str
    weights_fingerprint: str
    numeric_mode: str
    source_digest: str
    transcript_digest: str = ""

    @classmethod
    def of(cls, engine: Engine | Extractor, source_digest: str, transcript: Transcript | None) -> "PromptKey":
        """The key of what `engine` learns from a clip with this digest. A transcript counts only where it shapes the tensors."""
        words = transcript.digest if transcript is not None and engine.info.transcript_shapes_prompt else ""
        return cls(engine.info.id, engine.info.extractor_revision, engine.weights_fingerprint, engine.numeric_mode, source_digest, words)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all fields in hexadecimal, fit for a file name."""
        return hashlib.sha256(json.dumps(astuple(self)).encode()).hexdigest()
