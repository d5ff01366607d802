"""SpeakerDirectory: which speaker files there are, and which one stands for a name. Remembers nothing between two looks: the store does."""

import errno
import itertools
import logging
import math
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from engines.clip import Clip
from studio.speakers.file import SpeakerFileBad, header_bytes, read_speaker
from studio.speakers.name import file_name
from studio.speakers.speaker import Speaker
from studio.storage.durable import TEMP_PREFIX, StagedFile
from studio.storage.quarantine import Quarantine

__all__ = ["Look", "SpeakerDirectory", "StoredSpeaker"]

CLOCK_TICK_SECONDS = 2.0  # the coarsest modification times in use; a directory that changed within it may change again unseen
_NOT_THE_FILES_FAULT = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)

log = logging.getLogger("studio.store")


@dataclass(frozen=True)
class StoredSpeaker:
    """A speaker and the file that holds it. signature: (inode, bytes, modified ns), which tells that the file is still the same."""

    speaker: Speaker
    path: Path
    signature: tuple[int, int, int]
    ours: bool


@dataclass(frozen=True)
class Look:
    """What a scan found. live: by key. losers: older files of a name that has a newer one. outdated: what a later edit of the same
    generation left behind, often under another name. modified_ns: the directory's modification time that this look is good for, None where
    another one may find more."""

    live: Mapping[str, StoredSpeaker]
    losers: tuple[StoredSpeaker, ...]
    outdated: tuple[StoredSpeaker, ...]
    modified_ns: int | None


