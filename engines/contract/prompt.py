"""SpeakerPrompt: what one engine learned from one clip: a portable, read-only value. One safetensors file, never a pickle."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np
import safetensors.numpy

from engines.clips.clip import Transcript
from engines.errors import PromptInvalid
from engines.plain_json import read_json

__all__ = ["WORDS_LEFT_OUT", "Fact", "SpeakerPrompt", "adopted_digest", "embedding_digest", "preset_digest", "unreadable"]

FORMAT = "speaker-prompt/1"
PRESET = "preset:"  # what the source of a built-in speaker begins with
_FIELDS = ("engine", "extractor_revision", "weights_fingerprint", "numeric_mode", "source_digest")
WORDS_LEFT_OUT = "words_left_out"  # a fact: they did not fit the clip, so the prompt was learned without, and is spoken without
Fact = bool | int | float | str


@dataclass(frozen=True, eq=False)
class SpeakerPrompt:
    """What cannot be recomputed without the clip (level L0): independent of device and of compute dtype.

    tensors: NumPy arrays, copied, contiguous and made read-only here, so that no reader can change what another one sees.
    source_digest: digest of the clip it was learned from; `embedding_digest(...)` or `preset_digest(...)` where there was none.
    transcript: the words that shaped it, or that in-context engines speak after.
    facts: small numbers and words for people and for the engine (clip quality, fit mode, ...), JSON scalars.
    """

    engine: str
    extractor_revision: str
    weights_fingerprint: str
    numeric_mode: str
    source_digest: str
    tensors: Mapping[str, np.ndarray]
    transcript: Transcript | None = None
    facts: Mapping[str, Fact] = field(default_factory=dict)

    def __post_init__(self):
        if not self.tensors:
            raise PromptInvalid(detail=f"a prompt of {self.engine} without tensors says nothing about a speaker")
        object.__setattr__(self, "tensors", MappingProxyType({name: _frozen(self.tensors[name]) for name in sorted(self.tensors)}))
        object.__setattr__(self, "facts", MappingProxyType(dict(self.facts)))

    @property
    def is_preset(self) -> bool:
        """Whether it is a built-in speaker's."""
        return self.source_digest.startswith(PRESET)

    @property
    def storage_bytes(self) -> int:
        """Memory held by the tensors: their whole storage, since each is a compact copy."""
        return sum(tensor.nbytes for tensor in self.tensors.values())

    @cached_property
    def content_digest(self) -> str:
        """SHA-256 over identity and tensors, not the transcript: names the prepared state (L1) that an engine derives from it."""
        hasher = hashlib.sha256(json.dumps([getattr(self, name) for name in _FIELDS]).encode())
        for name, tensor in self.tensors.items():
            hasher.update(f"{name}:{tensor.dtype.str}:{tensor.shape};".encode())
            hasher.update(tensor.data)
        return hasher.hexdigest()

    def with_transcript(self, transcript: Transcript | None) -> "SpeakerPrompt":
        """The same tensors (shared, not copied) with other words, for engines whose tensors do not depend on them; itself where words
        were left out."""
        is_same = transcript == self.transcript or self.facts.get(WORDS_LEFT_OUT)
        return self if is_same else replace(self, transcript=transcript)

    def without_words(self) -> "SpeakerPrompt":
        """The same, which was learned without the words of its clip, since they do not fit."""
        return replace(self, transcript=None, facts={**self.facts, WORDS_LEFT_OUT: True})

    def to_bytes(self) -> bytes:
        """One safetensors file: the tensors, and as string metadata the identity, the transcript and the facts."""
        metadata = {"format": FORMAT, "content_digest": self.content_digest, "facts": json.dumps(dict(self.facts))}
        metadata.update({name: getattr(self, name) for name in _FIELDS})
        if self.transcript is not None:
            metadata["transcript"] = json.dumps([self.transcript.text, self.transcript.language])
        return safetensors.numpy.save(dict(self.tensors), metadata)

    @classmethod
    def from_bytes(cls, data: bytes) -> "SpeakerPrompt":
        """The prompt in a file that `to_bytes` made. Raises PromptInvalid for a missing or unknown field and for a wrong digest."""
        try:
            length = int.from_bytes(data[:8], "little")
            metadata = read_json(data[8 : 8 + length])["__metadata__"]
            tensors = safetensors.numpy.load(data)
            fields = {name: metadata.pop(name) for name in _FIELDS}
            stated_format, digest = metadata.pop("format"), metadata.pop("content_digest")
            words, facts = metadata.pop("transcript", None), read_json(metadata.pop("facts"))
            prompt = cls(**fields, tensors=tensors, transcript=Transcript(*read_json(words)) if words else None, facts=facts)
        except (KeyError, ValueError, TypeError, safetensors.SafetensorError) as error:
            raise PromptInvalid(detail=f"no speaker prompt file: {error}") from error
        if not all(map(_is_plain, prompt.facts.values())):
            raise PromptInvalid(detail="its facts are no numbers and words")
        if stated_format != FORMAT or metadata:
            raise PromptInvalid(
                detail=f"it has the format {stated_format!r} with unknown fields {sorted(metadata)}; this version reads {FORMAT!r}"
            )
        if digest != prompt.content_digest:
            raise PromptInvalid(detail="the file's content does not match its digest")
        return prompt


def embedding_digest(embedding: np.ndarray) -> str:
    """Identity of an uploaded speaker embedding (D,): SHA-256 of its float32 values, little endian."""
    return "embedding:" + hashlib.sha256(np.ascontiguousarray(embedding, dtype="<f4").data).hexdigest()


def adopted_digest(name: str, tensor: np.ndarray) -> str:
    """Identity of a voice that other tools made, a tensor of that PromptForm: SHA-256 of name, shape and little-endian values."""
    hasher = hashlib.sha256(f"{name}:{tensor.shape};".encode())
    hasher.update(np.ascontiguousarray(tensor, dtype=tensor.dtype.newbyteorder("<")).data)
    return "adopted:" + hasher.hexdigest()


def preset_digest(name: str) -> str:
    """Identity of a built-in speaker."""
    return PRESET + name


def unreadable(prompt: SpeakerPrompt) -> PromptInvalid:
    """The refusal of a prompt that is signed as the engine's own and holds other tensors than it makes."""
    held = {name: (str(tensor.dtype), tensor.shape) for name, tensor in prompt.tensors.items()}
    return PromptInvalid(detail=f"it holds {held}")


def _is_plain(value: object) -> bool:
    """Whether it is a Fact that JSON can carry on: a finite number, or well-formed text."""
    if isinstance(value, str):
        return value.isprintable()
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))


def _frozen(tensor: np.ndarray) -> np.ndarray:
    """A compact read-only array; shared as it is when it is one already, copied otherwise (a view would keep its whole base alive)."""
    if isinstance(tensor, np.ndarray) and tensor.base is None and not tensor.flags.writeable and tensor.flags.c_contiguous:
        return tensor
    copy = np.array(tensor, order="C", copy=True)
    copy.flags.writeable = False
    return copy
