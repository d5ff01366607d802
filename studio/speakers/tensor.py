"""SpeakerTensor: numbers that stand for a speaker in place of a recording: a speaker embedding, or a prompt that other tools made."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from engines.contract.contract import Engine, EngineInfo
from engines.contract.prompt import SpeakerPrompt, adopted_digest, embedding_digest

__all__ = ["TENSOR_TYPE", "SpeakerTensor"]

TENSOR_TYPE = "application/x-safetensors"  # as vLLM-Omni lists an uploaded embedding


@dataclass(frozen=True, eq=False)
class SpeakerTensor:
    """form: name of the PromptForm that it has, "" for a speaker embedding. shape: (D,) of an embedding; else that form's.

    n_frames: of a prompt, 0 of an embedding. source_digest: of SpeakerPrompts that engines make of it ("embedding:...", "adopted:...").
    read: the values, read-only: float32, or int16 where the form is one of codes. Raises ClipMissing where they are gone from disk.
    """

    form: str
    shape: tuple[int, ...]
    n_frames: int
    source_digest: str
    read: Callable[[], np.ndarray] = field(repr=False)

    @classmethod
    def of(cls, values: np.ndarray, form: str = "", n_frames: int = 0) -> "SpeakerTensor":
        """Of values in memory, which are copied: integers of a form as int16, all else as float32."""
        dtype = np.int16 if form and np.asarray(values).dtype.kind in "iu" else np.float32
        with np.errstate(over="ignore", invalid="ignore"):  # what float32 cannot hold is not finite, and refused where it matters
            values = np.array(values).astype(dtype)
        values.flags.writeable = False
        digest = adopted_digest(form, values) if form else embedding_digest(values)
        return cls(form, values.shape, n_frames, digest, lambda: values)

    @property
    def digest(self) -> str:
        """64 hexadecimal digits."""
        return self.source_digest.partition(":")[2]

    def suits(self, info: EngineInfo) -> bool:
        """Whether that engine declares to take such numbers."""
        if not self.form:
            return self.shape == (info.embedding_size,)
        return any(form.name == self.form and form.has_shape(self.shape) for form in info.prompt_forms)

    def lesson(self) -> Callable[[Engine], SpeakerPrompt]:
        """What an engine makes of it. The values are read at once, so that no engine waits for a disk. Raises ClipMissing."""
        values = self.read()
        return lambda engine: engine.adopt(self.form, values) if self.form else engine.embed(values)