class SpeakerDirectory:
    """read_clip: becomes `Speaker.read_clip`, given the speaker and its file."""

    def __init__(self, path: Path, quarantine: Quarantine, read_clip: Callable[[Speaker, Path], Clip]):
        self.path = path
        self._quarantine = quarantine
        self._read_clip = read_clip

    def modified_ns(self) -> int:
        return os.stat(self.path).st_mtime_ns

    def look(self, known: Iterable[StoredSpeaker], settled_seconds: float) -> Look:
        """Read what is new since `known`; quarantine what is bad. Raises OSError where the directory itself cannot be read.

        settled_seconds: a bad file that is new to us and was written more recently is left alone, for somebody may still be writing it.
        """
        modified_ns = self.modified_ns()
        by_name = {stored.path.name: stored for stored in known}
        found: list[StoredSpeaker] = []
        all_settled = time.time() - modified_ns / 1e9 > CLOCK_TICK_SECONDS
        for path in self._paths():
            stored = _unchanged(by_name.get(path.name), path)
            if stored is None:
                stored, is_final = self._load(path, 0.0 if path.name in by_name else settled_seconds)
                all_settled &= is_final
            if stored is not None:
                found.append(stored)
        current, outdated = _latest_edits(found)
        rivals: dict[str, list[StoredSpeaker]] = {}
        for stored in current:
            rivals.setdefault(stored.speaker.key, []).append(stored)
        live = {key: max(files, key=lambda file: (file.speaker.created_at, file.path.name)) for key, files in rivals.items()}
        live = self._one_name_per_generation(live)
        losers = [file for key, files in rivals.items() if key in live for file in files if file is not live[key]]
        return Look(live, tuple(losers), tuple(outdated), modified_ns if all_settled else None)

    def stored(self, speaker: Speaker, path: Path, *, ours: bool) -> StoredSpeaker:
        """A speaker together with the file that holds it; of an embedding, nothing but this file has a size. Raises OSError."""
        signature = _signature(path)
        if speaker.embedding is not None:
            speaker = replace(speaker, file_bytes=signature[1])
        else:
            speaker = replace(speaker, read_clip=partial(self._read_clip, speaker, path))
        return StoredSpeaker(speaker, path, signature, ours)

    def path_of(self, speaker: Speaker) -> Path:
        return self.path / file_name(speaker.name, speaker.consent, speaker.created_at)

    def free_path(self, speaker: Speaker, unless: Path | None = None) -> Path:
        """The speaker's path, or one that nobody has: a number takes the place of created_at, which its header still states.

        unless: a path that may be taken, since the speaker has it.
        """
        numbers = itertools.chain((speaker.created_at,), itertools.count(1))
        paths = (self.path / file_name(speaker.name, speaker.consent, number) for number in numbers)
        return next(path for path in paths if path == unless or not os.path.lexists(path))

    def free_time(self, speaker: Speaker, earliest: int) -> int:
        """A created_at whose path nobody has."""
        return next(at for at in itertools.count(earliest) if not os.path.lexists(self.path_of(replace(speaker, created_at=at))))

    def stage(self, speaker: Speaker, values: np.ndarray) -> tuple[StagedFile, int]:
        """The speaker's file under a temporary name, and its header's length. values: (n,) float32. Raises OptionInvalid, OSError."""
        header = header_bytes(speaker, len(values))
        return StagedFile(self.path, [header, memoryview(np.ascontiguousarray(values, "<f4"))]), len(header)

    def _paths(self) -> list[Path]:
        with os.scandir(self.path) as entries:
            names = [entry.name for entry in entries if entry.name.endswith(".safetensors") and not entry.name.startswith(TEMP_PREFIX)]
        return [self.path / name for name in sorted(names)]

    def _load(self, path: Path, settled_seconds: float) -> tuple[StoredSpeaker | None, bool]:
        """The speaker in a file (None where it cannot be served), and whether looking again would find nothing else."""
        try:
            file = read_speaker(path)
            return self.stored(file.speaker, path, ours=file.ours), True
        except OSError as error:
            if error.errno in _NOT_THE_FILES_FAULT:
                log.warning("%s was not read: %s", path.name, error.strerror)
                return None, False
            if not os.path.lexists(path):
                return None, True
            reason = error.strerror or "it cannot be read"
        except SpeakerFileBad as error:
            reason = str(error)
        except Exception as error:  # one bad file must never keep the others from being served
            log.exception("reading %s", path.name)
            reason = f"it cannot be read: {type(error).__name__}"
        if _age_seconds(path) < settled_seconds:
            return None, False
        self._quarantine.take(path, reason)
        return None, True

    def _one_name_per_generation(self, live: dict[str, StoredSpeaker]) -> dict[str, StoredSpeaker]:
        """Prompts are kept by generation id: two names with one id (a file that was edited) would share them."""
        owners: dict[str, str] = {}
        for key, stored in live.items():
            if owners.setdefault(stored.speaker.generation_id, key) != key:
                self._quarantine.take(stored.path, "its generation id belongs to another speaker")
        return {key: stored for key, stored in live.items() if owners[stored.speaker.generation_id] == key}


def _latest_edits(found: list[StoredSpeaker]) -> tuple[list[StoredSpeaker], list[StoredSpeaker]]:
    """(the files to go by, those that an edit wrote anew and a sudden end kept from being removed): one recording, one generation."""
    latest: dict[tuple[str, str | None], int] = {}
    for stored in found:
        edited = (stored.speaker.generation_id, stored.speaker.clip_digest)
        latest[edited] = max(stored.speaker.revision, latest.get(edited, 0))
    outdated = [stored for stored in found if stored.speaker.revision < latest[stored.speaker.generation_id, stored.speaker.clip_digest]]
    return [stored for stored in found if stored not in outdated], outdated


def _unchanged(stored: StoredSpeaker | None, path: Path) -> StoredSpeaker | None:
    try:
        return stored if stored is not None and stored.signature == _signature(path) else None
    except OSError:
        return None


def _signature(path: Path) -> tuple[int, int, int]:
    status = os.stat(path)
    return status.st_ino, status.st_size, status.st_mtime_ns


def _age_seconds(path: Path) -> float:
    """Since the file was last written; infinite where that cannot be known."""
    try:
        return time.time() - os.lstat(path).st_mtime
    except OSError:
        return math.inf
