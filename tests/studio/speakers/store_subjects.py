"""What the tests of the store put into it, and how they look at its directory."""

import errno

import numpy as np
import safetensors.numpy

from engines import durable
from engines.clips.clip import Clip
from engines.contract.prompt import SpeakerPrompt
from studio.prompt_key import PromptKey
from studio.speakers.speaker import Enrollment, Speaker

# As vLLM-Omni 0.30.0 wrote it for a two-second clip.
OMNI = {
    "consent": "c1",
    "speaker_description": "warm",
    "original_filename": "a.wav",
    "name": "Alice",
    "created_at": "1795195729",
    "embedding_source": "audio",
    "voice_name_lower": "alice",
    "file_size": "96044",
    "sample_rate": "24000",
    "mime_type": "audio/wav",
    "ref_text": "hello there",
}
OMNI_NAME = "Alice_c1_1795195729.safetensors"


def clip_of(seed: int, seconds: float = 0.1) -> Clip:
    return Clip(np.random.default_rng(seed).uniform(-1, 1, int(seconds * 24_000)).astype(np.float32), 24_000)


def recording(name: str = "Alice", seed: int = 1, **more) -> Enrollment:
    return Enrollment(name, more.pop("consent", "c1"), more.pop("clip", clip_of(seed)), **more)


def prompt_for(speaker: Speaker, engine: str = "fake", value: float = 1.0) -> tuple[PromptKey, SpeakerPrompt]:
    identity = (engine, "1", "weights", "fp32", speaker.clip_digest or "embedding:x")
    return PromptKey(*identity), SpeakerPrompt(*identity, tensors={"x": np.full(8, value, np.float32)})


def speaker_files(directory) -> list[str]:
    return sorted(path.name for path in directory.glob("*.safetensors"))


def everything(directory) -> dict[str, bytes]:
    """All files but the lock, by relative path."""
    files = [path for path in directory.rglob("*") if path.is_file() and path.name != durable.LOCK_NAME]
    return {str(path.relative_to(directory)): path.read_bytes() for path in files}


def refuse(*_arguments, **_more):
    """Stands in for a function of os that the disk lets fail."""
    raise OSError(errno.EIO, "injected")


def omni_file(directory, file_name=OMNI_NAME, tensor=None, drop=(), **changes):
    """A file as vLLM-Omni writes it; `drop` and `changes` alter its metadata. tensor: (T,) or (T, C) float32."""
    audio = clip_of(7).samples if tensor is None else tensor
    metadata = {key: value for key, value in (OMNI | changes).items() if key not in drop}
    safetensors.numpy.save_file({"audio": np.ascontiguousarray(audio)}, directory / file_name, metadata)
    return directory / file_name
