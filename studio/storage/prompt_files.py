"""The prompts of speakers on disk: `<generation id>/<engine>-<digest of the PromptKey>.safetensors`. Only the store knows speakers."""

import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from engines.clips.clip import Transcript
from engines.contract.prompt import SpeakerPrompt
from engines.durable import StagedFile, remove_file, remove_leftovers, sync_directory
from engines.errors import PromptInvalid
from engines.plain_json import read_json
from studio.prompt_key import PromptKey

__all__ = ["PromptFile", "PromptFiles", "keys_of"]

MOST_PROMPT_BYTES = 256 << 20
MOST_HEAD_BYTES = 1 << 20
_FILE = re.compile(r"(?P<engine>[a-zA-Z0-9_.-]+)-(?P<digest>[0-9a-f]{64})\.safetensors")
_IDENTITY = ("engine", "extractor_revision", "weights_fingerprint", "numeric_mode", "source_digest")


@dataclass(frozen=True)
class PromptFile:
    """One prompt on disk, as its name tells: whose it is, and the digest of its PromptKey."""

    engine: str
    digest: str
    n_bytes: int
    path: Path

    def read_key(self) -> PromptKey | None:
        """The key in full, from the head of the file; None where it cannot be read."""
        try:
            with open(self.path, "rb") as file:
                length = int.from_bytes(file.read(8), "little")
                metadata = read_json(file.read(min(length, MOST_HEAD_BYTES)))["__metadata__"]
            fields = _identity(metadata.__getitem__)
            words = Transcript(*read_json(metadata["transcript"])).digest if "transcript" in metadata else ""
        except (OSError, ValueError, KeyError, TypeError):
            return None
        keys = (PromptKey(*fields, transcript_digest=digest) for digest in ("", words))
        return next((key for key in keys if key.digest == self.digest), None)


class PromptFiles:
    """Reads, stages, publishes and removes prompt files. Whether a generation may have prompts is for the caller to know."""

    def __init__(self, directory: Path):
        self.directory = directory

    def path(self, generation_id: str, key: PromptKey) -> Path:
        name = f"{key.engine}-{key.digest}.safetensors"
        if not _FILE.fullmatch(name):
            raise ValueError(f"an engine's id must be fit for a file name, got {key.engine!r}")
        return self.directory / generation_id / name

    def read(self, generation_id: str, key: PromptKey) -> SpeakerPrompt:
        """Raises FileNotFoundError, OSError, and PromptInvalid for a file that is damaged or that is another prompt than its name says."""
        path = self.path(generation_id, key)
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size > MOST_PROMPT_BYTES:
                raise PromptInvalid(sentence="prompt_file_damaged", detail=f"it is longer than {MOST_PROMPT_BYTES} bytes")
            data = file.read()
        try:
            prompt = SpeakerPrompt.from_bytes(data)
        except PromptInvalid:
            raise
        except Exception as error:  # whatever a parser makes of damaged bytes must not fail the request
            raise PromptInvalid(sentence="prompt_file_damaged", detail=f"it is no speaker prompt file ({type(error).__name__})") from error
        check_identity(key, prompt)
        return prompt

    def read_all(self, generation_id: str) -> list[tuple[PromptKey, SpeakerPrompt]]:
        """Every prompt of a generation that is whole, with its key. Raises OSError."""
        return [pair for path, _ in self._files(generation_id) if (pair := self._read_keyed(generation_id, path)) is not None]

    def stage(self, key: PromptKey, prompt: SpeakerPrompt) -> StagedFile:
        """The prompt on disk under a temporary name. Raises PromptInvalid where it is not what the key says, OSError."""
        check_identity(key, prompt)
        self.directory.mkdir(exist_ok=True)
        return StagedFile(self.directory, [prompt.to_bytes()])

    def publish(self, staged: StagedFile, generation_id: str, key: PromptKey) -> None:
        """Raises OSError."""
        path = self.path(generation_id, key)
        path.parent.mkdir(exist_ok=True)
        staged.publish(path)

    def sync(self, generation_id: str) -> None:
        """Make what was published survive a power failure; a folder that was removed meanwhile needs none."""
        for directory in (self.directory / generation_id, self.directory):
            try:
                sync_directory(directory)
            except FileNotFoundError:
                continue

    def remove(self, generation_id: str, engine: str | None = None) -> None:
        """Remove a generation's prompts, of one engine or of all. Raises OSError; what is gone already does not matter."""
        folder = self.directory / generation_id
        for path, name in self._files(generation_id):
            if engine is None or name["engine"] == engine:
                remove_file(path)
        if engine is None and folder.exists():
            shutil.rmtree(folder)

    def remove_of_other_words(self, generation_id: str, key: PromptKey) -> None:
        """Remove what differs from this prompt in the words alone. Raises OSError."""
        for file in self.files(generation_id):
            other = file.read_key() if file.engine == key.engine and file.digest != key.digest else None
            if other is not None and replace(other, transcript_digest=key.transcript_digest).digest == key.digest:
                remove_file(file.path)

    def files(self, generation_id: str) -> tuple[PromptFile, ...]:
        found = []
        for path, name in self._files(generation_id):
            try:
                n_bytes = path.stat().st_size
            except FileNotFoundError:
                continue
            found.append(PromptFile(**name.groupdict(), n_bytes=n_bytes, path=path))
        return tuple(found)

    def remove_orphans(self, live_ids: set[str]) -> None:
        """Remove the folders of generations that are gone, and temporary files that nobody is writing. What cannot be removed stays."""
        if not self.directory.is_dir():
            return
        remove_leftovers(self.directory)
        for folder in self.directory.iterdir():
            if folder.is_dir() and folder.name not in live_ids:
                shutil.rmtree(folder, ignore_errors=True)

    def _read_keyed(self, generation_id: str, path: Path) -> tuple[PromptKey, SpeakerPrompt] | None:
        try:
            prompt = SpeakerPrompt.from_bytes(path.read_bytes())
        except (PromptInvalid, FileNotFoundError):
            return None
        keys = keys_of(prompt)
        return next(((key, prompt) for key in keys if self.path(generation_id, key).name == path.name), None)

    def _files(self, generation_id: str) -> list[tuple[Path, re.Match[str]]]:
        """Each with its name, as _FILE reads it."""
        try:
            return [(path, name) for path in (self.directory / generation_id).iterdir() if (name := _FILE.fullmatch(path.name))]
        except FileNotFoundError:
            return []


def keys_of(prompt: SpeakerPrompt) -> tuple[PromptKey, ...]:
    """The keys under which a prompt may be kept: only its engine knows whether the words shape its tensors."""
    words = ("",) if prompt.transcript is None else ("", prompt.transcript.digest)
    return tuple(PromptKey(*_identity(partial(getattr, prompt)), transcript_digest=digest) for digest in words)


def _identity(value_of: Callable[[str], str]) -> tuple[str, str, str, str, str]:
    """The values of _IDENTITY."""
    engine, extractor_revision, weights_fingerprint, numeric_mode, source_digest = map(value_of, _IDENTITY)
    return engine, extractor_revision, weights_fingerprint, numeric_mode, source_digest


def check_identity(key: PromptKey, prompt: SpeakerPrompt) -> None:
    """A prompt under another's key would speak in another's voice. Raises PromptInvalid."""
    for name in _IDENTITY:
        if getattr(key, name) != getattr(prompt, name):
            raise PromptInvalid(
                sentence="prompt_file_damaged", detail=f"its {name} is {getattr(prompt, name)!r}; its key says {getattr(key, name)!r}"
            )
